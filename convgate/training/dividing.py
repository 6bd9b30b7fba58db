"""Which conversations are trained on, which choose the epoch and the threshold, which compare."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from convgate.training.episodes import Episode
from convgate.training.epochs import FEWEST
from convgate.training.holding_out import Sets, hold_out, kept_together

PRETRAINING_SHARE, TRAINING_SHARE = 0.05, 0.35  # of the conversations, held out for validation
COMPARED_SHARE = 0.2  # of them, not even looked at for validation: what child and parent are compared on


@dataclass(frozen=True, eq=False, slots=True)
class Parts:
    """Episodes by set and use."""

    training: dict[str, list[Episode]]
    validation: dict[str, list[Episode]]
    compared: dict[str, list[Episode]]
    replayed: frozenset[str] = frozenset()  # names of sets that come with convgate
    why_not_compared: str = ""  # empty when something is compared

    @property
    def fitted(self) -> dict[str, list[Episode]]:
        """What the threshold is fitted on: validation, but what is trained on where a set has none."""
        return {name: self.validation.get(name) or known for name, known in self.training.items()}


def divide(episodes: Sets, *, replayed: Collection[str] = (), further: bool) -> Parts:
    """The uses of the episodes.

    replayed: sets that are trained on beside the others; when there are others, these alone are compared on.
    further: whether a version is trained further, and thus compared with its parent.
    """
    sets = {name: list(some) for name, some in episodes.items()}
    again = {name: some for name, some in sets.items() if name in replayed}
    own = {name: some for name, some in sets.items() if name not in replayed} or sets
    if own is sets:
        again = {}
    if not further:
        training, validation = hold_out(sets, share=PRETRAINING_SHARE)
        return Parts(training, validation, {}, frozenset(again))
    count = len(set(kept_together([episode for some in own.values() for episode in some])))
    if count < FEWEST:
        training, validation, compared = (
            own,
            {name: list[Episode]() for name in own},
            dict[str, list[Episode]](),
        )
    else:
        rest, compared = hold_out(own, share=COMPARED_SHARE)
        training, validation = hold_out(rest, share=TRAINING_SHARE)
    if again:
        more, known = hold_out(again, share=PRETRAINING_SHARE)
        training, validation = training | more, validation | known
    why_not = "" if any(compared.values()) else _too_few(count)
    return Parts(training, validation, compared, frozenset(again), why_not)


def _too_few(count: int) -> str:
    labelled = "1 conversation" if count == 1 else f"{count} conversations"
    return (
        "There were too few conversations to hold any out, so it was not compared with its parent, and nobody"
        f" knows yet whether it is better. These labels are of {labelled}; label turns in {FEWEST} or more."
    )
