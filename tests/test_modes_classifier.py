"""The classifier of modes: what it says of a message, what it remembers, its weights on disk."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from convgate.bundled import BUNDLED_MODEL, BUNDLED_SHA256
from convgate.context.mode import MODES
from convgate.context.modes import loading
from convgate.context.modes.classifier import ModeClassifier
from convgate.context.modes.cues import CUES
from convgate.context.modes.files import CONFIG, SHIPPED, WEIGHTS, StoredModel, read_model, write_model
from convgate.context.modes.fitting import Prepared, fit
from convgate.context.modes.messages import LabelledMessage, messages_hash, packaged_messages
from convgate.context.modes.quality import ModeQuality, Tuning
from convgate.context.modes.states import StateEncoder
from convgate.context.modes.surface import READ, surface_of
from convgate.conversation import Turn
from convgate.embedding.base import EncoderIdentity
from convgate.errors import ContextError
from convgate.settings import Settings
from tests.fakes import FakeEncoder

FEW = packaged_messages()[:120]


@pytest.fixture(scope="module")
def few() -> StoredModel:
    return StoredModel(fit(Prepared.of(FEW, FakeEncoder(32)), Tuning(0.5)), messages_hash(FEW), {})


def test_a_decision_says_what_it_found_and_by_which_words(few: StoredModel):
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
    assert decision.reason == f"DEBUGGING with {decision.confidence:.2f}: {', '.join(decision.signs)}."
    told = " ".join(decision.signs)
    assert "it says that" in told
    assert "“" in told


def test_what_is_unsure_is_general_and_says_what_it_would_have_been(few: StoredModel):
    unsure = StoredModel(replace(few.model, doubt=0.6), few.messages, {})
    (decision,) = ModeClassifier(unsure, FakeEncoder(32)).classify_texts(["it keeps failing, same error"])
    assert (decision.mode, decision.likeliest, decision.source) == ("GENERAL", "DEBUGGING", "low confidence")
    assert "likeliest is DEBUGGING with 0." in decision.reason


def test_a_blank_message_is_general_and_needs_no_encoder(few: StoredModel):
    encoder = FakeEncoder(32)
    blank, space = ModeClassifier(few, encoder).classify_texts(["", " \n"])
    assert (blank.mode, blank.confidence, blank.source) == ("GENERAL", 0.2, "low confidence")
    assert (space.item, encoder.texts) == (1, [])


def test_only_new_messages_are_looked_at_and_memory_is_bounded(few: StoredModel):
    encoder = FakeEncoder(32)
    classifier = ModeClassifier(few, encoder, remembered=2)
    classifier.classify_texts(["one", "two", "one"])
    assert encoder.texts == ["one", "two"]
    classifier.classify_texts(["two", "three"])
    assert encoder.texts == ["one", "two", "three"]
    classifier.classify_texts(["one"])
    assert encoder.texts == ["one", "two", "three", "one"]


def test_many_at_once_are_as_one_by_one(few: StoredModel):
    texts = [message.content for message in FEW[:40]]
    together = ModeClassifier(few, FakeEncoder(32)).classify_texts(texts)
    alone = ModeClassifier(few, FakeEncoder(32))
    for place, text in enumerate(texts):
        (one,) = alone.classify_texts([text])
        assert one.confidence == pytest.approx(together[place].confidence, abs=1e-5)
        assert one.signs == together[place].signs


def test_a_mode_that_is_not_told_apart_is_given_as_general(few: StoredModel):
    good, bad = ModeQuality(0.9, 0.9, 0.9), ModeQuality(0.84, 0.9, 0.87)
    weak = StoredModel(few.model, "", {"TASK": good, "DEBUGGING": bad})
    assert weak.weak == ("DEBUGGING",)
    (decision,) = ModeClassifier(weak, FakeEncoder(32)).classify_texts(["still the same error, it failed"])
    assert (decision.mode, decision.likeliest) == ("GENERAL", "DEBUGGING")
    assert "not told apart well enough" in decision.reason


def test_the_surface_reads_all_languages_and_little_of_a_long_message():
    assert surface_of("L’appli ne s’ouvre plus").said["fails"] == "ne s’ouvre"
    assert surface_of("Füge bitte eine Spalte ein").said["orders_abroad"] == "Füge"
    long = surface_of("why " * READ + "it keeps failing")
    assert {"why_things", "still"} <= long.cues.keys()
    assert sum(value**2 for run, value in long.runs.items() if run == "why") <= READ
    assert surface_of("") == surface_of("  ")


def test_a_pasted_log_is_not_read_as_a_whole(few: StoredModel):
    encoder = FakeEncoder(32)
    ModeClassifier(few, encoder).classify_texts(["begins " + "x" * 100_000 + " it fails"])
    (read,) = encoder.texts
    assert len(read) == READ + 1
    assert read.startswith("begins ")
    assert read.endswith(" it fails")


def test_names_of_cues_are_unique_and_each_finds_something():
    assert len({cue.name for cue in CUES}) == len(CUES)
    found = {name for message in packaged_messages()[:1500] for name in surface_of(message.content).cues}
    assert {cue.name for cue in CUES} - found == set()


def test_weights_come_back_as_they_were_written(few: StoredModel, tmp_path: Path):
    stored = StoredModel(few.model, few.messages, {"TASK": ModeQuality(0.9, 0.8, 0.85)})
    write_model(stored, tmp_path / "modes")
    again = read_model(tmp_path / "modes")
    assert (again.messages, again.qualities) == (stored.messages, stored.qualities)
    assert (again.model.names, again.model.doubt) == (few.model.names, few.model.doubt)
    assert np.array_equal(again.model.runs, few.model.runs)


def test_damaged_weights_are_named(few: StoredModel, tmp_path: Path):
    with pytest.raises(ContextError, match=r"cannot be read.*fit it anew"):
        read_model(tmp_path / "nothing")
    write_model(few, tmp_path)
    whole = json.loads((tmp_path / CONFIG).read_bytes())
    for change, message in (
        ({"cues": []}, "of other cues"),
        ({"modes": ["A"]}, "of the modes"),
        ({"runs": whole["runs"][:-1]}, "runs is float32 of shape"),
        ({"doubt": 2}, "doubt is a share"),
        ({"encoder": {}}, "lack something"),
    ):
        (tmp_path / CONFIG).write_text(json.dumps(whole | change))
        with pytest.raises(ContextError, match=message):
            read_model(tmp_path)
    (tmp_path / CONFIG).write_text(json.dumps(whole))
    write_model(StoredModel(replace(few.model, bias=few.model.bias * np.float32("nan")), "", {}), tmp_path)
    with pytest.raises(ContextError, match="bias holds NaN"):
        read_model(tmp_path)
    (tmp_path / WEIGHTS).write_bytes(b"no weights")
    with pytest.raises(ContextError, match="cannot be read"):
        read_model(tmp_path)


def test_the_shipped_weights_are_of_the_packaged_messages_and_no_mode_falls_short():
    shipped = read_model(SHIPPED)
    assert shipped.messages == messages_hash(packaged_messages())
    assert shipped.model.encoder == StateEncoder().identity
    assert tuple(shipped.qualities) == MODES
    assert shipped.weak == ()


def test_the_packaged_messages_are_many_and_varied():
    messages = packaged_messages()
    assert len(messages) == len({message.content for message in messages})
    for mode in MODES:
        assert sum(message.mode == mode for message in messages) >= 400
    assert {message.hand for message in messages} == {"first", "second", "third", "fourth"}


def test_another_encoder_is_fitted_once_and_kept_in_the_home_folder(
    few: StoredModel, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(loading, "packaged_messages", lambda: FEW)
    settings, encoder = Settings(home=tmp_path), FakeEncoder(32)
    for fresh_process in (True, True):
        assert fresh_process
        monkeypatch.setattr(loading, "_FITTED", {})
        loading.load_classifier(encoder, settings)
    assert len(encoder.calls) == 1
    (folder,) = (tmp_path / "modes").iterdir()
    (folder / WEIGHTS).write_bytes(b"damaged")
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
    }
    found = classifier.classify_texts(list(expected))
    assert [one.mode for one in found] == list(expected.values())


class FakeBundled(FakeEncoder):
    """Says that it is the bundled encoder; its own vectors are never asked for."""

    def __init__(self) -> None:
        super().__init__(384, model=BUNDLED_MODEL, revision=BUNDLED_SHA256)
