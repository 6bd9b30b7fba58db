"""The errors of a gate on the labels, a relevance set, or the library without labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import streamlit as st

from convgate.core.conversation import Conversation, CurrentMessage, History
from convgate.core.decisions import TurnDecisions
from convgate.evaluation.errors import ErrorReport, JudgedMessage, TurnError, judge_messages
from convgate.evaluation.judged_cases import EvaluationProgress, cases_in_order
from convgate.invariants.edits import EDITS_FIELD
from convgate.labels.gold import gold_answers, labels_digest
from convgate.policies.gate import GatePolicy
from convgate.selection.selector import Selector
from convgate.store import CurrentKey
from convgate.store.edits import edits_digest
from convgate.transcripts import Case
from convgate.ui.shared import scoring
from convgate.ui.shared.frame import App
from convgate.ui.shared.label_sources import read_labelled
from convgate.ui.shared.library import library_key
from convgate.ui.shared.results_cache import compute_once, digest
from convgate.ui.shared.turn import moves

LIBRARY = "@library"
"""The library without labels, where addresses name a set; no file can be called that."""

MAX_MESSAGES = 50
"""Messages without labels that are decided about: the last ones of the newest conversations."""

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

    def place(self, case: Case) -> CurrentKey | None:
        """Return what identifies a case's message in the library; None where it is not there."""
        key = self.labelled[case.conversation].key
        if key is None:
            return None
        return CurrentKey(key, case.turn, case.query.text if case.query and case.turn is None else "")


def compute_errors(app: App, data: str, policy: GatePolicy) -> Errors:
    """Return the errors; data: the labels, a set or the library. Only what was never decided is decided."""
    state = f"{labels_digest(app.store)} {edits_digest(app.store)}"
    content = state if data == LIBRARY else f"{read_labelled(app, data)[1]} {state}"
    key = f"{data} {content} {app.store.path}"
    labelled = _read(key, app, data)
    decider = f"{digest(policy)} {app.settings.model_dump_json()}"

    def work(progress: EvaluationProgress) -> ErrorReport:
        messages = _judge(list(labelled.values()), policy, _decided(decider), app, progress)
        return ErrorReport.of(list(messages))

    return Errors(compute_once(f"errors {key} {decider}", work), labelled)


def drop_answered(app: App, errors: Errors) -> Errors:
    """Return the errors without those that a gold label contradicts, and suggestions that it confirms."""
    gold = gold_answers(app.store)

    def is_left(error: TurnError) -> bool:
        place = errors.place(error.case)
        answer = gold.get(place, {}).get(error.index, "unsure") if place else "unsure"
        right = "relevant" if error.kind == "missed" else "not_relevant"
        return answer == "unsure" or (answer == right and not errors.report.is_suggested)

    left = [error for error in errors.report.errors if is_left(error)]
    return replace(errors, report=replace(errors.report, errors=left))


def _judge(
    labelled: Sequence[Labelled],
    policy: GatePolicy,
    decided: dict[str, TurnDecisions],
    app: App,
    progress: EvaluationProgress,
) -> Iterator[JudgedMessage]:
    selector = scoring.silent_selector(app, policy)
    n_newest = max(1, MAX_MESSAGES // max(1, len(labelled)))
    total = sum(len(each.cases) or min(n_newest, len(each.conversation.answerable())) for each in labelled)
    done = 0
    for each in labelled:
        decide = partial(_decide, _changes(each), selector, decided, progress)
        for message in judge_messages(
            each.conversation, each.cases, decide, policy.encoder, n_newest=n_newest
        ):
            done += 1
            progress("Deciding about messages", done, total)
            yield message


def _decide(
    changes: str,
    selector: Selector,
    decided: dict[str, TurnDecisions],
    progress: EvaluationProgress,
    current: CurrentMessage,
    history: History,
) -> TurnDecisions:
    """Return what is sent for a message, decided once."""
    question = current.turn.text if current.index is None else ""
    key = f"{changes} {history.start} {history.stop} {question}"
    if key not in decided:
        if len(decided) >= _MAX_DECIDED:
            decided.clear()
        turns = history.conversation.turns[: history.stop]
        with_modes = selector.settings.budget.tokens is not None
        selector.encode(turns, partial(progress, "Encoding turns"), with_modes=with_modes)
        decided[key] = selector.select_current(current, history).decisions
    return decided[key]


def _changes(labelled: Labelled) -> str:
    """Return a text that stands for a conversation with its edits."""
    conversation = labelled.conversation
    edits = [
        (index, turn.metadata.get(EDITS_FIELD), turn.pruned)
        for index, turn in enumerate(conversation.turns)
        if EDITS_FIELD in turn.metadata or turn.pruned
    ]
    return f"{labelled.key or conversation.id} {edits} {moves(conversation)}"


@st.cache_resource(max_entries=2, show_spinner=False)
def _decided(decider: str) -> dict[str, TurnDecisions]:
    return {}


@st.cache_resource(max_entries=4, show_spinner="Reading conversations …")
def _read(key: str, _app: App, data: str) -> dict[str, Labelled]:
    if data == LIBRARY:
        keys = [row.key for row in _app.conversations.find(per_page=MAX_MESSAGES).rows]
        return {key: Labelled(_with_id(_app.conversation(key), key), (), key) for key in keys}
    relevance_set, _ = read_labelled(_app, data)
    cases: dict[str, list[Case]] = {}
    for case in cases_in_order(relevance_set):
        cases.setdefault(case.conversation, []).append(case)
    labelled = {}
    for id, own in cases.items():
        conversation = relevance_set.conversations[id]
        key_of_library = library_key(_app.store, conversation)
        if key_of_library is not None:
            conversation = _app.conversation(key_of_library)
        labelled[id] = Labelled(_with_id(conversation, id), own, key_of_library)
    return labelled


def _with_id(conversation: Conversation, id: str) -> Conversation:
    return conversation if conversation.id == id else replace(conversation, id=id)
