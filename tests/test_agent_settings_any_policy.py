"""Any policy, with any parameters, decides the very same behind the settings file written for an agent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.agent_settings import AgentSettings
from convgate.building import build_policy
from convgate.conversation import Conversation, Turn
from convgate.gate.thresholds import RULES
from convgate.policies.gate import GatePolicy
from convgate.policies.pipeline import Pipeline
from convgate.policies.registry import POLICIES
from convgate.policies.written import Written, to_text
from convgate.selector import load_policy
from convgate.settings import Settings
from tests.fakes import FakeEncoder


@st.composite
def written(draw: st.DrawFn, name: str) -> Written:
    """A policy with any of its parameters, from the whole of their ranges."""
    kind, parameters = POLICIES[name], {}
    if name == GatePolicy.name:
        parameters = {"rule": draw(st.sampled_from(sorted(RULES))), "min_turns": draw(st.integers(0, 2))}
        kind = RULES[parameters["rule"]]
    for item in fields(kind):
        if item.metadata and draw(st.booleans()):
            parameters[item.name] = draw(value_of(item.metadata))
    return Written(name, parameters)


def value_of(told: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    if "text" in told:
        return st.sampled_from(["true", "5", 'a "goal" > b, c)', ""])
    if "switch" in told:
        return st.booleans()
    if "options" in told:
        return st.sampled_from(told["options"])
    low, high = told["low"], told["high"]
    if isinstance(told["step"], int):
        return st.integers(low, min(high, 20)) | st.just(high)
    return st.sampled_from([low, high]) | st.floats(max(low, -9.0), min(high, 9_000.0))


STAGES = [name for name in POLICIES if name != Pipeline.name]
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
    encoder, stages = FakeEncoder(), [data.draw(written(name)) for name in names]
    chosen = data.draw(st.sampled_from([name for name in names if name != GatePolicy.name] or ["bm25"]))
    settings = Settings(
        policy=chosen,
        policy_parameters=data.draw(written(chosen)).parameters,
        session_idle_gap=data.draw(st.sampled_from([0.0, 3_600.0, float("inf")])),
        gatekeeper_short_user=data.draw(st.sampled_from([0, 99])),
        threshold_rule=data.draw(st.sampled_from([None, "top_k"])),
        max_turns=data.draw(st.sampled_from([None, 2])),
    )
    only = stages[0] if len(stages) == 1 else Written("pipeline", {"stages": to_text(stages)})
    policy = build_policy(only.name, settings, encoder, **only.parameters)
    file = tmp_path_factory.mktemp("agent") / "convgate-agent.toml"
    file.write_text(AgentSettings.of(policy, settings).to_toml(), encoding="utf-8")
    there = load_policy(settings=file, encoder=encoder).policy
    for index in (3, 5):
        here = [one.to_json() for one in policy.decide(*SAID.at(index))]
        assert here == [one.to_json() for one in there.decide(*SAID.at(index))]
        assert json.dumps(here, allow_nan=False)


def test_what_the_settings_say_of_a_stage_stands_in_the_file() -> None:
    settings = Settings(policy="last_k", policy_parameters={"k": 3})
    policy = build_policy("pipeline", settings, FakeEncoder(), stages="last_k > bm25(k=2)")
    agent = AgentSettings.of(policy, settings)
    assert agent.policy_parameters == {"stages": "last_k(k=3) > bm25(k=2)"}
    own = build_policy("pipeline", settings, FakeEncoder(), stages="last_k(k=4)")
    assert AgentSettings.of(own, settings).policy_parameters == {"stages": "last_k(k=4)"}
