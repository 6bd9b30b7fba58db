"""What all adapters share: messages as OpenAI-style dicts in, the indices of those to send out.

The current message is the last one from a user. What follows it, the tool calls and results of the run that
answers it, is always sent. So the selection stays the same for all model calls of a run without prices.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.core.settings import Settings
from convgate.messages.validity import make_valid
from convgate.selection.load import load
from convgate.selection.selection import Selection
from convgate.selection.selector import Selector
from convgate.selection.shortening import Elisions, shorten_message
from convgate.transcripts import dialect_of, list_messages

log = logging.getLogger(__name__)

Convert = Callable[[Any], Mapping[str, Any]]  # a framework's message to an OpenAI-style dict

Make = Callable[[Mapping[str, Any], Any], Any]
"""A framework's message of a dict: a copy of the message given, with the text of a stub; None: a new one."""

Source = Selector | Settings | str | Path
"""What chooses: `convgate.load()`, settings, or a settings file's path."""


@dataclass(frozen=True, eq=False)
class Choice:
    """What is sent of a list."""

    indices: list[int]  # increasing
    selection: Selection | None = None  # None where no user said anything
    elided: Elisions = field(default_factory=dict)  # results that are sent as stubs, by their turns
    added: Mapping[int, Sequence[Turn]] = field(default_factory=dict)
    """By turn, what is sent before it and is no turn: statements, and quotes of earlier turns."""

    def of(
        self, messages: Sequence[Any], listed: Sequence[Mapping[str, Any]], make: Make | None = None
    ) -> list[Any]:
        """Return the messages to send: dicts for what is added, copies of `listed` ones with stubs.

        make: what makes a framework's messages of these.
        """
        make = make or (lambda fields, _: fields)
        sent, dialect = list[Any](), dialect_of(listed)
        kept = frozenset(self.indices)
        for index in sorted(kept.union(self.added)):
            sent += [make(dialect.message(turn.role, turn.text), None) for turn in self.added.get(index, ())]
            if index in self.elided and index in kept:
                sent.append(make(shorten_message(listed[index], self.elided[index])[0], messages[index]))
            elif index in kept:
                sent.append(messages[index])
        return sent


@dataclass(frozen=True)
class MessageSelector:
    """Chooses which messages a framework sends. Never raises into the agent; thread-safe."""

    selector: Selector
    budget: int | None = None  # tokens of everything that is sent; None: that of the selector's settings

    @classmethod
    def of(cls, source: Source | None = None, budget: int | None = None) -> MessageSelector:
        """Return the selector of a source, by default that of the usual settings; the errors of loading."""
        return cls(source if isinstance(source, Selector) else load(source), budget)

    def keep(
        self, messages: Sequence[Any], convert: Convert | None = None, always: Sequence[int] = ()
    ) -> list[int]:
        """Return the increasing indices of the messages to send; all of them when selecting fails.

        messages: oldest first; OpenAI-style dicts, or what `convert` makes such dicts of. always: indices of
        messages to keep in any case. What is kept is a valid list (`check_valid`), unless its last message
        makes that impossible. Failures are logged.
        """
        return self._choose(messages, convert, always)[0].indices

    def select(
        self,
        messages: Sequence[Any],
        convert: Convert | None = None,
        always: Sequence[int] = (),
        make: Make | None = None,
    ) -> list[Any]:
        """Return the messages to send, as `keep`: the same objects, and dicts or what `make` makes of them.

        Dicts are stubs of tool results, with the setting `elide`, and what is added: what must hold where its
        turn is not sent, and quotes with prices.
        """
        choice, listed = self._choose(messages, convert, always, adds=True)
        return choice.of(messages, listed, make)

    async def akeep(
        self, messages: Sequence[Any], convert: Convert | None = None, always: Sequence[int] = ()
    ) -> list[int]:
        """Return the same as `keep`, without blocking the event loop."""
        return await asyncio.to_thread(self.keep, messages, convert, always)

    async def aselect(
        self,
        messages: Sequence[Any],
        convert: Convert | None = None,
        always: Sequence[int] = (),
        make: Make | None = None,
    ) -> list[Any]:
        """Return the same as `select`, without blocking the event loop."""
        return await asyncio.to_thread(self.select, messages, convert, always, make)

    def _choose(
        self, messages: Sequence[Any], convert: Convert | None, always: Sequence[int], *, adds: bool = False
    ) -> tuple[Choice, Sequence[Mapping[str, Any]]]:
        """Return what is sent, and the messages as dicts."""
        try:
            listed = list_messages(map(convert, messages) if convert else messages)
            return self.choose(self.selector.reader.read(listed), always, adds=adds), listed
        except Exception:  # the agent goes on with its full history
            log.exception("selecting failed; all %d messages are sent", len(messages))
            return Choice(list(range(len(messages)))), ()

    def choose(
        self,
        turns: tuple[Turn, ...],
        always: Sequence[int] = (),
        *,
        adds: bool = False,
        session: str | None = None,
    ) -> Choice:
        """Return the same as `keep`, of turns, and the selection. adds: whether messages can be added.

        Raises what selecting raises.
        """
        selector, settings = self.selector, self.selector.settings
        dialect = dialect_of(turn.source or {} for turn in turns)
        current = _find_current(turns, images_follow_results=dialect.images_follow_results)
        if current is None:
            return Choice(list(range(len(turns))))
        selection = selector.select_at(
            Conversation(id="live", turns=turns), current, budget=self.budget, adds=adds, session=session,
            elide=None if adds else False, with_run=True,
        )  # fmt: skip
        kept = {*selection.indices, *always}
        indices = make_valid(turns, kept, len(turns) - 1, pair_answers=settings.pair_answers).indices
        if settings.assistant_first == "quote":
            first = next((index for index in indices if turns[index].role == "user"), 0)
            indices = [index for index in indices if index >= first or turns[index].is_instruction]
        return Choice(indices, selection, selection.elided, _find_added(selection))


def _find_added(selection: Selection) -> dict[int, list[Turn]]:
    """Return the added messages by the turn that they are sent before."""
    added, before = dict[int, list[Turn]](), list[Turn]()
    for turn, place in zip(selection.sent, selection.places, strict=True):
        if place is None:
            before.append(turn)
        elif before:
            added[place], before = before, []
    return added


def _find_current(turns: Sequence[Turn], *, images_follow_results: bool) -> int | None:
    """Return the last turn of the user, where images follow results one that does not follow a result.

    Where all of them do, it is the last one; None without any.
    """
    last = current = None
    for index in range(len(turns) - 1, -1, -1):
        role = turns[index].role
        if role == "user":
            current = index if current is None else current
            last = index if last is None else last
        elif current is not None and not (images_follow_results and role in {"tool", "function"}):
            return current
        else:
            current = None
    return last if current is None else current
