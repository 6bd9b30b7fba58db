"""What selects for a session: the server's settings, or in a rollout those of its arm."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from convgate.core.conversation import Turn
from convgate.core.settings import Settings, load_settings
from convgate.embedding.base import Encoder
from convgate.guardrails.request import Guard, RequestRecord
from convgate.modes.mode import no_mode
from convgate.selection.builder import ContextBuilder
from convgate.selection.selector import Selector, load_policy
from convgate.store.rollouts import Arm


@dataclass(frozen=True, eq=False)
class Pipeline:
    """The policy and the context builder of an arm."""

    selector: Selector
    builder: ContextBuilder

    @classmethod
    def of(cls, settings: Settings, guard: Guard | None, encoder: Encoder | None) -> Pipeline:
        """Return the pipeline of settings; errors as `load_policy` and `ContextBuilder.of`."""
        selector = load_policy(settings=settings, encoder=encoder)
        return cls(selector, ContextBuilder.of(settings, policy=selector.policy, guard=guard))

    @property
    def arm(self) -> str | None:
        """Return the arm; None outside a rollout."""
        return self.builder.arm

    @property
    def policy_name(self) -> str:
        """Return the name of the policy, and the version of the gate."""
        version = getattr(self.selector.policy, "version", None)
        return f"{self.selector.policy.name} {version}" if version else self.selector.policy.name

    def log_selection(
        self, turns: Sequence[Turn], session: str | None, *, started: float, tokens: int, tokens_total: int
    ) -> str | None:
        """Log a selection in a rollout, with the mode of its last message; return the request's id.

        started: of `time.perf_counter`. Return None outside a rollout, where only contexts are logged.
        """
        if self.arm is None or self.builder.guard is None:
            return None
        seconds = time.perf_counter() - started
        asked = [turn for turn in turns if turn.role == "user"][-1:]
        decision = (
            self.builder.classifier.classify(asked)[0] if asked else no_mode("nobody asked anything yet.")
        )
        record = RequestRecord(
            id=uuid.uuid4().hex, at=datetime.now(UTC), mode=decision.mode, classified=decision.mode,
            confidence=decision.confidence, source=decision.source, tokens={"evidence": tokens},
            tokens_total=tokens_total, budget=tokens_total, invariants=0, breaches=0, over_budget=0,
            fallbacks=(), seconds=seconds, arm=self.arm, session=session,
        )  # fmt: skip
        self.builder.guard.record(record)
        return record.id


class Arms:
    """The pipelines of a server. Without a candidate there is one."""

    def __init__(self, settings: Settings, guard: Guard | None, encoder: Encoder | None) -> None:
        self.default = Pipeline.of(settings, guard, encoder)
        self._by_arm: dict[Arm, Pipeline] = {}
        if settings.server_candidate is not None:
            changed = load_settings(settings.server_candidate, base=settings)
            pipelines: dict[Arm, Pipeline] = {
                "candidate": Pipeline.of(changed, guard, encoder),
                "control": self.default,
            }
            self._by_arm = {
                arm: replace(pipeline, builder=replace(pipeline.builder, arm=arm))
                for arm, pipeline in pipelines.items()
            }

    def warm_up(self) -> None:
        """Load what the first requests would wait for."""
        for pipeline in self._by_arm.values() or [self.default]:
            pipeline.selector.select(
                [{"role": "user", "content": "Hello"}, {"role": "user", "content": "Hi"}]
            )

    def of(self, session: str | None, arm_of: Callable[[str], Arm]) -> Pipeline:
        """Return the pipeline of a session; of a request without one, or without a candidate, the default."""
        return self._by_arm[arm_of(session)] if session is not None and self._by_arm else self.default
