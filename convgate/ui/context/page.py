"""Context from top to bottom: metrics, mode, chart, and the turns, invariants or messages."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import streamlit as st

from convgate.core.text import format_share, pluralize, writable
from convgate.figures.context import budget_figure, describe_budget
from convgate.figures.hover import on_screen
from convgate.figures.layout import CONFIG
from convgate.modes.mode import SURE
from convgate.selection.bundle import ContextBundle
from convgate.ui.context import state
from convgate.ui.context.build import ContextResult, build
from convgate.ui.context.invariants import draw_invariants
from convgate.ui.context.messages import draw_messages
from convgate.ui.context.state import MAX_BUDGET, SHOWN, View
from convgate.ui.context.turn import draw_turn
from convgate.ui.frame import App
from convgate.ui.modes import draw_mode_correction
from convgate.ui.page_state import draw_problems
from convgate.ui.picker import answered_words, pick_conversation, pick_message
from convgate.ui.policy_options import option_label, option_labels
from convgate.ui.tables import draw_numbers
from convgate.ui.text import literal
from convgate.ui.theme import current_palette
from convgate.ui.transcript.component import draw_transcript, read_request
from convgate.ui.transcript.rows import Marks, transcript_data

TURNS = "context.turns"
_STYLE = Path(__file__).with_name("context.css")
_HEIGHT = "clamp(24rem, calc(100vh - 14rem), 46rem)"
_MAX_STATEMENT = 120  # characters
_MESSAGE = re.compile(r"^message (\d+)")  # a place in what is sent
_CAUSES = {
    "drift": "The modes of the last hour have drifted from the baseline",
    "misclassified": "People corrected too many modes",
    "errors": "This mode fails too often",
    "breach": "An invariant was missing",
}


def context_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    view, problems = state.page.current()
    picked = pick_conversation(state.page, app, view.conversation)
    if picked is None:
        return
    key, conversation = picked
    labels = option_labels(app.settings.home)
    view, missing = view.with_key(key).drop_unknown_turns(conversation, labels)
    state.page.keep(view)
    draw_problems([*problems, *missing])
    message = pick_message(state.page, key, conversation, view.turn, view.question)
    with st.sidebar:
        _draw_settings(app, view, labels)
    st.markdown(answered_words(app.conversations.summary(key).title, message.current))
    if (result := build(app, view, message)) is None:
        return
    draw_numbers(_numbers(result), key="context-strip")
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    left.markdown(_mode_reason(result.bundle))
    with right:
        draw_mode_correction(result.app, state.page, result.key, result.conversation, result.index)
    _draw_problems(result.bundle)
    figure = budget_figure(result.bundle, palette=current_palette())
    st.plotly_chart(
        figure, theme=None, key="context.bar", config=CONFIG, height=figure.layout.height,
        alt=writable(describe_budget(result.bundle)),
    )  # fmt: skip
    _draw_lists(result, view)


def _draw_settings(app: App, view: View, labels: dict[str, str]) -> None:
    st.number_input(
        "Budget (tokens)", value=None, min_value=0, max_value=MAX_BUDGET, step=1_000,
        **state.page.control("budget", view.budget), placeholder="As in the settings",
        help="Of the whole context. Invariants, instructions and the current message are never cut.",
    )  # fmt: skip
    policy = view.policy or (app.settings.policy if app.settings.policy in labels else next(iter(labels)))
    options = list(dict.fromkeys((*labels, policy)))  # the address may have parameters
    st.selectbox(
        "Policy", options, format_func=option_label, **state.page.control("policy", policy),
        help="It selects the evidence.",
    )  # fmt: skip


def _numbers(result: ContextResult) -> list[tuple[str, str, str, str]]:
    bundle, n_earlier, n_sent = result.bundle, len(result.message.history), len(result.placed)
    saved = 1 - bundle.tokens / bundle.tokens_total if bundle.tokens_total else 0.0
    n_active = sum(invariant.active for invariant in bundle.invariants)
    used = f"{format_share(bundle.tokens / bundle.budget)} of the budget" if bundle.budget else "no budget"
    return [
        ("Mode", bundle.mode.capitalize(), _confidence(bundle), "Decides the budgets of the sections."),
        (
            "Tokens", f"{bundle.tokens:,} of {bundle.budget:,}", used,
            "With the current message. Counted by the encoder's tokenizer; your model counts differently.",
        ),
        (
            "Saved", format_share(max(0.0, saved)), f"of {pluralize(bundle.tokens_total, 'token')}",
            "Compared with sending everything up to the current message.",
        ),
        ("Earlier turns", f"{n_sent:,} of {n_earlier:,}", f"{n_earlier - n_sent:,} dropped", ""),
        (
            "Invariants", f"{n_active:,}", f"of {len(bundle.invariants):,} found",
            "Statements of the user that every context must have.",
        ),
    ]  # fmt: skip


def _confidence(bundle: ContextBundle) -> str:
    decision = bundle.mode_decision
    if decision.source == "intent":
        return "corrected"
    if bundle.mode != decision.mode:
        return f"message: {decision.likeliest.capitalize()} {decision.confidence:.2f}"
    return f"confidence {decision.confidence:.2f}"


def _mode_reason(bundle: ContextBundle) -> str:
    decision = bundle.mode_decision
    by_person = f"{decision.mode}: chosen by a person."
    reason = by_person if decision.source == "intent" else literal(on_screen(decision.reason), limit=400)
    if any(fallback.cause != "breach" for fallback in bundle.fallbacks):
        return f"**{bundle.mode}** in place of {decision.mode}. Message: {reason}"
    if bundle.mode == decision.mode:
        return reason
    return (
        f"{reason} The conversation stays in **{bundle.mode}**: it changes from {SURE:.2f} on, or when two"
        " messages in a row agree."
    )


def _draw_problems(bundle: ContextBundle) -> None:
    for fallback in bundle.fallbacks:
        reason = literal(on_screen(fallback.reason))
        st.error(f"**{_CAUSES[fallback.cause]}.** {reason}", icon=":material/error:")
    for invariant in bundle.breaches:
        text = literal(invariant.text, limit=_MAX_STATEMENT)
        st.error(f"Missing was turn {invariant.source + 1:,}: “{text}”", icon=":material/error:")
    if bundle.over_budget:
        st.error(
            f"**{pluralize(bundle.over_budget, 'token')} over the budget.** Increase the budget.",
            icon=":material/data_alert:",
        )
    if bundle.missing_results:
        ids = ", ".join(literal(id, limit=40) for id in bundle.missing_results[:5])
        st.warning(f"Results of tool calls are missing: {ids}", icon=":material/hourglass_empty:")
    for violation in bundle.violations[:5]:
        text = _MESSAGE.sub(
            lambda match: f"message {int(match[1]) + 1:,} of those sent", violation.partition(": ")[2]
        )
        st.warning(f"Chat APIs may refuse this list: {literal(text, limit=300)}", icon=":material/warning:")


def _draw_lists(result: ContextResult, view: View) -> None:
    bundle, n_earlier, n_sent = result.bundle, len(result.message.history), len(result.placed)
    counts = {
        "all": n_earlier,
        "sent": n_sent,
        "dropped": n_earlier - n_sent,
        "invariants": len(bundle.invariants),
        "messages": len(bundle.messages),
    }
    selected = _default_turn(result) if view.selected is None else view.selected
    left, right = st.columns([1.45, 1], gap="medium")
    with left:
        with st.container(key="context-show"):
            st.segmented_control(
                "Show", list(SHOWN), required=True, label_visibility="collapsed",
                **state.page.control("show", view.show),
                format_func=lambda name: f"{SHOWN[name]} {counts[name]:,}",
            )  # fmt: skip
        if view.show == "invariants":
            draw_invariants(result, view, selected)
        elif view.show == "messages":
            draw_messages(result)
        else:
            _draw_turns(result, view, selected)
    with right, st.container(key="context-turn"):
        draw_turn(result, selected)


def _draw_turns(result: ContextResult, view: View, selected: int) -> None:
    # Without overrides a turn is kept or dropped, whoever decided it; the reason says so.
    decisions = replace(result.bundle.decisions, overrides={})
    only = None
    if view.show != "all":
        only = decisions.indices[decisions.kept == (view.show == "sent")].tolist()
    modes = {turn: mode.capitalize() for turn, mode in result.bundle.labels.items()}
    marked = selected if only is None or selected in only else None
    marks = Marks(selected=marked, opened={selected}, modes=modes, only=only)
    place, current = f"{result.key} {view.show}", result.message.current
    data = transcript_data(result.conversation, current, decisions, marks, place=place, height=_HEIGHT)
    draw_transcript(data, key=TURNS, on_asked=_follow_request)


def _follow_request() -> None:
    request = read_request(TURNS)
    if request is not None and request.what == "answer":
        state.page.change(turn=request.turn, question="", selected=None)
    elif request is not None:
        state.page.select(request.turn)


def _default_turn(result: ContextResult) -> int:
    """Return the newest turn that is sent, else the current message."""
    if result.placed:
        return max(result.placed)
    return len(result.conversation) - 1 if result.index is None else result.index
