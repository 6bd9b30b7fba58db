"""Threshold settings: a rule with its limits, in words, in addresses and as sliders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, fields, replace
from typing import Any
from urllib.parse import quote, unquote

import streamlit as st

from convgate.core.errors import PolicyError
from convgate.core.text import pluralize
from convgate.gate.rule import Rule, TurnLimits
from convgate.gate.thresholds import RULES, make_rule
from convgate.policies.base import NO_LIMITS
from convgate.ui.shared.codecs import Codec
from convgate.ui.shared.page_state import Address
from convgate.ui.shared.session_state import put

_SLIDERS = {"strictness": "Cost of an extra turn; a missed one costs 1"}
"""Labels of sliders that say more than the parameter's name."""


@dataclass(frozen=True, slots=True)
class ThresholdSettings:
    """The rule that decides, and the min and max number of turns."""

    rule: Rule
    limits: TurnLimits = NO_LIMITS

    def to_query(self) -> dict[str, str]:
        """Return the rule's name and every parameter that is not at its default.

        >>> ThresholdSettings(make_rule("stricter", deviations=0.7), TurnLimits(min_turns=2)).to_query()
        {'rule': 'stricter', 'deviations': '0.7', 'min_turns': '2'}
        """
        values = {"rule": self.rule.name}
        for part in (self.rule, self.limits):
            for item in adjustable(part):
                if (value := getattr(part, item.name)) is not None and value != item.default:
                    values[item.name] = f"{value:.12g}"
        return values | {name: value for name in _texts(self.rule) if (value := getattr(self.rule, name))}

    def same(self, other: ThresholdSettings) -> bool:
        """Return whether both decide the same, whatever their rules were fitted on."""
        return self.to_query() == other.to_query()

    def shorten(self, own: ThresholdSettings) -> ThresholdSettings:
        """Return the settings without the texts that they share with `own`, for a short address."""
        texts = _texts(self.rule)
        same = type(self.rule) is type(own.rule) and all(
            getattr(self.rule, name) == getattr(own.rule, name) for name in texts
        )
        return replace(self, rule=replace(self.rule, **dict.fromkeys(texts, ""))) if same else self

    def complete(self, own: ThresholdSettings) -> ThresholdSettings:
        """Return the settings with the texts that `shorten` leaves out."""
        texts = {name: getattr(own.rule, name) for name in _texts(own.rule)}
        if type(self.rule) is not type(own.rule) or any(getattr(self.rule, name) for name in texts):
            return self
        return replace(self, rule=replace(self.rule, **texts))

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> ThresholdSettings | None:
        """Return the settings in a query that may have other values; None when it names no rule.

        Raises PolicyError for an unknown rule, or a parameter that is no number or out of its range.
        """
        if "rule" not in query:
            return None
        if query["rule"] not in RULES:
            raise PolicyError(f"there is no threshold rule {query['rule']!r}")
        rule = RULES[query["rule"]]
        texts = {name: query[name] for name in _texts(rule) if name in query}
        return cls(
            make_rule(rule.name, **_numbers(rule, query), **texts), TurnLimits(**_numbers(TurnLimits, query))
        )

    def describe(self, *, learned: float | None = None) -> str:
        """Return the rule, its parameters and the limits; `learned` is the gate's own threshold.

        >>> ThresholdSettings(make_rule("anchored"), TurnLimits(max_turns=9)).describe(learned=0.41)
        'Anchored, anchor 0.50, learned threshold 0.41, max 9 turns'
        """
        parts = [self.rule.label.partition(":")[0]]
        parts += [
            _named(item.name, value, learned)
            for item in adjustable(self.rule)
            # A parameter at its default that is also its min has no effect.
            if not (value := getattr(self.rule, item.name)) == item.default == item.metadata["low"]
        ]
        limits = self.limits
        if limits.min_turns:
            parts.append(f"min {pluralize(limits.min_turns, 'turn')}")
        if limits.max_turns is not None:
            parts.append(f"max {pluralize(limits.max_turns, 'turn')}")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Extent:
    """The size of the data on the page, which bounds the sliders."""

    turns: int
    tokens: int
    learned: float  # the gate's own threshold


def adjustable(part: Any) -> list[Field[Any]]:
    """Return the fields of a rule or of limits that have a range."""
    return [item for item in fields(part) if "low" in item.metadata]


def _label(item: Field[Any]) -> str:
    label: str = _SLIDERS.get(item.name, item.metadata["label"])
    return label[:1].upper() + label[1:]


def _texts(rule: Any) -> list[str]:
    """Return the names of the rule's texts that its decisions depend on."""
    return [item.name for item in fields(rule) if item.metadata.get("decides")]


def _named(name: str, value: float | None, learned: float | None) -> str:
    if value is None:
        return f"learned {name}" if learned is None else f"learned {name} {learned:.2f}"
    if isinstance(value, int):
        return f"{name} {value:,}"
    # A value that is not 0 is not shown as 0.
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


def _write(settings: ThresholdSettings) -> str:
    rule, *values = settings.to_query().items()
    return ",".join([rule[1], *(f"{name}={quote(value, safe=' :')}" for name, value in values)])


def _read(text: str) -> ThresholdSettings | None:
    rule, *values = text.split(",")
    pairs = (part.partition("=") for part in values)
    return ThresholdSettings.from_query({"rule": rule, **{name: unquote(value) for name, _, value in pairs}})


THRESHOLD_SETTINGS = Codec(_write, _read, "a threshold rule")
"""Threshold settings in addresses: `blended,weight=0.3,max_turns=5`."""


@dataclass(frozen=True)
class RuleControls:
    """The controls of a page's threshold settings: the field `choice` of its state, None for the own ones."""

    page: Address[Any]
    own: ThresholdSettings  # without a choice
    version: ThresholdSettings  # its texts are left out of the choice, and so of the address

    def draw(self, extent: Extent) -> None:
        """Draw the rule, its sliders and the limits."""
        settings, name = self._now(), self.page.name
        put(f"{name}.rule", settings.rule.name)
        st.selectbox(
            "Threshold rule", list(RULES), key=f"{name}.rule", format_func=lambda rule: RULES[rule].label,
            on_change=self._change_rule, help=(type(settings.rule).__doc__ or "").partition("\n\n")[0],
        )  # fmt: skip
        for item in adjustable(settings.rule):
            key, meta = f"{name}.{settings.rule.name}.{item.name}", item.metadata
            low, high, step = meta["low"], meta["high"], meta["step"]
            if (size := meta["slider"]) is not None:
                size = getattr(extent, size) if isinstance(size, str) else size
                low, high = 0, min(high, max(1, -(-size // step)) * step)  # up to a whole step, at least one
            value = getattr(settings.rule, item.name)
            value = min(max(extent.learned if value is None else value, low), high)
            kind = type(step)
            put(key, kind(value))
            st.slider(
                _label(item), kind(low), kind(high), step=step, key=key,
                on_change=self._change_value, args=(settings.rule.name, item.name, key),
                help=meta["help"] or None,
            )  # fmt: skip
        turns, limits = max(1, extent.turns), settings.limits
        max_turns = turns if limits.max_turns is None else min(limits.max_turns, turns)
        put(f"{name}.limits", (min(limits.min_turns, max_turns), max_turns))
        st.slider(
            "Min and max number of turns", 0, turns, key=f"{name}.limits",
            on_change=self._change_limits, args=(turns,),
            help="With a min of 0 the gate may keep nothing; a max of all turns is no limit.",
        )  # fmt: skip

    def draw_reset(self, help: str = "Back to the version's rule") -> None:
        """Draw the button that returns to the own settings, lit with others."""
        is_own = self.page.now().choice is None
        st.button(
            "Reset", key=f"{self.page.name}.reset", icon=":material/undo:", on_click=self.page.change,
            kwargs={"choice": None}, disabled=is_own, help=help, type="secondary" if is_own else "primary",
        )  # fmt: skip

    def choose(self, settings: ThresholdSettings) -> None:
        """Use these settings from now on; for callbacks."""
        self.page.change(choice=None if settings == self.own else settings.shorten(self.version))

    def _now(self) -> ThresholdSettings:
        choice: ThresholdSettings | None = self.page.now().choice
        return self.own if choice is None else choice.complete(self.version)

    def _change_rule(self) -> None:
        name = st.session_state[f"{self.page.name}.rule"]
        rule = self.own.rule if name == self.own.rule.name else RULES[name]()
        self.choose(ThresholdSettings(rule, self._now().limits))

    def _change_value(self, rule: str, name: str, key: str) -> None:
        settings = self._now()
        if settings.rule.name == rule:  # not a move of another rule's slider that arrives late
            changed = replace(settings.rule, **{name: st.session_state[key]})
            self.choose(replace(settings, rule=changed))

    def _change_limits(self, turns: int) -> None:
        low, high = st.session_state[f"{self.page.name}.limits"]
        # A max of all turns is no limit.
        self.choose(replace(self._now(), limits=TurnLimits(low, None if high >= turns else high)))
