"""From a page state to the context that it shows; contexts are built once and kept."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import streamlit as st

from convgate.context.budgets import Budgets, SectionName
from convgate.context.builder import ContextBuilder
from convgate.context.bundle import ContextBundle, PlacedTurn, Section
from convgate.context.guardrails.guardrails import fallbacks_of
from convgate.context.invariant import Invariant
from convgate.context.invariants.edits import EDITS_FIELD
from convgate.context.mode import MODES, Mode
from convgate.context.modes import ModeClassifier
from convgate.context.reading import ConversationReader
from convgate.context.request import Fallback, RequestRecord
from convgate.context.turn_table import TurnTableCache
from convgate.core.conversation import Conversation, History, Situation
from convgate.core.decisions import TurnDecision, TurnDecisions
from convgate.core.settings import Settings
from convgate.policies.agent_settings import FILE_NAME, AgentSettings
from convgate.policies.base import Policy
from convgate.store.guard_states import GuardStates
from convgate.ui import scoring
from convgate.ui.choosers import chooser_label, policy_of, version_of
from convgate.ui.context.state import View
from convgate.ui.frame import App
from convgate.ui.measurement import digest
from convgate.ui.modes import find_ahead, mode_classifier, statement_judge
from convgate.ui.scoring import Moment
from convgate.ui.turn import moves


@dataclass(frozen=True, eq=False)
class ContextView:
    """A context that was built, and what led to it."""

    app: App
    moment: Moment
    bundle: ContextBundle
    policy_label: str
    decided: TurnDecisions  # by the policy alone
    cells: Mapping[SectionName, int]  # tokens of each section in this mode, before scaling

    @property
    def key(self) -> str:
        """Of the conversation in the library."""
        return self.moment.key

    @property
    def conversation(self) -> Conversation:
        """All of it, with what a person said of its invariants."""
        return self.moment.conversation

    @property
    def index(self) -> int | None:
        """0-based turn of the message to answer; None for a question that was typed."""
        return self.moment.situation.index

    @cached_property
    def placed(self) -> Mapping[int, tuple[SectionName, PlacedTurn]]:
        """The section of each turn that stands in the context, by its index."""
        return {
            turn.index: (section.name, turn)
            for section in self.bundle.sections
            for turn in section.turns
            if turn.index is not None
        }

    @cached_property
    def dropped(self) -> Mapping[str, list[TurnDecision]]:
        """The turns that were left out, by what left them out."""
        found: dict[str, list[TurnDecision]] = {}
        decisions = self.bundle.decisions
        for row, kept in enumerate(decisions.kept.tolist()):
            if not kept:
                found.setdefault(decisions.why(int(decisions.indices[row])).rule, []).append(decisions[row])
        return dict(sorted(found.items(), key=lambda item: -len(item[1])))

    @property
    def present(self) -> int:
        """Tokens of what is sent besides the sections: the message to answer."""
        return self.bundle.tokens - sum(section.tokens for section in self.bundle.sections)

    @property
    def turns(self) -> int:
        """How many earlier turns are sent."""
        return sum(1 for section in self.bundle.sections for turn in section.turns if turn.index is not None)

    def added(self, section: Section) -> list[str]:
        """The texts of the messages of a section that are no turns, in its order."""
        given = [
            m for m, place in zip(self.bundle.messages, self.bundle.places, strict=True) if place is None
        ]
        count = sum(1 for turn in section.turns if turn.index is None)
        return [str(message.get("content", "")) for message in given[:count]]

    def section(self, name: SectionName) -> Section:
        """That section of the context."""
        return next(section for section in self.bundle.sections if section.name == name)

    def states(self, turn: int) -> list[Invariant]:
        """The invariants that a turn states."""
        return [one for one in self.bundle.invariants if one.source == turn]


HELD = 5
"""Messages before the one that is looked at whose contexts are built too while the hysteresis is on."""

ALL = 24
"""Up to so many messages before it, all of them are built."""


@dataclass(frozen=True, eq=False)
class CachedPolicy:
    """A policy whose decisions about the conversation of that key are kept, whatever is made of them."""

    name: ClassVar[str] = "recalled"
    label: ClassVar[str] = ""
    needs_encoder: ClassVar[bool] = False
    ranks: ClassVar[bool] = False
    policy: Policy
    key: str

    def decide(self, situation: Situation, history: History) -> TurnDecisions:
        """What the policy decides."""
        return scoring.decided(self.policy, Moment(self.key, situation, history))


@dataclass(frozen=True)
class CurrentGuard:
    """A guard as it stands at the moment; what is looked at on a page is no request, and is not logged."""

    fallbacks: Mapping[Mode, Fallback]

    def overruled(self, mode: Mode) -> Fallback | None:
        """Why GENERAL is applied in place of `mode`."""
        return self.fallbacks.get(mode)

    def record(self, request: RequestRecord) -> None:
        """Nothing happens."""


@dataclass(eq=False)
class Replay:
    """The contexts of one conversation under the same settings. Shared by all who look at it."""

    builder: ContextBuilder
    conversation: Conversation
    built: dict[int, ContextBundle] = field(default_factory=dict)  # by the message that is answered
    asked: dict[str, ContextBundle] = field(default_factory=dict)  # by the question that was typed
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def at(self, situation: Situation, intent: str | None = None) -> ContextBundle:
        """The context for a message of the conversation, or a question after its last turn."""
        with self._lock:
            if situation.index is None:
                question = situation.turn.text
                if question not in self.asked:
                    self._catch_up(len(self.conversation))
                    self.asked[question] = self.builder.build_at(
                        self.conversation, question=question, intent=intent
                    )
                return self.asked[question]
            if situation.index not in self.built:
                self._catch_up(situation.index)
                self.built[situation.index] = self.builder.build_at(
                    self.conversation, situation.index, intent=intent
                )
            return self.built[situation.index]

    def build_all(self, turns: Sequence[int]) -> None:
        """Build what is still missing of these messages, in their order."""
        with self._lock:
            for turn in turns:
                if turn not in self.built:
                    self.built[turn] = self.builder.build_at(self.conversation, turn)

    @property
    def before(self) -> int:
        """How many messages before the one that is looked at are built in a long conversation.

        Without hysteresis one is enough: it tells how much of the front stays.
        """
        return HELD if self.builder.hysteresis else 1

    def _catch_up(self, index: int) -> None:
        before = [turn for turn in self.conversation.answerable() if turn < index]
        self.build_all(before if len(before) <= ALL else before[-self.before :])


@dataclass(frozen=True, eq=False)
class ContextBuild:
    """The context of a view, and what it was made with."""

    shown: ContextView
    replay: Replay
    settings: Settings  # with the overrides of the view
    policy: Policy


def apply_overrides(settings: Settings, view: View) -> Settings:
    """Return the settings with the overrides of the view."""
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


def make(app: App, view: View, moment: Moment) -> ContextBuild:
    """The context that the view shows; only what was never built under these settings is built.

    Raises ContextError for budgets that cannot be, and what building the policy raises.
    """
    settings = apply_overrides(app.settings, view)
    chooser = view.policy or app.settings.policy
    policy = scoring.policy(app, chooser)
    scoring.encode_ahead(moment, app.encoder())
    find_ahead(app, moment.key, moment.conversation, statement_judge(app.settings))
    replay = _replay(app, view, moment, settings, policy)
    bundle = replay.at(moment.situation, view.intent)
    cells = replay.builder.budgets.cells(bundle.mode)
    shown = ContextView(app, moment, bundle, chooser_label(chooser), scoring.decided(policy, moment), cells)
    return ContextBuild(shown, replay, settings, policy)


def edits_digest(moment: Moment) -> str:
    """A text that is the same while nobody changes what was said of the conversation."""
    turns = enumerate(moment.conversation.turns)
    edits = [(index, said) for index, turn in turns if (said := turn.metadata.get(EDITS_FIELD)) is not None]
    return f"{edits} {moves(moment.conversation)}"


def _replay(app: App, view: View, moment: Moment, settings: Settings, policy: Policy) -> Replay:
    guard = CurrentGuard(fallbacks_of(GuardStates(app.store).open_alerts()))
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
def _columns(key: str) -> TurnTableCache:
    """What is known of a conversation's turns, however its contexts are built."""
    return TurnTableCache()


@st.cache_resource(max_entries=24, show_spinner=False)
def _replay_of(
    key: str,
    told: str,
    classifier: int,
    _classifier: ModeClassifier,
    _settings: Settings,
    _policy: Policy,
    _guard: CurrentGuard,
    _moment: Moment,
) -> Replay:
    builder = ContextBuilder(
        policy=CachedPolicy(_policy, key),
        classifier=_classifier,
        settings=_settings,
        budgets=Budgets.of(_settings),
        budget=_settings.context_budget,
        filters=_settings.context_filter,
        hysteresis=_settings.context_hysteresis,
        pair_answers=_settings.pair_answers,
        guard=_guard,
        tables=_columns(key),
        reader=ConversationReader(statement_judge(_settings)),
    )
    return Replay(builder, _moment.conversation)


def agent_of(made: ContextBuild) -> AgentSettings:
    """The settings as they are tried, for another program."""
    return AgentSettings.of(made.policy, made.settings, pair_answers=made.settings.pair_answers)


def context_lines(*, intent: str | None, asks: bool) -> str:
    """The lines of Python; `asks` when a question is put after the last turn."""
    arguments = ["messages", *["question=question"] * asks, *([f"intent={intent!r}"] if intent else [])]
    return "\n".join(
        [
            "import convgate",
            "",
            f'contexts = convgate.load_context(settings="{FILE_NAME}")  # once',
            f"context = contexts.build({', '.join(arguments)})  # a list of OpenAI messages",
            "context.messages  # what to send",
            "context.sections, context.invariants, context.decisions  # why",
            "",
            "convgate.record_outcome(context.request_id, ok=True)  # whether the answer was good",
        ]
    )
