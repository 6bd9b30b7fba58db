"""From a view to the context that it shows: what is tried stands in place of the settings."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from convgate.context.budgets import Budgets
from convgate.context.builder import ContextBuilder
from convgate.context.columns import KnownColumns
from convgate.context.guardrails.watch import fallbacks_of
from convgate.context.invariants.edits import EDITS_FIELD
from convgate.context.mode import MODES
from convgate.context.modes import ModeClassifier
from convgate.context.reading import Readings
from convgate.policies.base import Policy
from convgate.settings import Settings
from convgate.store.guard_states import GuardStates
from convgate.ui import scoring
from convgate.ui.choosers import chooser_label, policy_of, version_of
from convgate.ui.context.replay import Recalled, Replay, Standing
from convgate.ui.context.shown import Shown
from convgate.ui.context.state import View
from convgate.ui.frame import App
from convgate.ui.judging import digest
from convgate.ui.modes import find_ahead, mode_classifier, statement_judge
from convgate.ui.scoring import Moment
from convgate.ui.turn_labels import moves


@dataclass(frozen=True, eq=False)
class Made:
    """The context of a view, and what it was made with."""

    shown: Shown
    replay: Replay
    settings: Settings  # with what is tried
    policy: Policy


def tried_settings(settings: Settings, view: View) -> Settings:
    """The settings with what the view tries in their place."""
    changes: dict[str, object] = {}
    if view.budget is not None:
        changes["context_budget"] = view.budget
    if view.filter is not None:
        changes["context_filter"] = view.filter
    if view.hysteresis is not None:
        changes["context_hysteresis"] = view.hysteresis
    if view.cells:
        table = {mode.upper(): dict(cells) for mode, cells in settings.context_budgets.items()}
        for mode, section, tokens in view.cells:
            table.setdefault(mode, {})[section] = tokens
        changes["context_budgets"] = table
    if view.policy is not None and policy_of(view.policy) != settings.policy:
        changes |= {"policy": policy_of(view.policy), "policy_parameters": {}}
    if view.policy is not None and (version := version_of(view.policy)) is not None:
        changes["version"] = version
    return settings.model_copy(update=changes)


def make(app: App, view: View, moment: Moment) -> Made:
    """The context that the view shows; only what was never built under these settings is built.

    Raises ContextError for budgets that cannot be, and what building the policy raises.
    """
    settings = tried_settings(app.settings, view)
    chooser = view.policy or app.settings.policy
    policy = scoring.policy(app, chooser)
    scoring.encode_ahead(moment, app.encoder())
    find_ahead(app, moment.key, moment.conversation, statement_judge(app.settings))
    replay = _replay(app, view, moment, settings, policy)
    bundle = replay.at(moment.situation, view.intent)
    cells = replay.builder.budgets.cells(bundle.mode)
    shown = Shown(app, moment, bundle, chooser_label(chooser), scoring.decided(policy, moment), cells)
    return Made(shown, replay, settings, policy)


def edits_digest(moment: Moment) -> str:
    """A text that is the same while nobody changes what was said of the conversation."""
    turns = enumerate(moment.conversation.turns)
    edits = [(index, said) for index, turn in turns if (said := turn.metadata.get(EDITS_FIELD)) is not None]
    return f"{edits} {moves(moment.conversation)}"


def _replay(app: App, view: View, moment: Moment, settings: Settings, policy: Policy) -> Replay:
    guard = Standing(fallbacks_of(GuardStates(app.store).open_alerts()))
    told = repr(
        (
            digest(policy),
            [
                getattr(settings, name)
                for name in (
                    "context_budget", "context_budgets", "context_filter", "context_hysteresis",
                    "context_intents", "pair_answers",
                )
            ],
            [guard.overruled(mode) for mode in MODES],
            edits_digest(moment),
            # A message for which an intent is named is not what later ones go by.
            (view.intent, moment.place) if view.intent else None,
        )
    )  # fmt: skip
    classifier = mode_classifier(app)
    return _replay_of(moment.key, told, id(classifier), classifier, settings, policy, guard, moment)


@st.cache_resource(max_entries=16, show_spinner=False)
def _columns(key: str) -> KnownColumns:
    """What is known of a conversation's turns, however its contexts are built."""
    return KnownColumns()


@st.cache_resource(max_entries=24, show_spinner=False)
def _replay_of(
    key: str,
    told: str,
    classifier: int,
    _classifier: ModeClassifier,
    _settings: Settings,
    _policy: Policy,
    _guard: Standing,
    _moment: Moment,
) -> Replay:
    builder = ContextBuilder(
        policy=Recalled(_policy, key),
        classifier=_classifier,
        settings=_settings,
        budgets=Budgets.of(_settings),
        budget=_settings.context_budget,
        filters=_settings.context_filter,
        hysteresis=_settings.context_hysteresis,
        pair_answers=_settings.pair_answers,
        guard=_guard,
        known=_columns(key),
        readings=Readings(statement_judge(_settings)),
    )
    return Replay(builder, _moment.conversation)
