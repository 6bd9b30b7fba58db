"""What figures on chosen data can say of a gate, beside those that its card has of other conversations."""

from __future__ import annotations

from convgate.training.library import SAMPLES
from convgate.ui.tune.bearing import bearing_words
from convgate.ui.tune.data import Source
from convgate.versions.card import DataSet, Draft, Measured, Metric

OWN = Source("@labels", "My labels", 8, 4, 80, 30)
SHOWN = Source(SAMPLES, "Samples", 38, 9, 1978, 189)


def card(**f1: float) -> Draft:
    """Of a version that was trained on one set and measured on those."""
    metrics = {
        name.replace("_", "."): Measured(100, 10, {"f1": Metric(value, None, None)})
        for name, value in f1.items()
    }
    return Draft(data=(DataSet("mine", "0" * 64, {}, "", ""),), metrics=metrics)


def test_the_samples_are_said_to_be_few_and_the_card_tells_of_sets_that_were_held_out() -> None:
    told = bearing_words([OWN, SHOWN], "a-b", card(mix_dev=0.797, irc_dev=0.755, mine=0.99))
    assert "Samples are 38 messages that were written to show hard choices" in told
    assert "On 2 sets of other conversations, 200 messages that it was not trained on, a\\-b has F1" in told
    assert "F1 0.76 to 0.80, as its card says" in told


def test_there_is_nothing_to_say_of_labels_and_a_card_without_held_out_sets() -> None:
    assert bearing_words([OWN], "mine", card(mine=0.99)) == ""
    assert bearing_words([OWN], "untrained", None) == ""
