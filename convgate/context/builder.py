"""The builder: a conversation in, the context for its current message out, with a reason for every turn."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from convgate.context.assembly import read_capsules
from convgate.context.budgets import Budgets, check_total
from convgate.context.build import ContextRequest, build_context
from convgate.context.bundle import ContextBundle
from convgate.context.guardrails import load_guard
from convgate.context.invariants.judge import load_judge
from convgate.context.memory import RequestMemory
from convgate.context.mode import Mode, known_intents, mode_of_intent
from convgate.context.modes.classifier import ModeClassifier, load_classifier
from convgate.context.packing import Packer, pack
from convgate.context.reading import ConversationReader
from convgate.context.request import Guard
from convgate.context.turn_table import MAX_CONVERSATIONS, TurnTable
from convgate.core.conversation import Conversation
from convgate.core.conversation_cache import ConversationCache
from convgate.core.errors import ContextError
from convgate.core.settings import Settings, load_settings
from convgate.core.text import quote
from convgate.embedding.base import Encoder
from convgate.messages.tokens import TokenCounter
from convgate.policies.base import Policy
from convgate.policies.build import EncoderOnDemand, build_policy
from convgate.transcripts import turns_from_messages

log = logging.getLogger(__name__)

Message = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class ContextBuilder:
    """Builds contexts. Thread-safe as long as its policy and its encoder are.

    It remembers the requests that it answered last (see `memory`).
    """

    policy: Policy  # what chooses the evidence
    classifier: ModeClassifier
    settings: Settings  # which intents there are
    reader: ConversationReader = field(repr=False)  # finds the invariants
    budgets: Budgets = field(default_factory=Budgets)
    budget: int | None = None  # tokens of a whole context; None: those of the table
    filters: bool = True  # whether policy and mode leave out what would fit
    hysteresis: float = 0.0  # on the scale of the policy's scores, 0 or more; 0: off
    pair_answers: bool = False  # whether a question and its answer stay together
    guard: Guard | None = None
    counter: TokenCounter | None = None  # None: the bundled tokenizer
    packer: Packer = pack
    memory: RequestMemory = field(default_factory=RequestMemory, repr=False)
    tables: ConversationCache[TurnTable] = field(
        default_factory=lambda: ConversationCache(MAX_CONVERSATIONS), repr=False
    )

    @classmethod
    def of(
        cls,
        settings: Settings,
        *,
        policy: Policy | None = None,
        encoder: Encoder | EncoderOnDemand | None = None,
        guard: Guard | None = None,
    ) -> ContextBuilder:
        """Return the builder that the settings describe; arguments override them.

        Raises ContextError, PolicyError, GateError or EncoderError for settings that cannot be had.
        """
        encoder = EncoderOnDemand(settings) if encoder is None else encoder
        return cls(
            policy=policy or build_policy(settings.policy, settings, encoder),
            classifier=load_classifier(settings),
            settings=settings,
            budgets=Budgets.of(settings),
            budget=settings.context_budget,
            filters=settings.context_filter,
            hysteresis=settings.context_hysteresis,
            pair_answers=settings.pair_answers,
            guard=guard,
            reader=ConversationReader(load_judge(settings)),
        )

    def build(
        self,
        messages: Iterable[Message],
        *,
        budget: int | None = None,
        intent: str | None = None,
        question: str | None = None,
        capsules: Sequence[str | Message] = (),
        request_id: str | None = None,
    ) -> ContextBundle:
        """Return the context for the current message: the last from the user or a tool.

        messages: OpenAI-style dicts, oldest first. question: the current message, put behind the others.
        budget: tokens of the whole context. intent: what the message is meant for; unknown: logged, ignored.
        capsules: summaries by the caller. request_id: the request's name for `record_outcome`.

        Raises TranscriptError, ConversationError without messages, or ContextError for a wrong argument.
        """
        return self.build_at(
            Conversation(id="live", turns=turns_from_messages(messages)),
            budget=budget,
            intent=intent,
            question=question,
            capsules=capsules,
            request_id=request_id,
        )

    def build_at(
        self,
        conversation: Conversation,
        index: int | None = None,
        *,
        budget: int | None = None,
        intent: str | None = None,
        question: str | None = None,
        capsules: Sequence[str | Message] = (),
        request_id: str | None = None,
    ) -> ContextBundle:
        """Return the context for a turn of a conversation (0-based), or a question after its last turn."""
        current, history = conversation.find_current(index, question)
        request = ContextRequest(
            current,
            history,
            None if budget is None else check_total(budget),
            None if intent is None else _find_mode(intent, self.settings),
            read_capsules(capsules, self.counter),
            uuid.uuid4().hex if request_id is None else request_id,
        )
        if not isinstance(request.request_id, str) or not request.request_id:
            raise ContextError(f"the id of a request is text that is not empty; got {request_id!r}")
        return build_context(self, request)


def _find_mode(intent: str, settings: Settings) -> Mode | None:
    """Return the mode of an intent; None, with a warning, for an unknown one.

    Raises ContextError for settings that name an unknown mode.
    """
    known = known_intents(settings)
    try:
        return mode_of_intent(intent, settings)
    except ContextError:
        log.warning(
            "unknown intent %s (known: %s); the message is classified", quote(intent), ", ".join(known)
        )
        return None


def load_context(
    settings: Settings | str | Path | None = None, *, encoder: Encoder | None = None
) -> ContextBuilder:
    """Return the builder of the settings, or of a settings file, ready to build.

    Requests are logged, without their text, unless the settings say otherwise.
    """
    if not isinstance(settings, Settings):
        settings = load_settings(Path(settings) if settings else None)
    return ContextBuilder.of(settings, encoder=encoder, guard=load_guard(settings))
