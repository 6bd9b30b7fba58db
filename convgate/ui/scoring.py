"""Scores and decisions, made once for each message and kept: a slider only makes the rule decide again.

Everything is keyed by plain values: the conversation's key (it stands for the content), the turn or the
question, the gate's fingerprint, the encoder's identity. Cached objects are shared and never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from convgate.core.conversation import Conversation, History, Situation
from convgate.core.decisions import TurnDecisions
from convgate.core.settings import Settings
from convgate.core.text import pluralize
from convgate.embedding.base import Encoder
from convgate.gate.explain import Link, WordEffect, strongest_links, word_effects
from convgate.policies.base import Policy
from convgate.policies.build import EncoderOnDemand, build_policy, find_version, parameters_of
from convgate.policies.gate import GatePolicy, ScoredHistory
from convgate.policies.registry import POLICIES, stages_of
from convgate.policies.selector import Selection, Selector
from convgate.policies.spec import Value
from convgate.store import SituationKey
from convgate.ui.choosers import policy_of, version_of
from convgate.ui.frame import App
from convgate.ui.measurement import digest
from convgate.ui.turn import moves
from convgate.versions import UNTRAINED
from convgate.versions.version import Version

_PREPARED = "explore.prepared"
LINKS = 8
"""Strongest links that are measured."""


@dataclass(frozen=True)
class Moment:
    """A message to answer, and what came before it; the same key means the same moment."""

    key: str  # of the conversation in the library
    situation: Situation
    history: History

    @property
    def conversation(self) -> Conversation:
        """All of the conversation."""
        return self.history.conversation

    @property
    def place(self) -> tuple[str, int | None, str]:
        """What names the moment in caches."""
        question = self.situation.turn.text if self.situation.index is None else ""
        return self.key, self.situation.index, question

    @property
    def labelled(self) -> SituationKey:
        """What names it in labels."""
        return SituationKey(*self.place)


def policy(app: App, chooser: str, **parameters: Value) -> Policy:
    """The chooser's policy as the settings want it, but for these parameters; with its encoder if need be.

    Raises GateError for a version that there is not, or that was made for another encoder, and PolicyError
    for a parameter that there is not, or that cannot be so.
    """
    name = policy_of(chooser)
    stages = stages_of(name, parameters_of(app.settings, name) | parameters)
    # A stage that there is not is told, with its place, by what builds it.
    known = [POLICIES[stage.name] for stage in stages if stage.name in POLICIES]
    encoder = app.encoder() if any(policy.needs_encoder for policy in known) else None
    version, made = UNTRAINED, []
    for stage in stages:
        if stage.name != GatePolicy.name:
            continue
        # A command line may activate another at any time, or another may have come under the same name.
        found = find_version(app.settings, stage.version or version_of(chooser))
        if isinstance(found, Version):
            made.append(f"{found.name} {found.card.weights_sha256} {found.card.rule}")
            version = version if stage.version else found.name
    told = f"{version} {made} {parameters} {app.settings.model_dump_json()}"
    # By the object and not by its identity: after "erase everything" there is a new one, with a new cache.
    return _policy(name, version, told, id(encoder), app.settings, encoder, parameters)


def gate_policy(app: App, chooser: str = GatePolicy.name) -> GatePolicy:
    """The gate as the settings want it, in the version that the chooser names."""
    gate = policy(app, chooser)
    assert isinstance(gate, GatePolicy)
    return gate


def encode_ahead(moment: Moment, encoder: Encoder) -> None:
    """Encode all of the conversation, showing how far it is; at once when that was done before."""
    done: set[tuple[str, str]] = st.session_state.setdefault(_PREPARED, set())
    name = (moment.key, _identity(encoder))
    place = st.empty()  # always, or what follows would change its place on the page
    if name in done:
        return

    def report(count: int, total: int, /) -> None:
        told = f"Reading {pluralize(total, 'turn')} for the first time; they are remembered from then on."
        place.progress(count / max(total, 1), text=told)

    encoder.encode([turn.scored_text for turn in moment.conversation.turns], progress=report)
    place.empty()
    done.add(name)


_BY_CONTENT: dict[Any, Callable[[Any], object]] = {
    Moment: lambda moment: moment.place,
    GatePolicy: lambda gate: (gate.gate.fingerprint, _identity(gate.encoder)),  # whatever its rule
}


@st.cache_resource(max_entries=128, show_spinner=False, hash_funcs=_BY_CONTENT)
def scored(gate: GatePolicy, moment: Moment) -> ScoredHistory:
    """Return the gate's scores of the moment, whatever the rule."""
    return gate.score(moment.situation, moment.history)


def decided(chosen: Policy, moment: Moment) -> TurnDecisions:
    """Return what a policy decides; a gate's rule decides on the scores that are kept."""
    return _decided(moment.place, f"{digest(chosen)} {moves(moment.conversation)}", chosen, moment)


def selected(chosen: Policy, moment: Moment, *, pair_answers: bool = False) -> Selection:
    """Return what a policy sends: its decisions, made a valid list of messages."""
    name = f"{digest(chosen)} {moves(moment.conversation)}"
    return _selected(moment.place, name, chosen, moment, pair_answers=pair_answers)


@st.cache_resource(max_entries=256, show_spinner=False, hash_funcs=_BY_CONTENT)
def links(gate: GatePolicy, moment: Moment, row: int) -> list[Link]:
    """Return which turns that of `row` attends to most, each with the measured effect of leaving it out."""
    state, message = gate.read(moment.situation, moment.history)
    return strongest_links(gate.gate, state, message, scored(gate, moment).scores, row, limit=LINKS)


@st.cache_resource(max_entries=64, show_spinner="Hiding one word after the other …", hash_funcs=_BY_CONTENT)
def words(gate: GatePolicy, moment: Moment, row: int) -> list[WordEffect]:
    """Return what each word of the turn of `row` does to its semantic part, by hiding it."""
    state, message = gate.read(moment.situation, moment.history)
    return word_effects(gate.gate, gate.encoder, moment.history[row].scored_text, state, message)


@st.cache_resource(max_entries=16, show_spinner=False)
def _policy(
    name: str,
    version: str | None,
    told: str,
    encoder: int,
    _settings: Settings,
    _encoder: Encoder | None,
    _parameters: Mapping[str, Value],
) -> Policy:
    return build_policy(
        name, _settings, _encoder or EncoderOnDemand(_settings), version=version, **_parameters
    )


@st.cache_resource(max_entries=128, show_spinner=False)
def _decided(
    place: tuple[str, int | None, str], policy: str, _policy: Policy, _moment: Moment
) -> TurnDecisions:
    if isinstance(_policy, GatePolicy):
        return _policy.decide_scored(scored(_policy, _moment))
    return _policy.decide(_moment.situation, _moment.history)


@st.cache_resource(max_entries=128, show_spinner=False)
def _selected(
    place: tuple[str, int | None, str], policy: str, _policy: Policy, _moment: Moment, *, pair_answers: bool
) -> Selection:
    decisions = decided(_policy, _moment)
    return Selector(_policy).valid(_moment.situation, _moment.history, decisions, pair_answers=pair_answers)


def _identity(encoder: Encoder | None) -> str:
    return repr(encoder.identity) if encoder else ""
