"""A way to choose as a column: a policy, or a version of the gate, with what is set of it.

`last_k(k=5)` can stand beside `last_k(k=20)`, and `gate@mine(rule=top_k, k=5)` beside `gate@mine`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from convgate.errors import PolicyError
from convgate.policies.bm25 import BM25
from convgate.policies.gate import GatePolicy
from convgate.policies.pipeline import Pipeline
from convgate.policies.registry import check_written, policy_names, policy_settings
from convgate.policies.window import LastK
from convgate.policies.written import Value, Written
from convgate.ui.choice import Choice
from convgate.ui.choosers import chooser_label, is_chooser, policy_of, version_of
from convgate.ui.text import shortened
from convgate.ui.wording import told_apart

START = (Written(GatePolicy.name), Written(BM25.name), Written(LastK.name))
"""What a first visit compares."""

_TEXT = 40  # characters of a parameter that is text


def chooser_of(column: Written) -> str:
    """The chooser that decides, whatever is set of it.

    >>> chooser_of(Written("gate", version="mine")), chooser_of(Written("last_k", {"k": 5}))
    ('gate@mine', 'last_k')
    """
    return column.name if column.version is None else f"{column.name}@{column.version}"


def column_of(chooser: str) -> Written:
    """The column of a chooser of which nothing is set.

    >>> column_of("gate@mine").to_text()
    'gate@mine'
    """
    return Written(policy_of(chooser), version=version_of(chooser))


def is_gate(column: Written) -> bool:
    """Whether the gate decides, in whatever version."""
    return column.name == GatePolicy.name


def choice_of(column: Written) -> Choice | None:
    """The rule that a column sets for its gate; None for the gate's own.

    Raises PolicyError for one that there is not, or that cannot be so.
    """
    return Choice.from_query({name: str(value) for name, value in column.parameters.items()})


def with_choice(column: Written, choice: Choice | None) -> Written:
    """The same version with another rule; None for its own.

    >>> from convgate.gate.thresholds import TopK
    >>> with_choice(Written("gate"), Choice(TopK(5))).to_text()
    'gate(rule=top_k, k=5)'
    """
    query = choice.to_query() if choice else {}
    return with_parameters(column, {name: _number(value) for name, value in query.items()})


def with_parameters(column: Written, parameters: Mapping[str, Value]) -> Written:
    """The same policy with these parameters and no others."""
    return Written(column.name, dict(parameters), column.version)


def check_column(column: Written) -> None:
    """Raise PolicyError for a column that cannot be; its version may still not exist."""
    written = column.to_text()[:60]
    if not is_chooser(chooser_of(column)):
        raise PolicyError(f"{written} is not gate@VERSION or one of {', '.join(policy_names())}")
    if is_gate(column):
        if choice_of(column) is None and column.parameters:
            raise PolicyError(f"{written} sets a rule's parameters but names no rule")
        return
    known = policy_settings(column.name)
    if unknown := [name for name in column.parameters if name not in known]:
        told = ", ".join(known) or "none"
        raise PolicyError(f"{', '.join(unknown)[:60]} is no parameter of {column.name}; those are: {told}")
    check_written(column)


def unlike(columns: Iterable[Written]) -> tuple[Written, ...]:
    """Each of them once, in their order.

    >>> len(unlike((Written("bm25"), Written("last_k", {"k": 5}), Written("bm25"))))
    2
    """
    return tuple({one.to_text(): one for one in columns}.values())


def column_label(column: Written) -> str:
    """What a column is called.

    >>> column_label(Written("last_k", {"k": 1000})), column_label(Written("gate", version="mine"))
    ('Last k turns, k 1,000', 'Gate mine')
    >>> column_label(Written("pipeline", {"stages": "gatekeeper > last_k(k=5)"}))
    'Pipeline: gatekeeper > last_k(k=5)'
    """
    label = chooser_label(chooser_of(column))
    if column.name == Pipeline.name and (stages := column.parameters.get("stages")) is not None:
        # What tells two pipelines apart comes first: labels are cut off at their end.
        return f"{label.partition(':')[0]}: {shortened(str(stages), _TEXT)}"
    if not column.parameters:
        return label
    if is_gate(column) and (choice := choice_of(column)) is not None:
        return f"{label}, {choice.told()[:1].lower()}{choice.told()[1:]}"
    told = [f"{name.replace('_', ' ')} {_shown(value)}" for name, value in column.parameters.items()]
    return ", ".join([label, *told])


def column_labels(columns: Iterable[Written]) -> dict[str, str]:
    """What each column is called, by its text, so that no two are called alike."""
    return told_apart({one.to_text(): column_label(one) for one in columns})


def _shown(value: Value) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        return shortened(value, _TEXT)
    return f"{value:,}" if isinstance(value, int) else f"{value:,g}"


def _number(text: str) -> Value:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
