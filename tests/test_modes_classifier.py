"""The classifier of modes: what it says of a message, what it remembers, its weights on disk."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path

import pytest

from convgate.bundled import BUNDLED_MODEL, BUNDLED_SHA256
from convgate.context.classifier.model import READ, TextModel, read_model
from convgate.context.classifier.states import StateEncoder
from convgate.context.mode import MODES
from convgate.context.modes import classifier as loading
from convgate.context.modes.classifier import ModeClassifier
from convgate.context.modes.fitting import (
    LabelledMessage,
    ModeQuality,
    Prepared,
    Tuning,
    fit,
    messages_hash,
    packaged_messages,
    weak_modes,
)
from convgate.conversation import Turn
from convgate.embedding.base import EncoderIdentity
from convgate.settings import Settings
from tests.fakes import FakeEncoder

FEW = packaged_messages()[:120]


@pytest.fixture(scope="module")
def few() -> TextModel:
    return fit(Prepared.of(FEW, FakeEncoder(32)), Tuning(0.5))


def test_a_decision_says_what_it_found_and_by_which_words(few: TextModel):
    (decision,) = ModeClassifier(few, FakeEncoder(32)).classify(
        [Turn.of("user", "Why is it that my printer keeps failing? Nothing happens, still the same error.")]
    )
    assert decision.mode == decision.likeliest == "DEBUGGING"
    assert sum(decision.probabilities.values()) == pytest.approx(1)
    assert decision.confidence == max(decision.probabilities.values())
    assert decision.to_json() == {
        "mode": "DEBUGGING",
        "confidence": decision.confidence,
        "source": "classifier",
    }
    assert decision.signs
    signs = ", ".join(f"“{sign}”" for sign in decision.signs)
    assert decision.reason == f"DEBUGGING with {decision.confidence:.2f}: {signs}."


def test_what_is_unsure_is_general_and_says_what_it_would_have_been(few: TextModel):
    unsure = replace(few, doubt=0.6)
    (decision,) = ModeClassifier(unsure, FakeEncoder(32)).classify_texts(["it keeps failing, same error"])
    assert (decision.mode, decision.likeliest, decision.source) == ("GENERAL", "DEBUGGING", "low confidence")
    assert "likeliest is DEBUGGING with 0." in decision.reason


def test_a_blank_message_is_general_and_needs_no_encoder(few: TextModel):
    encoder = FakeEncoder(32)
    blank, space = ModeClassifier(few, encoder).classify_texts(["", " \n"])
    assert (blank.mode, blank.confidence, blank.source) == ("GENERAL", 0.2, "low confidence")
    assert (space.item, encoder.texts) == (1, [])


def test_only_new_messages_are_looked_at_and_memory_is_bounded(few: TextModel):
    encoder = FakeEncoder(32)
    classifier = ModeClassifier(few, encoder, max_cached=2)
    classifier.classify_texts(["one", "two", "one"])
    assert encoder.texts == ["one", "two"]
    classifier.classify_texts(["two", "three"])
    assert encoder.texts == ["one", "two", "three"]
    classifier.classify_texts(["one"])
    assert encoder.texts == ["one", "two", "three", "one"]


def test_many_at_once_are_as_one_by_one(few: TextModel):
    texts = [message.content for message in FEW[:40]]
    together = ModeClassifier(few, FakeEncoder(32)).classify_texts(texts)
    alone = ModeClassifier(few, FakeEncoder(32))
    for place, text in enumerate(texts):
        (one,) = alone.classify_texts([text])
        assert one.confidence == pytest.approx(together[place].confidence, abs=1e-5)
        assert one.signs == together[place].signs


def test_a_mode_that_is_not_told_apart_is_given_as_general(few: TextModel):
    measured = {"TASK": ModeQuality(0.9, 0.9, 0.9), "DEBUGGING": ModeQuality(0.84, 0.9, 0.87)}
    weak = replace(few, info={"qualities": {mode: asdict(one) for mode, one in measured.items()}})
    assert weak_modes(weak.info) == {"DEBUGGING"}
    (decision,) = ModeClassifier(weak, FakeEncoder(32)).classify_texts(["still the same error, it failed"])
    assert (decision.mode, decision.likeliest) == ("GENERAL", "DEBUGGING")
    assert "not told apart well enough" in decision.reason


def test_a_pasted_log_is_not_read_as_a_whole(few: TextModel):
    encoder = FakeEncoder(32)
    ModeClassifier(few, encoder).classify_texts(["begins " + "x" * 100_000 + " it fails"])
    (read,) = encoder.texts
    assert len(read) == READ + 1
    assert read.startswith("begins ")
    assert read.endswith(" it fails")


def test_the_shipped_weights_are_of_the_packaged_messages_and_no_mode_falls_short():
    shipped = read_model(loading.SHIPPED, MODES, "")
    assert shipped.info["messages"] == messages_hash(packaged_messages())
    assert shipped.info["encoder"] == asdict(StateEncoder().identity)
    assert tuple(shipped.info["qualities"]) == MODES
    assert weak_modes(shipped.info) == frozenset()


def test_the_packaged_messages_are_many_and_varied():
    messages = packaged_messages()
    assert len(messages) == len({message.content for message in messages})
    for mode in MODES:
        assert sum(message.mode == mode for message in messages) >= 400
    assert {message.hand for message in messages} == {"first", "second", "third", "fourth", "fifth"}


def test_another_encoder_is_fitted_once_and_kept_in_the_home_folder(
    few: TextModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(loading, "packaged_messages", lambda: FEW)
    settings, encoder = Settings(home=tmp_path), FakeEncoder(32)
    for fresh_process in (True, True):
        assert fresh_process
        monkeypatch.setattr(loading, "_FITTED", {})
        loading.load_classifier(encoder, settings)
    assert len(encoder.calls) == 1
    (file,) = (tmp_path / "modes").iterdir()
    file.write_bytes(b"damaged")
    monkeypatch.setattr(loading, "_FITTED", {})
    loading.load_classifier(encoder, settings)
    assert len(encoder.calls) == 2
    assert "fitted anew" in caplog.text
    monkeypatch.setattr(loading, "_FITTED", {})
    monkeypatch.setattr(loading, "packaged_messages", lambda: (*FEW, LabelledMessage("hm", "GENERAL", "new")))
    loading.load_classifier(encoder, settings)
    assert len(encoder.calls) == 3


def test_the_bundled_encoder_has_shipped_weights_in_any_precision():
    identity = EncoderIdentity(BUNDLED_MODEL, BUNDLED_SHA256, "bfloat16", "any", "", 384)
    assert loading.is_bundled(identity)
    assert not loading.is_bundled(replace(identity, revision="other"))


@pytest.mark.slow
def test_plain_messages_have_their_modes_with_the_shipped_weights(convgate_home: Path):
    settings = Settings(home=convgate_home)
    classifier = loading.load_classifier(FakeBundled(), settings)
    expected = {
        "add a dark mode to the settings page, please": "TASK",
        "torn between a dog and a cat, both have their charm": "EXPLORATION",
        "the app keeps crashing since the update and nothing helps": "DEBUGGING",
        "how does a fridge work, in plain words?": "LEARNING",
        "thanks, see you tomorrow!": "GENERAL",
        "Why does the nightly backup fail?": "DEBUGGING",
        "The problem is that the lift stops between two floors.": "DEBUGGING",
        "I'm thinking about a garden on the roof.": "EXPLORATION",
        "What if we left a day earlier?": "EXPLORATION",
        "Teach me how tides work.": "LEARNING",
        "Let's implement it.": "TASK",
    }
    found = classifier.classify_texts(list(expected))
    assert [one.mode for one in found] == list(expected.values())


class FakeBundled(FakeEncoder):
    """Says that it is the bundled encoder; its own vectors are never asked for."""

    def __init__(self) -> None:
        super().__init__(384, model=BUNDLED_MODEL, revision=BUNDLED_SHA256)
