"""The patterns themselves: how they are written, and how all are looked for at once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from convgate.gatekeeper.checks import ORDER, lexicon
from convgate.gatekeeper.decision import Said
from convgate.gatekeeper.folding import fold
from convgate.gatekeeper.pattern import Lexicon, spelled_out, uncounted
from convgate.gatekeeper.patterns import LANGUAGES
from tools.gatekeeper_figures import read_labelled

WORK = Path(__file__).parent / "exchanges" / "work.jsonl"


def test_patterns_are_spelled_out_and_told_apart():
    for language in LANGUAGES:
        names = [(pattern.category, pattern.name) for pattern in language.patterns]
        assert len(names) == len(set(names))
        assert {pattern.category for pattern in language.patterns} == set(ORDER)
        for pattern in language.patterns:
            for words in (pattern.words, pattern.unless):
                spelled = spelled_out(words, language.named)
                assert r"\s+\s+" not in spelled, pattern.name  # a line that was meant to stand for nothing
                assert re.search(r"\{[a-z]", spelled) is None, pattern.name  # a name that there is not


@pytest.mark.parametrize("said", ["user", "assistant"])
def test_what_looks_for_all_patterns_at_once_counts_nothing_and_misses_none(said: Said, monkeypatch):
    counted: list[str] = []
    spy = lambda given: counted.append(uncounted(given)) or counted[-1]  # noqa: E731
    monkeypatch.setattr("convgate.gatekeeper.pattern.uncounted", spy)
    shared = lexicon(said)
    text = fold("\n".join(one.exchange.user for one in read_labelled(WORK))).text
    present = set(Lexicon(shared.patterns, shared.named)._present.Match(text))
    assert len(counted) == len(shared.patterns)
    assert not any(re.search(r"\{\d+,\d", expression) for expression in counted)
    assert present >= {at for at, (words, _) in enumerate(shared._compiled) if words.search(text)} > {0}
