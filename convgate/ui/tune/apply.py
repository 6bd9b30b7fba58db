"""What comes of a rule that was tried: a new version, or the rule of one conversation."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st

from convgate.core.parameters import parameter_names
from convgate.core.text import pluralize
from convgate.evaluation.calibration import Fittable
from convgate.evaluation.results import Summary
from convgate.evaluation.tuning import ScoredCase
from convgate.gate.thresholds import Rule
from convgate.policies.base import NO_LIMITS
from convgate.policies.gate import GatePolicy
from convgate.store.edits import ConversationRules
from convgate.ui import activation as in_use
from convgate.ui.actions import ActionResult, draw_result, run_action
from convgate.ui.annotator import person
from convgate.ui.choice import Choice
from convgate.ui.choosers import of_version
from convgate.ui.frame import App
from convgate.ui.label_sources import Source, content_sha256
from convgate.ui.text import literal, make_labels_unique
from convgate.ui.tune import state
from convgate.ui.tune.trial import Trial
from convgate.versions import UNTRAINED
from convgate.versions.card import DataSet, Draft, Measured, Metric
from convgate.versions.catalog import Versions
from convgate.versions.pointers import Change
from convgate.versions.version import Version

NAME, WHICH = "tune.name", "tune.which"
_CAUTION = "Its threshold was chosen on the turns that it was measured on: of others it promises too much."
_OFFERED = 200


@dataclass(frozen=True, eq=False)
class RuleChange:
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
        return f"{pluralize(self.trial.chosen.figures.turns, 'labelled turn')} of {names}"

    @property
    def rule(self) -> Rule:
        """The rule, saying what it was fitted for if it was."""
        rule = self.choice.rule
        if self.goal and self.labels and isinstance(rule, Fittable):
            return replace(rule, goal=self.goal, fitted_on=f"{self.labels}, gate {self.policy.version}")
        return rule


def draw_apply(applied: RuleChange) -> None:
    """The two ways to keep the rule that is tried."""
    st.subheader("Keep this rule", anchor=False)
    changed = not Choice(applied.choice.rule).same(Choice(applied.policy.rule))
    left, right = st.columns(2, gap="medium")
    with left, st.container(border=True):
        st.markdown("**As a new version**")
        st.caption(
            f"The same weights as {literal(applied.policy.version)}, decided by"
            f" {literal(applied.choice.told())}. Not active until you activate it."
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
        draw_result(state.page)
    with right, st.container(border=True):
        st.markdown("**For one conversation only**")
        st.caption("Explore opens it with this rule until you take it off. Nothing else changes.")
        newest = applied.app.conversations.find(per_page=_OFFERED).rows
        titles = make_labels_unique({row.key: row.title for row in newest})
        st.selectbox(
            "Conversation", list(titles), key=WHICH, format_func=lambda key: titles.get(key, key),
            on_change=state.touched, placeholder="None in your library yet",
        )  # fmt: skip
        st.button(
            "Use it there", key="tune.apply", icon=":material/forum:", on_click=_apply, args=(applied,),
            disabled=not titles,
        )  # fmt: skip
        draw_result(state.page, WHICH)


def draft(applied: RuleChange, *, who: str) -> Draft:
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


def _data(applied: RuleChange, known: Sequence[DataSet]) -> tuple[DataSet, ...]:
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


def _metrics(applied: RuleChange) -> dict[str, Measured]:
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


def _make(applied: RuleChange) -> None:
    app, name = applied.app, (st.session_state.get(NAME) or "").strip() or None

    def act() -> ActionResult:
        made = Versions(app.settings.home).add(applied.policy.gate, draft(applied, who=person()), name=name)
        st.session_state[NAME] = ""
        told = f"The version **{literal(made.name)}** is made. It is not active yet. Versions has it too."
        return ActionResult(told, onward=("Activate it", partial(_activated, app, made.name)))

    run_action(state.page, act)


def _activated(app: App, name: str) -> ActionResult:
    change = in_use.use(app, name)
    told = f"**{literal(name)}** is active. Versions can roll back at any time, too."
    if app.settings.version not in (None, name):
        told += f" Your settings name {literal(str(app.settings.version))}, which still stands before it."
    state.change(version=GatePolicy.name)  # and go on trying the same rule
    return ActionResult(told, partial(_deactivated, app, change) if change else None)


def _deactivated(app: App, change: Change) -> ActionResult:
    in_use.take_back(app, change)
    return ActionResult(
        f"Undone: **{literal(Versions(app.settings.home).active or UNTRAINED)}** is active again."
    )


def _apply(applied: RuleChange) -> None:
    app = applied.app
    key: str = st.session_state.get(WHICH) or ""

    def act() -> ActionResult:
        why = f"for {applied.goal}" if applied.goal else "set by hand"
        note = f"{why}, on {applied.labels}" if applied.labels else why
        version = chooser_of(applied.policy)
        ConversationRules(app.store).put(key, version, applied.choice.to_query(), note=note)
        title = literal(app.conversations.summary(key).title, limit=60)
        told = f"**{title}** has this rule now, and no other conversation. Explore says so."
        return ActionResult(told, partial(_taken_off, app, key), conversation=key)

    if key:
        run_action(state.page, act, WHICH)


def _taken_off(app: App, key: str) -> ActionResult:
    ConversationRules(app.store).remove(key)
    return ActionResult("Undone: the conversation is decided as all others are.")
