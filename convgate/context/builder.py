"""The builder: a conversation in, the context for its present message out, with a reason for every turn.

builder = convgate.load_context()
bundle = builder.build(messages, budget=8_000)
bundle.messages                        # what to send: valid, in order, the very same objects
bundle.sections, bundle.decisions      # where each turn stands and why, and why others do not
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from convgate.building import EncoderOnDemand, build_policy
from convgate.context.assembly import read_capsules
from convgate.context.budgets import Budgets, checked_total
from convgate.context.bundle import ContextBundle
from convgate.context.columns import KnownColumns
from convgate.context.guardrails import load_guard
from convgate.context.invariants.judge import load_judge
from convgate.context.making import Asked, make_context
from convgate.context.memory import Memory
from convgate.context.mode import Mode
from convgate.context.modes import known_intents, load_classifier, mode_of_intent
from convgate.context.modes.conversation import Classifies
from convgate.context.packing import Packer, pack
from convgate.context.reading import Readings
from convgate.context.request import Guard, NoGuard
from convgate.conversation import Conversation
from convgate.embedding.base import Encoder
from convgate.errors import ContextError, ConversationError
from convgate.messages.tokens import TokenCounter
from convgate.policies.base import Policy
from convgate.settings import Settings, load_settings
from convgate.text import quote
from convgate.transcripts import turns_from_messages

log = logging.getLogger(__name__)

Message = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class ContextBuilder:
    """Builds contexts. Thread-safe as long as its policy and its encoder are.

    It remembers the requests that it answered last (see `memory`): the intents that callers named, the
    context before, for the hysteresis, and whether an invariant was lost.
    """

    policy: Policy  # what chooses the evidence
    classifier: Classifies
    settings: Settings  # which intents there are
    readings: Readings = field(repr=False)  # finds the invariants
    budgets: Budgets = field(default_factory=Budgets)
    budget: int | None = None  # tokens of a whole context; None: those of the table
    filters: bool = True  # whether policy and mode leave out what would fit
    hysteresis: float = 0.0  # on the scale of the policy's scores, 0 or more; 0: off
    pair_answers: bool = False  # whether a question and its answer stay together
    guard: Guard = field(default_factory=NoGuard)
    counter: TokenCounter | None = None  # None: the bundled tokenizer
    packer: Packer = pack
    memory: Memory = field(default_factory=Memory, repr=False)
    known: KnownColumns = field(default_factory=KnownColumns, repr=False)

    @classmethod
    def of(
        cls,
        settings: Settings,
        *,
        policy: Policy | None = None,
        encoder: Encoder | EncoderOnDemand | None = None,
        guard: Guard | None = None,
    ) -> ContextBuilder:
        """The builder that the settings describe; what is given takes the place of theirs.

        The encoder is loaded where the policy or the classifier needs it.

        Raises ContextError, PolicyError, GateError or EncoderError for settings that cannot be had.
        """
        budgets = Budgets.of(settings)
        chosen = EncoderOnDemand(settings) if encoder is None else encoder
        return cls(
            policy=policy or build_policy(settings.policy, settings, chosen),
            classifier=load_classifier(chosen, settings),
            settings=settings,
            budgets=budgets,
            budget=settings.context_budget,
            filters=settings.context_filter,
            hysteresis=settings.context_hysteresis,
            pair_answers=settings.pair_answers,
            guard=guard or NoGuard(),
            readings=Readings(load_judge(settings)),
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
        """The context for the current message: the last from the user or a tool.

        `messages` are OpenAI-style dicts, oldest first; those after the current one are not sent, and none is
        changed or copied. With `question`, that is the current message, put behind the others. `budget` is
        the tokens of the whole context, `intent` what the message is meant for, `capsules` are summaries
        that the caller hands in. `request_id` names the request for `record_outcome`. An unknown intent is
        logged as a warning, and the message is classified.

        Raises TranscriptError for messages that cannot be read, ConversationError when there are none, and
        ContextError for a budget, a capsule or a request id that is none.
        """
        talk = Conversation(id="live", turns=turns_from_messages(messages))
        return self._built(talk, None, budget, intent, question, capsules, request_id)

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
        """The same for a turn of a conversation (0-based), or a question put after its last turn."""
        if question is not None and index is not None:
            raise ConversationError("a context is for a turn or for a question, not for both")
        return self._built(conversation, index, budget, intent, question, capsules, request_id)

    def _built(
        self,
        talk: Conversation,
        index: int | None,
        budget: int | None,
        intent: str | None,
        question: str | None,
        capsules: Sequence[str | Message],
        request_id: str | None,
    ) -> ContextBundle:
        if question is None:
            situation, history = talk.at(talk.current_index() if index is None else index)
        else:
            situation, history = talk.asked(question)
        asked = Asked(
            situation,
            history,
            None if budget is None else checked_total(budget),
            None if intent is None else _find_mode(intent, self.settings),
            read_capsules(capsules, self.counter),
            uuid.uuid4().hex if request_id is None else _checked_id(request_id),
        )
        return make_context(self, asked)


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


def _checked_id(request_id: object) -> str:
    """The id that a caller names; ContextError when it is none."""
    if not isinstance(request_id, str) or not request_id:
        raise ContextError(f"the id of a request is text that is not empty; got {request_id!r}")
    return request_id


def load_context(
    settings: Settings | str | Path | None = None, *, encoder: Encoder | None = None
) -> ContextBuilder:
    """The builder of the settings, or of a settings file, ready to build.

    Requests are logged, without their text, unless the settings say otherwise.
    """
    chosen = (
        settings if isinstance(settings, Settings) else load_settings(Path(settings) if settings else None)
    )
    return ContextBuilder.of(chosen, encoder=encoder, guard=load_guard(chosen))
