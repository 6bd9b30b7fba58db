"""From the turns that a policy keeps to a list of messages that chat APIs accept.

Providers refuse a tool's result without its call, a call without all its results, and an empty list; some
refuse a list that opens with the assistant (`convgate.messages.opening`). `make_valid` keeps and drops turns
until none of that holds, and says of each turn that it changed which rule did it, so that it is never taken
for the policy's choice.

Order is never changed: a system message from the middle of a conversation stays in the middle, and a
result that came late stays where it came. Neighbours of the same role are left as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Turn
from convgate.core.decisions import REPAIR, Override, TurnDecisions
from convgate.core.errors import ConversationError
from convgate.messages.repair import AFTER_CURRENT, Repair
from convgate.messages.table import TurnTable

T = TypeVar("T")


@dataclass(frozen=True)
class ValidSelection:
    """The turns to send, and what had to be changed for them to be a valid list."""

    indices: list[int]  # increasing, with instructions and the current turn
    overrides: dict[int, Override]  # by turn: instructions, and turns kept or dropped against the choice
    missing_results: tuple[str, ...]  # ids of calls that the current turn's unit still waits for

    def of(self, items: Sequence[T]) -> list[T]:
        """Return the selected ones of `items`, a list parallel to the turns: the very same objects."""
        return [items[index] for index in self.indices]

    def applied_to(self, decisions: TurnDecisions) -> TurnDecisions:
        """Return the decisions with the changes to them; changes to other turns are left out."""
        decided = np.isin(list(self.overrides), decisions.indices).tolist()
        overrides = zip(self.overrides.items(), decided, strict=True)
        return decisions.with_overrides(dict(item for item, is_decided in overrides if is_decided))


def make_valid(
    turns: Sequence[Turn] | TurnTable,
    kept: Collection[int] | NDArray[Any],
    current: int | None,
    *,
    pair_answers: bool = False,
) -> ValidSelection:
    """Return the valid list of messages nearest to the turns that were chosen, in O(n).

    `turns` is the whole conversation, or its table; `kept` the chosen ones, as indices or as a boolean mask
    over `turns`; `current` the turn to answer, or None for a question put after the last turn.

    - `instructions`: system and developer turns are always kept, in their place.
    - `current`: the current turn is never dropped; turns after it are never sent (`after_current`).
    - `held`: a summary that stands for earlier messages, and a turn that has only data, are always kept.
    - `tool_unit`: a response of a model, such as a call, and all its results are kept when one of them is.
    - `incomplete_tool_unit`: a unit with a result missing leaves, even when everything would fit, unless
      the current turn is in it: then it stays as it is, and `missing_results` names what is missing. A
      result after the current turn is missing too.
    - `orphan_result`: a result without a call before it leaves.
    - `first_user`: a kept answer with no user's turn before it brings in the nearest earlier one. What is
      said before the first user's turn answers nothing, and may open the list.
    - `answer_pair`, with `pair_answers`: a user's turn and all that the assistant and its tools say up to
      the next user's turn are kept when one of them is; a late result goes with its call.

    A user is whoever is neither an instruction, the assistant nor a tool, so that people with names and
    roles unknown to chat APIs take part like any user. What the caller asks for wins over what providers
    accept: a current turn of the assistant, or a current result with no call before it, is sent all the
    same, and `check_valid` names it.

    Raises ConversationError when `kept` or `current` name turns that do not exist.
    """
    table = (
        turns if isinstance(turns, TurnTable) else TurnTable().extend(turns, len)
    )  # tokens do not matter here
    count = len(table)
    if current is not None and not 0 <= current < count:
        raise ConversationError(f"turn {current} is to be answered, but there are {count} turns")
    chosen = _mask(kept, count)
    end = count if current is None else current + 1
    repair = Repair(table.first(end), chosen[:end], current)
    repair.keep_what_always_stays()
    repair.keep_whole_groups(pair_answers=pair_answers)
    repair.open_with_a_user()
    late = Override(AFTER_CURRENT, "it comes after the current message.", stage=REPAIR, kept=False)
    after = dict.fromkeys((end + np.flatnonzero(chosen[end:])).tolist(), late)
    return ValidSelection(
        indices=np.flatnonzero(repair.kept).tolist(),
        overrides=dict(sorted(repair.overrides.items())) | after,
        missing_results=repair.current_unit.missing if repair.current_unit else (),
    )


def _mask(kept: Collection[int] | NDArray[Any], count: int) -> NDArray[np.bool_]:
    given = kept if isinstance(kept, np.ndarray) else np.array(list(kept))
    if given.dtype == bool and given.size:
        if given.shape != (count,):
            raise ConversationError(f"a mask of shape {given.shape} was given for {count} turns")
        return given
    mask = np.zeros(count, dtype=np.bool_)
    rows = given.astype(np.int64)
    if wrong := rows[(rows < 0) | (rows >= count)].tolist():
        raise ConversationError(f"turn {wrong[0]} was chosen, but there are {count} turns")
    mask[rows] = True
    return mask
