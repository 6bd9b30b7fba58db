"""What figures on the chosen data can say of the gate, beside those that its card has of held-out sets."""

from __future__ import annotations

from collections.abc import Sequence

from convgate.training.library import SAMPLES
from convgate.ui.text import literal
from convgate.ui.tune.data import Source
from convgate.ui.wording import counted
from convgate.versions.card import Draft


def bearing_words(used: Sequence[Source], version: str, card: Draft | None) -> str:
    """Why the figures here need not be those of the card; empty when there is nothing to say."""
    told = [
        f"{source.label} are {counted(source.cases, 'message')} that were written to show hard choices: they"
        " explain the figures, and are too few to measure a gate."
        for source in used
        if source.name == SAMPLES
    ]
    if card is not None and (held_out := _held_out(card)):
        low, high = min(held_out.values()), max(held_out.values())
        sets = counted(len(held_out), "set")
        cases = counted(sum(card.metrics[name].cases for name in held_out), "message")
        told.append(
            f"On {sets} of other conversations, {cases} that it was not trained on, {literal(version)} has F1"
            f" {low:.2f}" + (f" to {high:.2f}" if high > low else "") + ", as its card says."
        )
    return " ".join(told)


def _held_out(card: Draft) -> dict[str, float]:
    """F1 by set, of the sets that the version was neither trained nor tuned on."""
    known = {one.name for one in card.data}
    found = {name: one.metrics.get("f1") for name, one in card.metrics.items() if name not in known}
    return {name: metric.value for name, metric in found.items() if metric and metric.value is not None}
