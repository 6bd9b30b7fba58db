"""A settings file written for an agent gives the same decisions, turn by turn."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.conversation import Conversation, Turn
from convgate.core.home import app_root
from convgate.core.settings import Settings, load_settings
from convgate.core.text import writable
from convgate.gate.rule import Rule, TurnLimits
from convgate.gate.thresholds import RULES, make_rule
from convgate.policies.agent_settings import AgentSettings
from convgate.policies.build import build_policy
from convgate.policies.gate import GatePolicy
from convgate.policies.pipeline import Pipeline
from convgate.policies.registry import policy_class, policy_names
from convgate.policies.spec import PolicySpec, to_text
from convgate.policies.window import LastK
from convgate.selection.load import load, selector_of
from convgate.selection.selector import Selector
from convgate.transcripts import read_conversations, to_messages
from convgate.versions import Draft, Versions
from tests.fakes import FakeEncoder
from tests.gates import trained_gate

SAMPLES = sorted(
    path
    for path in (app_root() / "sample_conversations").iterdir()
    if path.suffix in {".json", ".md", ".csv"} and path.name != "README.md"
)


@pytest.fixture
def version(convgate_home: Path) -> str:
    """A version that is not the active one."""
    versions = Versions(convgate_home)
    versions.add(trained_gate(seed=1), Draft(note="in use"), name="used")
    versions.activate("used", who="Ada")
    return versions.add(trained_gate(seed=2), Draft(note="another"), name="mine").name


@pytest.fixture
def agent_file(tmp_path: Path) -> Callable[[AgentSettings], Path]:
    def write(agent: AgentSettings) -> Path:
        file = tmp_path / "convgate-agent.toml"
        file.write_text(agent.to_toml(), encoding="utf-8")
        return file

    return write


def outcome_of(selector: Selector, conversation: Conversation, **options: Any) -> list[tuple[object, ...]]:
    """Everything that a selection says of every turn, and what would be sent."""
    messages = to_messages(conversation.turns)
    selection = selector.select(messages, **options)
    turns = [
        (one.kept, one.score, one.threshold, one.reason, one.stage, one.rule) for one in selection.decisions
    ]
    return [*turns, (tuple(selection.indices), selection.tokens)]


CHOICES: list[tuple[str | None, Rule, TurnLimits, bool]] = [
    ("mine", make_rule("anchored", anchor=0.6, threshold=0.31), TurnLimits(min_turns=1), True),
    (None, make_rule("stricter", deviations=0.3), TurnLimits(2, 4), False),
    (None, make_rule("token_budget", budget=150), TurnLimits(max_turns=3), False),
    ("untrained", make_rule("blended", weight=0.2, deviations=-0.5), TurnLimits(), False),
]


@pytest.mark.parametrize(("name", "rule", "limits", "pairs"), CHOICES)
def test_the_file_alone_gives_the_very_same_decisions_on_every_sample(
    version: str,
    agent_file: Callable[[AgentSettings], Path],
    fake_encoder: FakeEncoder,
    name: str | None,
    rule: Rule,
    limits: TurnLimits,
    pairs: bool,
) -> None:
    settings = load_settings()
    policy = build_policy("gate", settings, fake_encoder, version=name)
    assert isinstance(policy, GatePolicy)
    policy = policy.with_rule(rule, limits)
    file = agent_file(AgentSettings.of(policy, settings, pair_answers=pairs))
    # What else is chosen on that machine later is no matter.
    Versions(settings.home).activate("mine", who="Ben")
    Versions(settings.home).activate("used", who="Ben")

    loaded = load(policy="gate", settings=file, encoder=fake_encoder)
    again = load(settings=file, encoder=fake_encoder)

    kept = 0
    for sample in SAMPLES:
        (conversation, *_) = read_conversations(sample).conversations
        expected = outcome_of(selector_of(policy, settings), conversation, pair_answers=pairs)
        assert outcome_of(loaded, conversation) == expected
        assert outcome_of(again, conversation) == expected
        kept += sum(bool(row[0]) for row in expected[:-1])
    assert kept


@given(st.text(), st.text(min_size=1))
def test_the_file_holds_any_text(goal: str, encoder: str) -> None:
    rule = {"threshold_parameters": {"goal": goal}}
    agent = AgentSettings({"encoder": encoder, "policy": "gate", **rule})
    values = tomllib.loads(agent.to_toml())
    assert values.get("threshold_parameters", {}).get("goal", "") == writable(goal)
    assert values["encoder"] == writable(encoder)


@st.composite
def random_specs(draw: st.DrawFn, name: str) -> PolicySpec:
    """A policy with any of its parameters, from the whole of their ranges."""
    kind, parameters = policy_class(name), {}
    if name == GatePolicy.name:
        parameters = {"rule": draw(st.sampled_from(sorted(RULES))), "min_turns": draw(st.integers(0, 2))}
        kind = RULES[parameters["rule"]]
    for item in fields(kind):
        if item.metadata and draw(st.booleans()):
            is_levels = item.name == "levels"
            levels = st.sampled_from(["", "0.02:0.0151 0.05:0.04"])
            parameters[item.name] = draw(levels if is_levels else value_of(item.metadata))
    return PolicySpec(name, parameters)


def value_of(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    if "text" in schema:
        return st.sampled_from(["true", "5", 'a "goal" > b, c)', ""])
    if "switch" in schema:
        return st.booleans()
    if "options" in schema:
        return st.sampled_from(schema["options"])
    low, high = schema["low"], schema["high"]
    if isinstance(schema["step"], int):
        return st.integers(low, min(high, 20)) | st.just(high)
    return st.sampled_from([low, high]) | st.floats(max(low, -9.0), min(high, 9_000.0))


STAGES = [name for name in policy_names() if name != Pipeline.name]
SAID = Conversation(
    "said",
    tuple(
        Turn.of(
            role, text, timestamp=datetime(2026, 1, 1, hour, tzinfo=UTC), metadata={"confidence": confidence}
        )
        for role, text, hour, confidence in (
            ("user", "loss is nan", 1, 0.65), ("assistant", "lower the rate", 1, 0.65),
            ("user", "ok", 2, 0.4), ("assistant", "fine", 4, 0.4),
            ("user", "new topic: a function", 4, 0.9), ("user", "and loss?", 9, 0.1),
        )
    ),
)  # fmt: skip


@given(st.lists(st.sampled_from(STAGES), min_size=1, max_size=3, unique=True), st.data())
def test_any_policy_decides_the_same_behind_its_file(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], data: st.DataObject
) -> None:
    encoder, stages = FakeEncoder(), [data.draw(random_specs(name)) for name in names]
    chosen = data.draw(st.sampled_from([name for name in names if name != GatePolicy.name] or ["bm25"]))
    settings = Settings(
        policy=chosen,
        policy_parameters=data.draw(random_specs(chosen)).parameters,
        session={"idle_gap_seconds": data.draw(st.sampled_from([0.0, 3_600.0, float("inf")]))},
        gatekeeper={"short_user": data.draw(st.sampled_from([0, 99]))},
        threshold_rule=data.draw(st.sampled_from([None, "top_k"])),
        max_turns=data.draw(st.sampled_from([None, 2])),
    )
    only = stages[0] if len(stages) == 1 else PolicySpec("pipeline", {"stages": to_text(stages)})
    policy = build_policy(only.name, settings, encoder, **only.parameters)
    file = tmp_path_factory.mktemp("agent") / "convgate-agent.toml"
    file.write_text(AgentSettings.of(policy, settings).to_toml(), encoding="utf-8")
    there = load(settings=file, encoder=encoder).policy
    for index in (3, 5):
        here = [one.to_json() for one in policy.decide(*SAID.at(index))]
        assert here == [one.to_json() for one in there.decide(*SAID.at(index))]
        assert json.dumps(here, allow_nan=False)


def test_a_policy_without_a_gate_takes_no_version_and_no_threshold_along() -> None:
    settings = Settings(version="mine", threshold_rule="top_k", min_turns=2)
    agent = AgentSettings.of(LastK(3), settings)
    assert (agent.version, agent.needs()) == (None, [])
    assert "threshold_rule" not in agent.to_toml()
