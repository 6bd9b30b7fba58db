"""Monitor from top to bottom: the log of requests, or the rollout."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import streamlit as st

from convgate.core.home import login_name
from convgate.core.settings import Settings
from convgate.core.text import format_share, format_time, pluralize, writable
from convgate.guardrails.example import log_example
from convgate.guardrails.report import GuardrailsReport, Totals, report
from convgate.guardrails.rules import set_baseline
from convgate.rollouts.figures import Check, CheckState
from convgate.rollouts.phases import PHASES, phase_of
from convgate.rollouts.rollout import Rollout, RolloutStatus
from convgate.store.database import Store
from convgate.store.guard_states import Baseline, GuardStates
from convgate.store.requests import Requests
from convgate.store.rollouts import RolloutDecision, Rollouts, RolloutState
from convgate.ui.monitor.log import (
    attention_sentence,
    draw_alerts,
    draw_charts,
    draw_open_alerts,
    draw_statuses,
)
from convgate.ui.shared.actions import ActionResult, draw_result, run_action
from convgate.ui.shared.codecs import one_of
from convgate.ui.shared.frame import App
from convgate.ui.shared.navigation import COMPARE, OWN_CHATS
from convgate.ui.shared.page_state import Address, StandaloneState, param
from convgate.ui.shared.tables import draw_numbers, markdown_table
from convgate.ui.shared.text import literal

PERIODS = {"1h": timedelta(hours=1), "24h": timedelta(days=1), "7d": timedelta(days=7), "30d": timedelta(30)}
REFRESH_SECONDS = 30
_PLACES = {"log": "Your requests", "rollout": "Rollout"}
_EXAMPLE = """\
import convgate; selector = convgate.load()  # once
selection = selector.select(messages, budget=8_000)  # send selection.messages; no text is logged
convgate.record_outcome(selection.request_id, ok=True)  # was the answer good?
"""
_START = 'convgate rollout start "new weights" --owner Ada'
_ROLLOUT_EXAMPLE = """\
import convgate

selectors = {arm: convgate.load(f"{arm}.toml", arm=arm) for arm in ("candidate", "control")}
selection = selectors[convgate.rollout(session_id)].select(messages, session=session_id)
convgate.record_outcome(selection.request_id, ok=True, seconds=2.1)  # whether the answer was good
"""
_BUILD_TIME = (
    "Time to choose the turns of a request, without the model's answer: the median, and percentiles."
)
_RARE = "An invariant is a statement that must hold, such as a rule. The newest turns were sent with it."
_STATES: dict[RolloutState, tuple[str, str]] = {  # look of the badge, and what new sessions get
    "running": (":green-badge[:material/play_circle: running]", ""),
    "stopped": (":orange-badge[:material/pause_circle: stopped]", " Now new ones get the control."),
    "rolled back": (":red-badge[:material/undo: rolled back]", " Now all get the control."),
}
_CHECKS: dict[CheckState, str] = {
    "passed": ":green-badge[:material/check_circle: passed]",
    "failed": ":red-badge[:material/error: failed]",
    "not enough data": ":gray-badge[:material/hourglass_empty: not enough data]",
}


@dataclass(frozen=True)
class MonitorState(StandaloneState):
    """A period of the log up to now, or the rollout: ?period=7d, ?on=rollout."""

    on: Literal["log", "rollout"] = "log"
    period: str = param("24h", one_of(PERIODS))


page = Address("monitor", MonitorState)


def draw_page(app: App) -> None:
    """Draw the page."""
    state = page.begin()
    newest = Requests(app.store).newest()
    with st.container(horizontal=True):
        page.draw_choice("on", "Show", _PLACES)
        if state.on == "log" and newest is not None:
            page.draw_choice("period", "Period", {name: name for name in PERIODS})
    if state.on == "rollout":
        draw_rollout(app)
    else:
        _draw_log(app, state, newest)


def _draw_log(app: App, state: MonitorState, newest: datetime | None) -> None:
    if not app.settings.guard.log:
        st.warning("Requests are not logged: `guard.log` is off.", icon=":material/visibility_off:")
    draw_result(page)
    if newest is None:
        st.markdown("##### No request is logged yet: add these lines to your agent")
        st.code(_EXAMPLE, language="python")
        st.page_link(
            COMPARE, label="Without an agent: what would be sent of my chats?",
            icon=":material/compare_arrows:", query_params=OWN_CHATS,
        )  # fmt: skip
        with st.container(border=True):  # so that no number in it is taken for one's own
            st.subheader("Example: a simulated day", anchor=False)
            st.markdown(
                "Nobody made these requests. For two and a half hours their modes are unusual, and in one"
                " hour debugging fails."
            )
            _draw_figures(_example(app.settings), app.settings)
        return
    st.fragment(_draw_report, run_every=REFRESH_SECONDS)(app, state, newest)


def _draw_report(app: App, state: MonitorState, newest: datetime) -> None:
    page.rerun_after_action()
    shown = _report(app.settings, app.store, state.period, str(app.store.path))
    if not shown.totals.requests:
        st.caption(f"No requests in this period. The last one: {format_time(newest)}.")
    _draw_figures(shown, app.settings)
    _draw_baseline(app, shown)


def _draw_figures(shown: GuardrailsReport, settings: Settings) -> None:
    st.markdown(f"##### {attention_sentence(shown)}")
    draw_open_alerts(shown.open_alerts, shown.latest.now)
    _draw_totals(shown.totals, shown.lost)
    draw_statuses(shown, settings)
    if shown.totals.requests:
        draw_charts(shown, settings)
    draw_alerts(shown.alerts)


@st.cache_resource(max_entries=1, show_spinner="Simulating a day of requests …")
def _example(_settings: Settings) -> GuardrailsReport:
    """Return what the guardrails make of a simulated day, in a database that is deleted at once."""
    until = datetime.now(UTC)
    with TemporaryDirectory() as folder, closing(Store(Path(folder, "example.db"))) as store:
        log_example(store, _settings, until)
        return report(store, _settings, until - PERIODS["24h"], until, until)


def _draw_totals(totals: Totals, lost: int) -> None:
    p50, p95, p99 = totals.latency or (None, None, None)
    saved = totals.tokens_saved / totals.tokens_total if totals.tokens_total else None
    times = "" if p95 is None or p99 is None else f"p95 {1000 * p95:,.1f} · p99 {1000 * p99:,.1f}"
    numbers = [
        ("Tokens saved", _share(saved), f"{totals.tokens_saved:,} of {totals.tokens_total:,} of history", ""),
        ("Requests", f"{totals.requests:,}", f"{totals.fallbacks:,} sent by a fallback", ""),
        ("Build time", "–" if p50 is None else f"{1000 * p50:,.1f} ms", times, _BUILD_TIME),
    ]
    draw_numbers(numbers, key="monitor-strip")
    rare = [
        f"{pluralize(totals.over_budget, 'request')} over budget" * bool(totals.over_budget),
        f"{pluralize(totals.breaches, 'lost invariant')}, sent after all" * bool(totals.breaches),
    ]
    if any(rare):
        st.caption(" · ".join(filter(None, rare)), help=_RARE)
    if lost:
        st.warning(f"{pluralize(lost, 'request')} could not be logged.", icon=":material/warning:")


def _draw_baseline(app: App, shown: GuardrailsReport) -> None:
    st.subheader("Baseline", anchor=False)
    baseline, totals = shown.latest.baseline, shown.totals
    if baseline is None:
        st.caption("No baseline: a change of the modes (drift) is not detected.")
    else:
        st.caption(f"{pluralize(baseline.requests, 'request')}, set {format_time(baseline.at)}.")
    if shown.period_divergence is not None and totals.requests:
        st.caption(f"The modes of this period differ from the baseline by {shown.period_divergence:.3f}.")
    min_requests = app.settings.guard.drift_min_requests
    with st.container(horizontal=True):
        st.button(
            "Set from this period", key="monitor.set", icon=":material/flag:", on_click=run_action,
            args=(page, partial(_set_baseline, app, shown.since, shown.until)),
            disabled=totals.requests < min_requests, help=f"Needs {min_requests:,} requests.",
        )  # fmt: skip
        if baseline is not None:
            st.button(
                "Clear", key="monitor.clear", on_click=run_action,
                args=(page, partial(_put_baseline, app, None, "Baseline cleared.")),
            )  # fmt: skip


@st.cache_resource(ttl=5, max_entries=16, show_spinner=False)
def _report(_settings: Settings, _store: Store, period: str, path: str) -> GuardrailsReport:
    # 100,000 requests take half a second, and each click draws the page anew.
    now = datetime.now(UTC)
    until = now + timedelta(microseconds=1)
    return report(_store, _settings, until - PERIODS[period], until, now)


def _share(share: float | None) -> str:
    return "–" if share is None else format_share(share)


def _set_baseline(app: App, since: datetime, until: datetime) -> ActionResult:
    former = GuardStates(app.store).baseline()
    baseline = set_baseline(app.store, app.settings, since, until, datetime.now(UTC))
    _report.clear()
    undo = partial(_put_baseline, app, former, "Undone.")
    return ActionResult(f"Baseline set: {pluralize(baseline.requests, 'request')}.", undo)


def _put_baseline(app: App, baseline: Baseline | None, sentence: str) -> ActionResult:
    former = GuardStates(app.store).put_baseline(baseline)
    _report.clear()
    return ActionResult(sentence, partial(_put_baseline, app, former, "Undone."))


def draw_rollout(app: App) -> None:
    """Draw the current rollout, or how to start one."""
    draw_result(page)
    if Rollouts(app.store).current() is None:
        st.info("No rollout. Start one, and ask for the variant of each session:", icon=":material/stairs:")
        st.code(_START, language="shell")
        st.code(_ROLLOUT_EXAMPLE, language="python")
        return
    rollout = Rollout(app.store, app.settings)
    status = rollout.status()
    _draw_state(status)
    if status.rollout.state == "rolled back":
        _draw_arms(status)
    else:
        left, right = st.columns(2, gap="large")
        with left:
            if status.conditions:
                _draw_checks("Conditions of the next phase", status.conditions)
            _draw_checks("Rollback rules", status.rules)
        with right:
            _draw_arms(status)
            _draw_checklist(rollout, status)
        if not app.store.is_read_only:
            _draw_actions(rollout, status)
    _draw_decisions(status)


def _draw_state(status: RolloutStatus) -> None:
    badge, note = _STATES[status.rollout.state]
    st.subheader(literal(status.rollout.name), anchor=False)
    words = f"{badge} Owner: {literal(status.owner)}."
    if status.rollout.next_look is not None:
        words += f" Next look at the conditions: {format_time(status.rollout.next_look)}."
    st.markdown(words)
    last = status.decisions[0]
    st.markdown(
        f"**Last decision:** {last.action}, {format_time(last.at)}, by {literal(_decider(last))}."
        f" {literal(writable(last.reason))}"
    )
    share = phase_of(status.rollout.phase).share if status.rollout.state == "running" else 0.0
    steps = " → ".join(
        f"**{phase.share:.0%}**" if phase == status.phase else f"{phase.share:.0%}" for phase in PHASES
    )
    st.progress(share, f"{steps} of new sessions get the candidate.{note}")


def _draw_checks(title: str, checks: Sequence[Check]) -> None:
    st.markdown(f"**{title}**")
    st.markdown(
        "\n".join(f"- {_CHECKS[check.state]} {check.sentence}" for check in checks).replace(" ×", "\u00a0×")
    )


def _draw_arms(status: RolloutStatus) -> None:
    st.markdown("**This phase**", help="Requests since the phase began. A session counts once in rates.")
    arms = (status.figures.candidate, status.figures.control)
    rows = [
        ("Sessions, all phases", *(f"{status.sessions[arm]:,}" for arm in ("candidate", "control"))),
        ("Requests", *(f"{arm.requests:,}" for arm in arms)),
        ("Outcomes", *(f"{arm.outcomes:,}" for arm in arms)),
        ("Completion", *("–" if arm.completion is None else format_share(arm.completion) for arm in arms)),
        ("Error rate", *("–" if arm.error_rate is None else format_share(arm.error_rate) for arm in arms)),
        ("Median latency", *("–" if arm.latency is None else f"{arm.latency:.3g} s" for arm in arms)),
    ]
    st.markdown(markdown_table(("", "Candidate", "Control"), rows, numbers=True))


def _draw_checklist(rollout: Rollout, status: RolloutStatus) -> None:
    if not status.phase.checklist:
        return
    st.markdown("**Checklist**", help="The next phase begins when all of it is done.")
    for number, item in enumerate(status.phase.checklist):
        is_done = item not in status.open_items
        st.checkbox(
            item, is_done, key=f"monitor.item.{status.phase.number}.{number}.{is_done}",
            on_change=run_action, args=(page, partial(_set_item, rollout, item, is_done=not is_done)),
        )  # fmt: skip


def _draw_actions(rollout: Rollout, status: RolloutStatus) -> None:
    is_stopped = status.rollout.state == "stopped"
    advance = "Begin this phase again" if is_stopped else "Begin the next phase"
    with st.container(horizontal=True):
        if is_stopped or status.phase != PHASES[-1]:
            _draw_action(
                "advance", advance, ":material/play_arrow:", rollout.advance, "Whatever the log says."
            )
        if not is_stopped:
            help = "New sessions get the control; others keep their arm."
            _draw_action("stop", "Stop", ":material/pause:", rollout.stop, help)
        help = "All sessions get the control. This cannot be undone."
        _draw_action("back", "Roll back", ":material/undo:", rollout.roll_back, help)


def _draw_action(name: str, label: str, icon: str, act: Callable[..., RolloutDecision], help: str) -> None:
    with st.popover(f"{label} …", icon=icon):
        reason = st.text_input("Reason", key=f"monitor.reason.{name}")
        st.button(
            label, key=f"monitor.{name}", type="primary", disabled=not reason.strip(), help=help,
            on_click=run_action, args=(page, partial(_act, act, reason)),
        )  # fmt: skip


def _draw_decisions(status: RolloutStatus) -> None:
    st.markdown("**Decisions**")
    rows = [
        {
            "time": format_time(decision.at),
            "phase": decision.phase,
            "decision": decision.action,
            "reason": writable(decision.reason),
            "by": _decider(decision),
            "next look": "–" if decision.next_look is None else format_time(decision.next_look),
        }
        for decision in status.decisions
    ]
    st.dataframe(rows, hide_index=True, key="monitor.decisions", alt="Decisions, the newest first")


def _decider(decision: RolloutDecision) -> str:
    return writable(decision.who) or "the log"


def _set_item(rollout: Rollout, item: str, *, is_done: bool) -> ActionResult:
    rollout.set_item(item, who=login_name(), is_done=is_done)
    left = len(rollout.status().open_items)
    return ActionResult(f"{pluralize(left, 'item')} of the checklist to do.")


def _act(act: Callable[..., RolloutDecision], reason: str) -> ActionResult:
    decision = act(who=login_name(), reason=reason)
    return ActionResult(f"Done: {decision.action}.")
