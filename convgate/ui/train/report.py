"""What became of each held-out turn: counts, and a list with filters and pages whose rows open in Explore."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import streamlit as st

from convgate.core.errors import GateError, TrainingError
from convgate.core.text import pluralize
from convgate.training.report import CHANGES, Change, ItemReport
from convgate.training.run import REPORT, Run
from convgate.ui.choosers import of_version
from convgate.ui.frame import App, show_problem
from convgate.ui.library_lookup import Said, library_keys
from convgate.ui.navigation import EXPLORE
from convgate.ui.page_state import LONGEST_QUESTION
from convgate.ui.text import literal
from convgate.ui.train.state import ONLY, TURN_PAGE
from convgate.versions.catalog import Versions

PER_PAGE = 10
NAMES: dict[str, str] = {
    "all": "All",
    "fixed": "✓ Fixed",
    "broken": "✕ Broken",
    "right": "Right as before",
    "wrong": "Wrong as before",
}
_SAID: dict[Change, str] = {
    "fixed": ":material/check: **fixed**",
    "broken": ":material/close: **broken**",
    "right": "right as before",
    "wrong": "wrong as before",
}


def draw_report(app: App, run: Run) -> None:
    """The report of the run, if it has one."""
    path = run.folder / REPORT
    if not path.exists():
        return
    try:
        found = path.stat()
        report = _read(str(run.folder), found.st_mtime_ns, found.st_size)
    except (OSError, TrainingError) as error:
        show_problem(TrainingError(str(error)))
        return
    if report is None:
        return
    st.subheader("Turn by turn", anchor=False)
    counts = {change: report.count(change) for change in CHANGES}
    st.markdown(
        f"{pluralize(len(report), 'labelled turn')} that neither version learned from now:"
        f" **{counts['fixed']:,} fixed**, **{counts['broken']:,} broken**, {counts['right']:,} right and"
        f" {counts['wrong']:,} wrong as before."
    )
    if told := _thresholds(app, run):
        st.caption(told)
    start = next((name for name in ("broken", "fixed") if counts[name]), "all")
    only = st.segmented_control(
        "Turns", list(NAMES), key=ONLY, required=True, default=start,
        label_visibility="collapsed", on_change=_first_page,
        format_func=lambda name: f"{NAMES[name]} {len(report) if name == 'all' else counts[name]:,}",
    )  # fmt: skip
    rows = np.arange(len(report)) if only == "all" else np.flatnonzero(report.changes == CHANGES.index(only))
    pages = max(1, -(-len(rows) // PER_PAGE))
    page = min(int(st.session_state.get(TURN_PAGE) or 1), pages)
    shown = rows[(page - 1) * PER_PAGE : page * PER_PAGE].tolist()
    ids = {report.cases[int(report.case[row])].conversation for row in shown}
    keys = library_keys(app.store, {id: _said_in(report, id) for id in ids})
    for row in shown:
        _draw_turn(report, row, run, keys)
    if not len(rows):
        st.caption("There is no such turn.")
    if pages > 1:
        with st.container(horizontal_alignment="center"):
            st.pagination(pages, key=TURN_PAGE)


def _thresholds(app: App, run: Run) -> str:
    """The learned thresholds, which say why a turn may flip though its score hardly changed."""
    versions = Versions(app.settings.home)
    names = [run.request.parent if run.request else None, run.version]
    try:
        known = [versions.get(name).card.learned_threshold for name in names if name]
    except GateError:  # deleted or damaged since
        return ""
    if len(known) < len(names):
        return ""
    return f"Each decides by its own learned threshold, {known[0]:.2f} before and {known[1]:.2f} now."


def _draw_turn(report: ItemReport, row: int, run: Run, keys: Mapping[str, str | None]) -> None:
    case = report.cases[int(report.case[row])]
    turn = int(report.turn[row])
    message = "a question" if case.turn is None else f"message {case.turn + 1:,}"
    label = f"**Turn {turn + 1:,} for {message}** · {literal(case.text, limit=80)}"
    key = keys.get(case.conversation)
    with st.container(border=True, gap=None):
        if key is None:
            st.markdown(label, help="Its conversation is not in your Library, so it cannot be opened.")
        else:
            st.page_link(
                EXPLORE, label=label, icon=":material/query_stats:", width="stretch",
                query_params=explore_query(report, row, key, run),
            )  # fmt: skip
        st.markdown(f":small[{said(report, row)}]")
        known = report.texts.get(case.conversation)
        st.caption("Its text was removed." if known is None else literal(known.get(turn, ""), limit=200))


def said(report: ItemReport, row: int) -> str:
    """What became of a turn, in a line."""
    change = CHANGES[int(report.changes[row])]
    kept = ["kept" if keep else "dropped" for keep in (report.parent_kept[row], report.child_kept[row])]
    decided = f"{kept[0]}, now {kept[1]}" if kept[0] != kept[1] else f"{kept[1]} by both"
    label = "relevant" if report.relevant[row] else "not relevant"
    return (
        f"{_SAID[change]} · labelled {label} · {decided} · score {report.parent_score[row]:.2f} →"
        f" {report.child_score[row]:.2f}"
    )


def _said_in(report: ItemReport, conversation: str) -> Said:
    """What stands for all that was said in it; nothing that there is when its texts were removed."""
    last, turns = report.said.get(conversation, ("", -1))
    return bytes.fromhex(last), turns


def explore_query(report: ItemReport, row: int, key: str, run: Run) -> dict[str, str]:
    """The address of the turn in Explore, decided by the new version."""
    case = report.cases[int(report.case[row])]
    asked = {"ask": case.question[:LONGEST_QUESTION]} if case.turn is None else {"turn": str(case.turn + 1)}
    child = {"policy": of_version(run.version)} if run.version else {}
    return {"conversation": key, **asked, "selected": str(int(report.turn[row]) + 1), **child}


@st.cache_resource(max_entries=16, show_spinner=False)
def _read(folder: str, changed: int, size: int) -> ItemReport | None:
    return ItemReport.read(Path(folder))


def _first_page() -> None:
    st.session_state.pop(TURN_PAGE, None)
