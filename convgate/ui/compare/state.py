"""What Compare shows, between reruns, and its columns.

?policies=bm25, gate, last_k(k=5)&reference=gate&show=turns&data=@labels
?show=chats&lost=bm25
?show=conversation&conversation=KEY&turn=57&differ=0
?show=bill&billed=@library&model=gpt-5
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import streamlit as st

from convgate.core.errors import ConvgateError, PolicyError
from convgate.policies.base import Policy
from convgate.policies.gate import GatePolicy
from convgate.policies.registry import check_spec
from convgate.policies.spec import PolicySpec, read_policies, read_policy, to_text
from convgate.policies.window import LastK
from convgate.ui.shared import scoring
from convgate.ui.shared.codecs import Codec
from convgate.ui.shared.frame import App
from convgate.ui.shared.page_state import Address, PageState, param
from convgate.ui.shared.text import literal
from convgate.ui.shared.threshold_settings import ThresholdSettings

START = (PolicySpec(LastK.name), PolicySpec(GatePolicy.name))
"""What a first visit compares; the first is the reference."""

LIBRARY = "@library"
"""The library, where addresses name what is billed; no file can be called that."""


def option_of(column: PolicySpec) -> str:
    """Return the policy option that decides; `choice_of` returns the rule of a gate.

    >>> option_of(PolicySpec("gate", {"rule": "top_k"}, "mine")), option_of(PolicySpec("last_k", {"k": 5}))
    ('gate@mine', 'last_k(k=5)')
    """
    return (replace(column, parameters={}) if is_gate(column) else column).to_text()


def is_gate(column: PolicySpec) -> bool:
    """Return whether the gate decides, in whatever version."""
    return column.name == GatePolicy.name


def choice_of(column: PolicySpec) -> ThresholdSettings | None:
    """Return the rule that the column sets for its gate; None for the gate's own and other policies.

    Raises PolicyError for an unknown rule or a parameter out of its range.
    """
    if not is_gate(column):
        return None
    return ThresholdSettings.from_query({name: str(value) for name, value in column.parameters.items()})


def check_column(column: PolicySpec) -> None:
    """Raise PolicyError for an unknown policy or parameter; the version may still not exist."""
    check_spec(column)
    if is_gate(column) and column.parameters and choice_of(column) is None:
        raise PolicyError(f"{column.to_text()[:60]} sets a rule's parameters but names no rule")


@dataclass(frozen=True, eq=False)
class Column:
    """One policy of the comparison."""

    written: PolicySpec
    label: str  # no two are equal
    policy: Policy


def build_columns(app: App, policies: Sequence[PolicySpec], labels: Mapping[str, str]) -> list[Column]:
    """Return the columns; say which policies cannot be built, and why. labels: by the policy's text."""
    columns = []
    for written in policies:
        label = labels[written.to_text()]
        try:
            columns.append(Column(written, label, _build_policy(app, written)))
        except ConvgateError as error:
            draw_failures({label: str(error)})
    return columns


def draw_failures(failures: Mapping[str, str]) -> None:
    """Say which policies are left out, by name, and why."""
    for label, error in failures.items():
        st.error(f"**{literal(label, limit=80)}** is left out: {literal(error)}", icon=":material/error:")


def _build_policy(app: App, column: PolicySpec) -> Policy:
    if not is_gate(column):
        return scoring.load_policy(app, option_of(column))
    gate, choice = scoring.load_gate(app, option_of(column)), choice_of(column)
    return gate if choice is None else gate.with_rule(choice.rule, choice.limits)


def without_repeats(columns: Iterable[PolicySpec]) -> tuple[PolicySpec, ...]:
    """Return each column once, in order.

    >>> len(without_repeats((PolicySpec("bm25"), PolicySpec("last_k", {"k": 5}), PolicySpec("bm25"))))
    2
    """
    return tuple({column.to_text(): column for column in columns}.values())


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


View = Literal["chats", "turns", "conversation", "bill"]


@dataclass(frozen=True)
class CompareState(PageState):
    """The policies side by side, one of them the reference, and what they are measured on."""

    policies: tuple[PolicySpec, ...] = param(START, COLUMNS)  # left to right; no two are equal
    reference: PolicySpec | None = param(None, COLUMN)  # noqa: RUF009  # one of the policies; None: the first
    data: str | None = None  # the labels or a set; None: the first that has labelled turns
    show: View | None = None  # None: the labels, without any the library, without that the samples
    lost: str | None = None  # the policy whose lost turns are listed; None: the one of the sentence
    billed: str | None = None  # `LIBRARY`, the labels or a set; None: `data`, and without it the library
    model: str | None = None  # whose prices; None: that of the settings
    bill: bool = True  # until a person stops it
    differ: bool = True  # list only the turns that the policies decide differently
    page: int = param(1, of_conversation=True)  # of the list of turns

    @property
    def compared_with(self) -> PolicySpec | None:
        """The reference; None when there is no policy."""
        return self.reference or next(iter(self.policies), None)

    def with_known(
        self, options: Collection[str], data: Collection[str], models: Collection[str]
    ) -> tuple[CompareState, list[str]]:
        """Return the state without versions, sets and models that do not exist, and a sentence for each."""
        state, problems = self.drop_unknown(None, data=data, billed=[*data, LIBRARY], model=models)
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
