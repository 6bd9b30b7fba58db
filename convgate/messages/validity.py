"""From the turns that a policy keeps to a list of messages that chat APIs accept.

Providers refuse a tool's result without its call, a call without all its results, and an empty list; some
refuse a list that opens with the assistant, see `quote_opening`. `make_valid` keeps and drops turns
until none of that holds, and says of each turn that it changed which rule did it, so that it is never taken
for the policy's choice.

Order is never changed: a system message from the middle of a conversation stays in the middle, and a
result that came late stays where it came. Neighbours of the same role are left as they are.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Turn
from convgate.core.decisions import HOLD, REPAIR, Override, TurnDecisions
from convgate.core.errors import ConversationError
from convgate.messages.table import Flags, TurnTable
from convgate.messages.units import ToolUnit, is_from_user, is_result

INSTRUCTIONS = "instructions"
CURRENT = "current"
HELD = "held"
TOOL_UNIT = "tool_unit"
ANSWER_PAIR = "answer_pair"
FIRST_USER = "first_user"
AFTER_CURRENT = "after_current"

T = TypeVar("T")
Message = Mapping[str, Any]
_INTRODUCTION = "The assistant said before:"


class Repair:
    """One run over the turns up to the current one, its steps called in the order in which they stand.

    No turn changes twice: a dropped turn stays dropped, and others are only ever added.
    """

    def __init__(self, table: TurnTable, chosen: Flags, current: int | None) -> None:
        """Drop what no valid list has."""
        self.table, self.current = table, current
        unsendable = table.find_unsendable(None) if current is None else table.unsendable
        self.dropped = table.flags(unsendable)
        self.kept = chosen & ~self.dropped  # (n,)
        self.overrides = {index: why for index, why in unsendable.items() if chosen[index]}
        self.current_unit: ToolUnit | None = None if current is None else table.units.by_turn.get(current)

    def keep_what_always_stays(self) -> None:
        """Keep instructions, turns that are held, and the current turn."""
        for index in np.flatnonzero(self.table.is_instruction).tolist():
            self.kept[index] = False  # named as such even where they were chosen
            self._keep(index, INSTRUCTIONS, explain_instruction(self.table.turns[index]))
        for index in np.flatnonzero(self.table.is_held & ~self.dropped).tolist():
            self._keep(index, HELD, self.table.turns[index].held_because or "")
        if self.current is not None:
            self._keep(self.current, CURRENT, "it is the current message, the one to answer.")

    def keep_whole_groups(self, *, pair_answers: bool) -> None:
        """Keep whole units, or with `pair_answers` questions and their answers, of which a turn is kept."""
        table = self.table
        is_free = ~(self.dropped | table.is_instruction)
        is_kept, calls = self.kept & is_free, table.unit_call
        in_unit = np.zeros_like(self.kept)
        if (calls >= 0).any():
            is_in_unit = ~self.dropped & (calls >= 0)
            kept_calls = np.zeros_like(self.kept)
            kept_calls[calls[self.kept & is_in_unit]] = True
            in_unit = is_in_unit & kept_calls[calls]
            self._keep_partners(TOOL_UNIT, in_unit, calls)
        if pair_answers and len(table):
            groups = table.find_exchanges(self.dropped)
            kept_groups = np.zeros_like(self.kept)
            kept_groups[groups[is_kept]] = True
            self._keep_partners(ANSWER_PAIR, is_free & kept_groups[groups] & ~in_unit, groups)

    def open_with_a_user(self) -> None:
        """Keep the user's turn before the first kept one when that is an answer of the assistant's."""
        others = np.flatnonzero(self.kept & ~self.table.is_instruction).tolist()
        first = next((row for row in others if not self.table.turns[row].needs_next), None)
        if first is None or self.table.is_user[first]:
            return
        if (asked := self.table.user_turn(first)) is not None:
            reason = f"message {first} answers it and is kept; a list may not begin with an answer."
            self._keep(asked, FIRST_USER, reason, "with its answer")

    def _keep_partners(self, rule: str, wanted: Flags, groups: NDArray[np.int64]) -> None:
        """Keep the turns that are wanted, each for the first kept one of its group. groups: (n,)"""
        kept = np.flatnonzero(self.kept)[::-1]
        partners = dict(zip(groups[kept].tolist(), kept.tolist(), strict=True))
        for index in np.flatnonzero(wanted & ~self.kept).tolist():
            how, reason = explain_partner(self.table, index, partners[int(groups[index])])
            self._keep(index, rule, reason, how)

    def _keep(self, index: int, rule: str, reason: str, how: str = "") -> None:
        if not self.kept[index]:
            self.kept[index] = True
            stage = HOLD if rule in (INSTRUCTIONS, HELD, CURRENT) else REPAIR
            self.overrides[index] = Override(rule, reason, how, stage, kept=True)


def explain_instruction(turn: Turn) -> str:
    """Return why an instruction is sent: a sentence."""
    return f"instructions to the model ({turn.role} messages) are always sent."


def explain_partner(table: TurnTable, index: int, partner: int) -> tuple[str, str]:
    """Return how a turn is kept for another of its tool unit or exchange, and why: a sentence."""
    turn, unit = table.turns[index], table.units.by_turn.get(index)
    if unit is None or partner not in unit.members:
        together = "is kept, and a question and its answer are sent together."
        if is_from_user(table.turns[partner]):
            return "with its question", f"message {partner} {together}"
        if is_from_user(turn):
            return "with its answer", f"message {partner} {together}"
        return "with its exchange", f"message {partner} answers the same question; it {together}"
    if turn.continues or turn.needs_next:
        return "with its response", f"message {partner} is of the same response of the model and is kept."
    if not is_result(turn):
        return "with its result", f"message {partner} is kept, and APIs refuse a result without its call."
    what = "makes the call" if partner == unit.call else "is a result of the same call"
    return "with its call", f"message {partner} {what} and is kept; APIs refuse a call without its results."


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
        changed, known = np.array(list(self.overrides), dtype=np.int64), decisions.indices
        rows = np.searchsorted(known, changed)  # faster than np.isin, as both increase
        is_decided = rows < len(known)
        is_decided[is_decided] = known[rows[is_decided]] == changed[is_decided]
        overrides = zip(self.overrides.items(), is_decided.tolist(), strict=True)
        return decisions.with_overrides(dict(item for item, decided in overrides if decided))


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


def quote_opening(messages: Sequence[Message], turns: Sequence[Turn]) -> tuple[list[Message], list[int]]:
    """Return OpenAI-style messages, the assistant's first ones quoted at the start of the user's first.

    The second list has the row of each in `messages`. turns: the same messages. Lists that open with a user,
    or with a call of a tool, come back as they are.

    >>> opening = {"role": "assistant", "content": "TP 571, or a refund?"}
    >>> answer = {"role": "user", "content": "TP 571, please."}
    >>> quote_opening([opening, answer], [Turn.of(m["role"], m["content"]) for m in (opening, answer)])[0]
    [{'role': 'user', 'content': 'The assistant said before:\\n> TP 571, or a refund?\\n\\nTP 571, please.'}]
    """
    others = [row for row, turn in enumerate(turns) if not turn.is_instruction]
    first = next((row for row in others if turns[row].role == "user"), None)
    opening = [row for row in others if first is None or row < first]
    is_text = all(turns[row].role == "assistant" and not turns[row].tool_calls for row in opening)
    if first is None or not opening or not is_text:
        return list(messages), list(range(len(messages)))
    lines = [line for row in opening for line in turns[row].text.splitlines()]
    quoted = "\n".join([_INTRODUCTION, *(f"> {line}".rstrip() for line in lines)])
    content = messages[first].get("content")
    if "parts" in messages[first] or (
        isinstance(content, list) and any("type" not in part for part in content)
    ):
        return list(messages), list(range(len(messages)))  # of an API whose texts have another shape
    if isinstance(content, str) or content is None:
        joined: Any = f"{quoted}\n\n{content or ''}".rstrip()
    else:
        joined = [{"type": "text", "text": quoted}, *content]
    user = {**messages[first], "content": joined}
    rows = [row for row in range(len(messages)) if row not in opening]
    return [user if row == first else messages[row] for row in rows], rows
