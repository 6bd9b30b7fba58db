"""Decide about a response of several items as about one turn: gates are trained on whole answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import CurrentMessage, History, Turn
from convgate.core.decisions import Override, Reason, TurnDecisions
from convgate.policies.base import Policy, history_indices

_SAME = Override("response", "it leaves with the response of the model that it is of.", kept=False)


def decide(policy: Policy, current: CurrentMessage, history: History) -> TurnDecisions:
    """Return the policy's decisions; of a response, the first turn that is no reasoning has the decision.

    The policy sees the response without its reasoning. The response's other turns have no score, and are
    dropped here: they are sent with the first, see `make_valid`.
    """
    turns, stop = history.conversation.turns, history.stop
    if not has_responses(history):
        return policy.decide(current, history)
    starts = [index for index in range(stop) if index <= history.start or not turns[index].continues]
    groups = [range(*ends) for ends in pairwise([*starts, stop])]
    heads = [next((index for index in group if not turns[index].needs_next), group[0]) for group in groups]
    joined = [_join([turns[index] for index in group]) for group in groups]
    shift = stop - len(groups)
    seen = History(
        replace(history.conversation, turns=(*joined, *turns[stop:])),
        starts.index(history.start),
        len(groups),
    )
    index = None if current.index is None else current.index - shift
    return _spread(policy.decide(replace(current, index=index), seen), heads, history_indices(history))


def has_responses(history: History) -> bool:
    """Return whether there is a response of several items among the turns."""
    return any(turn.continues for turn in history.turns)


def _join(turns: Sequence[Turn]) -> Turn:
    said = [turn for turn in turns if not turn.needs_next] or turns
    if len(said) == 1:
        return said[0]
    return replace(
        said[0],
        parts=tuple(chain.from_iterable(turn.parts for turn in said)),
        tool_calls=tuple(chain.from_iterable(turn.tool_calls for turn in said)),
    )


def _spread(decisions: TurnDecisions, heads: Sequence[int], indices: NDArray[np.int64]) -> TurnDecisions:
    """Return decisions about turns `indices` of the conversation, where row i was about turn `heads[i]`."""
    places = {head: place for place, head in enumerate(heads)}
    own = np.array([heads[index] for index in decisions.indices], dtype=np.int64)
    rows = np.searchsorted(indices, own)

    def column(values: NDArray[Any] | None) -> Any:
        if values is None:
            return None
        spread = np.full(len(indices), np.nan, dtype=values.dtype)
        spread[rows] = values
        return spread

    def mask(values: NDArray[np.bool_]) -> NDArray[np.bool_]:
        spread = np.zeros(len(indices), dtype=np.bool_)
        spread[rows] = values
        return spread

    note, explain, reasons = decisions.note, decisions.explain, decisions.reasons

    def reason(index: int) -> Reason:
        if reasons is None or index not in places:
            return Reason("")
        return reasons(places[index]).renumber(heads.__getitem__)

    others = dict.fromkeys(np.setdiff1d(indices, own).tolist(), _SAME)
    return replace(
        decisions,
        indices=indices,
        kept=mask(decisions.kept),
        chosen=None if decisions.chosen is None else mask(decisions.chosen),
        scores=column(decisions.scores),
        logits=column(decisions.logits),
        parts={name: column(values) for name, values in decisions.parts.items()},
        tier1=column(decisions.tier1),
        attention=column(decisions.attention),
        overrides={heads[index]: override for index, override in decisions.overrides.items()} | others,
        note=note and (lambda index: note(places[index]) if index in places else None),
        explain=explain and (lambda index: explain(places[index])),
        reasons=None if reasons is None else reason,
    )
