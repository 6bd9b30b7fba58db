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
from convgate.ui.rules.looked import Looked, Row, Talk
from convgate.ui.rules.looking import Extent
from convgate.ui.rules.rules_file import RulesFile
from convgate.ui.rules.view import View


@dataclass(frozen=True, slots=True)
class Decided:
    """An exchange with its whole decision."""

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
    def rows(self) -> list[Row]:
        """The exchanges of the conversation, under the rules that are shown."""
        key = self.view.conversation
        return [] if self.talk is None or key is None else self.held.rows(self.shown, [key])

    def opened(self, row: Row) -> Decided | None:
        """The row's exchange with its decision; None when the library has it no longer."""
        talk = self.held.talk(row.key)
        if talk is None:
            return None
        placed, built_in = talk.exchanges[row.place], talk.built_in[row.place]
        now = with_own(self.shown, built_in, placed.exchange)
        was = with_own(self.in_use, built_in, placed.exchange) if self.is_changed else now
        differs = (was.outcome, was.category) != (now.outcome, now.category)
        return Decided(placed, now, was if differs else None)
