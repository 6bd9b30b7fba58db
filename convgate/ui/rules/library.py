"""Decisions over the library, and how they change with other rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from convgate.core.conversation import Conversation
from convgate.core.errors import StoreError
from convgate.gatekeeper.checks import Limits, check
from convgate.gatekeeper.decision import GatekeeperDecision
from convgate.gatekeeper.exchange import PlacedExchange, exchanges_of
from convgate.gatekeeper.gatekeeper import apply_rules
from convgate.gatekeeper.rules import Rules
from convgate.gatekeeper.statistics import BY_DEFAULT
from convgate.ui.shared.frame import App

_ALL = 2**31  # conversations


@dataclass(frozen=True)
class CheckedConversation:
    """The exchanges of a conversation with the decisions of the built-in checks."""

    key: str
    title: str
    exchanges: Sequence[PlacedExchange]  # without the turns before them
    decisions: Sequence[GatekeeperDecision]  # of the checks


@dataclass(frozen=True, slots=True)
class Row:
    """A decided exchange."""

    conversation: CheckedConversation
    placed: PlacedExchange
    decision: GatekeeperDecision
    before: GatekeeperDecision | None = None  # the other decision, in a comparison

    @property
    def is_default(self) -> bool:
        """Whether it is kept only because nothing says that it can be left out."""
        return self.decision.keep and self.decision.rule in BY_DEFAULT

    @property
    def is_own(self) -> bool:
        """Whether an own rule decides."""
        return self.decision.rule.startswith(("keep_patterns: ", "skip_patterns: "))


def decide(conversation: CheckedConversation, rules: Rules) -> list[Row]:
    """Return the decisions of the rules, and of the checks where no rule matches."""
    pairs = zip(conversation.exchanges, conversation.decisions, strict=True)
    return [
        Row(conversation, placed, apply_rules(rules, checked, placed.exchange)) for placed, checked in pairs
    ]


def changed_decisions(conversations: Sequence[CheckedConversation], before: Rules, after: Rules) -> list[Row]:
    """Return the exchanges that `after` decides differently than `before`."""
    return [
        replace(new, before=old.decision)
        for conversation in conversations
        for old, new in zip(decide(conversation, before), decide(conversation, after), strict=True)
        if (old.decision.keep, old.decision.category) != (new.decision.keep, new.decision.category)
    ]


def check_conversation(app: App, key: str, conversation: Conversation) -> CheckedConversation:
    """Return the exchanges of a conversation, decided by the checks only, once per program."""
    limits = Limits.of(app.settings)
    known = _checked(app.settings.database, limits)
    if key not in known:
        exchanges = exchanges_of(conversation)
        known[key] = CheckedConversation(
            key,
            conversation.title or key,
            [replace(placed, exchange=replace(placed.exchange, previous=())) for placed in exchanges],
            [check(placed.exchange, limits, index=placed.user_turn) for placed in exchanges],
        )
    return known[key]


def check_library(app: App) -> list[CheckedConversation]:
    """Return the conversations that can be read, the newest first."""
    known = _checked(app.settings.database, Limits.of(app.settings))
    checked = []
    for summary in app.conversations.find(per_page=_ALL).rows:
        if summary.key not in known:
            try:
                check_conversation(app, summary.key, app.conversations.get(summary.key).conversation)
            except StoreError:  # damaged; the Library page says so
                continue
        checked.append(replace(known[summary.key], title=summary.title))
    return checked


@st.cache_resource(max_entries=2, show_spinner=False)
def _checked(database: Path, limits: Limits) -> dict[str, CheckedConversation]:
    """Return the checked conversations by key, shared by all sessions; a key stands for its content."""
    return {}
