"""What the words of a text tell about its part in a conversation."""

from __future__ import annotations

from convgate.gate.cues import Cue, ngrams_of, sentences_of, shipped_cues


def test_sentences_end_at_signs_of_any_script() -> None:
    assert sentences_of("Stop it. Now!\nv1.2 is out") == ["Stop it.", "Now!", "v1.2 is out"]
    assert len(sentences_of("我住在北京。我吃素，请永远记住。谢谢！")) == 3
    assert sentences_of(" \n ") == []


def test_the_highest_sentence_counts() -> None:
    cue = Cue(-1.0, {"always": 4.0})
    assert cue.highest("It rained. Always answer in French.") == cue.logit(
        ngrams_of("Always answer in French.")
    )
    assert cue.highest("") == -1.0


def test_the_shipped_cues_tell_the_obvious_apart() -> None:
    instruction, needs = shipped_cues()["instruction"], shipped_cues()["needs"]
    rule = instruction.highest("Always list the side effects when I ask about a medicine.")
    assert rule > 0 > instruction.highest("No parcel so far.")
    assert needs.logit(ngrams_of("and why?")) > needs.logit(ngrams_of("What is the capital of Australia?"))
