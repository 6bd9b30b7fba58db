"""What the model makes of statements: finds what no pattern knows, takes back what only looks so.

Patterns say which words bind; the model reads how a statement is said. Where a pattern found something, the
model has to be quite sure to overrule it; where none did, it has to be sure enough.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from convgate.context.invariants.kinds.labelled_statements import KINDS, Kind
from convgate.context.invariants.kinds.model import KindModel
from convgate.context.invariants.kinds.model_file import shipped_model
from convgate.context.invariants.statement import Statement
from convgate.context.modes.model import Floats
from convgate.context.modes.states import state_encoder
from convgate.context.modes.surface import excerpt, runs_of
from convgate.embedding.base import Encoder
from convgate.settings import Settings

FINDS = 0.75
"""Probability of any kind from which a statement counts that no pattern found."""

TAKES_BACK = 0.9
"""Probability of none from which a statement counts no more that patterns found."""

DOUBTS = 0.05
"""Probability of the kinds that patterns found, below which they count as nothing found."""

RANKS = 0.7
"""Probability of a safety requirement, or of none, from which a constraint is one, or is no longer."""

REMEMBERED = 50_000
"""Statements whose probabilities are kept, so that a growing conversation costs only what is new."""

Told = tuple[str, Sequence[Statement]]
"""A message of the user's with its statements."""


class KindJudge:
    """Reads statements by a model; safe to share between threads."""

    def __init__(self, model: KindModel, encoder: Encoder, *, remembered: int = REMEMBERED) -> None:
        self._model, self._encoder, self._capacity = model, encoder, remembered
        self._memory: OrderedDict[str, Floats] = OrderedDict()
        self._lock = threading.Lock()

    def judged(self, messages: Sequence[Told]) -> list[tuple[Statement, ...]]:
        """The statements of each message as patterns and model see them together."""
        texts = [excerpt(text[one.start : one.end]) for text, told in messages for one in told]
        rows = iter(self._probabilities(texts))
        return [tuple(weighed(one, next(rows)) for one in told) for _, told in messages]

    def _probabilities(self, texts: Sequence[str]) -> list[Floats]:
        """(kinds,) of each text."""
        with self._lock:
            known = {text: self._memory[text] for text in texts if text in self._memory}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            found = self._model.probabilities([runs_of(text) for text in new], self._encoder.encode(new))
            known |= dict(zip(new, found, strict=True))
        with self._lock:
            for text in texts:
                self._memory[text] = known[text]
                self._memory.move_to_end(text)
            while len(self._memory) > self._capacity:
                self._memory.popitem(last=False)
        return [known[text] for text in texts]


def load_judge(settings: Settings) -> KindJudge:
    """The judge with the shipped model; its vectors are cached in the settings' home.

    It reads the bundled encoder's states, whatever encoder the gate has. Raises ContextError when the model
    is missing or damaged.
    """
    return KindJudge(shipped_model(), state_encoder(settings))


def weighed(one: Statement, row: Floats) -> Statement:
    """A statement as patterns read it, with what the model makes of it. row: (kinds,) probabilities."""
    of = dict(zip(KINDS, row.tolist(), strict=True))
    share = 0.0  # of the kinds that patterns found
    if one.obliges or one.fact:
        share += of["hard_constraint"] + of["safety_requirement"]
    if one.corrects or one.contrasts or one.objects:
        share += of["user_correction"]
    if one.error:
        share += of["blocking_error"]
    likeliest = KINDS[1 + int(np.argmax(row[1:]))]
    if of["none"] >= TAKES_BACK or share < DOUBTS:
        one = replace(
            one, obliges=False, fact=False, corrects=False, contrasts=False, objects=False, error=False
        )
        ends = one.lifts or one.resolves or one.permits or one.asked
        return one if ends or 1 - of["none"] < FINDS else _as(one, likeliest, 1 - of["none"])
    if one.obliges and not (one.fact or one.corrects):
        if of["safety_requirement"] >= RANKS and not one.critical:
            return replace(one, critical=LIKENESS)
        if of["hard_constraint"] >= RANKS and one.critical:
            return replace(one, critical="")
    return one


LIKENESS = "by how it reads"
"""What is told of a statement's subject where no word for it is known."""


def _as(one: Statement, kind: Kind, likely: float) -> Statement:
    """The statement as one of that kind, found by the model alone."""
    if kind == "user_correction":
        return replace(one, corrects=True, likely=likely)
    if kind == "blocking_error":
        return replace(one, error=True, likely=likely)
    critical = LIKENESS if kind == "safety_requirement" else ""
    return replace(one, obliges=True, firm=True, critical=one.critical or critical, likely=likely)
