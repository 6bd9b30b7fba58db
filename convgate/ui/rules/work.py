"""What the parts of the page share in one run: the file, the draft, and the exchanges that are decided."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from convgate.gatekeeper.decision import GatekeeperDecision
from convgate.gatekeeper.exchange import PlacedExchange
from convgate.gatekeeper.rules import Rules
from convgate.ui.frame import App
from convgate.ui.rules.deciding import with_own
from convgate.ui.rules.draft import Checked, Draft, checked
from convgate.ui.rules.flips import Changes
from convgate.ui.rules.looked import Looked, Talk
from convgate.ui.rules.looking import Extent
from convgate.ui.rules.rules_file import RulesFile
from convgate.ui.rules.view import View


@dataclass(frozen=True, slots=True)
class Decided:
    """An exchange with its decision."""

    key: str  # of the conversation
    place: int  # in it, 0-based
    placed: PlacedExchange
    decision: GatekeeperDecision
    before: GatekeeperDecision | None = None  # by the file's rules, where that is another outcome or category


@dataclass(frozen=True)
class Work:
    """One run of the page."""

    app: App
    view: View
    file: RulesFile
    draft: Draft
    held: Looked
    talk: Talk | None = None  # of the conversation of the view; None: there is none to show
    extent: Extent | None = None  # of the library, where it was looked through
    changes: Changes | None = None  # in it

    @cached_property
    def saved(self) -> Checked:
        """What the file means."""
        return checked(self.file.text)

    @cached_property
    def typed(self) -> Checked:
        """What the draft means."""
        return checked(self.draft.text)

    @property
    def in_use(self) -> Rules:
        """The file's rules; none where it is broken."""
        return self.saved.rules or Rules()

    @property
    def shown(self) -> Rules:
        """The rules that decide on this page: those of the draft, or where it is broken those of the file."""
        return self.in_use if self.typed.rules is None else self.typed.rules

    @property
    def is_changed(self) -> bool:
        """Whether the draft has other rules than the file."""
        return self.shown != self.in_use

    @property
    def is_conflict(self) -> bool:
        """Whether the file was changed by another program while somebody worked on the draft."""
        return self.draft.base != self.file

    @cached_property
    def decided(self) -> list[Decided]:
        """The exchanges of the conversation, decided by the rules that are shown."""
        if self.talk is None or self.view.conversation is None:
            return []
        return self.decided_in(self.view.conversation, self.talk)

    def decided_in(self, key: str, talk: Talk) -> list[Decided]:
        """The exchanges of a talk that was looked at, decided by the rules that are shown."""
        now = self.held.own(self.shown, [key]).get(key, {})
        before = self.held.own(self.in_use, [key]).get(key, {}) if self.is_changed else now
        made = []
        for place, (placed, built_in) in enumerate(zip(talk.exchanges, talk.built_in, strict=True)):
            decision = with_own(now.get(place, ()), built_in, placed.exchange)
            was = with_own(before.get(place, ()), built_in, placed.exchange) if self.is_changed else decision
            differs = (was.outcome, was.category) != (decision.outcome, decision.category)
            made.append(Decided(key, place, placed, decision, was if differs else None))
        return made
