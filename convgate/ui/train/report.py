"""The result of a training: the verdict, activation, what changed, and the averages."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from convgate.core.conversation import Conversation
from convgate.evaluation.duplicates import remove_duplicates
from convgate.training.report import MAX_CHANGES, DecisionChange, read_changes, read_verdict
from convgate.training.run import Run
from convgate.training.sets import read_files
from convgate.training.split import make_ids_unique
from convgate.ui.shared.activation import activate, roll_back
from convgate.ui.shared.changed_turns import ChangedTurn, draw_changes
from convgate.ui.shared.explore_state import ExploreState
from convgate.ui.shared.frame import App
from convgate.ui.shared.navigation import VERSIONS
from convgate.ui.shared.policy_options import version_option
from convgate.ui.shared.tables import interval_cell, markdown_table
from convgate.ui.shared.text import literal
from convgate.ui.train.state import attempt, page
from convgate.versions.card import MetricSet
from convgate.versions.catalog import Versions

_METRICS = {
    "answerable": "Messages with all they need",
    "missed": "Needed turns missed",
    "kept_token_share": "Tokens sent",
}


def draw_report(app: App, run: Run) -> None:
    """Draw the verdict, the activation or its undo, what changed, and the averages."""
    versions, name = Versions(app.settings.home), run.version
    if name is None or name not in versions.names():
        st.warning(f"Its version {literal(name or '')} was deleted.", icon=":material/delete:")
        return
    verdict = read_verdict(run.outcome.get("against_parent"))
    parent = (run.request.parent if run.request else None) or "its parent"
    if verdict is None:
        st.markdown(f"**Version {literal(name)} saved.** {literal(run.message)}")
    else:
        icon = ":material/check:" if verdict.better else ":material/close:"
        icon = icon if verdict.gain.excludes_0 else ":material/equal:"
        st.markdown(f"{icon} **{literal(verdict.headline(parent))}.**")
    with st.container(horizontal=True, vertical_alignment="center"):
        _draw_activation(app, run, versions, name)
        st.page_link(
            VERSIONS, label="Open the version", icon=":material/account_tree:", query_params={"version": name}
        )
    if verdict is not None:
        if "changes" in run.outcome:  # kept since the release that added them
            _draw_changes(app, run, name, by_folds=bool(verdict.folds))
        st.markdown(f"On average, {literal(verdict.misses.sentence)}.")
        with st.expander("All figures", icon=":material/table_chart:"):
            st.markdown(literal(run.message))
            for method, measured in versions.get(name).card.metrics.items():
                if measured.parent:
                    _draw_metrics(method, measured, parent, name)


def _draw_changes(app: App, run: Run, name: str, *, by_folds: bool) -> None:
    """Draw the held-out decisions that the new version takes otherwise than its parent."""
    st.subheader("What changed on conversations that it did not learn from", anchor=False)
    if by_folds:
        st.caption(
            "Cross-validation: each conversation was decided by a gate trained in the same way on the"
            " others. The saved version learned from all of them, so Explore may decide otherwise."
        )
    changes = read_changes(run.outcome.get("changes"))
    words = run.request.arguments if run.request else ()
    files = tuple(path for word in words if (path := Path(word)).suffix == ".jsonl" and path.is_file())
    conversations = _read_conversations(files) if changes else {}
    right = [change for change in changes if change.kept == change.relevant]
    wrong = [change for change in changes if change.kept != change.relevant]

    def read(change: DecisionChange) -> ChangedTurn | None:
        if (conversation := conversations.get(change.conversation)) is None:
            return None
        return ChangedTurn(conversation, change.message, "", change.turn, change.kept, change.relevant)

    base = ExploreState(policy=version_option(name))
    draw_changes(app, page, right, wrong, lambda change: change.kept, read, base)
    if len(changes) == MAX_CHANGES:
        st.caption(f"The first {MAX_CHANGES:,} are listed.")


@st.cache_resource(max_entries=2, show_spinner="Reading the data of the training …")
def _read_conversations(files: tuple[Path, ...]) -> dict[str, Conversation]:
    """Return the conversations of a run's copies by the ids that it knows them by."""
    sets, _ = remove_duplicates([each.cases for each in read_files(files, skip_bad=True)])
    return {id: each for part in make_ids_unique(sets) for id, each in part.conversations.items()}


def _draw_metrics(method: str, measured: MetricSet, parent: str, name: str) -> None:
    rows = [
        (
            _METRICS.get(metric, metric.upper()),
            interval_cell(measured.parent.get(metric)),
            interval_cell(value),
            interval_cell(measured.gain.get(metric), is_difference=True),
        )
        for metric, value in measured.metrics.items()
    ]
    st.markdown(markdown_table(("", literal(parent), literal(name), "Difference"), rows, numbers=True))
    st.caption(f"Measured: {literal(method)}. Ranges are 95% intervals over conversations.")


def _draw_activation(app: App, run: Run, versions: Versions, name: str) -> None:
    if versions.active != name:
        why = run.outcome.get("why_not_active") or "It was activated; another version is active now."
        st.markdown(literal(str(why)), width="content")
        st.button(
            "Activate", key="train.activate_now", icon=":material/check:",
            on_click=attempt, args=(activate, app, name),
        )  # fmt: skip
        return
    st.markdown(":material/check_circle: It is the active version.", width="content")
    if before := versions.previous:
        st.button(
            f"Roll back to {literal(before)}", key="train.roll_back", icon=":material/undo:",
            on_click=attempt, args=(roll_back, app),
        )  # fmt: skip
