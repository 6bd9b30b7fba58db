"""The controls of the gate's threshold rule: which one, a slider for each of its parameters, its limits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from convgate.gate.thresholds import RULES
from convgate.ui.choice import Choice, Extent, sliders, with_limits, with_value
from convgate.ui.state import put


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
