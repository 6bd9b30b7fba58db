"""The classifier of modes: its decisions, its cache and its shipped weights."""

from __future__ import annotations

import gc
import weakref
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from convgate.core.conversation import Turn
from convgate.core.settings import Settings, load_settings
from convgate.embedding.states import MAX_CHARACTERS, state_encoder
from convgate.modes.classifier import ModeClassifier, load_classifier, shipped_model
from convgate.modes.mode import MODES
from convgate.text.linear import TextModel, probabilities
from tests.fakes import FakeEncoder
from tools.mode_fitting import (
    ModeQuality,
    Prepared,
    Tuning,
    best_tuning,
    calibration_error,
    fit,
    given,
    labelled_messages,
    messages_hash,
    qualities,
    reliability,
)

FEW = labelled_messages()[:120]
TASK, DEBUGGING, GENERAL = (MODES.index(mode) for mode in ("TASK", "DEBUGGING", "GENERAL"))


@pytest.fixture(scope="module")
def few() -> TextModel:
    return fit(Prepared.of(FEW, FakeEncoder(32)), Tuning(0.5))


def test_a_decision_has_its_mode_confidence_and_words(few: TextModel):
    (decision,) = ModeClassifier(few, FakeEncoder(32)).classify(
        [Turn.of("user", "Why is it that my printer keeps failing? Nothing happens, still the same error.")]
    )
    assert decision.mode == decision.likeliest == "DEBUGGING"
    assert sum(decision.probabilities.values()) == pytest.approx(1)
    confidence = max(decision.probabilities.values())
    assert decision.to_json() == {"mode": "DEBUGGING", "confidence": confidence, "source": "classifier"}
    assert decision.signs
    assert all(f"“{sign}”" in decision.reason for sign in decision.signs)


def test_what_is_unsure_is_general_and_says_what_is_likeliest(few: TextModel):
    unsure = ModeClassifier(replace(few, doubt=0.6), FakeEncoder(32))
    (decision,) = unsure.classify_texts(["it keeps failing, same error"])
    assert (decision.mode, decision.likeliest, decision.source) == ("GENERAL", "DEBUGGING", "low confidence")
    assert "DEBUGGING" in decision.reason


def test_a_blank_message_is_general_and_needs_no_encoder(few: TextModel):
    encoder = FakeEncoder(32)
    blank, space = ModeClassifier(few, encoder).classify_texts(["", " \n"])
    assert (blank.mode, blank.confidence, blank.source) == ("GENERAL", 0.2, "low confidence")
    assert (space.index, encoder.texts) == (1, [])


def test_only_new_messages_are_encoded_and_the_cache_is_bounded(few: TextModel, monkeypatch):
    monkeypatch.setattr("convgate.modes.classifier.MAX_CACHED", 2)
    encoder = FakeEncoder(32)
    classifier = ModeClassifier(few, encoder)
    for texts, encoded in (
        (["one", "two", "one"], ["one", "two"]),
        (["two", "three"], ["three"]),
        (["one"], ["one"]),
    ):
        encoder.calls.clear()
        assert [one.index for one in classifier.classify_texts(texts)] == list(range(len(texts)))
        assert encoder.texts == encoded


def test_a_batch_gives_the_same_as_single_messages(few: TextModel):
    texts = [message.content for message in FEW[:40]]
    together = ModeClassifier(few, FakeEncoder(32)).classify_texts(texts)
    alone = ModeClassifier(few, FakeEncoder(32))
    for place, text in enumerate(texts):
        (one,) = alone.classify_texts([text])
        assert one.confidence == pytest.approx(together[place].confidence, abs=1e-5)
        assert one.signs == together[place].signs


def test_only_both_ends_of_a_long_message_are_read(few: TextModel):
    encoder = FakeEncoder(32)
    ModeClassifier(few, encoder).classify_texts(["begins " + "x" * 100_000 + " it fails"])
    (text,) = encoder.texts
    assert (len(text), text[:7], text[-9:]) == (MAX_CHARACTERS + 1, "begins ", " it fails")


def test_the_shipped_weights_are_of_the_labelled_messages_and_every_mode_reaches_its_floors():
    messages, info = labelled_messages(), shipped_model().info
    assert info["messages"] == messages_hash(messages)
    assert info["encoder"] == asdict(state_encoder(load_settings()).identity)
    assert tuple(info["qualities"]) == MODES
    assert all(ModeQuality(**one).reaches_floors for one in info["qualities"].values())
    assert len(messages) == len({message.content for message in messages})
    assert min(sum(message.mode == mode for message in messages) for mode in MODES) >= 400


@pytest.mark.slow
def test_plain_messages_have_their_modes_with_the_shipped_weights(convgate_home: Path):
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
    decisions = load_classifier(Settings(home=convgate_home)).classify_texts(list(expected))
    assert [one.mode for one in decisions] == list(expected.values())


def test_nothing_holds_the_vectors_of_a_classifier_that_is_gone(convgate_home: Path) -> None:
    classifier = load_classifier(Settings(home=convgate_home))
    encoder = weakref.ref(classifier.encoder)
    del classifier
    gc.collect()
    assert encoder() is None, "erasing all data removes the file that it has open"


class TestFitting:
    def test_what_is_below_the_min_confidence_is_general(self):
        shares = np.array([[0.7, 0.3, 0, 0, 0], [0.69, 0.31, 0, 0, 0], [0, 0, 1, 0, 0]], dtype=np.float32)
        assert given(shares).tolist() == [TASK, GENERAL, DEBUGGING]

    def test_precision_recall_and_f1_by_hand(self):
        modes = np.array([TASK, TASK, GENERAL, TASK])
        measured = qualities(np.array([TASK, TASK, TASK, GENERAL]), modes)
        assert tuple(asdict(measured["TASK"]).values()) == pytest.approx((2 / 3, 2 / 3, 2 / 3))
        assert measured["LEARNING"] == ModeQuality(0, 0, 0)
        assert ModeQuality(0.85, 0.8, 0.82).reaches_floors
        assert not ModeQuality(0.85, 0.79, 0.82).reaches_floors

    def test_calibration_is_the_distance_between_confidence_and_what_is_right(self):
        shares = np.array([[0.95, 0.05, 0, 0, 0]] * 4 + [[0.55, 0.45, 0, 0, 0]] * 4, dtype=np.float32)
        bins = reliability(shares, np.array([0, 0, 0, 0, 0, 0, 1, 1]))
        assert [(one.count, one.right) for one in bins] == [(4, 0.5), (4, 1.0)]
        assert calibration_error(bins) == pytest.approx(0.05, abs=1e-6)

    def test_a_tuning_sharpens_holds_general_back_and_leaves_a_doubt(self):
        logits = np.array([[1.0, 0, 0, 0, 1.0]], dtype=np.float32)
        (plain,) = Tuning()(logits)
        assert plain[TASK] == plain[GENERAL]
        (tuned,) = Tuning(0.5, 1.0, 0.1)(logits)
        assert tuned == pytest.approx(probabilities(np.array([[2.0, 0, 0, 0, 0]]), 0.1)[0], abs=1e-6)
        assert tuned.min() >= 0.02

    def test_underconfident_logits_are_calibrated(self):
        generator = np.random.default_rng(0)
        modes = generator.integers(0, len(MODES), 400)
        logits = generator.normal(0, 0.1, (400, len(MODES))).astype(np.float32)
        logits[np.arange(400), modes] += 1.2  # always right, and never sure of it
        tuning = best_tuning(logits, modes)
        assert tuning.temperature < 0.5
        assert (given(tuning(logits)) == modes).mean() > 0.95
        assert (given(Tuning()(logits)) == modes).mean() < 0.5
