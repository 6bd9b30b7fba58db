"""A conversation with tool calls for all adapters, sources that choose from it, and the examples."""

from __future__ import annotations

import runpy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from convgate.core.conversation import CurrentMessage, History
from convgate.core.decisions import TurnDecisions
from convgate.selection.load import load
from convgate.selection.selector import Selector
from tests.fakes import FakeEncoder
from tests.selectors import plain

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

ABOUT_LOSS: list[dict[str, Any]] = [
    {"role": "user", "content": "the training loss of run 7 is nan"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [
            {"id": id, "type": "function", "function": {"name": name, "arguments": '{"run": 7}'}}
            for id, name in (("1", "read_config"), ("2", "read_loss"))
        ],
    },
    {"role": "tool", "tool_call_id": "1", "content": "a setting"},
    {"role": "tool", "tool_call_id": "2", "content": "the training loss of run 7 is nan since step 40"},
    {"role": "assistant", "content": "lower the learning rate of run 7"},
]
ABOUT_DISHES: list[dict[str, Any]] = [
    message
    for dish in ("soup", "cake", "salad", "bread")
    for message in (
        {"role": "user", "content": f"please write down how somebody cooks {dish}"},
        {"role": "assistant", "content": f"mix, heat and season {dish}"},
    )
]
QUESTION = "the training loss of run 7 is nan again"
HISTORY = ABOUT_LOSS + ABOUT_DISHES
N_TURNS = len(HISTORY)
RELEVANT = [0, 1, 2, 3]  # turns of HISTORY that must be sent with QUESTION: the tool unit and its question


def small_gate() -> Selector:
    """Return an untrained gate, which ranks by shared words."""
    return load(version="untrained", encoder=FakeEncoder())


@dataclass
class FailingPolicy:
    """A policy that raises."""

    name: ClassVar[str] = "failing"
    label: ClassVar[str] = "Failing"
    ranks: ClassVar[bool] = False

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        raise RuntimeError("no model")


def failing_gate() -> Selector:
    """Return a selector that raises."""
    return plain(FailingPolicy())


def run_example(name: str) -> None:
    """Run examples/NAME.py in this process."""
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
