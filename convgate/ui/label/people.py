"""Who labelled how much, whose answers are trained on, and how well people agree."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import streamlit as st

from convgate.errors import StoreError
from convgate.labels.agreement import Agreement, agreement
from convgate.store import Labels
from convgate.store.label_counts import LabelCounts
from convgate.store.labels import Annotator
from convgate.transcripts.characters import isolate, writable
from convgate.ui.explore import state
from convgate.ui.frame import App, show_problem
from convgate.ui.state import put
from convgate.ui.text import literal
from convgate.ui.wording import ago, counted

_DAYS = 14
_DASH = "–"
_PROBLEM = "label.people.problem"
_KINDS = {"person": "person", "agent": "agent", "adjudication": "settled disagreements"}


def draw_people(app: App) -> None:
    """A line for each annotator, with the switch whether their answers are trained on."""
    if (problem := st.session_state.pop(_PROBLEM, None)) is not None:
        show_problem(problem)
    people = Labels(app.store).annotators()
    if not people:
        st.caption("Nobody has labelled anything yet.")
        return
    counts, since = LabelCounts(app.store), (datetime.now(UTC) - timedelta(days=_DAYS)).date()
    for one in people:
        with st.container(
            horizontal=True, vertical_alignment="center", border=True, key=f"label-person-{one.name}"
        ):
            recent = sum(counts.per_day(one.name, since).values())
            last = f" · last {ago(one.last)}" if one.last else ""
            st.markdown(
                f"**{literal(one.name)}** · {_KINDS[one.kind]} · {counted(one.answers, 'answer')} on"
                f" {counted(one.situations, 'message')} · {recent:,} in the last {_DAYS} days{last}"
            )
            key = f"label.trains.{one.name}"
            put(key, one.trains)  # somebody else may have switched it
            st.toggle(
                "Train on these", key=key, on_change=_switched, args=(app, one, key),
                help="Off leaves the answers out of training, of metrics and of what counts as true.",
            )  # fmt: skip


def draw_agreement(app: App) -> None:
    """Kappa of each two people and alpha of all, read in words."""
    found = agreement(app.store)
    if not found.pairs:
        st.caption(
            "Agreement needs two people who answered the same turns. Let another person work through the same"
            " queue."
        )
        return
    if found.together is not None:
        st.markdown(f"{_badge(found.together)} {literal(found.together.reading)}")
    for pair in found.pairs:
        st.markdown(f"{_badge(pair)} {literal(pair.reading)}")
    st.dataframe(
        [
            {
                "who": writable(" and ".join(map(isolate, pair.annotators))),
                "Cohen's kappa": _shown(pair.value),
                "from": _shown(pair.interval and pair.interval[0]),
                "to": _shown(pair.interval and pair.interval[1]),
                "shared turns": pair.shared,
                "alike": pair.agreed,
                "one unsure": pair.unsure,
            }
            for pair in found.pairs
        ],
        hide_index=True,
        alt="Agreement of each two people",
        key="label.agreement",
    )
    if any(pair.value is None or pair.interval is None for pair in found.pairs):
        st.caption(
            f"{_DASH}: not defined. Kappa takes shared turns of both kinds, relevant and not relevant; its"
            " 95% interval, from and to, takes shared turns of at least two messages."
        )


def _shown(number: float | None) -> str:
    return _DASH if number is None else f"{number:.2f}"


def _badge(found: Agreement) -> str:
    return {
        "good": ":green-badge[good]",
        "fair": ":orange-badge[fair]",
        "low": ":red-badge[too little]",
        "few": ":gray-badge[too few]",
        "undefined": ":gray-badge[undefined]",
    }[found.level]


def _switched(app: App, one: Annotator, key: str) -> None:
    state.touched()
    try:
        Labels(app.store).set_trains(one.name, trains=bool(st.session_state[key]))
    except StoreError as error:
        st.session_state[_PROBLEM] = error
        st.session_state[key] = one.trains
