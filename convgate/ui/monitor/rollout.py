"""The rollout: its phase, the figures of both arms, conditions, rollback rules, checklist, decisions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from convgate.core.home import login_name
from convgate.core.text import format_share, format_time, pluralize, writable
from convgate.rollouts.figures import Check
from convgate.rollouts.figures import State as CheckState
from convgate.rollouts.phases import PHASES, phase_of
from convgate.rollouts.rollout import Rollout, RolloutStatus
from convgate.store.rollouts import RolloutDecision, Rollouts, State
from convgate.ui.monitor.state import page
from convgate.ui.shared.actions import ActionResult, draw_result, run_action
from convgate.ui.shared.frame import App
from convgate.ui.shared.tables import markdown_table
from convgate.ui.shared.text import literal

_START = 'convgate rollout start "new weights" --owner Ada'
_EXAMPLE = """\
import convgate

selectors = {arm: convgate.load(f"{arm}.toml", arm=arm) for arm in ("candidate", "control")}
selection = selectors[convgate.rollout(session_id)].select(messages, session=session_id)
convgate.record_outcome(selection.request_id, ok=True, seconds=2.1)  # whether the answer was good
"""
_STATES: dict[State, tuple[str, str]] = {  # look of the badge, and what new sessions get
    "running": (":green-badge[:material/play_circle: running]", ""),
    "stopped": (":orange-badge[:material/pause_circle: stopped]", " Now new ones get the control."),
    "rolled back": (":red-badge[:material/undo: rolled back]", " Now all get the control."),
}
_CHECKS: dict[CheckState, str] = {
    "passed": ":green-badge[:material/check_circle: passed]",
    "failed": ":red-badge[:material/error: failed]",
    "not enough data": ":gray-badge[:material/hourglass_empty: not enough data]",
}


def draw_rollout(app: App) -> None:
    """Draw the current rollout, or how to start one."""
    draw_result(page)
    if Rollouts(app.store).current() is None:
        st.info("No rollout. Start one, and ask for the arm of each session:", icon=":material/stairs:")
        st.code(_START, language="shell")
        st.code(_EXAMPLE, language="python")
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
