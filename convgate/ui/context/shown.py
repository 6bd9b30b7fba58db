"""What the page shows: the context of one message, with all that the lists of the page look up in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from convgate.context.bundle import ContextBundle, PlacedTurn, Section
from convgate.context.invariant import Invariant
from convgate.context.section import SectionName
from convgate.conversation import Conversation
from convgate.decisions import TurnDecision, TurnDecisions
from convgate.ui.frame import App
from convgate.ui.scoring import Moment


@dataclass(frozen=True, eq=False)
class Shown:
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
