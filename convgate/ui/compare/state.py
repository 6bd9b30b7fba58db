"""What Compare shows, between reruns.

?conversation=KEY&turn=57&policies=gate, last_k(k=5)&reference=gate&selected=12&rows=differ
?on=sets&data=@labels,talks&policies=gate, bm25&tags=1
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

from convgate.policies.spec import PolicySpec, read_policies, read_policy, to_text
from convgate.ui.compare.columns import START, check_column, chooser_of, unlike
from convgate.ui.page_state import TURN, Address, Codec, PageState, param
from convgate.ui.state import put as put

ALL, DIFFER = "all", "differ"


def _read_columns(text: str) -> tuple[PolicySpec, ...]:
    read = unlike(read_policies(text, ",") if text.strip() else ())
    for column in read:
        check_column(column)
    return read


def _read_column(text: str) -> PolicySpec:
    check_column(column := read_policy(text))
    return column


COLUMN = Codec(PolicySpec.to_text, _read_column)
COLUMNS = Codec(lambda columns: to_text(columns, ","), _read_columns, is_many=True)


@dataclass(frozen=True)
class View(PageState):
    """The ways to choose, one of them the reference, and what they are compared on."""

    policies: tuple[PolicySpec, ...] = param(START, COLUMNS)  # as columns, left to right; no two are alike
    reference: PolicySpec | None = param(None, COLUMN)  # noqa: RUF009  # one of them; None: the first
    on: Literal["conversation", "sets"] = "conversation"
    selected: int | None = param(None, TURN, of_conversation=True)
    rows: str = ALL  # ALL turns, those where columns DIFFER, or a column's text: those unlike the reference
    page: int = param(1, of_conversation=True)  # of the table
    data: tuple[str, ...] | None = None  # labels and sets; None: what there is
    tags: bool = False  # a table for each tag

    @property
    def against(self) -> PolicySpec | None:
        """What the others are compared with; None when there is no column."""
        return self.reference or next(iter(self.policies), None)

    def with_known(self, choosers: Collection[str], data: Collection[str]) -> tuple[View, list[str]]:
        """The state without versions and sets that do not exist, and a sentence for each."""
        view, problems = self.among(data=data)
        columns = tuple(one for one in self.policies if chooser_of(one) in choosers)
        problems += [
            f"The address names the version {one.version}, which does not exist."
            for one in self.policies
            if one not in columns
        ]
        view = replace(view, policies=columns)
        if view.reference is not None and view.reference not in columns:
            problems.append(f"The address compares with {view.reference.to_text()[:60]}, which is no column.")
            view = replace(view, reference=None)
        if view.rows not in (ALL, DIFFER, *(one.to_text() for one in columns)):
            problems.append(f"The address says rows={view.rows[:40]}, not {ALL}, {DIFFER} or a column.")
            view = replace(view, rows=ALL)
        return view, problems


page = Address("compare", View)
VIEW = page.key
current_view, change, select = page.current, page.change, page.select
touched, keep, open_conversation = page.touched, page.keep, page.open
