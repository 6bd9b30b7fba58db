"""What Compare shows, between reruns.

?policies=bm25, gate, last_k(k=5)&reference=gate&data=@labels&measure=1
&conversation=KEY&turn=57&differ=1
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from convgate.policies.spec import PolicySpec, read_policies, read_policy, to_text
from convgate.ui.compare.columns import START, check_column, is_gate, option_of, without_repeats
from convgate.ui.shared.codecs import Codec
from convgate.ui.shared.page_state import Address, PageState, param


def _read_columns(text: str) -> tuple[PolicySpec, ...]:
    columns = without_repeats(read_policies(text, ",") if text.strip() else ())
    for column in columns:
        check_column(column)
    return columns


def _read_column(text: str) -> PolicySpec:
    check_column(column := read_policy(text))
    return column


COLUMN = Codec(PolicySpec.to_text, _read_column)
COLUMNS = Codec(lambda columns: to_text(columns, ","), _read_columns)


@dataclass(frozen=True)
class CompareState(PageState):
    """The policies side by side, one of them the reference, and what they are measured on."""

    policies: tuple[PolicySpec, ...] = param(START, COLUMNS)  # left to right; no two are equal
    reference: PolicySpec | None = param(None, COLUMN)  # noqa: RUF009  # one of the policies; None: the first
    data: str | None = None  # the labels or a set; None: the first that has labelled turns
    measure: bool = False  # whether a person asked to measure what was not measured before
    differ: bool = False  # list only the turns that the policies decide differently
    page: int = param(1, of_conversation=True)  # of the turn table

    @property
    def compared_with(self) -> PolicySpec | None:
        """The reference; None when there is no policy."""
        return self.reference or next(iter(self.policies), None)

    def with_known(self, options: Collection[str], data: Collection[str]) -> tuple[CompareState, list[str]]:
        """Return the state without versions and sets that do not exist, and a sentence for each."""
        state, problems = self.drop_unknown_names(data=data)
        columns = tuple(
            column for column in self.policies if not is_gate(column) or option_of(column) in options
        )
        problems += [
            f"The address names the version {column.version}, which does not exist."
            for column in self.policies
            if column not in columns
        ]
        reference = self.reference
        if reference is not None and reference not in columns:
            problems.append(f"The address compares with {reference.to_text()[:60]}, which is not selected.")
            reference = None
        return replace(state, policies=columns, reference=reference), problems


page = Address("compare", CompareState)
