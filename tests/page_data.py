"""Data that the pages show: a small relevance set and two versions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from convgate.training.library import RelevanceSets
from convgate.versions import DataSet, Draft, Metric, MetricSet, Parent, Training, Versions
from tests.gates import trained_gate
from tests.page_app import TURNS


def add_relevance_set(home: Path, *, conversations: int = 2) -> str:
    """Add a set in which the last message has two relevant turns; return its name."""
    messages = [{"role": turn.role, "content": turn.text} for turn in TURNS[1:]]
    lines: list[dict[str, Any]] = []
    for number in range(conversations):
        start = number % len(messages)
        shown = messages[start:] + messages[:start]
        lines += [
            {"type": "conversation", "id": f"conversation-{number}", "messages": shown},
            {
                "type": "case", "id": f"case-{number}", "conversation": f"conversation-{number}", "turn": 6,
                "relevant": [0, 1] if number else [0, 5], "tags": ["return"] if number else [],
            },
        ]  # fmt: skip
    RelevanceSets(home).add("mine", "".join(json.dumps(line) + "\n" for line in lines).encode())
    return "mine"


def hostile_draft(text: str) -> Draft:
    """Return a draft of a card that has this text wherever a card can have text."""
    return Draft(
        note=text,
        who=text,
        parent=Parent(text, "a" * 64),
        data=(DataSet(text, "b" * 64, {text: 1}, text, text),),
        training=Training(1, 1, {text: text}, {text: text}, {text: (1.0,)}),
        metrics={text: MetricSet(1, 1, {text: Metric(0.5), "map": Metric(0.5)})},
        limits=(text,),
    )


def add_two_versions(home: Path) -> None:
    """Add `first` and its child `second`, which keeps the last three turns."""
    versions = Versions(home)
    woven = MetricSet(709, 120, {"map": Metric(0.85), "f1": Metric(0.60, 0.55, 0.65)})
    first = versions.add(
        trained_gate(),
        Draft(
            note="A first try",
            who="Ada",
            data=(DataSet("woven.train", "a" * 64, {"cases": 1_709}, "CC-BY-4.0", "IBM"),),
            training=Training(7, 2, {"rate": 0.01}, {"torch": "2"}, {"loss": (0.7, 0.5), "p": (None, 0.8)}),
            metrics={"held out": MetricSet(20, 5, {"f1": Metric(0.9)}, "a" * 64), "woven": woven},
            limits=("English only.",),
        ),
        name="first",
    )
    own = MetricSet(
        20, 5, {"f1": Metric(0.7)}, "b" * 64, {"f1": Metric(0.65)}, {"f1": Metric(0.05, -0.01, 0.1)}
    )
    versions.add(
        trained_gate(seed=1),
        Draft(
            parent=first.as_parent(),
            threshold_rule="top_k",
            threshold_parameters={"k": 3},
            metrics={
                "held out": own,
                "woven": MetricSet(709, 120, {"map": Metric(0.80), "f1": Metric(0.75)}),
            },
        ),
        name="second",
    )
