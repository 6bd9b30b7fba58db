"""What is known of each turn by itself and by what stood before it, so that a talk costs only its growth."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from convgate.context.deciding import Decided, decided
from convgate.conversation import Turn
from convgate.messages.tokens import TokenCounter, turn_tokens
from convgate.messages.units import calls_of, is_result

CONVERSATIONS = 16
"""Of how many conversations what was worked out is kept."""

_NONE = b""


@dataclass(eq=False, slots=True)
class Columns:
    """One row a turn. Once made they are not changed: a longer conversation gets columns of its own."""

    turns: list[Turn] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)  # with the frame
    chain: list[bytes] = field(default_factory=list)  # a digest of the turn and of all before it
    instructs: list[bool] = field(default_factory=list)
    is_user: list[bool] = field(default_factory=list)  # no instruction, answer, tool call or result
    asked: list[int | None] = field(default_factory=list)  # the nearest user's turn, itself included
    tooled: list[bool] = field(default_factory=list)  # whether it calls a tool or is a result
    decided: list[Decided | None] = field(default_factory=list)  # what it decides or answers

    def first(self, count: int) -> Columns:
        """The rows of the first turns."""
        return Columns(
            self.turns[:count],
            self.tokens[:count],
            self.chain[:count],
            self.instructs[:count],
            self.is_user[:count],
            self.asked[:count],
            self.tooled[:count],
            self.decided[:count],
        )

    def extended(self, new: Sequence[Turn], counter: TokenCounter | None) -> Columns:
        """These rows and those of further turns."""
        grown = self.first(len(self.turns))
        if not new:
            return grown
        grown.tokens.extend(turn_tokens(new, counter).tolist())
        for turn in new:
            grown._add(turn)
        return grown

    def _add(self, turn: Turn) -> None:
        index = len(self.turns)
        tooled = is_result(turn) or bool(calls_of(turn))
        user = not (turn.is_instruction or turn.role == "assistant" or tooled)
        self.decided.append(decided(turn, self.turns, user=user))
        self.turns.append(turn)
        self.chain.append(_linked(self.chain[-1] if self.chain else _NONE, turn))
        self.instructs.append(turn.is_instruction)
        self.is_user.append(user)
        self.asked.append(index if user else (self.asked[-1] if index else None))
        self.tooled.append(tooled)


def _linked(before: bytes, turn: Turn) -> bytes:
    """A digest of what a model reads of the turn, and of `before`."""
    told = "\0".join((turn.role, turn.name or "", turn.tool_call_id or "", turn.scored_text))
    return blake2b(before + told.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class KnownColumns:
    """The columns of the conversations looked at last; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: list[Columns] = []  # the newest last

    def of(self, turns: Sequence[Turn], counter: TokenCounter | None) -> Columns:
        """The columns of these turns; only what lies beyond a known beginning is looked at."""
        turns = list(turns)
        with self._lock:
            found = next((one for one in reversed(self._known) if _begins(one.turns, turns)), None)
        if found is not None and len(found.turns) >= len(turns):
            return found.first(len(turns))
        known = found or Columns()
        grown = known.extended(turns[len(known.turns) :], counter)
        with self._lock:
            self._known = [one for one in self._known if one is not found][1 - CONVERSATIONS :]
            self._known.append(grown)
        return grown


def _begins(known: list[Turn], turns: list[Turn]) -> bool:
    """Whether one is the beginning of the other; turns are compared by identity first, so this is quick."""
    shared = min(len(known), len(turns))
    return shared > 0 and known[:shared] == turns[:shared]
