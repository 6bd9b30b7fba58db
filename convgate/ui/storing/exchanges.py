"""Exchanges with their decisions: over the library, with other rules, and as rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from pathlib import Path

import streamlit as st

from convgate.core.conversation import Conversation
from convgate.core.errors import StoreError
from convgate.core.home import app_root
from convgate.core.text import isolate, truncate, writable
from convgate.figures.palette import Palette
from convgate.gatekeeper.checks import LengthLimits, check
from convgate.gatekeeper.decision import GatekeeperDecision, Match
from convgate.gatekeeper.exchange import Exchange, PlacedExchange, exchanges_of
from convgate.gatekeeper.gatekeeper import apply_rules
from convgate.gatekeeper.rules import Rules
from convgate.gatekeeper.statistics import BY_DEFAULT
from convgate.ui.shared.frame import App
from convgate.ui.shared.samples import load_samples

_ALL = 2**31  # conversations
MAX_SHOWN = 20_000  # characters of a message that are shown at all
_WHY = {
    "short exchange": "short, without a fact",
    "confirmation": "only thanks or agreement",
    "greeting": "only a greeting",
    "fact": "a fact in few words",
    "answer": "answers to questions",
    "correction": "corrections",
    "preference": "preferences",
    "team_preference": "preferences of a team",
    "policy": "lasting rules",
    "decision": "decisions",
    "other language": "a language without patterns",
}
"""What exchanges are, by the rule or category that decides."""

_MAX_MARKED = 100  # matches of one message
_STYLE = """\
.exchange { padding-left: 0.7rem; border-left: 4px solid var(--kept); font-size: 0.9rem; line-height: 1.45; }
.exchange.skipped { border-left: 4px dotted var(--skipped); }
.exchange .head { display: flex; flex-wrap: wrap; gap: 0 0.7rem; align-items: baseline; }
.exchange.kept b { color: var(--kept); }
.exchange.skipped b { color: var(--skipped); }
.exchange .category { padding: 0 0.4rem; border: 1px solid var(--hair); border-radius: 0.3rem; }
.exchange .muted, .exchange .answer { color: var(--muted); }
.exchange .flip { color: var(--flip); font-weight: 600; }
.exchange { overflow-wrap: anywhere; }
.exchange .said, .exchange .answer { white-space: pre-wrap; overflow-y: auto; }
.exchange .said { max-height: 9lh; }
.exchange .answer { max-height: 3lh; }
.exchange mark { color: inherit; background: color-mix(in srgb, var(--found) 38%, transparent); }"""


@dataclass(frozen=True)
class CheckedConversation:
    """The exchanges of a conversation with the decisions of the built-in checks."""

    key: str | None  # in the library; None: a sample
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
    states: str = ""  # the kind of what it states that must hold, where it is read and no check says more

    @property
    def is_default(self) -> bool:
        """Whether it is kept only for its content: nothing says more of it."""
        return self.decision.keep and self.decision.rule in BY_DEFAULT and not self.states

    @property
    def why(self) -> str:
        """What decides, in a few words: "small talk", "corrections"."""
        decision = self.decision
        if self.states:
            return f"must hold ({self.states})"
        if self.is_own:
            return f"your rules ({decision.category})"
        named = decision.rule if decision.category == "other" else decision.category
        return "other content" if self.is_default else _WHY.get(named, named.replace("_", " "))

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
    limits = LengthLimits.of(app.settings)
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


def check_samples(app: App) -> list[CheckedConversation]:
    """Return the conversations of the samples, without keys."""
    checked = [
        check_conversation(app, f"{sample.file} {number}", conversation)
        for sample in load_samples(app_root() / "sample_conversations")
        for number, conversation in enumerate(sample.conversations)
    ]
    return [replace(conversation, key=None) for conversation in checked]


def check_library(app: App) -> list[CheckedConversation]:
    """Return the conversations that can be read, the newest first."""
    known = _checked(app.settings.database, LengthLimits.of(app.settings))
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
def _checked(database: Path, limits: LengthLimits) -> dict[str, CheckedConversation]:
    """Return the checked conversations by key, shared by all sessions; a key stands for its content."""
    return {}


def style(palette: Palette) -> str:
    """Return the style of exchanges in the colours of the theme."""
    return (
        f"<style>.exchange {{ --kept: {palette.kept_text}; --skipped: {palette.dropped_text};"
        f" --flip: {palette.flip_text}; --muted: {palette.muted}; --hair: {palette.grid};"
        f" --found: {palette.flip}; }}\n{_STYLE}</style>"
    )


def exchange_html(
    exchange: Exchange,
    decision: GatekeeperDecision,
    *,
    with_reason: bool = True,
    before: GatekeeperDecision | None = None,
) -> str:
    """Return both messages with their matches, and the decision with its reason.

    with_reason: otherwise it is in the tooltip only; before: the decision of before a change.
    """
    user, answer = (
        [match for match in decision.matches if match.said == said] for said in ("user", "assistant")
    )
    outcome, reason = ("● Kept" if decision.keep else "○ Skipped"), decision.reason.partition(": ")[2]
    lines = [
        _head(decision, before),
        f'<div class="reason"><b>{outcome}:</b> {_text(reason)}</div>' if with_reason else "",
        f'<div class="muted">Before: {_text(before.reason)} ({_name(before.category)})</div>'
        if before
        else "",
        _message("said", exchange.user, user) or '<div class="said muted">no text</div>',
        _message("answer", exchange.assistant, answer),
    ]
    state = "kept" if decision.keep else "skipped"
    return f'<div class="exchange {state}" title="{_text(decision.reason)}">{"".join(lines)}</div>'


def mark(text: str, matches: Sequence[Match]) -> str:
    """Return the text, escaped, with matches between <mark> and </mark>.

    Where matches overlap, each stretch is marked once with the names of all.
    """
    matches = matches[:_MAX_MARKED]
    cuts = sorted({0, len(text), *(min(c, len(text)) for m in matches for c in (m.start, m.end))})
    pieces = []
    for left, right in pairwise(cuts):
        names = [f"{m.category}: {m.rule}" for m in matches if m.start <= left and m.end >= right]
        piece = escape(writable(text[left:right]))
        title = escape(writable("; ".join(dict.fromkeys(names))), quote=True)
        pieces.append(f'<mark title="{title}">{piece}</mark>' if names else piece)
    return "".join(pieces)


def _head(decision: GatekeeperDecision, before: GatekeeperDecision | None) -> str:
    parts = []
    if before is not None and decision.category != "other":
        parts.append(f'<span class="category">{_name(decision.category)}</span>')
    also = [_name(name) for name in decision.categories if name != decision.category]
    if also:
        parts.append(f'<span class="muted">also {", ".join(also)}</span>')
    if before is not None and before.keep != decision.keep:
        parts.append(f'<span class="flip">{"↑ skipped before" if decision.keep else "↓ kept before"}</span>')
    return f'<div class="head">{"".join(parts)}</div>' if parts else ""


def _message(name: str, text: str, matches: Sequence[Match]) -> str:
    if not text.strip():
        return ""
    rest = f"…<br>{len(text) - MAX_SHOWN:,} more characters" if len(text) > MAX_SHOWN else ""
    return f'<div class="{name}" dir="auto">{mark(text[:MAX_SHOWN], matches)}{rest}</div>'


def _name(category: str) -> str:
    return _text(category.replace("_", " "))


def _text(text: str) -> str:
    return escape(isolate(writable(truncate(text, 600))), quote=True)
