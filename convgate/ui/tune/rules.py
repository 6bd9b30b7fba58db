"""The rule that is tried, on the left and by what is clicked."""

from __future__ import annotations

from convgate.ui.choice import Choice
from convgate.ui.rule_controls import RuleControls
from convgate.ui.tune import state


def rule_controls(own: Choice) -> RuleControls:
    """The controls of this page; `own` is the version's rule."""
    return RuleControls("tune", own, _tried, _try)


def _tried() -> Choice | None:
    view = state.page.now()
    return view.choice


def _try(choice: Choice | None) -> None:
    state.change(choice=choice)
