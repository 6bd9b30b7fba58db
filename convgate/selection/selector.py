"""The shortest way to use convgate in an agent: messages in, the messages to send out, with reasons."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from convgate.core.conversation import Conversation, CurrentMessage, History, Turn
from convgate.core.conversation_cache import ConversationCache
from convgate.core.decisions import TurnDecisions
from convgate.core.errors import PolicyError
from convgate.core.settings import Settings, load_settings
from convgate.embedding.base import Encoder
from convgate.messages.check import check_valid
from convgate.messages.opening import quote_opening
from convgate.messages.tokens import TokenCounter, TokenTable, turn_tokens
from convgate.messages.validity import ValidSelection, make_valid
from convgate.policies import responses
from convgate.policies.base import Policy
from convgate.policies.build import EncoderOnDemand, build_policy
from convgate.selection.hold import InvariantHold
from convgate.traces import span, start_traces
from convgate.transcripts import (
    MessageReader,
    list_messages,
    to_messages,
    turns_from_messages,
    write_conversation,
)
from convgate.transcripts.dialects.base import join_neighbours


@dataclass(frozen=True, eq=False)
class Selection:
    """What goes to the model, and why."""

    messages: list[Mapping[str, Any]]  # valid, in order; the caller's own objects, but for one that quotes
    # or that joins neighbours where the API refuses two of one role
    decisions: TurnDecisions  # one for every earlier turn
    indices: list[int]  # of the messages in the conversation, quoted ones among them
    missing_results: tuple[str, ...]  # ids of tool calls that the current turn still waits for
    violations: tuple[str, ...]  # of what chat APIs ask, where the current message itself breaks it
    tokens_kept: int  # tokens of `messages`
    tokens_total: int  # tokens of the history and the current message


@dataclass(frozen=True)
class Selector:
    """A policy that works on messages. Thread-safe as long as its encoder is."""

    policy: Policy
    counter: TokenCounter | None = None  # None: the bundled tokenizer
    pair_answers: bool = False  # whether a question and its answer stay together unless a call says
    quotes_opening: bool = False  # for targets that refuse a list which opens with the assistant
    hold: InvariantHold | None = None  # None: nothing is held against the policy
    reader: MessageReader = field(default_factory=MessageReader, repr=False, compare=False)
    tables: ConversationCache[TokenTable] = field(
        default_factory=ConversationCache, repr=False, compare=False
    )

    @classmethod
    def of(cls, policy: Policy, settings: Settings) -> Selector:
        """Return the selector of a policy, as the settings have it."""
        hold = InvariantHold.of(policy, settings)
        quotes = settings.assistant_first == "quote"
        return cls(policy, pair_answers=settings.pair_answers, quotes_opening=quotes, hold=hold)

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return the policy's decisions, with what must hold kept."""
        return self.hold_turns(responses.decide(self.policy, current, history), current, history)

    def hold_turns(
        self, decisions: TurnDecisions, current: CurrentMessage, history: History
    ) -> TurnDecisions:
        """Return decisions that were made already, with what must hold kept."""
        return decisions if self.hold is None else self.hold.apply(decisions, current, history)

    def select(
        self,
        messages: Iterable[Mapping[str, Any]],
        *,
        question: str | None = None,
        pair_answers: bool | None = None,
    ) -> Selection:
        """Return the messages to send for the current one: the last from the user or a tool.

        `messages` are dicts, oldest first, of OpenAI's API or another dialect (docs/formats.md); later ones
        are not sent. `question` is the current message instead, put behind the selected ones. `pair_answers`
        keeps questions and answers together.

        Raises TranscriptError for messages that cannot be read, ConversationError when there are none.
        """
        messages = list_messages(messages)
        conversation = Conversation(id="live", turns=self.reader.read(messages))
        return self._select(
            *conversation.find_current(question=question), pair_answers=pair_answers, messages=messages
        )

    def select_at(
        self,
        conversation: Conversation,
        index: int | None = None,
        *,
        question: str | None = None,
        pair_answers: bool | None = None,
    ) -> Selection:
        """Return the same for a turn of a conversation (0-based), or a question put after its last turn."""
        return self._select(*conversation.find_current(index, question), pair_answers=pair_answers)

    def _select(
        self,
        current: CurrentMessage,
        history: History,
        *,
        pair_answers: bool | None,
        messages: Sequence[Mapping[str, Any]] | None = None,
    ) -> Selection:
        """Return the selection; messages: the caller's own that the turns were read from."""
        with span("convgate.select", operation="retrieval") as attributes:
            decisions = self.decide(current, history)
            selection = self.valid(current, history, decisions, pair_answers=pair_answers, messages=messages)
            attributes |= {
                "convgate.policy": self.policy.name,
                "convgate.turns": len(history),
                "convgate.kept": int(selection.decisions.kept.sum()),
                "convgate.tokens_sent": selection.tokens_kept,
                "convgate.tokens_total": selection.tokens_total,
            }
        return selection

    def valid(
        self,
        current: CurrentMessage,
        history: History,
        decisions: TurnDecisions,
        *,
        pair_answers: bool | None = None,
        messages: Sequence[Mapping[str, Any]] | None = None,
    ) -> Selection:
        """Return a valid message list out of decisions that were made already.

        messages: those of all turns; None: their sources.
        """
        turns = history.conversation.turns
        paired = self.pair_answers if pair_answers is None else pair_answers
        table = self.tables.get(turns, lambda known, new: (known or TokenTable()).extend(new, self.counter))
        repaired: ValidSelection = make_valid(
            table.messages, decisions.kept_indices, current.index, pair_answers=paired
        )
        question = () if current.index is not None else (current.turn,)
        end = len(turns) if current.index is None else current.index + 1
        asked = int(turn_tokens(question, self.counter).sum()) if question else 0
        sent = [*repaired.of(turns), *question]
        chosen = to_messages(repaired.of(turns)) if messages is None else repaired.of(messages)
        dialect = table.messages.dialect
        chosen = [*chosen, *(dialect.message(turn.role, turn.text) for turn in question)]
        checked: Sequence[Turn] = sent
        if self.quotes_opening:
            chosen = quote_opening(chosen, sent)
            checked = turns_from_messages(chosen)
        violations = check_valid(checked, user_first=self.quotes_opening or dialect.user_first)
        chosen = join_neighbours(dialect, chosen)
        return Selection(
            messages=chosen,
            decisions=repaired.applied_to(decisions),
            indices=repaired.indices,
            missing_results=repaired.missing_results,
            violations=tuple(violations),
            tokens_kept=int(table.tokens[repaired.indices].sum()) + asked,
            tokens_total=int(table.tokens[history.start : end].sum()) + asked,
        )


def write_selection(conversation: Conversation, current: CurrentMessage, selection: Selection) -> str:
    """Return the selected messages in the conversation's own format, a typed question behind them."""
    indices = list(selection.indices)
    if current.index is None:
        indices.append(len(conversation))
        conversation = replace(conversation, turns=(*conversation.turns, current.turn))
    return write_conversation(conversation, indices=indices)


def load_gate(
    version: str | Path | None = None,
    *,
    settings: Settings | str | Path | None = None,
    encoder: Encoder | None = None,
) -> Selector:
    """Return the gate, ready to select: the active version unless one is named, or the folder of one.

    Without versions, or for "untrained", the gate ranks by cosine similarity. `settings` may be the path of a
    settings file. `encoder` replaces the one that the settings name.

    Raises GateError when the version cannot be loaded, PolicyError when `settings` name another policy.
    """
    chosen = _settings(settings)
    if settings is not None and chosen.policy != "gate":
        raise PolicyError(
            f"these settings choose the policy {chosen.policy}, which is no gate; use load_policy(settings=…)"
        )
    return load_policy("gate", version=version, settings=chosen, encoder=encoder)


def load_policy(
    name: str | None = None,
    *,
    version: str | Path | None = None,
    settings: Settings | str | Path | None = None,
    encoder: Encoder | None = None,
    **parameters: Any,
) -> Selector:
    """Return any policy by name, else the one of the settings, ready to select.

    `parameters` are its own, such as `k=5` for `last_k`.
    """
    chosen = _settings(settings)
    start_traces(chosen)
    policy = build_policy(
        name or chosen.policy, chosen, encoder or EncoderOnDemand(chosen), version=version, **parameters
    )
    return Selector.of(policy, chosen)


def _settings(settings: Settings | str | Path | None) -> Settings:
    if isinstance(settings, Settings):
        return settings
    return load_settings(Path(settings) if settings else None)
