"""An exchange as HTML, with the words that matched marked; all text of transcripts and rules is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise

from convgate.core.text import isolate, truncate, writable
from convgate.figures.palette import Palette
from convgate.gatekeeper.decision import GatekeeperDecision, Match
from convgate.gatekeeper.exchange import Exchange

MAX_SHOWN = 20_000  # characters of a message that are shown at all
_MAX_MARKED = 100  # matches of one message

_STYLE = """\
.exchange { padding-left: 0.7rem; border-left: 4px solid var(--kept); font-size: 0.9rem; line-height: 1.45; }
.exchange.skipped { border-left: 4px dotted var(--skipped); }
.exchange .head { display: flex; flex-wrap: wrap; gap: 0 0.7rem; align-items: baseline; }
.exchange.kept .head b { color: var(--kept); }
.exchange.skipped .head b { color: var(--skipped); }
.exchange .category { padding: 0 0.4rem; border: 1px solid var(--hair); border-radius: 0.3rem; }
.exchange .muted, .exchange .answer { color: var(--muted); }
.exchange .flip { color: var(--flip); font-weight: 600; }
.exchange { overflow-wrap: anywhere; }
.exchange .said, .exchange .answer { margin-top: 0.25rem; white-space: pre-wrap; overflow-y: auto; }
.exchange .said { max-height: 9lh; }
.exchange .answer { max-height: 3lh; }
.exchange mark { color: inherit; background: color-mix(in srgb, var(--found) 38%, transparent); }"""


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
    heading: str,
    before: GatekeeperDecision | None = None,
) -> str:
    """Return the decision with its reason, and both messages with their matches.

    heading: such as the turn's number; before: the decision of before a change.
    """
    user, answer = (
        [match for match in decision.matches if match.said == said] for said in ("user", "assistant")
    )
    lines = [
        _head(decision, heading, before),
        f'<div class="reason">{_text(decision.reason)}</div>',
        f'<div class="muted">Before: {_text(before.reason)} ({_name(before.category)})</div>'
        if before
        else "",
        _message("said", exchange.user, user) or '<div class="said muted">no text</div>',
        _message("answer", exchange.assistant, answer),
    ]
    return f'<div class="exchange {"kept" if decision.keep else "skipped"}">{"".join(lines)}</div>'


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


def _head(decision: GatekeeperDecision, heading: str, before: GatekeeperDecision | None) -> str:
    parts = [
        f'<span class="muted">{_text(heading)}</span>',
        f"<b>{'● kept' if decision.keep else '○ skipped'}</b>",
        f'<span class="category">{_name(decision.category)}</span>',
    ]
    also = [_name(name) for name in decision.categories if name != decision.category]
    if also:
        parts.append(f'<span class="muted">also {", ".join(also)}</span>')
    if before is not None and before.keep != decision.keep:
        parts.append(f'<span class="flip">{"↑ skipped before" if decision.keep else "↓ kept before"}</span>')
    return f'<div class="head">{"".join(parts)}</div>'


def _message(name: str, text: str, matches: Sequence[Match]) -> str:
    if not text.strip():
        return ""
    rest = f"…<br>{len(text) - MAX_SHOWN:,} more characters" if len(text) > MAX_SHOWN else ""
    return f'<div class="{name}" dir="auto">{mark(text[:MAX_SHOWN], matches)}{rest}</div>'


def _name(category: str) -> str:
    return _text(category.replace("_", " "))


def _text(text: str) -> str:
    return escape(isolate(writable(truncate(text, 600))), quote=True)
