"""Errors from top to bottom: labels and gate, what is missed and sent needlessly, the causes, the turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import streamlit as st

from convgate.core.text import format_signed, join_words, pluralize
from convgate.evaluation.errors import (
    OTHER_RULE,
    THRESHOLD,
    ErrorKind,
    TurnError,
    group_by_cause,
)
from convgate.figures.parts import PARTS, part_label
from convgate.policies.gate import GatePolicy
from convgate.policies.spec import read_policy
from convgate.store import Answer
from convgate.store.conversations import title_of
from convgate.training.library import SetInfo
from convgate.ui.errors.actions import Act, ErrorActions
from convgate.ui.errors.results import LIBRARY, Errors, compute_errors, drop_answered
from convgate.ui.shared import scoring
from convgate.ui.shared.actions import draw_result, run_action
from convgate.ui.shared.explore_state import ExploreState
from convgate.ui.shared.frame import App
from convgate.ui.shared.holding import HOLD_HELP
from convgate.ui.shared.improvement import draw_next, read_improvement
from convgate.ui.shared.label_sources import (
    LABELS,
    draw_source_problems,
    plain_name,
    sources,
    usable,
)
from convgate.ui.shared.navigation import EXPLORE
from convgate.ui.shared.navigation import LIBRARY as LIBRARY_PAGE
from convgate.ui.shared.page_state import Address, PageState, param
from convgate.ui.shared.policy_options import POLICY_OPTION, option_labels
from convgate.ui.shared.text import literal
from convgate.ui.shared.turn import format_explanation

_STYLE = Path(__file__).with_name("errors.css")
PER_PAGE = 10
_MAX_TEXT = 260  # characters of a message or turn
_ANSWERS: Mapping[Answer, str] = {"relevant": "✓ relevant", "not_relevant": "✕ not relevant"}
_KINDS: Mapping[ErrorKind, str] = {"missed": "Not sent", "needless": "Sent for nothing"}
_SUREST = "surest"  # stands for a cause: the first guesses, whatever misled
_MAX_SUREST = 5
_CAUSES = {
    THRESHOLD: ("threshold", "No part of the score speaks for the error, so another threshold would help."),
    OTHER_RULE: (
        "other rules",
        "What must hold, a valid list, a limit or a budget decided, whatever the score.",
    ),
}


@dataclass(frozen=True)
class ErrorsState(PageState):
    """The labels, the gate, and which errors are listed: ?data=@labels&kind=needless&cause=words."""

    data: str | None = None  # the labels, a set or the library; None: the first that there is
    version: str = param(GatePolicy.name, POLICY_OPTION)  # a policy option that is a gate
    kind: ErrorKind | None = None  # None: what was not sent, where there is any
    cause: str | None = None  # None: all
    page: int = 1


page = Address("errors", ErrorsState, bare=True)  # labels, when there are some by then


def draw_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    options, known = option_labels(app.settings), sources(app)
    gates = {option: name for option, name in options.items() if read_policy(option).name == GatePolicy.name}
    state = page.begin(version=gates, data=[*known, LIBRARY])
    available = _available(app, known)
    draw_source_problems(known)
    if not available:
        st.info("There is no conversation yet.", icon=":material/inventory_2:")
        st.page_link(LIBRARY_PAGE, label="Add conversations", icon=":material/arrow_forward:")
        return
    data = state.data if state.data in available else next(iter(available))
    page.keep(state := replace(state, data=data))  # named, for an answer may change what comes first
    with st.sidebar:
        st.selectbox(
            "Labels", list(available), format_func=lambda name: available.get(name, name),
            help="What the gate's decisions are compared with.",
            **page.control("data", data, cause=None),
        )  # fmt: skip
        st.selectbox(
            "Gate", list(gates), **page.control("version"),
            format_func=lambda name: "The active version" if name == GatePolicy.name else gates[name],
        )  # fmt: skip
    policy = scoring.load_gate(app, state.version)
    errors = drop_answered(app, compute_errors(app, data, policy))
    st.subheader(literal(errors.report.summary), anchor=False)
    if errors.progress is not None:
        done, total = errors.progress
        st.progress(done / total, "More messages are being decided.")
    _draw_next_step(app, data)
    draw_result(page)
    listed = _draw_choice(state, errors)
    shown = min(state.page, max(1, -(-len(listed) // PER_PAGE)))
    _draw_errors(
        app, state, errors, listed[(shown - 1) * PER_PAGE : shown * PER_PAGE], known.get(data), policy
    )
    page.draw_pages(len(listed), PER_PAGE, shown)
    if errors.progress is not None:  # what there is can be read while the rest is decided
        st.rerun()


def _available(app: App, known: Mapping[str, SetInfo]) -> dict[str, str]:
    """Return what decisions can be compared with, in words: the own labels first, then the library."""
    labelled = {
        name: f"{plain_name(name)}: {pluralize(known[name].judged, 'turn')}" for name in usable(known)
    }
    own = {LABELS: labelled.pop(LABELS)} if LABELS in labelled else {}
    library = {LIBRARY: "no labels: hybrid search, last exchange"} if app.conversations.keys() else {}
    return own | library | labelled


def _draw_next_step(app: App, data: str) -> None:
    """Draw what to do with the errors."""
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        draw_next(read_improvement(app))
        words = "Is a label wrong? Correct it below. The right ones teach the gate when you train."
        if data == LIBRARY:
            words = "Nothing here is labelled. Each answer below becomes a label of yours."
        st.markdown(words, width="content")


def _draw_choice(state: ErrorsState, errors: Errors) -> list[tuple[str, TurnError]]:
    """Draw the choice of kind and cause; return what is chosen by cause, the most frequent first.

    Of guesses about all causes, the surest stand before.
    """
    kinds = [each for each in _KINDS if errors.report.of_kind(each)] if errors.progress is None else []
    first: ErrorKind = kinds[0] if kinds else "missed"
    kind = state.kind or first
    chosen = errors.report.of_kind(kind)
    groups = group_by_cause(chosen)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        counts: dict[str, str] = {
            each: f"{name} {len(errors.report.of_kind(each)):,}" for each, name in _KINDS.items()
        }
        page.draw_choice("kind", "Errors", counts, value=kind)
        if groups:
            st.pills(
                "What misled the gate", list(groups), wrap=True,
                format_func=lambda cause: f"{_label(cause)} {len(groups.get(cause, ())):,}",
                help="The part of the score that speaks most against a missed turn, or most for a needless"
                " one, compared with the other turns of the conversation.",
                **page.control("cause", state.cause if state.cause in groups else None),
            )  # fmt: skip
    if not groups:
        st.markdown("None so far." if errors.progress else ":material/check: None.")
    n_surest = 0
    if state.cause in groups:
        chosen = groups[state.cause]
    elif errors.report.is_suggested:
        n_surest = _MAX_SUREST
    rest = group_by_cause(chosen[n_surest:])
    return [(_SUREST, error) for error in chosen[:n_surest]] + [
        (cause, error) for cause, each in rest.items() for error in each
    ]


def _draw_errors(
    app: App,
    state: ErrorsState,
    errors: Errors,
    listed: Sequence[tuple[str, TurnError]],
    source: SetInfo | None,
    policy: GatePolicy,
) -> None:
    for cause, group in groupby(listed, lambda each: each[0]):
        help = _CAUSES[cause][1] if cause in _CAUSES else PARTS[cause].help if cause in PARTS else ""
        if cause == _SUREST:
            st.markdown("**The surest guesses** · Most suggest them, or the score is highest.")
        else:
            st.markdown(f"**Misled by {literal(_label(cause))}** · {literal(help)}")
        for _, error in group:
            name = LIBRARY if source is None else source.name
            with st.container(border=True, gap="xsmall", key=_key("card", error)):
                actions = ErrorActions(app, errors, error, name, policy.version)
                _draw_error(app, state, errors, error, actions, source)


def _draw_error(
    app: App,
    state: ErrorsState,
    errors: Errors,
    error: TurnError,
    actions: ErrorActions,
    source: SetInfo | None,
) -> None:
    labelled = errors.labelled[error.case.conversation]
    conversation, turn = error.conversation, error.conversation.turns[error.index]
    message = error.case.query or conversation.turns[-1 if error.case.turn is None else error.case.turn]
    number = "a question" if error.case.turn is None else f"message {error.case.turn + 1:,}"
    title = title_of(conversation) if labelled.key is None else app.conversations.summary(labelled.key).title
    label = f"**Turn {error.index + 1:,} for {number}** · {literal(title, limit=60)}"
    place = errors.place(error.case)
    if place is None:
        if st.button(label, key=_key("open", error), type="tertiary", icon=":material/library_add:",
                     help="Adds the conversation to the library, and opens it in Explore."):  # fmt: skip
            explore = ExploreState(actions.open_key(), error.case.turn, "", error.index, state.version)
            st.switch_page(EXPLORE, query_params=explore.to_query())
    else:
        explore = ExploreState(place.conversation, place.turn, place.question, error.index, state.version)
        st.page_link(
            EXPLORE, label=label, icon=":material/query_stats:", query_params=explore.to_query(),
            width="stretch",
        )  # fmt: skip
    left, right = st.columns((1.5, 1), gap="medium")
    with left:
        for name, each in (("Turn", turn), ("Message", message)):
            speaker, text = literal(each.speaker, limit=40), literal(each.scored_text, limit=_MAX_TEXT)
            st.markdown(f"**{name}, {speaker}:** {text}")
    with right:
        decision = error.decision
        st.markdown(f"**{decision.outcome_text}:** {format_explanation(decision.explanation)}")
        st.caption(" · ".join(_facts(error)))
    _draw_actions(error, actions, source)


def _facts(error: TurnError) -> list[str]:
    """Return what else to know about an error."""
    if error.against:
        verb = "suggested by" if error.kind == "missed" else "not suggested by"
        facts = [f"{verb} {join_words(error.against)}"]
    else:
        facts = ["labelled needed" if error.kind == "missed" else "labelled not relevant"]
    if error.effect:
        facts.append(f"{literal(_label(error.cause))} {format_signed(error.effect)}")
    return [*facts, pluralize(error.tokens, "token")]


def _draw_actions(error: TurnError, actions: ErrorActions, source: SetInfo | None) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.markdown(f"Does turn {error.index + 1:,} matter to this message?", width="content")
        for value, label in _ANSWERS.items():
            _draw_button(
                label, value, error, partial(actions.answer, value), help="Your answer, which training uses."
            )
        if source is not None and source.name != LABELS:
            _draw_button(
                "Use for training", "train", error, actions.use_for_training,
                icon=":material/model_training:", disabled=not source.may_train,
                help=literal(source.terms or "Adds all labels of this message to yours."),
            )  # fmt: skip
        if error.kind == "missed":
            _draw_button(
                "Always send", "hold", error, actions.hold, icon=":material/keep:",
                help=HOLD_HELP,
            )  # fmt: skip


def _draw_button(label: str, name: str, error: TurnError, act: Act, **more: Any) -> None:
    st.button(label, key=_key(name, error), on_click=run_action, args=(page, act), **more)


def _key(name: str, error: TurnError) -> str:
    return f"errors.{name}.{error.case.id}.{error.index}"


def _label(cause: str) -> str:
    return _CAUSES[cause][0] if cause in _CAUSES else part_label(cause)
