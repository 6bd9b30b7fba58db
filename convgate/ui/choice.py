"""A threshold rule with its limits: in words, in addresses, as sliders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields, replace
from typing import Any

import streamlit as st

from convgate.core.errors import PolicyError
from convgate.gate.thresholds import RULES, Limits, Rule, make_rule
from convgate.policies.base import NO_LIMITS
from convgate.ui.page_state import Codec
from convgate.ui.state import put


@dataclass(frozen=True, slots=True)
class Choice:
    """Which rule decides, and within which limits."""

    rule: Rule
    limits: Limits = NO_LIMITS

    def to_query(self) -> dict[str, str]:
        """The rule's name and every parameter that is not at its default.

        >>> Choice(make_rule("stricter", deviations=0.7), Limits(min_turns=2)).to_query()
        {'rule': 'stricter', 'deviations': '0.7', 'min_turns': '2'}
        """
        values = {"rule": self.rule.name}
        for part in (self.rule, self.limits):
            for item in adjustable(part):
                if (value := getattr(part, item.name)) is not None and value != item.default:
                    values[item.name] = f"{value:.12g}"
        return values

    def same(self, other: Choice) -> bool:
        """Whether both decide alike, whatever their rules were fitted on."""
        return self.to_query() == other.to_query()

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> Choice | None:
        """What `to_query` gave, from among other values; None when no rule is named.

        Raises PolicyError for an unknown rule, or a parameter that is no number or out of its range.
        """
        if "rule" not in query:
            return None
        if query["rule"] not in RULES:
            raise PolicyError(f"there is no threshold rule {query['rule']!r}")
        rule = RULES[query["rule"]]
        return cls(make_rule(rule.name, **_numbers(rule, query)), Limits(**_numbers(Limits, query)))

    def told(self) -> str:
        """The rule and its parameters in a few words.

        >>> Choice(make_rule("anchored", threshold=0.27)).told()
        'Anchored, anchor 0.50, threshold 0.27'
        """
        return ", ".join([self.rule.label.partition(":")[0], *self.numbers()])

    def numbers(self, *, learned: float | None = None) -> list[str]:
        """The parameters and the limits, each with its name; `learned` is the gate's own threshold.

        >>> Choice(make_rule("anchored"), Limits(max_turns=9)).numbers(learned=0.41)
        ['anchor 0.50', 'learned threshold 0.41', 'at most 9']
        >>> Choice(make_rule("absolute", threshold=0.0031)).numbers()
        ['threshold 0.003']
        """
        told = [
            _named(item.name, value, learned)
            for item in adjustable(self.rule)
            # What is as low as it can be unless somebody raises it bounds nothing.
            if not (value := getattr(self.rule, item.name)) == item.default == item.metadata["low"]
        ]
        limits = self.limits
        if limits.min_turns:
            told.append(f"at least {limits.min_turns}")
        if limits.max_turns is not None:
            told.append(f"at most {limits.max_turns}")
        return told


@dataclass(frozen=True, slots=True)
class Slider:
    """One parameter of a rule, as a slider needs it."""

    name: str
    label: str
    low: float
    high: float
    step: float
    value: float  # where the slider stands; of an unset parameter, what takes its place
    help: str


@dataclass(frozen=True, slots=True)
class Extent:
    """How far a parameter can reach on what is looked at: a slider to a million is no use on 900 tokens."""

    turns: int
    tokens: int
    learned: float  # the gate's own threshold, which stands for one that is not set

    def of(self, name: str) -> tuple[float, float] | None:
        """The least and the most that make a difference; None when the rule's own range is meant."""
        return {"k": (0, self.turns), "budget": (0, self.tokens), "above": (0.0, 1.0)}.get(name)


def sliders(rule: Rule, extent: Extent) -> list[Slider]:
    """The rule's parameters, in their order, from the ranges and words that its fields carry."""
    made = []
    for item in adjustable(rule):
        told = item.metadata
        low, high = told["low"], told["high"]
        reach = extent.of(item.name)
        if reach is not None:  # rounded up to a whole step, and at least one
            low, high = reach[0], min(high, max(1, -(-int(reach[1]) // told["step"])) * told["step"])
        value = getattr(rule, item.name)
        value = extent.learned if value is None else value
        label = told["label"][:1].upper() + told["label"][1:]
        value = min(max(value, low), high)
        made.append(Slider(item.name, label, low, high, told["step"], value, told["help"]))
    return made


def with_value(choice: Choice, name: str, value: float) -> Choice:
    """The choice with one parameter of its rule moved."""
    return replace(choice, rule=replace(choice.rule, **{name: value}))  # type: ignore[type-var]


def with_limits(choice: Choice, least: int, most: int, *, turns: int) -> Choice:
    """The choice with other limits; at most all of the turns is no limit."""
    return replace(choice, limits=Limits(least, None if most >= turns else most))


def adjustable(part: Any) -> list[Field[Any]]:
    """The fields of a rule or of limits that have a range."""
    return [item for item in fields(part) if "low" in item.metadata]


def _named(name: str, value: float | None, learned: float | None) -> str:
    if value is None:
        return f"learned {name}" if learned is None else f"learned {name} {learned:.2f}"
    if isinstance(value, int):
        return f"{name} {value:,}"
    # What is not 0 is not told as 0.
    return f"{name} {value:.2f}" if value == 0 or abs(value) >= 0.005 else f"{name} {value:.1g}"


def _numbers(part: Any, query: Mapping[str, str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for item in adjustable(part):
        if item.name not in query:
            continue
        kind = int if isinstance(item.metadata["step"], int) else float
        try:
            values[item.name] = kind(query[item.name])
        except ValueError as error:
            raise PolicyError(f"{item.name} must be a number; got {query[item.name]!r}") from error
    return values


def _written(choice: Choice) -> str:
    rule, *values = choice.to_query().items()
    return ",".join([rule[1], *(f"{name}={value}" for name, value in values)])


def _read(text: str) -> Choice | None:
    rule, *values = text.split(",")
    pairs = (part.partition("=") for part in values)
    return Choice.from_query({"rule": rule, **{name: value for name, _, value in pairs}})


CHOICE = Codec(_written, _read, "a threshold rule")
"""A choice in addresses: `blended,weight=0.3,max_turns=5`."""


@dataclass(frozen=True)
class RuleControls:
    """The controls of one page, and the choice that they show."""

    page: str  # tells their keys from those of other pages
    own: Choice  # of the version
    read: Callable[[], Choice | None]  # what the page's view has at the time; None: the version's own
    change: Callable[[Choice | None], None]  # what a person chose; None: the version's own

    def draw(self, extent: Extent) -> None:
        """The rule, its sliders, the limits."""
        choice = self._now()
        put(self._rule, choice.rule.name)
        st.selectbox(
            "Threshold rule", list(RULES), key=self._rule, format_func=lambda name: RULES[name].label,
            on_change=self._changed_rule, help=(type(choice.rule).__doc__ or "").partition("\n\n")[0],
        )  # fmt: skip
        for slider in sliders(choice.rule, extent):
            key = f"{self.page}.{choice.rule.name}.{slider.name}"
            kind = int if isinstance(slider.step, int) else float
            put(key, kind(slider.value))
            st.slider(
                slider.label, kind(slider.low), kind(slider.high), step=kind(slider.step), key=key,
                on_change=self._moved, args=(slider.name, key), help=slider.help or None,
            )  # fmt: skip
        turns = max(1, extent.turns)
        most = turns if choice.limits.max_turns is None else min(choice.limits.max_turns, turns)
        put(self._limits, (min(choice.limits.min_turns, most), most))
        st.slider(
            "At least and at most this many turns", 0, turns, key=self._limits,
            on_change=self._moved_limits, args=(turns,),
            help="0 lets the gate choose nothing; all of the turns is no limit.",
        )  # fmt: skip

    def draw_reset(self) -> None:
        """The way back to the version's own rule."""
        st.button(
            "Reset", key=f"{self.page}.reset", icon=":material/undo:", on_click=self.change, args=(None,),
            disabled=self._now().same(self.own), help="Back to the version's own rule",
        )  # fmt: skip

    def choose(self, choice: Choice) -> None:
        """Have that decide from now on; for callbacks."""
        self.change(None if choice == self.own else choice)

    @property
    def _rule(self) -> str:
        return f"{self.page}.rule"

    @property
    def _limits(self) -> str:
        return f"{self.page}.limits"

    def _now(self) -> Choice:
        return self.read() or self.own

    def _changed_rule(self) -> None:
        name = st.session_state[self._rule]
        rule = self.own.rule if name == self.own.rule.name else RULES[name]()
        self.choose(Choice(rule, self._now().limits))

    def _moved(self, name: str, key: str) -> None:
        self.choose(with_value(self._now(), name, st.session_state[key]))

    def _moved_limits(self, turns: int) -> None:
        least, most = st.session_state[self._limits]
        self.choose(with_limits(self._now(), least, most, turns=turns))
