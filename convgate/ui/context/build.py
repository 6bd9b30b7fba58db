"""Builds the context that a view asks for; each is built once and cached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import streamlit as st

from convgate.core.conversation import Conversation
from convgate.core.conversation_cache import ConversationCache
from convgate.core.decisions import TurnDecisions
from convgate.core.settings import Settings
from convgate.guardrails.guardrails import fallbacks_of
from convgate.guardrails.request import Fallback, RequestRecord
from convgate.invariants.edits import EDITS_FIELD
from convgate.modes.budgets import SectionName
from convgate.modes.mode import MODES, Mode, known_intents
from convgate.policies.base import Policy
from convgate.policies.build import parameters_of
from convgate.policies.spec import read_policy
from convgate.selection.builder import ContextBuilder
from convgate.selection.bundle import ContextBundle, PlacedTurn
from convgate.selection.reading import ConversationReader
from convgate.selection.turn_table import TurnTable
from convgate.store.guard_states import GuardStates
from convgate.ui import scoring
from convgate.ui.context.state import View, page
from convgate.ui.encoding import read_all
from convgate.ui.frame import App
from convgate.ui.measurement import digest
from convgate.ui.modes import corrected_modes, mode_classifier, statement_judge
from convgate.ui.policy_options import option_label
from convgate.ui.scoring import OpenMessage
from convgate.ui.turn import moves

MAX_EARLIER = 5
"""Earlier messages whose contexts are built first when the hysteresis is on."""

_USED = (
    "context_budget", "context_budgets", "context_filter", "context_hysteresis", "context_intents",
    "pair_answers",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class ContextResult:
    """A context, and what it was built with."""

    app: App
    message: OpenMessage
    bundle: ContextBundle
    settings: Settings  # with what the view replaces
    policy: Policy
    policy_label: str
    decisions: TurnDecisions  # by the policy alone
    intent: str | None  # the corrected mode, as a caller names it

    @property
    def key(self) -> str:
        """The key of the conversation in the library."""
        return self.message.key

    @property
    def conversation(self) -> Conversation:
        """The whole conversation, with the edits of its invariants."""
        return self.message.conversation

    @property
    def index(self) -> int | None:
        """The 0-based turn of the current message; None for a typed question."""
        return self.message.current.index

    @cached_property
    def placed(self) -> Mapping[int, tuple[SectionName, PlacedTurn]]:
        """The section of each turn that is sent, by the turn's index."""
        return {
            turn.index: (section.name, turn)
            for section in self.bundle.sections
            for turn in section.turns
            if turn.index is not None
        }


@dataclass(frozen=True)
class CurrentGuard:
    """The guard as it stands; looking at a context is no request, so nothing is logged."""

    fallbacks: Mapping[Mode, Fallback]

    def overruled(self, mode: Mode) -> Fallback | None:
        """Return why GENERAL is applied in place of `mode`."""
        return self.fallbacks.get(mode)

    def record(self, request: RequestRecord) -> None:
        """Do nothing."""


def apply_view(settings: Settings, view: View) -> Settings:
    """Return the settings with what the view replaces."""
    changes: dict[str, object] = {}
    if view.budget is not None:
        changes["context_budget"] = view.budget
    if view.policy is not None:
        spec = read_policy(view.policy)
        parameters = {**parameters_of(settings, spec.name), **spec.parameters}
        changes |= {"policy": spec.name, "policy_parameters": parameters}
        if spec.version is not None:
            changes["version"] = spec.version
    return settings.model_copy(update=changes)


def build(app: App, view: View, message: OpenMessage) -> ContextResult | None:
    """Return the context of a view; None while its turns are being encoded.

    Raises ContextError for budgets that cannot be, and what building the policy raises.
    """
    settings = apply_view(app.settings, view)
    option = view.policy or app.settings.policy
    policy = scoring.load_policy(app, option)
    judge, classifier = statement_judge(app.settings), mode_classifier(app.settings)
    guard = CurrentGuard(fallbacks_of(GuardStates(app.store).open_alerts()))
    intents = known_intents(settings).items()
    modes, index = corrected_modes(app, message.key), message.current.index
    corrected = None if index is None else modes.get(index)
    intent = next((word for word, mode in intents if mode == corrected), None)
    builder = ContextBuilder.of(
        settings, policy=policy, guard=guard, classifier=classifier, reader=ConversationReader(judge)
    )
    encoders = f"{id(getattr(policy, 'encoder', None))} {id(classifier)}"
    if not read_all(page, message, builder.encode, encoders):
        return None
    builder = replace(builder, tables=_turn_tables(message.key))
    values = [getattr(settings, name) for name in _USED]
    overruled = [guard.overruled(mode) for mode in MODES]
    inputs = repr((digest(policy), values, overruled, id(classifier), _edits(message.conversation)))
    bundle = _bundle(repr(message.labelled), inputs, intent, builder, message)
    decisions = scoring.decide(policy, message)
    return ContextResult(app, message, bundle, settings, policy, option_label(option), decisions, intent)


def _edits(conversation: Conversation) -> str:
    """Return a text that differs when a person edits the conversation's invariants or boundaries."""
    turns = enumerate(conversation.turns)
    edits = [(index, edit) for index, turn in turns if (edit := turn.metadata.get(EDITS_FIELD)) is not None]
    return f"{edits} {moves(conversation)}"


@st.cache_resource(max_entries=16, show_spinner=False)
def _turn_tables(key: str) -> ConversationCache[TurnTable]:
    return ConversationCache()


@st.cache_resource(max_entries=64, show_spinner=False)
def _bundle(
    place: str,
    inputs: str,
    intent: str | None,
    _builder: ContextBuilder,
    _message: OpenMessage,
) -> ContextBundle:
    conversation, index = _message.conversation, _message.current.index
    if _builder.hysteresis:
        earlier = [turn for turn in conversation.answerable() if index is None or turn < index]
        for turn in earlier[-MAX_EARLIER:]:
            _builder.build_at(conversation, turn)
    question = _message.current.turn.text if index is None else None
    return _builder.build_at(conversation, index, question=question, intent=intent)
