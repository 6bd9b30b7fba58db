"""The answer first: mode, tokens, turns, what went wrong; and the diff from the settings."""

from __future__ import annotations

import streamlit as st

from convgate.context.bundle import ContextBundle
from convgate.context.mode import SURE
from convgate.core.text import format_share, pluralize
from convgate.figures.hover import on_screen
from convgate.ui.context.build import ContextView
from convgate.ui.picker import answered_words
from convgate.ui.tables import draw_numbers
from convgate.ui.text import literal

_RUNS = 8  # numbers of turns, or ranges of them, that are shown


def draw_difference(now: ContextBundle, usual: ContextBundle) -> None:
    """How the context differs from that of the settings."""
    came, left = _changed(now, usual)
    told = [f"▲ {pluralize(len(came), 'turn')} came in ({runs(came)})"] if came else []
    told += [f"▼ {pluralize(len(left), 'turn')} left ({runs(left)})"] if left else []
    if now.mode != usual.mode:
        told.append(f"{usual.mode} became {now.mode}")
    if change := now.tokens - usual.tokens:
        told.append(f"{'+' if change > 0 else '−'}{abs(change):,} tokens")
    st.markdown(
        f":material/tune: **Compared with the settings:** {', '.join(told) or 'no change in the context'}."
    )


def marks_of(now: ContextBundle, usual: ContextBundle) -> dict[int, str]:
    """Return Markdown by turn: what differs there from the context of the settings."""
    came, left = _changed(now, usual)
    return dict.fromkeys(came, ":orange-badge[▲ came in] ") | dict.fromkeys(left, ":orange-badge[▼ left] ")


def _changed(now: ContextBundle, usual: ContextBundle) -> tuple[list[int], list[int]]:
    mine, theirs = set(now.indices), set(usual.indices)
    return sorted(mine - theirs), sorted(theirs - mine)


def runs(turns: list[int]) -> str:
    """Turns as people number them, neighbours together.

    >>> runs([0, 1, 2, 6]), runs([])
    ('1–3, 7', '')
    """
    found: list[list[int]] = []
    for turn in turns:
        if found and turn == found[-1][1] + 1:
            found[-1][1] = turn
        else:
            found.append([turn, turn])
    told = [f"{first + 1:,}" if first == last else f"{first + 1:,}–{last + 1:,}" for first, last in found]
    return ", ".join(told[:_RUNS]) + (", …" if len(told) > _RUNS else "")


_CAUSES = {
    "drift": "The modes of the last hour have drifted from the baseline",
    "errors": "This mode fails too often",
    "breach": "Something that must hold was missing",
}
_QUOTED = 120  # characters of an invariant


def draw_strip(shown: ContextView, title: str) -> None:
    """What is answered; mode, tokens, turns, invariants, prefix; why this mode; what went wrong."""
    bundle = shown.bundle
    st.markdown(answered_words(title, shown.moment.situation))
    draw_numbers(_numbers(shown), key="context-strip")
    st.markdown(mode_words(bundle))
    _draw_trouble(bundle)


def mode_words(bundle: ContextBundle) -> str:
    """Why this mode, as Markdown: what the message says by itself, and what became of that."""
    found = bundle.found
    told = literal(on_screen(found.reason), limit=400)
    if any(one.cause != "breach" for one in bundle.fallbacks):
        return f"**{bundle.mode}** is given in place of {found.mode}, see below. The message: {told}"
    if bundle.mode == found.mode:
        return told
    if found.source == "low confidence":
        return f"{told} So the conversation stays in **{bundle.mode}**."
    return (
        f"{told} The conversation stays in **{bundle.mode}** all the same: it changes at once from"
        f" {SURE:.2f} on, otherwise when two messages in a row agree."
    )


def _numbers(shown: ContextView) -> list[tuple[str, str, str, str]]:
    bundle, total = shown.bundle, len(shown.moment.history)
    saved = 1 - bundle.tokens / bundle.tokens_total if bundle.tokens_total else 0.0
    held = sum(1 for one in bundle.invariants if one.active)
    used = f"{format_share(bundle.tokens / bundle.budget)} of the budget" if bundle.budget else "no budget"
    numbers = [
        ("Mode", bundle.mode.capitalize(), _confidence(bundle), _MODE_HELP),
        (
            "Tokens", f"{bundle.tokens:,} of {bundle.budget:,}", used,
            "With the message to answer. Counted by the encoder's word list, so your model counts otherwise.",
        ),
        (
            "Saved", format_share(max(0.0, saved)), f"of {pluralize(bundle.tokens_total, 'token')}",
            "Against sending everything up to this message.",
        ),
        (
            "Earlier turns", f"{shown.turns:,} of {total:,}", f"{total - shown.turns:,} dropped",
            "Each stands once, in the section that wants it most.",
        ),
        (
            "Must hold", f"{held:,}", f"of {pluralize(len(bundle.invariants), 'statement')} found",
            "Statements of the user's that still hold: safety, corrections, constraints, errors that block.",
        ),
    ]  # fmt: skip
    if bundle.prefix is not None:
        prefix = bundle.prefix
        share = format_share(prefix.tokens / prefix.before) if prefix.before else "0%"
        held_by = f", {pluralize(len(prefix.held), 'turn')} by hysteresis" if prefix.held else ""
        numbers.append(
            (
                "Prefix kept", f"{prefix.tokens:,}", f"{share} of {prefix.before:,}{held_by}",
                "Tokens at the front that are the same as in the context of the message before. Providers"
                " cache them.",
            )
        )  # fmt: skip
    return numbers


_MODE_HELP = (
    "What the message is about: a task, exploring, debugging, learning, or anything else. It decides the"
    " budgets of the sections and what is left out."
)


def _confidence(bundle: ContextBundle) -> str:
    found = bundle.found
    if found.source == "intent":
        return "said by the caller"
    if not found.confidence:
        return "nobody asked yet"
    if bundle.mode != found.mode:
        return f"message: {found.likeliest.capitalize()} {found.confidence:.2f}"
    return f"{found.confidence:.2f} sure"


def _draw_trouble(bundle: ContextBundle) -> None:
    for one in bundle.fallbacks:
        st.error(f"**{_CAUSES[one.cause]}.** {literal(on_screen(one.reason))}", icon=":material/error:")
    if bundle.breaches:
        lost = "; ".join(
            f"turn {one.source + 1:,}: “{literal(one.text, limit=_QUOTED)}”" for one in bundle.breaches
        )
        st.error(
            f"**{pluralize(len(bundle.breaches), 'breach', 'breaches')}:** what must hold was missing from the"
            f" context, so the newest turns and all invariants are sent instead. Missing was {lost}",
            icon=":material/error:",
        )
    if bundle.over_budget:
        st.error(
            f"**{pluralize(bundle.over_budget, 'token')} over the budget.** What must hold, the instructions"
            " and the message to answer are never cut: give the context a larger budget.",
            icon=":material/data_alert:",
        )
    if bundle.missing_results:
        names = ", ".join(literal(id, limit=40) for id in bundle.missing_results[:5])
        st.warning(
            f"The message to answer still waits for results of tool calls: {names}",
            icon=":material/hourglass_empty:",
        )
    for violation in bundle.violations[:5]:
        rule, _, told = on_screen(violation).partition(": ")
        st.warning(
            f"Chat APIs may refuse this list: {literal(told or rule, limit=300)}", icon=":material/warning:"
        )
