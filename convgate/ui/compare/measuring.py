"""Columns measured on labelled data: each once, with how far it is, and a way to stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from convgate.errors import ConvgateError
from convgate.evaluation.judge import TokenCounts
from convgate.evaluation.outcomes import JudgedSet
from convgate.evaluation.results import SetResult
from convgate.evaluation.together import laid_together
from convgate.policies.base import Policy
from convgate.policies.written import Written
from convgate.transcripts import RelevanceSet
from convgate.ui.compare import state
from convgate.ui.compare.made import policy_of_column
from convgate.ui.frame import App
from convgate.ui.judging import digest, is_judged, judged, tokens_of
from convgate.ui.labelled import read_labelled
from convgate.ui.text import literal
from convgate.ui.wording import counted

STOP, _STOPPED = "compare.stop", "compare.stopped"


@dataclass(frozen=True, eq=False)
class Measured:
    """What columns did on one set, by their labels."""

    result: SetResult
    key: tuple[object, ...]  # stands for all of it in caches


@dataclass(frozen=True, eq=False)
class _Job:
    """One column on one set."""

    name: str  # of the set
    label: str  # of the column
    told: str  # stands for the set's content
    relevance_set: RelevanceSet
    policy: Policy

    @property
    def is_done(self) -> bool:
        return is_judged(self.told, self.policy)


def measure(
    app: App, names: Sequence[str], columns: Sequence[Written], labels: Mapping[str, str], *, by_tag: bool
) -> tuple[dict[str, Measured], dict[str, ConvgateError]]:
    """What came of each set, and why some columns cannot be measured, by their labels.

    What was measured before is not measured again. After a stop there is what was measured by then.

    Raises TranscriptError when a set is not there or cannot be read.
    """
    policies: dict[str, Policy] = {}
    failed: dict[str, ConvgateError] = {}
    for column in columns:
        label = labels[column.to_text()]
        try:
            policies[label] = policy_of_column(app, column)
        except ConvgateError as error:
            failed[label] = error
    sets = {name: read_labelled(app, name) for name in names}
    jobs = [
        _Job(name, label, told, relevance_set, policy)
        for name, (relevance_set, told) in sets.items()
        for label, policy in policies.items()
    ]
    _work(jobs, failed)
    results = {}
    for name, (relevance_set, told) in sets.items():
        here = [job for job in jobs if job.name == name and job.is_done and job.label not in failed]
        if here:
            found = {job.label: judged(relevance_set, told, job.policy, job.label) for job in here}
            digests = tuple((job.label, digest(job.policy)) for job in here)
            result = _laid(told, digests, by_tag, found, tokens_of(relevance_set, told))
            results[name] = Measured(result, (told, digests, by_tag))
    return results, failed


def _work(jobs: Sequence[_Job], failed: dict[str, ConvgateError]) -> None:
    """Do what is not done, unless a person stopped it."""
    place = st.empty()  # always, or what follows would change its place on the page
    missing = [job for job in jobs if not job.is_done]
    if not missing:
        return
    if st.session_state.get(_STOPPED) == _signature(jobs):
        with place.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                f":material/pause_circle: Stopped: {len(missing):,} of {counted(len(jobs), 'measurement')}"
                " are missing.",
                width="content",
            )
            st.button("Go on", key="compare.go_on", icon=":material/play_arrow:", on_click=_go_on)
        return
    with place.container():
        st.button(
            "Stop", key=STOP, icon=":material/stop:", on_click=_stop, args=(_signature(jobs),),
            help="What is measured by then stays, and it can go on later.",
        )  # fmt: skip
        line = st.empty()
        for number, job in enumerate(missing, start=1):
            if job.label in failed:
                continue
            told = f"{number:,} of {len(missing):,}: {job.label} on {job.relevance_set.name}"
            line.caption(literal(told))
            try:
                judged(job.relevance_set, job.told, job.policy, job.label)
            except ConvgateError as error:
                failed[job.label] = error
    place.empty()


def _signature(jobs: Sequence[_Job]) -> str:
    return "\n".join(f"{job.told} {digest(job.policy)}" for job in jobs)


def _stop(signature: str) -> None:
    st.session_state[_STOPPED] = signature
    state.touched()


def _go_on() -> None:
    st.session_state.pop(_STOPPED, None)
    state.touched()


@st.cache_resource(max_entries=32, show_spinner="Drawing conversations again for the intervals …")
def _laid(
    told: str,
    digests: tuple[tuple[str, str], ...],
    by_tag: bool,  # noqa: FBT001  # part of the cache's key
    _judged: Mapping[str, JudgedSet],
    _tokens: Mapping[str, TokenCounts],
) -> SetResult:
    return laid_together(_judged, _tokens, by_tag=by_tag)
