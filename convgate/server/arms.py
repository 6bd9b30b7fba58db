"""What selects for a session: the server's settings, or in a rollout those of its arm."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from convgate.core.settings import Settings, load_settings
from convgate.embedding.base import Encoder
from convgate.guardrails.request import Guard
from convgate.policies.build import EncoderOnDemand, build_policy
from convgate.selection.around import Log
from convgate.selection.load import selector_of
from convgate.selection.selector import Selector
from convgate.store.rollouts import Arm
from convgate.traces import start_traces


class Arms:
    """The selectors of a server. Without a candidate there is one."""

    def __init__(self, settings: Settings, guard: Guard | None, encoder: Encoder | None) -> None:
        def load(settings: Settings, arm: Arm | None = None) -> Selector:
            policy = build_policy(settings.policy, settings, encoder or EncoderOnDemand(settings))
            return selector_of(policy, settings, log=Log(lambda: guard, logs_all=True, arm=arm))

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
