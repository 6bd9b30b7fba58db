"""What the endpoints share: what selects, the store, and the threads that they run in."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

from convgate.core.conversation import Conversation
from convgate.core.errors import ConversationError, StoreError
from convgate.core.settings import Settings, load_settings
from convgate.costs.prices import find_price
from convgate.embedding.base import Encoder
from convgate.guardrails.guardrails import Guardrails, load_guard
from convgate.guardrails.outcomes import check_outcome, record_outcomes
from convgate.guardrails.request import Guard
from convgate.labels.feedback import Feedback, keep_feedback
from convgate.policies.build import EncoderOnDemand, build_policy
from convgate.rollouts.rollout import Rollout
from convgate.selection.added import Capsule
from convgate.selection.around import Log
from convgate.selection.load import selector_of
from convgate.selection.selector import Selector
from convgate.server import metrics
from convgate.server.schemas import FeedbackLine, Outcome, Score, Select
from convgate.sessions import SessionHistory, SessionManager
from convgate.store import Store
from convgate.store.requests import RequestOutcome
from convgate.store.rollouts import Arm
from convgate.traces import start_traces
from convgate.transcripts import turns_from_messages
from convgate.transcripts.message_lists import dump_json

log = logging.getLogger(__name__)

T = TypeVar("T")

THREADS = min(4, os.cpu_count() or 1)
"""Selections at once in a worker; scoring keeps a core busy."""

WORKSPACE = "serve:"
"""In front of a session's id: its workspace, as the page Sessions shows it."""

_MAX_MANAGERS = 1_000


class SessionHistories:
    """The histories of all sessions of a store. Threads and processes may append at once."""

    def __init__(self, store: Store, settings: Settings, selector: Selector) -> None:
        self._max_turns = settings.server.max_turns
        self._manager = lru_cache(_MAX_MANAGERS)(
            lambda id: SessionManager(store, workspace=WORKSPACE + id, selector=selector)
        )

    def append(
        self, id: str, messages: Sequence[Mapping[str, Any]], *, after: int | None = None
    ) -> SessionHistory:
        """Return the history with the messages appended; arguments and errors as `add_messages`."""
        return self._manager(id).add_messages(messages, after=after, max_turns=self._max_turns)

    def capsules(self, id: str, question: str | None = None) -> list[Capsule]:
        """Return the capsules of the open conversation, as `SessionManager.capsules`."""
        manager = self._manager(id)
        return manager.capsules(manager.history(), question)

    def key_of(self, id: str) -> str:
        """Return the key of the open conversation; SessionError when there is none."""
        return self._manager(id).history().key


def session_json(id: str, history: SessionHistory) -> dict[str, Any]:
    """Return what a response says of the session that clients know by this id."""
    return {
        "id": id,
        "conversation": history.key,
        "turns": len(history.conversation),
        "began": history.began and history.began.reason,
    }


class Arms:
    """The selectors of a server. Without a candidate there is one."""

    def __init__(self, settings: Settings, guard: Guard | None, encoder: Encoder | None) -> None:
        def load(settings: Settings, arm: Arm | None = None) -> Selector:
            policy = build_policy(settings.policy, settings, encoder or EncoderOnDemand(settings))
            log = Log(lambda: guard, logs_all=True, arm=arm)
            return selector_of(policy, settings, log=log, price=find_price(settings))

        start_traces(settings)
        self.default = load(settings)
        self._by_arm: dict[Arm, Selector] = {}
        if settings.server.candidate is not None:
            changed = load_settings(settings.server.candidate, base=settings)
            self._by_arm = {"candidate": load(changed, "candidate"), "control": load(settings, "control")}

    def warm_up(self) -> None:
        """Load what the first requests would wait for."""
        for selector in self._by_arm.values() or [self.default]:
            quiet = replace(selector, around=())
            quiet.select([{"role": "user", "content": "Hello"}, {"role": "user", "content": "Hi"}])

    def of(self, session: str | None, arm_of: Callable[[str], Arm]) -> tuple[Arm | None, Selector]:
        """Return arm and selector of a session; without one, or without a candidate, the default."""
        if session is None or not self._by_arm:
            return None, self.default
        arm = arm_of(session)
        return arm, self._by_arm[arm]


class Service:
    """Answers requests of the settings. Its methods block: `run` calls them in a thread."""

    def __init__(self, settings: Settings, encoder: Encoder | None = None) -> None:
        self.settings = settings
        self._guard = load_guard(settings)
        self._arms = Arms(settings, self._guard, encoder)
        # Selections run side by side; BLAS threads that wait for work took more than half of the processor.
        self._blas_limits = threadpool_limits(1, user_api="blas")
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="convgate")

    def warm_up(self) -> None:
        """Load what the first request would wait for; what fails, fails again there."""
        try:
            self._arms.warm_up()
        except Exception:  # the server runs on: the proxy still forwards, and other endpoints report it
            log.exception("selecting does not work")

    async def run(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function in a thread; one that is given up goes on, and holds its thread until it ends."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)

    def close(self) -> None:
        """Write what waits to be logged; requests that have not begun are given up."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._blas_limits.restore_original_limits()
        if isinstance(self._guard, Guardrails):
            self._guard.close()
        if "_store" in vars(self):
            self._store.close()

    def select(self, body: Select) -> dict[str, Any]:
        """Answer POST /v1/select."""
        conversation, session = self._conversation(body)
        own = self._histories.capsules(body.session, body.question) if body.session is not None else []
        arm, selector = self.selector(body.session)
        with metrics.SELECT_SECONDS.time():
            selection = selector.select_at(
                conversation,
                budget=body.budget,
                intent=body.intent,
                question=body.question,
                pair_answers=body.pair_answers,
                capsules=[*body.capsules, *own],
                request_id=body.request_id,
                session=body.session,
            )
        metrics.count_selection(
            kept=len(selection.messages),
            dropped=sum(not decision.kept for decision in selection.decisions),
            tokens_kept=selection.tokens,
            tokens_total=max(selection.tokens, selection.tokens_total),
        )
        metrics.count_dollars(selection.cache)
        return {**selection.to_json(), "policy": selector.name, "arm": arm, "session": session}

    def score(self, body: Score) -> dict[str, Any]:
        """Answer POST /v1/score."""
        conversation, session = self._conversation(body)
        _, selector = self.selector(body.session)
        with metrics.SELECT_SECONDS.time():
            quiet = replace(selector, around=(), price=None)
            decisions = quiet.select_at(conversation, question=body.question, elide=False).decisions
        return {**decisions.to_json(), "policy": selector.name, "session": session}

    def expand(self, id: str) -> dict[str, str]:
        """Answer GET /v1/results/{id}."""
        return {"id": id, "text": self._arms.default.expand(id)}

    def keep_feedback(self, body: FeedbackLine) -> dict[str, Any]:
        """Answer POST /v1/feedback."""
        sources = (body.conversation, body.messages, body.session)
        if sum(source is not None for source in sources) != 1:
            raise ConversationError("give one of conversation, messages and session")
        conversation = body.messages if body.conversation is None else body.conversation
        if body.session is not None:
            conversation = self._histories.key_of(body.session)
        assert conversation is not None
        self._check_length(len(conversation) if isinstance(conversation, list) else 0)
        turns = tuple(body.turn) if isinstance(body.turn, list) else (body.turn,)
        piece = Feedback(
            conversation, turns, body.relevant, body.at, body.question, body.source, body.version, body.how
        )
        saved = keep_feedback(self._store, piece)
        current = saved.current
        key, at = (current.conversation, current.turn) if current else (None, None)
        return {"changed": saved.changed, "conversation": key, "at": at}

    def record_outcome(self, body: Outcome) -> dict[str, Any]:
        """Answer POST /v1/outcome."""
        outcome = check_outcome(RequestOutcome(body.request_id, body.ok, body.error, body.seconds))
        if record_outcomes([outcome], place=self._store):
            raise StoreError(
                f"No request {body.request_id!r} is logged: send the `request_id` of a response, and check"
                " guard.log."
            )
        return {"request_id": body.request_id, "ok": body.ok}

    def selector(self, session: str | None) -> tuple[Arm | None, Selector]:
        """Return what selects for a session, in a rollout by its arm."""
        return self._arms.of(session, lambda id: self._rollout.arm(id))

    def _conversation(self, body: Select | Score) -> tuple[Conversation, dict[str, Any] | None]:
        self._check_length(len(body.messages))
        if body.session is None:
            if body.after is not None:
                raise ConversationError("`after` belongs to a session")
            return Conversation("live", turns_from_messages(body.messages)), None
        dump_json(body.messages)  # raises for numbers that could be stored, but not be sent back
        session = self._histories.append(body.session, body.messages, after=body.after)
        return session.conversation, session_json(body.session, session)

    def _check_length(self, n_turns: int) -> None:
        if n_turns > self.settings.server.max_turns:
            raise ConversationError(f"a conversation may have {self.settings.server.max_turns:,} turns")

    @cached_property
    def _store(self) -> Store:
        return Store(self.settings.database)  # opened late: without sessions and feedback nothing is written

    @cached_property
    def _histories(self) -> SessionHistories:
        return SessionHistories(self._store, self.settings, self._arms.default)

    @cached_property
    def _rollout(self) -> Rollout:
        return Rollout(self._store, self.settings)
