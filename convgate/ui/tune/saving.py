"""Save the threshold settings as a new version."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from convgate.core.parameters import parameter_values
from convgate.core.text import format_share, join_words, pluralize
from convgate.gate.rule import Rule
from convgate.policies.base import NO_LIMITS
from convgate.policies.gate import GatePolicy
from convgate.training.library import SetInfo
from convgate.ui.shared.actions import ActionResult, draw_result, run_action
from convgate.ui.shared.activation import activate
from convgate.ui.shared.annotator import annotator
from convgate.ui.shared.frame import App
from convgate.ui.shared.label_sources import content_sha256, plain_name
from convgate.ui.shared.page_state import Address
from convgate.ui.shared.text import literal
from convgate.ui.shared.threshold_settings import ThresholdSettings
from convgate.ui.tune.results import TuneResults
from convgate.versions import UNTRAINED
from convgate.versions.card import DataSet, Draft, MetricSet
from convgate.versions.catalog import Versions

NAME = "tune.name"
_CAUTION = "Chosen and measured on the same labels. Expect lower scores on new data."


@dataclass(frozen=True, eq=False)
class NewSettings:
    """The settings to save, and what they were chosen on."""

    app: App
    page: Address[Any]
    policy: GatePolicy
    choice: ThresholdSettings
    sources: Sequence[SetInfo]
    results: TuneResults | None  # None without labelled data

    @property
    def labels(self) -> str:
        """The labels that they were measured on; empty without."""
        if self.results is None:
            return ""
        names = join_words(plain_name(source.name) for source in self.sources)
        return f"{pluralize(self.results.new.figures.turns, 'labelled turn')} of {names}"

    @property
    def rule(self) -> Rule:
        """The rule, with what its threshold was fitted for."""
        return self.choice.rule

    @property
    def is_suggested(self) -> bool:
        """Whether the page suggested them, rather than a person."""
        return self.results is not None and self.results.suggested == self.choice


def draw_saving(settings: NewSettings, *, is_next: bool) -> None:
    """Draw the button that makes a version of changed settings; is_next: whether it is the next step."""
    changed = not ThresholdSettings(settings.choice.rule).same(ThresholdSettings(settings.policy.rule))
    if not changed:
        return
    st.button(
        "Save as a version", key="tune.save", icon=":material/save:", on_click=_save, args=(settings,),
        type="primary" if is_next else "secondary",
        help=f"The weights of {literal(settings.policy.version)} with the rule"
        f" {literal(settings.choice.describe())}. Not active until you activate it.",
    )  # fmt: skip
    st.text_input(
        "Name", key=NAME, placeholder="Name: the date, if empty", max_chars=64,
        label_visibility="collapsed", width=260,
    )  # fmt: skip


def draw_saved(settings: NewSettings) -> None:
    """Draw what a version of the settings would not have, and the one that was saved."""
    if settings.choice.limits != NO_LIMITS:
        st.caption("A version has no min and max number of turns; the settings file below has them.")
    draw_result(settings.page)


def make_draft(settings: NewSettings, *, who: str) -> Draft:
    """Return the card of a version with this rule."""
    policy, rule = settings.policy, settings.rule
    parent = None if policy.version == UNTRAINED else Versions(settings.app.settings.home).get(policy.version)
    goal = "by hand"
    if settings.is_suggested:
        goal = f"to lose at most {format_share(settings.page.now().promise)} of the needed turns"
    note = f"Threshold tuned {goal}" + (f" on {settings.labels}" if settings.labels else ", without labels")
    values = parameter_values(rule)
    card = parent.card if parent else None
    data = card.data if card else ()
    return Draft(
        threshold_rule=rule.name,
        threshold_parameters={name: value for name, value in values.items() if value not in (None, "")},
        parent=parent.as_parent() if parent else None,
        data=data + _data(settings, known={known.sha256 for known in data}),
        training=card.training if card else None,
        metrics=_metrics(settings),
        limits=(*(card.limits if card else ()), *([_CAUTION] if settings.labels else [])),
        note=f"{note}. Before: {ThresholdSettings(policy.rule).describe()}.",
        who=who,
    )


def _data(settings: NewSettings, *, known: set[str]) -> tuple[DataSet, ...]:
    data_sets = (
        DataSet(
            plain_name(source.name), content_sha256(settings.app, source.name),
            {"conversations": source.conversations, "cases": source.cases, "turns": source.judged},
            source.licence, source.attribution,
        )
        for source in settings.sources
    )  # fmt: skip
    return tuple(data_set for data_set in data_sets if data_set.sha256 not in known)


def _metrics(settings: NewSettings) -> dict[str, MetricSet]:
    """The metrics by set, of the rule alone: a version has no limits."""
    if settings.results is None:
        return {}
    scored, measured = settings.results.scored, {}
    for name, (conversations, summary) in scored.summaries(scored.kept(settings.choice.rule)).items():
        # Labels change under the same name, and metrics on other labels must not be compared with these.
        cases = [case for case in scored.cases if case.set == name]
        labels = sorted(
            (case.case.id, case.rows.tolist(), case.relevant.tolist(), case.needed.tolist()) for case in cases
        )
        digest = hashlib.sha256(repr(labels).encode()).hexdigest()
        measured[name] = MetricSet(summary.cases, conversations, summary.measures, digest)
    return measured


def _save(settings: NewSettings) -> None:
    app, name = settings.app, (st.session_state.get(NAME) or "").strip() or None

    def act() -> ActionResult:
        draft = make_draft(settings, who=annotator())
        version = Versions(app.settings.home).add(settings.policy.gate, draft, name=name)
        st.session_state[NAME] = ""
        sentence = f"Version **{literal(version.name)}** saved. It is not active yet."
        return ActionResult(sentence, onward=("Activate it", partial(_activate, settings, version.name)))

    run_action(settings.page, act)


def _activate(settings: NewSettings, name: str) -> ActionResult:
    result = activate(settings.app, name)
    settings.page.change(version=GatePolicy.name)  # with the same threshold settings
    return result
