"""Hold what may not be lost: turns that state a lasting instruction, whatever the policy decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from convgate.core.conversation import CurrentMessage, History
from convgate.core.decisions import Override, TurnDecisions
from convgate.core.settings import Settings
from convgate.policies.base import Policy

if TYPE_CHECKING:  # a policy that holds nothing shall not wait for it
    from convgate.invariants.invariant import Invariant
    from convgate.invariants.reader import InvariantReader

STAGE = "hold"


@dataclass(frozen=True)
class InvariantHold:
    """Holds the turns that state an active invariant; see `convgate.invariants.invariant`. Thread-safe."""

    reader: InvariantReader

    @classmethod
    def of(
        cls, policy: Policy, settings: Settings, reader: Callable[[], InvariantReader] | None = None
    ) -> InvariantHold | None:
        """Return what holds beside the policy; None where the settings turn it off.

        Policies that read no embeddings hold nothing: statements are recognised by their embeddings.
        """
        if not settings.hold_invariants or getattr(policy, "encoder", None) is None:
            return None
        if reader is not None:
            return cls(reader())
        from convgate.invariants.judge import load_judge
        from convgate.invariants.reader import InvariantReader

        return cls(InvariantReader(load_judge(settings)))

    def find_held(self, current: CurrentMessage, history: History) -> dict[int, Invariant]:
        """Return the invariants to hold, by the turn of the history that states them."""
        turns = [*history.conversation.turns[: history.stop], current.turn]
        return {
            invariant.source: invariant
            for invariant in reversed(self.reader.read(turns))
            if invariant.held and history.start <= invariant.source < history.stop
        }

    def apply(self, decisions: TurnDecisions, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return the decisions with every turn kept that states what must hold."""
        from convgate.invariants.invariant import quote_line

        kept = dict(zip(decisions.indices.tolist(), decisions.kept.tolist(), strict=True))
        return decisions.with_overrides(
            {
                index: Override(
                    invariant.type,
                    f"it states what must hold ({invariant.label}): {quote_line(invariant.text)}.",
                    "as a rule",
                    STAGE,
                    kept=True,
                )
                for index, invariant in self.find_held(current, history).items()
                if not kept[index]
            }
        )
