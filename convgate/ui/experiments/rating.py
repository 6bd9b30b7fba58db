"""The queue of a rater: one answer after the other, with keys and undo. Nothing drawn depends on the arm."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import streamlit as st

from convgate.core.errors import ExperimentError, TranscriptError
from convgate.core.text import pluralize
from convgate.experiments.arms import Experiment
from convgate.experiments.judge import RUBRIC
from convgate.experiments.outcomes import ERROR_KINDS
from convgate.experiments.trials import rate_trial, waiting_trials
from convgate.store.experiments import Experiments, Rating, Trial
from convgate.transcripts.openai_messages import turn_from_message
from convgate.ui.experiments.state import page
from convgate.ui.shared import keys
from convgate.ui.shared.actions import draw_problem, reporting_problems
from convgate.ui.shared.annotator import annotator, draw_annotator
from convgate.ui.shared.frame import App
from convgate.ui.shared.text import show_text

DRAFT = "experiments.draft"
# Keys of this queue alone; pages with a transcript use some of them otherwise.
ERROR_KEYS = ("A", "S", "D", "F", "G")  # the last: unsure
FOCUS_KEYS = ("0", "1", "2", "3", "4", "5")  # 0: unsure
_COMPLETION = (
    (True, "✓ completed", "Y"),
    (False, "✕ not completed", "N"),
    (None, "? unsure", "U"),
)
_ERROR_HELP = f"Mark all that there are; none marked means no errors.\n\n{RUBRIC.replace('_', ' ')}".replace(
    "\n", "\n\n"
)
_FOCUS = {
    1: "off the point", 2: "mostly off", 3: "partly", 4: "mostly", 5: "to the point", None: "unsure",
}  # fmt: skip


@dataclass(frozen=True)
class RatingDraft:
    """What is chosen for the trial on the screen and not stored yet."""

    rating: Rating
    has_completion: bool = False  # whether it was chosen: None stands for unsure


def draw_rating(app: App, experiment: Experiment) -> None:
    """Draw the answer that the rater should rate next."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Report", key="experiments.report", type="tertiary", icon=":material/arrow_back:",
            on_click=page.change, kwargs={"rate": False},
        )  # fmt: skip
        draw_annotator(app)
    draw_problem()
    by = annotator()
    ratings = Experiments(app.store).ratings(experiment.name).values()
    n_rated = sum(rating.rater == by for of_trial in ratings for rating in of_trial)
    waiting = {trial.number: trial for trial in waiting_trials(app.store, experiment, by)}
    st.progress(
        n_rated / max(n_rated + len(waiting), 1),
        f"{pluralize(n_rated, 'answer')} rated, {len(waiting):,} to rate",
    )
    st.caption("You are not shown which variant an answer is from. The third question saves and goes on.")
    if waiting:
        draft: RatingDraft | None = st.session_state.get(DRAFT)
        if draft is None or draft.rating.trial not in waiting:
            draft = RatingDraft(Rating(next(iter(waiting)), by, None, (), None))
            st.session_state[DRAFT] = draft
        trial = waiting[draft.rating.trial]
        left, right = st.columns(2)
        with left:
            _draw_conversation(trial)
        with right:
            _draw_answer(trial)
            _draw_questions(app, experiment, by, draft)
    else:
        others = "" if experiment.shared_raters else " The answers of other variants are for other raters."
        st.success(f"No answer needs your rating.{others}", icon=":material/check:")
    st.button(
        "Undo the last rating", key="experiments.undo_rating", shortcut=keys.UNDO, type="tertiary",
        icon=":material/undo:", on_click=_undo, args=(app, experiment, by), disabled=not n_rated,
    )  # fmt: skip


def _draw_conversation(trial: Trial) -> None:
    """Draw the conversation, scrolled to its last message."""
    st.markdown("**Conversation**")
    with st.container(height=570, autoscroll=True, key="experiments-messages", gap="xsmall"):
        for message in trial.messages:
            speaker, text = _read_message(message)
            st.caption(speaker)
            show_text(text)


def _draw_answer(trial: Trial) -> None:
    st.markdown("**Answer**")
    with st.container(height=220, key="experiments-answer"):
        show_text(trial.answer)


def _read_message(message: Mapping[str, Any]) -> tuple[str, str]:
    """Return who says what; of a message in another form than that of chats, all of it."""
    try:
        turn = turn_from_message(message)
    except TranscriptError:
        return "message", json.dumps(message, ensure_ascii=False)
    return turn.speaker, turn.scored_text


def _draw_questions(app: App, experiment: Experiment, by: str, draft: RatingDraft) -> None:
    rating, errors = draft.rating, draft.rating.errors
    st.markdown("**Is the request completed?**", help="Whether the answer does what the last message asks.")
    with st.container(horizontal=True, gap="xsmall"):
        for completed, label, key in _COMPLETION:
            is_chosen = draft.has_completion and rating.completed is completed
            _draw_choice(label, key, is_chosen=is_chosen, on_click=_choose, args=(rating.trial, completed))
    st.markdown("**Errors in the answer**", help=_ERROR_HELP)
    with st.container(horizontal=True, gap="xsmall"):
        for kind, key in zip((*ERROR_KINDS, None), ERROR_KEYS, strict=True):
            is_chosen = errors is None if kind is None else kind in (errors or ())
            label = (kind or "unsure").replace("_", " ")
            _draw_choice(label, key, is_chosen=is_chosen, on_click=_toggle, args=(rating.trial, kind))
    st.markdown("**How focused is the answer?**")
    with st.container(horizontal=True, gap="xsmall"):
        for focus, label in _FOCUS.items():
            key = FOCUS_KEYS[focus or 0]
            _draw_choice(label, key, on_click=_save, args=(app, experiment, by, rating.trial, focus))


def _draw_choice(label: str, key: str, *, is_chosen: bool = False, **callback: Any) -> None:
    kind: Literal["primary", "secondary"] = "primary" if is_chosen else "secondary"
    st.button(label, key=f"experiments.choice.{key}", shortcut=key, type=kind, **callback)


def _draft(trial: int) -> RatingDraft | None:
    """Return what is chosen for the trial; None when another one is on the screen now."""
    draft: RatingDraft | None = st.session_state.get(DRAFT)
    return draft if draft is not None and draft.rating.trial == trial else None


def _choose(trial: int, completed: bool | None) -> None:  # noqa: FBT001
    if (draft := _draft(trial)) is not None:
        st.session_state[DRAFT] = RatingDraft(replace(draft.rating, completed=completed), has_completion=True)


def _toggle(trial: int, kind: str | None) -> None:
    """Mark a kind of error, or that the rater is unsure, or remove the mark."""
    if (draft := _draft(trial)) is not None:
        errors = draft.rating.errors
        if kind is not None:
            errors = tuple(sorted({*(errors or ())} ^ {kind}))
        else:
            errors = () if errors is None else None
        st.session_state[DRAFT] = replace(draft, rating=replace(draft.rating, errors=errors))


def _save(app: App, experiment: Experiment, by: str, trial: int, focus: int | None) -> None:
    """Store the rating of the trial and go on to the next."""
    if (draft := _draft(trial)) is None:
        return
    with reporting_problems():
        if not draft.has_completion:
            raise ExperimentError("Choose first whether the request is completed.")
        rate_trial(app.store, experiment, replace(draft.rating, rater=by, focus=focus))
        del st.session_state[DRAFT]


def _undo(app: App, experiment: Experiment, by: str) -> None:
    """Remove the rater's last rating, and show it again to be changed."""
    with reporting_problems():
        rating = Experiments(app.store).undo_rating(experiment.name, by)
        if rating is not None:
            st.session_state[DRAFT] = RatingDraft(rating, has_completion=True)
