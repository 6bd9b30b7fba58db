"""What all adapters share: messages as OpenAI-style dicts in, the indices of those to send out.

The current message is the last one from a user. What follows it, the tool calls and results of the run that
answers it, is always sent, so the selection stays the same for all model calls of a run.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import ContextError
from convgate.core.settings import Settings, load_settings
from convgate.messages.tokens import turn_tokens
from convgate.messages.validity import make_valid
from convgate.selection.builder import ContextBuilder, load_context
from convgate.selection.selector import Selector, load_gate, load_policy
from convgate.transcripts import dialect_of, list_messages

log = logging.getLogger(__name__)

Convert = Callable[[Any], Mapping[str, Any]]  # a framework's message to an OpenAI-style dict

Source = Selector | ContextBuilder | Settings | str | Path
"""What chooses: `load_gate()`, `load_policy()`, `load_context()`, settings, or a settings file's path."""


@dataclass(frozen=True)
class MessageSelector:
    """Chooses which messages a framework sends. Never raises into the agent; thread-safe as its source is."""

    source: Selector | ContextBuilder
    budget: int | None = None  # tokens of everything that is sent; None: that of the source

    @classmethod
    def of(cls, source: Source | None = None, budget: int | None = None) -> MessageSelector:
        """Return the selector of a source: by default the active gate, or with a budget the context builder.

        budget: tokens, 0 or more; settings may have one as `context_budget`.

        Raises ContextError for a gate or policy with a budget, and the errors of loading.
        """
        if isinstance(source, str | Path):
            source = load_settings(Path(source))
        if isinstance(source, Settings):
            has_budget = budget is not None or source.context_budget is not None
            source = load_context(source) if has_budget else load_policy(settings=source)
        elif source is None:
            source = load_gate() if budget is None else load_context()
        if budget is not None and isinstance(source, Selector):
            raise ContextError("a gate or policy has no budget; pass convgate.load_context() instead")
        return cls(source, budget)

    def keep(
        self, messages: Sequence[Any], convert: Convert | None = None, always: Sequence[int] = ()
    ) -> list[int]:
        """Return the increasing indices of the messages to send; all of them when selecting fails.

        messages: oldest first; OpenAI-style dicts, or what `convert` makes such dicts of. always: indices of
        messages to keep in any case. What is kept is a valid list (`check_valid`), unless its last message
        makes that impossible. Failures are logged.
        """
        try:
            known = self.source.messages if isinstance(self.source, ContextBuilder) else self.source.reader
            listed = list_messages(map(convert, messages) if convert else messages)
            return self.choose(known.read(listed), always)
        except Exception:  # the agent goes on with its full history
            log.exception("selecting failed; all %d messages are sent", len(messages))
            return list(range(len(messages)))

    async def akeep(
        self, messages: Sequence[Any], convert: Convert | None = None, always: Sequence[int] = ()
    ) -> list[int]:
        """Return the same as `keep`, without blocking the event loop."""
        return await asyncio.to_thread(self.keep, messages, convert, always)

    def choose(self, turns: tuple[Turn, ...], always: Sequence[int] = ()) -> list[int]:
        """Return the same as `keep`, of turns; raises what selecting raises."""
        dialect = dialect_of(turn.source or {} for turn in turns)
        current = _find_current(turns, images_follow_results=dialect.images_follow_results)
        if current is None:
            return list(range(len(turns)))
        conversation = Conversation(id="live", turns=turns)
        following = range(current + 1, len(turns))
        if isinstance(self.source, ContextBuilder):
            budget = self.source.budget if self.budget is None else self.budget
            if budget is not None and following:
                budget = max(0, budget - int(turn_tokens(turns[current + 1 :], self.source.counter).sum()))
            # Messages that a context adds are not sent, so the turns that they stand for are.
            bundle = replace(self.source, shortens=False).build_at(conversation, current, budget=budget)
            held = (invariant.source for invariant in bundle.invariants if invariant.held)
            kept = {*bundle.indices, *held}
        else:
            decisions = self.source.decide(*conversation.at(current))
            kept = {*decisions.kept_indices}
        kept |= {current, *following, *always}
        valid = make_valid(turns, kept, len(turns) - 1, pair_answers=self.source.pair_answers)
        if isinstance(self.source, Selector) and self.source.quotes_opening:  # what is kept is not rewritten
            first = next((index for index in valid.indices if turns[index].role == "user"), 0)
            return [index for index in valid.indices if index >= first or turns[index].is_instruction]
        return valid.indices


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
