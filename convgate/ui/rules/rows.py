"""An exchange as HTML: everything that a transcript or a rule says is escaped, what matched is marked."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import pairwise

from convgate.figures.palette import Palette
from convgate.gatekeeper.decision import GatekeeperDecision, Match
from convgate.gatekeeper.exchange import Exchange
from convgate.transcripts.characters import isolate, writable
from convgate.ui.text import shortened

EXCERPT = 400  # characters of a message that are shown at first
ANSWER = 160  # of an answer
LONGEST = 20_000  # characters of a message that are shown at all
_MARKED = 100  # matches that are marked in one message
_BEFORE = 80  # characters shown before the first words that matched


def colours(palette: Palette) -> str:
    """The style that gives rows the theme's colours; pages know no theme variables."""
    return (
        f"<style>.exchange, .tally {{ --kept: {palette.kept_text}; --skipped: {palette.dropped_text};"
        f" --flip: {palette.flip_text}; --muted: {palette.muted}; --hair: {palette.grid};"
        f" --found: {palette.flip}; }}</style>"
    )


def exchange_html(
    exchange: Exchange,
    decision: GatekeeperDecision,
    *,
    heading: str = "",
    before: GatekeeperDecision | None = None,
) -> str:
    """Keep or skip, categories, reason, and both messages with the words that matched.

    heading: such as the turn's number; `before`: what was decided before the last change, where that differs.
    """
    user, answer = (
        [match for match in decision.matches if match.said == said] for said in ("user", "assistant")
    )
    state = "kept" if decision.keep else "skipped"
    lines = [
        _head(decision, heading, before),
        f'<div class="reason">{_text(decision.reason)}</div>',
        _before(before) if before else "",
        _message("said", exchange.user, user, EXCERPT) or '<div class="said blank">no text</div>',
        _message("answer", exchange.assistant, answer, ANSWER),
    ]
    return f'<div class="exchange {state}">{"".join(lines)}</div>'


def marked(text: str, matches: Sequence[Match], start: int = 0, stop: int | None = None) -> str:
    """The characters from `start` to `stop`, escaped, with the words that matched between <mark> and </mark>.

    Where words of several patterns overlap each stretch is marked once, and names them all.
    """
    stop = len(text) if stop is None else stop
    inside = [match for match in matches if match.start < stop and match.end > start][:_MARKED]
    cuts = sorted({start, stop, *(min(max(c, start), stop) for m in inside for c in (m.start, m.end))})
    pieces = []
    for left, right in pairwise(cuts):
        names = [f"{m.category}: {m.rule}" for m in inside if m.start <= left and m.end >= right]
        told = escape(writable(text[left:right]))
        title = escape(writable("; ".join(dict.fromkeys(names))), quote=True)
        pieces.append(f'<mark title="{title}">{told}</mark>' if names else told)
    return "".join(pieces)


def _head(decision: GatekeeperDecision, heading: str, before: GatekeeperDecision | None) -> str:
    outcome = "● kept" if decision.keep else "○ skipped"
    flip = ""
    if before is not None and before.keep != decision.keep:
        flip = f'<span class="flip">{"↑ skipped before" if decision.keep else "↓ kept before"}</span>'
    further = [name for name in decision.categories if name != decision.category]
    also = f'<span class="also">also {_text(", ".join(map(_named, further)))}</span>' if further else ""
    language = f'<span class="also">language: {_text(decision.language)}</span>' if decision.language else ""
    number = f'<span class="number">{_text(heading)}</span>' if heading else ""
    category = f'<span class="category">{_text(_named(decision.category))}</span>'
    return f'<div class="head">{number}<b>{outcome}</b>{category}{also}{language}{flip}</div>'


def _before(before: GatekeeperDecision) -> str:
    return f'<div class="before">Before: {_text(before.reason)} ({_text(_named(before.category))})</div>'


def _message(name: str, text: str, matches: Sequence[Match], limit: int) -> str:
    if not text.strip():
        return ""
    first = min((match.start for match in matches), default=0)
    start = first - _BEFORE if first > limit * 2 // 3 else 0
    stop = start + limit
    if len(text) <= limit:
        return f'<div class="{name}" dir="auto">{marked(text, matches)}</div>'
    shown = f"{'…' if start else ''}{marked(text, matches, start, stop)}{'…' if stop < len(text) else ''}"
    rest = (
        f"…<br>{len(text) - LONGEST:,} more characters are shown in Explore." if len(text) > LONGEST else ""
    )
    whole = f'<div class="whole" dir="auto">{marked(text, matches, 0, min(len(text), LONGEST))}{rest}</div>'
    return f'<details class="{name}"><summary dir="auto">{shown}</summary>{whole}</details>'


def _named(category: str) -> str:
    return category.replace("_", " ")


def _text(text: str) -> str:
    return escape(isolate(writable(shortened(text, 600))), quote=True)
