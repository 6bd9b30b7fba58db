"""Parameters that a person may set: each with its range and the words that a slider needs.

Rules and policies are frozen dataclasses that derive from `ParameterSet`; the app makes its sliders, the
command line its `--set` and the settings file its keys from the same fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, field, fields
from math import inf
from typing import Any, ClassVar, Literal

from convgate.core.errors import PolicyError


def setting(
    default: Any,
    label: str,
    *,
    low: float,
    high: float,
    step: float,
    slider: Literal["turns", "tokens"] | float | None = None,
    help: str = "",
) -> Any:
    """A numeric parameter: its default, inclusive range and words; a whole `step` wants whole numbers.

    slider: the highest value that makes a difference, where that is not `high`; lower than 0 makes none.
    """
    words = {"label": label, "help": help}
    return field(
        default=default, metadata={**words, "low": low, "high": high, "step": step, "slider": slider}
    )


def text(default: str, label: str = "", *, help: str = "", decides: bool = False) -> Any:
    """Return a parameter that is a piece of text; `decides`: whether it goes with the decisions."""
    return field(default=default, metadata={"text": True, "label": label, "help": help, "decides": decides})


def switch(default: bool, label: str, *, help: str = "") -> Any:  # noqa: FBT001  # a default, as in `field`
    """Return a parameter that is on or off."""
    return field(default=default, metadata={"switch": True, "label": label, "help": help})


def one_of(default: str, options: tuple[str, ...], label: str, *, help: str = "") -> Any:
    """Return a parameter that is one of a few words."""
    return field(default=default, metadata={"options": options, "label": label, "help": help})


class ParameterSet:
    """Checks every parameter when the object is made; PolicyError names it, its range and what was given."""

    name: ClassVar[str]

    def __post_init__(self) -> None:
        """Check each parameter; None is left alone where it is the default."""
        check_parameters(type(self), self.name, parameter_values(self))


def check_parameters(kind: type, name: str, values: Mapping[str, Any]) -> None:
    """Raise PolicyError for a parameter that the class lacks, or a value out of range, under that name."""
    known = {item.name: item for item in _parameters(kind)}
    for key, value in values.items():
        if key not in known:
            raise PolicyError(f"{name} has no setting {key}; it has {', '.join(known) or 'none'}")
        item = known[key]
        if value is None and item.default is None:
            continue
        expected = _expected(item, value)
        if expected:
            raise PolicyError(f"{name}: {key} must be {expected}; got {value!r}")


def parameter_names(kind: type) -> list[str]:
    """Return the names of the parameters that a person may set."""
    return [item.name for item in _parameters(kind)]


def parameter_values(parameters: object) -> dict[str, Any]:
    """Return the values of the parameters that a person may set, by their names."""
    return {name: getattr(parameters, name) for name in parameter_names(type(parameters))}


def _parameters(kind: type) -> list[Field[Any]]:
    return [item for item in fields(kind) if item.metadata]


def _expected(item: Field[Any], value: Any) -> str | None:
    """Return what the parameter has to be; None when the value is that."""
    if "text" in item.metadata:
        return None if isinstance(value, str) else "text"
    if "switch" in item.metadata:
        return None if isinstance(value, bool) else "true or false"
    if "options" in item.metadata:
        options = item.metadata["options"]
        return None if value in options else f"one of {', '.join(options)}"
    low, high = item.metadata["low"], item.metadata["high"]
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        return f"{low} or more" if high == inf else f"from {low} to {high}"
    if isinstance(item.metadata["step"], int) and not isinstance(value, int):
        return "a whole number"
    return None
