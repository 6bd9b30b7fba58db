"""Errors from top to bottom: labels and gate, what is missed and sent needlessly, which kind, the turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

from convgate.core.text import format_share, isolate, join_words, pluralize, truncate, writable
from convgate.evaluation.errors import (
    MAX_LABEL,
    OTHER_RULE,
    THRESHOLD,
    ErrorKind,
    TurnError,
    group_by_cause,
)
from convgate.figures.hover import on_screen
from convgate.figures.parts import part_label
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
from convgate.ui.shared.session_state import UNTIL_LEFT
from convgate.ui.shared.text import literal

_STYLE = Path(__file__).with_name("errors.css")
PER_PAGE = 10
_MAX_TEXT = 260  # characters of a message or turn
_ANSWERS: Mapping[Answer, str] = {"relevant": "✓ relevant", "not_relevant": "✕ not relevant"}
_KINDS: Mapping[ErrorKind, str] = {
    "missed": "Not sent", "needless": "Sent for nothing", "disputed": "Label wrong?",
}  # fmt: skip
_KINDS_GUESSED: Mapping[ErrorKind, str] = {"missed": "Perhaps missing", "needless": "Perhaps not needed"}
_LISTED: Mapping[ErrorKind, str] = {
    "missed": "Labelled needed, and not sent; the clearest first.",
    "needless": "Labelled not relevant, and sent; the clearest first.",
    "disputed": f"Labels that the gate finds improbable ({MAX_LABEL:.0%} or less), the least likely first:"
    " the label is wrong, or the gate is.",
}
_GUESSED: Mapping[ErrorKind, str] = {
    "missed": "Guesses, as nothing is labelled: search finds these turns close to the message, or they stand"
    " just before it, and the model does not get them. Your answer becomes a label.",
    "needless": "Guesses, as nothing is labelled: search finds these turns far from the message, and the"
    " model gets them. Your answer becomes a label.",
}
_CAUSES = {
    "semantic": "its meaning",
    "meaning": "its meaning",
    "passages": "its closest passage",
    "neighbours": "the turns beside it",
    "contextual": "other turns",
    "words": "the words that it shares",
    "speaker": "who speaks",
    "addressing": "the names in it",
    "turn": "its form, such as a question or its length",
    "recency": "how new it is",
    "decay": "how old it is",
    THRESHOLD: "the threshold alone",
}
"""Parts of the score, for a person who has never seen them."""


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
    library = {LIBRARY: "no labels: guesses"} if app.conversations.keys() else {}
    return own | library | labelled


def _draw_choice(state: ErrorsState, errors: Errors) -> list[TurnError]:
    """Draw the choice of kind and cause, and what is listed; return the errors that are chosen."""
    report = errors.report
    names = _KINDS_GUESSED if report.is_suggested else _KINDS
    kinds = list(names)
    chosen = {kind: report.of_kind(kind) for kind in kinds}
    first: ErrorKind = next((kind for kind in kinds if chosen[kind]), "missed")
    if errors.progress is not None and chosen[first]:  # until all is decided, the list stays what it is
        first = st.session_state.setdefault(f"{UNTIL_LEFT}errors {state.data} {state.version}", first)
    kind = state.kind if state.kind in kinds else first
    groups = group_by_cause(chosen[kind])
    with st.container(horizontal=True, vertical_alignment="center", gap="medium", key="errors-choice"):
        counts: dict[str, str] = {each: f"{names[each]} {len(chosen[each]):,}" for each in kinds}
        page.draw_choice("kind", "Errors", counts, value=kind)
        if len(groups) > 1:
            st.selectbox(
                "What misled the gate", list(groups), label_visibility="collapsed", width=300,
                format_func=lambda cause: f"{_misled(cause)}: {len(groups.get(cause, ())):,}",
                placeholder="Misled by anything", index=None,
                **page.control("cause", state.cause if state.cause in groups else None),
            )  # fmt: skip
    if groups:
        st.caption((_GUESSED if report.is_suggested else _LISTED)[kind])
    else:
        st.markdown("None so far." if errors.progress else ":material/check: None.")
    listed = groups.get(state.cause or "", chosen[kind])
    places = {error.case.id: place for place, error in reversed(list(enumerate(listed)))}
    return sorted(listed, key=lambda error: places[error.case.id])


def _draw_errors(
    app: App,
    state: ErrorsState,
    errors: Errors,
    listed: Sequence[TurnError],
    source: SetInfo | None,
    policy: GatePolicy,
) -> None:
    """Draw the errors under their messages, and the result of the last action where its error was."""
    name, card = LIBRARY if source is None else source.name, st.container()
    for row, error in enumerate(listed):
        if not row or error.case.id != listed[row - 1].case.id:
            card = st.container(border=True, gap="xsmall", key=_key("card", error))
            card.html(_message_html(app, errors, error))
        with card:
            draw_result(page, str(row))
            actions = ErrorActions(app, errors, error, name, policy.version)
            left, right = st.columns((3, 1.25), gap="small")
            left.html(_error_html(error))
            with right:
                _draw_actions(state, errors, error, actions, source, str(row))
    for row in range(len(listed), PER_PAGE):
        draw_result(page, str(row))


def _message_html(app: App, errors: Errors, error: TurnError) -> str:
    """Return the message of an error as HTML, with how much of its history is decided wrongly."""
    case, conversation = error.case, error.conversation
    own = [each for each in errors.report.of_kind(error.kind) if each.case.id == case.id]
    message = case.query or conversation.turns[-1 if case.turn is None else case.turn]
    key = errors.labelled[case.conversation].key
    title = title_of(conversation) if key is None else app.conversations.summary(key).title
    number = "Question" if case.turn is None else f"Message {case.turn + 1:,}"
    count = f"{pluralize(len(own), 'turn')}, {pluralize(sum(each.tokens for each in own), 'token')}"
    count += " for nothing" if error.kind == "needless" else ""
    more = f"{message.speaker} · {truncate(title, 60)} · {count}"
    return _lines(("message", number, message.scored_text, more))


def _error_html(error: TurnError) -> str:
    """Return turn and reason as HTML, a line each with its name before it."""
    decision, turn = error.decision, error.conversation.turns[error.index]
    reason = on_screen(decision.explanation)
    return _lines(
        ("turn", f"Turn {error.index + 1:,}", turn.scored_text, turn.speaker),
        ("reason", "Sent" if decision.kept else "Not sent", reason[:1].upper() + reason[1:], _facts(error)),
    )


def _lines(*lines: tuple[str, str, str, str]) -> str:
    return "".join(
        f'<div class="error-line {name}"><span>{label}</span><div dir="auto">{_html(text)}'
        f" <small>{_html(more)}</small></div></div>"
        for name, label, text, more in lines
    )


def _html(text: str) -> str:
    return escape(isolate(writable(truncate(" ".join(text.split()), _MAX_TEXT))))


def _facts(error: TurnError) -> str:
    """Return what else to know about an error."""
    if error.against:
        facts = [f"suggested by {join_words(error.against)}"] if error.is_relevant else []
    else:
        facts = ["labelled needed" if error.is_relevant else "labelled not relevant"]
    if error.kind == "disputed":
        facts.append(f"the gate gives that label {_share_of_label(error)}")
    return " · ".join([*facts, _misled(error.cause), pluralize(error.tokens, "token")])


def _share_of_label(error: TurnError) -> str:
    score = error.score or 0.0
    return format_share(score if error.is_relevant else 1 - score)


def _draw_actions(
    state: ErrorsState,
    errors: Errors,
    error: TurnError,
    actions: ErrorActions,
    source: SetInfo | None,
    place: str,
) -> None:
    """Draw the actions: what a guess is about is answered, a label is only corrected."""
    draw = partial(_draw_button, error=error, place=place)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        for value, label in _ANSWERS.items():
            if error.against:
                draw(label, value, act=partial(actions.answer, value))
            elif error.is_relevant != (value == "relevant"):
                draw(label, value, act=partial(actions.answer, value), help="Changes the label.")
        if source is not None and source.name != LABELS:
            draw(
                "Use for training", "train", act=actions.use_for_training,
                icon=":material/model_training:", disabled=not source.may_train,
                help=literal(source.terms or "Adds all labels of this message to yours."),
            )  # fmt: skip
        if error.kind == "missed":
            draw("Always send", "hold", act=actions.hold, icon=":material/keep:", help=HOLD_HELP)
        _draw_link(state, errors, error, actions)


def _draw_link(state: ErrorsState, errors: Errors, error: TurnError, actions: ErrorActions) -> None:
    place = errors.place(error.case)
    if place is None:
        if st.button("Add and open in Explore", key=_key("open", error), type="tertiary"):
            explore = ExploreState(actions.open_key(), error.case.turn, "", error.index, state.version)
            st.switch_page(EXPLORE, query_params=explore.to_query())
    else:
        explore = ExploreState(place.conversation, place.turn, place.question, error.index, state.version)
        st.page_link(
            EXPLORE, label="Explore", icon=":material/query_stats:", query_params=explore.to_query(),
            width="content",
        )  # fmt: skip


def _draw_button(label: str, name: str, *, error: TurnError, place: str, act: Act, **more: Any) -> None:
    st.button(label, key=_key(name, error), on_click=run_action, args=(page, act, place), **more)


def _key(name: str, error: TurnError) -> str:
    return f"errors.{name}.{error.case.id}.{error.index}"


def _misled(cause: str) -> str:
    by_rule = "By rule (what must hold), not by the score"
    return by_rule if cause == OTHER_RULE else f"Misled by {_CAUSES.get(cause, part_label(cause))}"
