"""What comes of a rule that was tried: a new version, or the rule of one conversation."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from convgate.errors import ConvgateError
from convgate.evaluation.calibration import Fittable
from convgate.evaluation.results import Summary
from convgate.evaluation.tuning import ScoredCase
from convgate.gate.thresholds import Rule
from convgate.parameters import parameter_names
from convgate.policies.gate import GatePolicy
from convgate.policies.scored import NO_LIMITS
from convgate.store.conversation_rules import ConversationRules
from convgate.ui import in_use
from convgate.ui.annotator import person
from convgate.ui.choice import Choice
from convgate.ui.choosers import of_version
from convgate.ui.frame import App
from convgate.ui.labelled import content_sha256
from convgate.ui.navigation import EXPLORE
from convgate.ui.state import forget, remembered
from convgate.ui.text import literal
from convgate.ui.tune import state
from convgate.ui.tune.data import Source
from convgate.ui.tune.trial import Trial
from convgate.ui.wording import counted, told_apart
from convgate.versions import UNTRAINED
from convgate.versions.card import DataSet, Draft, Measured, Metric
from convgate.versions.catalog import Versions
from convgate.versions.pointers import Change
from convgate.versions.version import Version

NAME, DONE, WHICH = "tune.name", "tune.done", "tune.which"
_CAUTION = "Its threshold was chosen on the turns that it was measured on: of others it promises too much."
_OFFERED = 200


@dataclass(frozen=True)
class Done:
    """What a person did last: what became of it, and what can be done next."""

    sentence: str  # Markdown
    version: str | None = None  # that can be put into use
    change: Change | None = None  # that can be taken back
    conversation: str | None = None  # that has the rule
    there: bool = False  # of one conversation; else of a version
    failed: bool = False


@dataclass(frozen=True, eq=False)
class Applied:
    """The rule that is to be applied, and what it was found on."""

    app: App
    policy: GatePolicy
    choice: Choice
    goal: str  # in words; empty when it was set by hand
    sources: Sequence[Source]
    trial: Trial | None

    @property
    def labels(self) -> str:
        """What it was tuned on, in words."""
        if self.trial is None or not self.sources:
            return ""
        names = " and ".join(source.plain for source in self.sources)
        return f"{counted(self.trial.chosen.figures.turns, 'labelled turn')} of {names}"

    @property
    def rule(self) -> Rule:
        """The rule, saying what it was fitted for if it was."""
        rule = self.choice.rule
        if self.goal and self.labels and isinstance(rule, Fittable):
            return replace(rule, goal=self.goal, fitted_on=f"{self.labels}, gate {self.policy.version}")
        return rule


def draw_apply(applied: Applied) -> None:
    """The two ways to keep the rule that is tried."""
    st.subheader("Keep this rule", anchor=False)
    changed = not Choice(applied.choice.rule).same(Choice(applied.policy.rule))
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True):
        st.markdown("**As a new version**")
        st.caption(
            f"The same weights as {literal(applied.policy.version)}, decided by"
            f" {literal(applied.choice.told())}. It is not in use before you say so."
        )
        if applied.choice.limits != NO_LIMITS:
            st.caption("At least and at most are no part of a version; the settings file below has them.")
        st.text_input(
            "Name", key=NAME, placeholder="The date and a number", max_chars=64, on_change=state.touched,
            help="Small letters, digits, points, hyphens and underscores. Empty takes the date.",
        )  # fmt: skip
        st.button(
            "Make the version", key="tune.make", icon=":material/save:", on_click=_make, args=(applied,),
            disabled=not changed, help=None if changed else "Move a slider or take the best one first",
        )  # fmt: skip
        _draw_done(applied.app, there=False)
    with right, st.container(border=True):
        st.markdown("**For one conversation only**")
        st.caption("Explore opens it with this rule until you take it off. Nothing else changes.")
        newest = applied.app.conversations.find(per_page=_OFFERED).rows
        titles = told_apart({row.key: row.title for row in newest})
        st.selectbox(
            "Conversation", list(titles), key=WHICH, format_func=lambda key: titles.get(key, key),
            on_change=state.touched, placeholder="None in your library yet",
        )  # fmt: skip
        st.button(
            "Use it there", key="tune.apply", icon=":material/forum:", on_click=_apply, args=(applied,),
            disabled=not titles,
        )  # fmt: skip
        _draw_done(applied.app, there=True)


def draft(applied: Applied, *, who: str) -> Draft:
    """What the card of a version with this rule says."""
    policy, rule = applied.policy, applied.rule
    parent = stored(applied.app, policy.version)
    why = f"for {applied.goal}" if applied.goal else "by hand"
    before = Choice(policy.rule).told()
    note = f"Threshold tuned {why}" + (f" on {applied.labels}" if applied.labels else ", without labels")
    values: Mapping[str, Any] = {name: getattr(rule, name) for name in parameter_names(type(rule))}
    card = parent.card if parent else None
    return Draft(
        threshold_rule=rule.name,
        threshold_parameters={name: value for name, value in values.items() if value not in (None, "")},
        parent=parent.as_parent() if parent else None,
        data=(card.data if card else ()) + _data(applied, card.data if card else ()),
        training=card.training if card else None,
        metrics=_metrics(applied),
        limits=(*(card.limits if card else ()), *([_CAUTION] if applied.labels else [])),
        note=f"{note}. Before: {before}.",
        who=who,
    )


def chooser_of(policy: GatePolicy) -> str:
    """The chooser that is this gate, whichever is in use later."""
    return GatePolicy.name if policy.version == UNTRAINED else of_version(policy.version)


def _data(applied: Applied, known: Sequence[DataSet]) -> tuple[DataSet, ...]:
    there = {one.sha256 for one in known}
    made = [
        DataSet(
            source.plain, content_sha256(applied.app, source.name),
            {"conversations": source.conversations, "cases": source.cases, "turns": source.judged},
            source.licence, source.attribution,
        )
        for source in (applied.sources if applied.trial else ())
    ]  # fmt: skip
    return tuple(one for one in made if one.sha256 not in there)


def _metrics(applied: Applied) -> dict[str, Measured]:
    """By set, with the rule alone: a version has no limits."""
    if applied.trial is None:
        return {}
    scored = applied.trial.scored
    summaries = scored.summaries(scored.kept(applied.choice.rule))
    return {
        name: _measured(count, summary, [one for one in scored.cases if one.set == name])
        for name, (count, summary) in summaries.items()
    }


def _measured(conversations: int, summary: Summary, cases: Sequence[ScoredCase]) -> Measured:
    metrics = {name: Metric(one.value, one.low, one.high) for name, one in summary.measures.items()}
    # Labels change under the same name, and figures of other labels must not be subtracted from these.
    known = sorted((one.case.id, one.rows.tolist(), one.relevant.tolist()) for one in cases)
    return Measured(summary.cases, conversations, metrics, hashlib.sha256(repr(known).encode()).hexdigest())


def stored(app: App, name: str) -> Version | None:
    """The version of that name; None for untrained weights."""
    return None if name == UNTRAINED else Versions(app.settings.home).get(name)


def _draw_done(app: App, *, there: bool) -> None:
    """What was done last, beside its button, until it is dismissed, and what can be done next."""
    done: Done | None = remembered(DONE, None)
    if done is None or done.there != there:
        return
    with st.container(border=True, key="tune-done"):
        icon = ":material/error:" if done.failed else ":material/check:"
        st.markdown(f"{icon} {done.sentence}")
        with st.container(horizontal=True, vertical_alignment="center"):
            if done.version is not None:
                st.button(
                    "Use it from now on", key="tune.activate", icon=":material/check_circle:",
                    type="primary", on_click=_activate, args=(app, done.version),
                )  # fmt: skip
            if done.change is not None:
                st.button(
                    "Undo", key="tune.undo", icon=":material/undo:", on_click=_undo, args=(app, done.change)
                )
            if done.conversation is not None:
                st.page_link(
                    EXPLORE, label="Open it in Explore", icon=":material/query_stats:",
                    query_params={"conversation": done.conversation},
                )  # fmt: skip
                st.button(
                    "Take it off", key="tune.take_off", icon=":material/undo:", on_click=_take_off,
                    args=(app, done.conversation),
                )  # fmt: skip
            st.button("Dismiss", key="tune.dismiss", type="tertiary", on_click=_dismiss)


def _make(applied: Applied) -> None:
    name = (st.session_state.get(NAME) or "").strip() or None
    try:
        versions = Versions(applied.app.settings.home)
        made = versions.add(applied.policy.gate, draft(applied, who=person()), name=name)
    except ConvgateError as error:
        st.session_state[DONE] = Done(literal(str(error)), failed=True)
    else:
        st.session_state[NAME] = ""
        st.session_state[DONE] = Done(
            f"The version **{literal(made.name)}** is made. It is not in use yet. Versions has it too.",
            version=made.name,
        )
    state.touched()


def _activate(app: App, name: str) -> None:
    try:
        change = in_use.use(app, name)
    except ConvgateError as error:
        st.session_state[DONE] = Done(literal(str(error)), failed=True)
    else:
        pinned = app.settings.version not in (None, name)
        told = f"**{literal(name)}** is in use from now on. Versions takes it back at any time, too."
        if pinned:
            told += f" Your settings name {literal(str(app.settings.version))}, which still stands before it."
        st.session_state[DONE] = Done(told, change=change)
        state.change(version=GatePolicy.name)  # and go on trying the same rule
    state.touched()


def _undo(app: App, change: Change) -> None:
    versions = Versions(app.settings.home)
    try:
        in_use.take_back(app, change)
    except ConvgateError as error:
        st.session_state[DONE] = Done(literal(str(error)), failed=True)
    else:
        st.session_state[DONE] = Done(
            f"Taken back: **{literal(versions.active or UNTRAINED)}** is in use again."
        )
    state.touched()


def _apply(applied: Applied) -> None:
    key = st.session_state.get(WHICH)
    if key is None:
        return
    why = f"for {applied.goal}" if applied.goal else "set by hand"
    note = f"{why}, on {applied.labels}" if applied.labels else why
    version = chooser_of(applied.policy)
    try:
        ConversationRules(applied.app.store).put(key, version, applied.choice.to_query(), note=note)
        title = applied.app.conversations.summary(key).title
    except ConvgateError as error:
        st.session_state[DONE] = Done(literal(str(error)), there=True, failed=True)
    else:
        told = (
            f"**{literal(title, limit=60)}** has this rule now, and no other conversation. Explore says so."
        )
        st.session_state[DONE] = Done(told, conversation=key, there=True)
    state.touched()


def _take_off(app: App, key: str) -> None:
    try:
        ConversationRules(app.store).remove(key)
    except ConvgateError as error:
        st.session_state[DONE] = Done(literal(str(error)), there=True, failed=True)
    else:
        st.session_state[DONE] = Done("Taken off: the conversation is decided as all others are.", there=True)
    state.touched()


def _dismiss() -> None:
    forget(DONE)
    state.touched()
