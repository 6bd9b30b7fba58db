"""The answer first: whether everything is normal, and each guard beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

import streamlit as st

from convgate.context.guardrails.report_records import Totals
from convgate.figures.hover import percent
from convgate.ui.monitor.guards import SIGNS, GuardState, Standing, State, worst
from convgate.ui.monitor.times import clock
from convgate.ui.text import literal
from convgate.ui.wording import ago, counted


def draw_headline(stands: Standing, now: datetime) -> None:
    """One sentence or two that say whether anything is to be done."""
    tripped = stands.tripped
    for one in tripped:
        assert one.alert is not None
        since = f"since {clock(one.alert.raised, now)} ({ago(one.alert.raised, now)})"
        if one is stands.low_confidence:
            st.warning(f"**Low confidence** {since}. {one.does}", icon=":material/warning:")
        elif one is stands.drift:
            st.error(f"**Drift** {since}: every request is built as GENERAL.", icon=":material/error:")
        elif one.state == "probation":
            st.warning(f"**Errors in {one.name}** {since}. {one.does}", icon=":material/science:")
        else:
            st.error(f"**Errors in {one.name}** {since}. {one.does}", icon=":material/error:")
    if tripped:
        return
    soon = [one for one in stands.all if one.soon]
    groups = (stands.drift, stands.low_confidence, GuardState("Errors", worst(stands.errors), "", ""))
    watched = [one.name for one in groups if one.state == "normal"]
    blind = [one.name for one in groups if one.state != "normal"]
    if soon:
        st.warning(
            f"**Nothing has tripped yet,** but {_list(one.name for one in soon)} will: no program has looked"
            " at the log since it passed the limit.",
            icon=":material/warning:",
        )
    elif not blind:
        st.success("**Everything is normal.** No guard has tripped.", icon=":material/check_circle:")
    elif watched:
        st.success(
            f"**Nothing is wrong as far as can be told.** {_list(watched)}: normal. {_list(blind)}: nothing"
            " can be told yet, see below.",
            icon=":material/check_circle:",
        )
    else:
        st.info("**Nothing can be told yet:** no guard has what it needs, see below.", icon=":material/info:")


def draw_guards(stands: Standing, now: datetime) -> None:
    """A card for drift, one for confidence, one for the errors of all modes."""
    with st.container(key="monitor-guards"), st.grid(min_column_width=300):
        draw_card(stands.drift, now)
        draw_card(stands.low_confidence, now)
        with st.container(border=True, height="stretch", gap="xsmall"):
            _draw_title("Errors", worst(stands.errors))
            _draw_errors(stands.errors, now)


def draw_card(one: GuardState, now: datetime) -> None:
    """One guard."""
    with st.container(border=True, height="stretch", gap="xsmall"):
        _draw_title(one.name, one.state)
        _draw_state(one, now)


def draw_strip(totals: Totals, lost: int, *, told: str) -> None:
    """What the period came to in one line of numbers. told: which period that is."""
    latency = totals.latency
    numbers = (
        ("Requests", f"{totals.requests:,}", told, None),
        (
            "Tokens saved",
            percent(totals.tokens_saved / totals.tokens_total) if totals.tokens_total else "–",
            f"{totals.tokens_saved:,} of {totals.tokens_total:,}",
            "Against sending whole conversations.",
        ),
        (
            "Unsure",
            percent(totals.low_share) if totals.low_share is not None else "–",
            f"{totals.unsure:,} of {totals.judged:,}",
            "Requests without an intent whose mode the classifier found with less than 0.70.",
        ),
        (
            "Fell back",
            f"{totals.fallbacks:,}",
            percent(totals.fallbacks / totals.requests) if totals.requests else "–",
            "Requests that were not answered as their mode asks for.",
        ),
        (
            "Breaches",
            f"{totals.breaches:,}",
            "put back at once",
            "Invariants that a context was missing before the baseline context took its place.",
        ),
        (
            "Building takes",
            f"{1000 * latency.p50:,.1f} ms" if latency else "–",
            f"95%: {1000 * latency.p95:,.1f} · 99%: {1000 * latency.p99:,.1f}" if latency else "no requests",
            "The median, and the times that 95 and 99 of 100 requests keep within.",
        ),
    )  # fmt: skip
    with st.container(horizontal=True, key="monitor-strip", gap="medium"):
        for label, value, beside, help in numbers:
            st.metric(label, value, beside, delta_color="off", delta_arrow="off", width="content", help=help)
    if lost:
        st.warning(
            f"{counted(lost, 'request')} could not be logged, because the database was locked, full or gone."
            " They were answered all the same; the figures here do not have them.",
            icon=":material/warning:",
        )


def _draw_title(name: str, state: State) -> None:
    icon, word = SIGNS[state]
    colour = {"normal": "green", "tripped": "red", "probation": "orange"}.get(state, "gray")
    st.markdown(f"**{name}** :{colour}-badge[{icon} {word}]")


def _draw_state(one: GuardState, now: datetime) -> None:
    st.markdown(one.figure)
    if one.alert is not None:
        st.markdown(
            f"Tripped {ago(one.alert.raised, now)}, at {clock(one.alert.raised, now)}. **{one.does}**"
        )
    elif one.does:
        st.caption(one.does)
    if one.soon:
        st.caption(f":material/schedule: {literal(one.soon)}")


def _draw_errors(states: Sequence[GuardState], now: datetime) -> None:
    """What every mode lacks is said once."""
    if len({(one.state, one.figure) for one in states}) == 1:
        _draw_state(states[0], now)
        return
    for one in states:
        icon, word = SIGNS[one.state]
        told = "" if one.state == "normal" else f", {word}"
        st.markdown(f"{icon} {one.name}: {one.figure}{told}")
        if one.alert is not None:
            st.caption(f"Tripped {ago(one.alert.raised, now)}. {one.does}")
        if one.soon:
            st.caption(literal(one.soon))
    st.caption(
        "Of the newest outcomes of each mode. A mode that is above its limit by more than chance is built as"
        " GENERAL."
    )


def _list(names: Iterable[str]) -> str:
    found = list(names)
    return found[0] if len(found) == 1 else f"{', '.join(found[:-1])} and {found[-1]}"
