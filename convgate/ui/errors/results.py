"""The errors of a gate on the labels, a relevance set, or the library without labels."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from convgate.core.conversation import Conversation, CurrentMessage, History
from convgate.core.decisions import TurnDecisions
from convgate.evaluation.errors import ErrorReport, JudgedMessage, find_errors, judge_messages
from convgate.evaluation.judged_cases import cases_in_order
from convgate.invariants.edits import EDITS_FIELD
from convgate.labels.gold import gold_answers
from convgate.policies.gate import GatePolicy
from convgate.selection.selector import Selector
from convgate.store import CurrentKey
from convgate.store.edits import edits_digest
from convgate.transcripts import Case
from convgate.ui.shared import scoring
from convgate.ui.shared.frame import App
from convgate.ui.shared.label_sources import read_measured
from convgate.ui.shared.library import library_key
from convgate.ui.shared.results_cache import compute_once, digest, progress_bar
from convgate.ui.shared.turn import moves

LIBRARY = "@library"
"""The library without labels, where addresses name a set; no file can be called that."""

MAX_MESSAGES = 50
"""Messages without labels that are decided about: the last ones of the newest conversations."""

_FIRST_SECONDS = 0.3  # of work before the page is shown while there is no error; less, once there is one
_SECONDS = 1.0  # before it is shown again
_CASES = 20  # of a conversation, decided at a time
_MAX_DECIDED = 5_000  # messages whose decisions are kept


@dataclass(frozen=True, eq=False)
class Labelled:
    """A conversation with its cases."""

    conversation: Conversation  # with its edits, where the library has it
    cases: Sequence[Case]  # none: without labels
    key: str | None  # of the library; None where it is not there


@dataclass(frozen=True, eq=False)
class Errors:
    """The errors, and the conversations that they are in."""

    report: ErrorReport
    labelled: Mapping[str, Labelled]  # by the conversation's id in cases
    progress: tuple[int, int] | None = None  # parts that are decided, of how many; None: all

    def place(self, case: Case) -> CurrentKey | None:
        """Return what identifies a case's message in the library; None where it is not there."""
        key = self.labelled[case.conversation].key
        if key is None:
            return None
        return CurrentKey(key, case.turn, case.query.text if case.query and case.turn is None else "")


def compute_errors(app: App, data: str, policy: GatePolicy) -> Errors:
    """Return the errors; data: the labels, a set or the library. Only what was never decided is decided.

    Returns after a while with those of the messages that are decided by then; call it again for more.
    """
    content = "" if data == LIBRARY else read_measured(app, data).digest
    library = hash(frozenset(app.conversations.keys()))
    key = f"{data} {content} {library} {edits_digest(app.store)} {app.store.path}"
    decider = f"{digest(policy)} {app.settings.model_dump_json()}"
    labelled = _read(key, app, data)
    parts = _split(list(labelled.values()))
    judged = _judged(f"{key} {decider}")
    selector, decided = scoring.silent_selector(app, policy), _decided(decider)
    began = time.monotonic()
    is_listed = any(map(find_errors, judged.values()))
    seconds = _SECONDS if is_listed else _FIRST_SECONDS
    with progress_bar() as progress:
        while (number := len(judged)) < len(parts):
            each, cases, n_newest = parts[number]
            whole = len(each.conversation)
            stop = max((whole if case.turn is None else case.turn + 1 for case in cases), default=whole)
            selector.encode(
                each.conversation.turns[:stop], partial(progress, "Encoding turns"),
                with_modes=selector.settings.budget.tokens is not None,
            )  # fmt: skip
            decide = partial(_decide, _changes(each), selector, decided)
            judged[number] = list(
                judge_messages(each.conversation, cases, decide, policy.encoder, n_newest=n_newest)
            )
            if time.monotonic() - began > seconds or (not is_listed and find_errors(judged[number])):
                break
    messages = [message for number in range(len(judged)) for message in judged[number]]
    if len(judged) < len(parts):
        return Errors(ErrorReport.of(messages), labelled, (len(judged), len(parts)))
    report = compute_once(f"errors {key} {decider}", lambda _: ErrorReport.of(messages))
    return Errors(report, labelled)


def drop_answered(app: App, errors: Errors) -> Errors:
    """Return the errors without those that a gold label contradicts, and without answered suggestions."""
    gold, left = gold_answers(app.store), []
    for error in errors.report.errors:
        place = errors.place(error.case)
        answer = gold.get(place, {}).get(error.index, "unsure") if place else "unsure"
        confirms = answer == ("relevant" if error.is_relevant else "not_relevant")
        if answer == "unsure" or (confirms and not error.against):
            left.append(error)
    return replace(errors, report=replace(errors.report, errors=left))


def _split(labelled: Sequence[Labelled]) -> list[tuple[Labelled, Sequence[Case], int]]:
    """Return what is decided at a time: a conversation, some of its cases, else how many newest messages.

    Short conversations come first, as they are decided soonest.
    """
    n_newest = max(1, MAX_MESSAGES // max(1, len(labelled)))
    return [
        (each, each.cases[start : start + _CASES], n_newest)
        for each in sorted(labelled, key=lambda each: len(each.conversation))
        for start in range(0, max(1, len(each.cases)), _CASES)
    ]


def _decide(
    changes: str,
    selector: Selector,
    decided: dict[str, TurnDecisions],
    current: CurrentMessage,
    history: History,
) -> TurnDecisions:
    """Return what is sent for a message, decided once."""
    question = current.turn.text if current.index is None else ""
    key = f"{changes} {history.start} {history.stop} {question}"
    if (decisions := decided.get(key)) is None:
        if len(decided) >= _MAX_DECIDED:
            decided.clear()
        decisions = decided[key] = selector.select_current(current, history).decisions
    return decisions


def _changes(labelled: Labelled) -> str:
    """Return a text that stands for a conversation with its edits."""
    conversation = labelled.conversation
    edits = [
        (index, turn.metadata.get(EDITS_FIELD), turn.pruned)
        for index, turn in enumerate(conversation.turns)
        if EDITS_FIELD in turn.metadata or turn.pruned
    ]
    return f"{labelled.key or conversation.id} {edits} {moves(conversation)}"


@st.cache_resource(max_entries=4, show_spinner=False)
def _judged(key: str) -> dict[int, list[JudgedMessage]]:
    return {}


@st.cache_resource(max_entries=2, show_spinner=False)
def _decided(decider: str) -> dict[str, TurnDecisions]:
    return {}


@st.cache_resource(max_entries=4, show_spinner="Reading conversations …")
def _read(key: str, _app: App, data: str) -> dict[str, Labelled]:
    if data == LIBRARY:
        keys = [row.key for row in _app.conversations.find(per_page=MAX_MESSAGES).rows]
        return {key: Labelled(_with_id(_app.conversation(key), key), (), key) for key in keys}
    relevance_set = read_measured(_app, data).set
    cases: dict[str, list[Case]] = {}
    for case in cases_in_order(relevance_set):
        cases.setdefault(case.conversation, []).append(case)
    labelled = {}
    for id, own in cases.items():
        conversation = relevance_set.conversations[id]
        key_of_library = library_key(_app.store, conversation)
        labelled[id] = Labelled(conversation, own, key_of_library)
    return labelled


def _with_id(conversation: Conversation, id: str) -> Conversation:
    return conversation if conversation.id == id else replace(conversation, id=id)
