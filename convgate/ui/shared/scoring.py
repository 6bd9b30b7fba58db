"""Scores and decisions of a message, cached: moving a slider only applies the threshold rule again.

Cache keys are plain values: the conversation's key (it stands for its content), the turn or the question, the
gate's fingerprint, the encoder's identity. Cached objects are shared; never change them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from convgate.core.conversation import Conversation, CurrentMessage, History
from convgate.core.conversation_cache import ConversationCache
from convgate.core.decisions import TurnDecisions
from convgate.core.settings import SELECTING, Settings
from convgate.embedding.base import Encoder
from convgate.embedding.chunks import unit_rows
from convgate.gate.explain import Link, WordEffect, leave_out, strongest_links, word_effects
from convgate.guardrails.guardrails import fallbacks_of
from convgate.guardrails.request import Fallback, RequestRecord
from convgate.invariants.edits import EDITS_FIELD
from convgate.messages.table import TurnTable
from convgate.messages.tokens import turn_tokens
from convgate.modes.mode import Mode
from convgate.policies.base import EncoderMixin, Policy, decide_by_rule, encoder_of, history_indices
from convgate.policies.build import EncoderOnDemand, build_policy, find_version, parameters_of
from convgate.policies.gate import GatePolicy, ScoredHistory
from convgate.policies.registry import policy_class, policy_names, stages_of
from convgate.policies.spec import PolicySpec, read_policy
from convgate.selection import responses
from convgate.selection.around import Log, Remember
from convgate.selection.load import selector_of
from convgate.selection.reading import encode_turns
from convgate.selection.selection import Selection
from convgate.selection.selector import Selector
from convgate.store import CurrentKey
from convgate.store.guard_states import GuardStates
from convgate.ui.shared.frame import App
from convgate.ui.shared.modes import mode_classifier, statement_reader
from convgate.ui.shared.results_cache import digest, progress_bar
from convgate.ui.shared.turn import moves
from convgate.versions.version import Version

LINKS = 8
"""Number of the strongest links that are measured."""


@dataclass(frozen=True)
class OpenMessage:
    """A message to answer, and what came before it; the same key means the same message."""

    key: str  # of the conversation in the library
    current: CurrentMessage
    history: History

    @property
    def conversation(self) -> Conversation:
        """All of the conversation."""
        return self.history.conversation

    @property
    def cache_key(self) -> str:
        """Return what identifies it and its history in caches."""
        return f"{self.labelled} {self.history.start}"

    @property
    def labelled(self) -> CurrentKey:
        """Return what identifies it in labels."""
        question = self.current.turn.text if self.current.index is None else ""
        return CurrentKey(self.key, self.current.index, question)


def load_policy(app: App, option: str) -> Policy:
    """Return the option's policy, with the settings' parameters that the option does not have.

    Raises GateError when the version does not exist or has another encoder, and PolicyError for a parameter
    that is unknown or invalid.
    """
    spec = read_policy(option)
    stages = stages_of(PolicySpec(spec.name, {**parameters_of(app.settings, spec.name), **spec.parameters}))
    # An unknown stage is reported by `build_policy`, with its position.
    needs_encoder = any(
        stage.name in policy_names() and issubclass(policy_class(stage.name), EncoderMixin)
        for stage in stages
    )
    encoder = app.encoder() if needs_encoder else None
    versions = [
        find_version(app.settings, stage.version or spec.version)
        for stage in stages
        if stage.name == GatePolicy.name
    ]
    # The active version may change, and a name may get other weights.
    weights = [
        f"{version.name} {version.card.weights_sha256} {version.card.rule}"
        for version in versions
        if isinstance(version, Version)
    ]
    key = f"{option} {weights} {app.settings.model_dump_json()}"
    # By the object instead of its identity: erasing everything makes a new one, with a new cache.
    return _load_policy(key, id(encoder), spec, app.settings, encoder)


def load_gate(app: App, option: str = GatePolicy.name) -> GatePolicy:
    """Return the gate with the settings' parameters, in the version that the option names."""
    gate = load_policy(app, option)
    assert isinstance(gate, GatePolicy)
    return gate


def encode_ahead(message: OpenMessage, policy: Policy) -> None:
    """Encode all turns of the conversation, with a progress bar the first time; nothing without encoder."""
    with progress_bar() as progress:
        encode_turns(
            message.conversation.turns, partial(progress, "Encoding turns for the first time"),
            encoder=encoder_of(policy),
        )  # fmt: skip


_BY_CONTENT: dict[Any, Callable[[Any], object]] = {
    OpenMessage: lambda message: message.cache_key,
    GatePolicy: lambda gate: (gate.gate.fingerprint, repr(gate.encoder.identity)),  # whatever its rule
}


@st.cache_resource(max_entries=128, show_spinner=False, hash_funcs=_BY_CONTENT)
def score_history(gate: GatePolicy, message: OpenMessage) -> ScoredHistory:
    """Return the gate's scores of the message, whatever the rule."""
    return gate.score(message.current, message.history)


def decide(policy: Policy, message: OpenMessage) -> TurnDecisions:
    """Return what a policy decides; a gate's rule decides on the cached scores."""
    return _decide(_key(policy, message), policy, message)


def select(
    app: App,
    policy: Policy,
    message: OpenMessage,
    *,
    pair_answers: bool = False,
    budget: int | None = None,
    intent: str | None = None,
) -> Selection:
    """Return what is sent; looking at it is no request, so nothing is logged.

    Raises RequestError for budgets that cannot be.
    """
    settings = app.settings.updated(pair_answers=pair_answers, budget={"tokens": budget})
    selector = _selector(app, policy, settings)
    guard = _CurrentGuard(fallbacks_of(GuardStates(app.store).open_alerts()) if budget is not None else {})
    selector = replace(selector, around=[Remember(), Log(lambda: guard)], tables=_turn_tables(message.key))
    turns = enumerate(message.conversation.turns)
    edits = [(index, turn.metadata[EDITS_FIELD]) for index, turn in turns if EDITS_FIELD in turn.metadata]
    values = settings.model_dump(include=dict(SELECTING))
    key = f"{_key(policy, message)} {values} {intent} {sorted(guard.fallbacks)} {edits}"
    return _select(key, intent, selector, message)


def encoding(app: App, policy: Policy) -> tuple[Callable[..., None], str]:
    """Return what encodes turns for a policy within a budget, and what that depends on."""
    encode = partial(_selector(app, policy, app.settings).encode, with_modes=True)
    return encode, f"{id(encoder_of(policy))} {id(mode_classifier(app.settings))}"


def silent_selector(app: App, policy: Policy) -> Selector:
    """Return what selects as the settings have it, and neither logs, remembers nor stores anything."""
    return replace(_selector(app, policy, app.settings), around=())


def _selector(app: App, policy: Policy, settings: Settings) -> Selector:
    selector = replace(selector_of(policy, settings), originals=None)  # a look stores nothing
    return replace(
        selector,
        holds=selector.holds and (lambda: statement_reader(app.settings)),
        fit=lambda: replace(selector.fit(), classifier=lambda: mode_classifier(app.settings)),
    )


@dataclass(frozen=True)
class _CurrentGuard:
    """The guard as it stands."""

    fallbacks: Mapping[Mode, Fallback]

    def overruled(self, mode: Mode) -> Fallback | None:
        """Return why GENERAL is applied in place of `mode`."""
        return self.fallbacks.get(mode)

    def record(self, request: RequestRecord) -> None:
        """Do nothing."""


def _key(policy: Policy, message: OpenMessage) -> str:
    return f"{message.cache_key} {digest(policy)} {moves(message.conversation)}"


@st.cache_resource(max_entries=256, show_spinner=False, hash_funcs=_BY_CONTENT)
def measure_links(gate: GatePolicy, message: OpenMessage, row: int) -> list[Link]:
    """Return which turns that of `row` attends to most, each with the measured effect of leaving it out."""
    state, encoded = gate.read(message.current, message.history)
    return strongest_links(gate.gate, state, encoded, score_history(gate, message).scores, row, limit=LINKS)


@st.cache_resource(max_entries=64, show_spinner="Hiding one word after the other …", hash_funcs=_BY_CONTENT)
def measure_words(gate: GatePolicy, message: OpenMessage, row: int) -> list[WordEffect]:
    """Return what each word of the turn of `row` does to its semantic part, by hiding it."""
    state, encoded = gate.read(message.current, message.history)
    return word_effects(gate.gate, gate.encoder, message.history[row].scored_text, state, encoded)


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs=_BY_CONTENT)
def passage_finder(gate: GatePolicy, message: OpenMessage) -> Callable[[int], str]:
    """Return what finds the passage of a turn (0-based) that is closest to the message, by the gate.

    It finds an empty text in a turn of one passage.
    """
    state, encoded = gate.read(message.current, message.history)

    @lru_cache(maxsize=2_000)
    def find(turn: int) -> str:
        vectors = state.passages[turn - message.history.start]
        if len(vectors) == 1:
            return ""
        passages = gate.encoder.split_passages(message.conversation.turns[turn].scored_text)
        closeness = gate.gate.semantic(unit_rows(vectors), state, encoded)
        return passages[int(closeness.argmax())]

    return find


def decide_without(gate: GatePolicy, message: OpenMessage, *turns: int) -> TurnDecisions:
    """Return what the gate's rule would decide about the other turns if these (0-based) were missing."""
    history = message.history
    indices = history_indices(history)
    others = ~np.isin(indices, turns)
    scores = _score_without(gate, message, tuple(turn - history.start for turn in turns))[others]
    tokens = turn_tokens(history.turns, gate.counter)[others] if gate.rule.needs_tokens else None
    return decide_by_rule(
        gate.name, indices[others], scores, gate.rule, limits=gate.limits, tokens=tokens,
        learned=score_history(gate, message).scores.learned_threshold,
    )  # fmt: skip


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs=_BY_CONTENT)
def _score_without(gate: GatePolicy, message: OpenMessage, rows: tuple[int, ...]) -> NDArray[np.float64]:
    return leave_out(gate.gate, *gate.read(message.current, message.history), *rows)


@st.cache_resource(max_entries=16, show_spinner=False)
def _load_policy(
    key: str,
    encoder: int,
    _spec: PolicySpec,
    _settings: Settings,
    _encoder: Encoder | None,
) -> Policy:
    encoder_used = _encoder or EncoderOnDemand(_settings)
    return build_policy(_spec.name, _settings, encoder_used, version=_spec.version, **_spec.parameters)


@st.cache_resource(max_entries=128, show_spinner=False)
def _decide(key: str, _policy: Policy, _message: OpenMessage) -> TurnDecisions:
    if isinstance(_policy, GatePolicy) and not responses.has_responses(_message.history):
        return _policy.decide_scored(score_history(_policy, _message))
    return responses.decide(_policy, _message.current, _message.history)


@st.cache_resource(max_entries=16, show_spinner=False)
def _turn_tables(key: str) -> ConversationCache[TurnTable]:
    return ConversationCache()


@st.cache_resource(max_entries=128, show_spinner=False)
def _select(key: str, intent: str | None, _selector: Selector, _message: OpenMessage) -> Selection:
    current, history = _message.current, _message.history
    decisions = decide(_selector.policy, _message)
    return _selector.select_current(current, history, intent=intent, decisions=decisions)
