"""A settings file written for an agent has it decide the very same, turn by turn."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.agent_settings import AgentSettings
from convgate.app_files import app_root
from convgate.building import build_policy
from convgate.conversation import Conversation
from convgate.errors import GateError, PolicyError
from convgate.gate.thresholds import Limits, Rule, make_rule
from convgate.policies.gate import GatePolicy
from convgate.policies.registry import make_policy
from convgate.selector import Selector, load_gate, load_policy
from convgate.settings import Settings, load_settings
from convgate.transcripts import read_conversations, to_messages
from convgate.transcripts.characters import writable
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


def told(selector: Selector, talk: Conversation, **options: Any) -> list[tuple[object, ...]]:
    """Everything that a selection says of every turn, and what would be sent."""
    messages = to_messages(talk.turns)
    selection = selector.select(messages, **options)
    turns = [
        (one.kept, one.score, one.threshold, one.reason, one.stage, one.rule) for one in selection.decisions
    ]
    return [*turns, (tuple(selection.indices), selection.tokens_kept)]


CHOICES: list[tuple[str | None, Rule, Limits, bool]] = [
    ("mine", make_rule("anchored", anchor=0.6, threshold=0.31), Limits(), False),
    ("mine", make_rule("anchored", anchor=0.52), Limits(min_turns=1), True),
    (None, make_rule("stricter", deviations=0.3), Limits(2, 4), False),
    ("mine", make_rule("top_k", k=3), Limits(), True),
    (None, make_rule("token_budget", budget=150), Limits(max_turns=3), False),
    (
        "mine",
        make_rule("calibrated", threshold=0.4, goal="recall 0.90", fitted_on='4 labels of "x"'),
        Limits(),
        True,
    ),
    ("untrained", make_rule("blended", weight=0.2, deviations=-0.5), Limits(), False),
]


@pytest.mark.parametrize(("name", "rule", "limits", "pairs"), CHOICES)
def test_the_file_alone_gives_the_very_same_decisions_on_every_sample(
    version: str,
    agent_file: Callable[[AgentSettings], Path],
    fake_encoder: FakeEncoder,
    name: str | None,
    rule: Rule,
    limits: Limits,
    pairs: bool,
) -> None:
    settings = load_settings()
    policy = build_policy("gate", settings, fake_encoder, version=name, rule=rule, limits=limits)
    file = agent_file(AgentSettings.of(policy, settings, pair_answers=pairs))
    # What else is chosen on that machine later is no matter.
    Versions(settings.home).activate("mine", who="Ben")
    Versions(settings.home).activate("used", who="Ben")

    loaded = load_gate(settings=file, encoder=fake_encoder)
    again = load_policy(settings=file, encoder=fake_encoder)

    kept = 0
    for sample in SAMPLES:
        (talk, *_) = read_conversations(sample).conversations
        expected = told(Selector(policy), talk, pair_answers=pairs)
        assert told(loaded, talk) == expected
        assert told(again, talk) == expected
        kept += sum(bool(row[0]) for row in expected[:-1])
    assert kept


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("last_k", {"k": 3}), ("bm25", {}), ("cosine", {"threshold": 0.2}), ("token_window", {"budget": 60})],
)
def test_other_policies_come_with_their_parameters(
    agent_file: Callable[[AgentSettings], Path],
    fake_encoder: FakeEncoder,
    name: str,
    parameters: dict[str, Any],
) -> None:
    policy = make_policy(name, encoder=fake_encoder, **parameters)
    file = agent_file(AgentSettings.of(policy, load_settings(), pair_answers=True))
    loaded = load_policy(settings=file, encoder=fake_encoder)
    (talk,) = read_conversations(app_root() / "sample_conversations" / "coding_with_tools.json").conversations
    assert told(loaded, talk) == told(Selector(policy), talk, pair_answers=True)
    with pytest.raises(PolicyError, match=rf"choose the policy {name}, which is no gate; use load_policy"):
        load_gate(settings=file, encoder=fake_encoder)


def test_a_call_may_still_say_whether_answers_go_with_their_questions(fake_encoder: FakeEncoder) -> None:
    settings = Settings(pair_answers=True, policy="cosine")
    selector = load_policy(settings=settings, encoder=fake_encoder)
    talk = [{"role": "user", "content": "lake house"}, {"role": "assistant", "content": "by the water"}]
    messages = [*talk, {"role": "user", "content": "which lake house"}]
    assert [len(selector.select(messages, pair_answers=pairs).messages) for pairs in (None, False)] == [3, 2]


def test_parameters_belong_to_the_policy_that_they_stand_with() -> None:
    settings = Settings(policy="last_k", policy_parameters={"k": 3})
    assert load_policy(settings=settings).policy.k == 3  # type: ignore[attr-defined]
    assert load_policy("last_k", settings=settings, k=4).policy.k == 4  # type: ignore[attr-defined]
    assert load_policy("token_window", settings=settings).policy.budget == 2_000  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        (
            {"version": "gone"},
            GateError,
            "choose the gate's version gone: there is no version 'gone'.*`convgate versions import FILE`",
        ),
        ({"policy": "magic"}, PolicyError, "there is no policy 'magic'"),
        (
            {"policy": "last_k", "policy_parameters": {"n": 1}},
            PolicyError,
            "the policy last_k has no setting n; it has k",
        ),
        (
            {"policy": "cosine", "policy_parameters": {"encoder": "x"}},
            PolicyError,
            "cosine has no setting encoder",
        ),
        ({"policy_parameters": {"gate": "x"}}, PolicyError, "the policy gate has no setting gate"),
    ],
)
def test_what_the_file_asks_for_and_there_is_not_is_told(
    fake_encoder: FakeEncoder, values: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        load_policy(settings=Settings(**values), encoder=fake_encoder)


def test_a_version_that_is_named_in_the_call_goes_before_the_one_of_the_settings(
    version: str, fake_encoder: FakeEncoder
) -> None:
    policies = [
        load_gate(name, settings=Settings(version="mine"), encoder=fake_encoder).policy
        for name in (None, "used")
    ]
    assert [policy.version for policy in policies if isinstance(policy, GatePolicy)] == ["mine", "used"]


def test_a_version_of_the_users_own_has_to_be_brought_along(version: str, fake_encoder: FakeEncoder) -> None:
    settings = load_settings()

    def needs(name: str) -> list[str]:
        return AgentSettings.of(build_policy("gate", settings, fake_encoder, version=name), settings).needs()

    (need,) = needs("mine")
    assert "`convgate versions export mine`" in need
    assert "`convgate versions import mine.zip`" in need
    assert needs("untrained") == []


def test_the_file_says_in_what_the_encoder_computed(fake_encoder: FakeEncoder) -> None:
    policy = build_policy("gate", load_settings(), fake_encoder)
    values = tomllib.loads(AgentSettings.of(policy, load_settings()).to_toml())
    assert values["encoder_dtype"] == "float32"
    assert "min_turns" not in values


@given(st.text(), st.text(min_size=1))
def test_the_file_holds_any_text(goal: str, encoder: str) -> None:
    agent = AgentSettings(encoder, rule=make_rule("calibrated", goal=goal))
    values = tomllib.loads(agent.to_toml())
    assert values["threshold_parameters"].get("goal", "") == writable(goal)
    assert values["encoder"] == writable(encoder)


@pytest.mark.parametrize(
    ("agent", "asks", "lines"),
    [
        (
            AgentSettings("e"),
            False,
            ['convgate.load_gate(settings="convgate-agent.toml")', "select(messages)"],
        ),
        (
            AgentSettings("e", policy="bm25"),
            True,
            [
                'convgate.load_policy(settings="convgate-agent.toml")',
                "select(messages, question=question)",
            ],
        ),
    ],
)
def test_the_lines_of_python_can_be_run(agent: AgentSettings, asks: bool, lines: list[str]) -> None:
    written = agent.to_python(asks=asks)
    assert all(line in written for line in lines)
    compile(written, "agent.py", "exec")


def test_an_agent_decides_by_what_a_pipelines_stages_take_from_the_settings(
    version: str,
    fake_encoder: FakeEncoder,
    agent_file: Callable[[AgentSettings], Path],
    convgate_home: Path,
    tmp_path: Path,
) -> None:
    rules = tmp_path / "mine.yaml"
    rules.write_text("keep_patterns: [{pattern: 'thanks', reason: they said thanks}]")
    settings = Settings(
        policy="pipeline",
        policy_parameters={"stages": "gatekeeper > session(scope=session) > gate"},
        version=version,
        threshold_rule="top_k",
        threshold_parameters={"k": 3},
        gatekeeper_rules=rules,
        gatekeeper_short_user=15,
        gatekeeper_model="never asked",
        session_idle_gap=float("inf"),
        session_new_commands=("tabula rasa",),
    )
    policy = build_policy("pipeline", settings, fake_encoder)
    agent = AgentSettings.of(policy, settings)
    values = tomllib.loads(agent.to_toml())
    assert values == {
        "encoder": settings.encoder, "encoder_dtype": "float32", "policy": "pipeline", "version": version,
        "gatekeeper_rules": str(rules), "gatekeeper_short_user": 15,
        "session_idle_gap": float("inf"), "session_new_commands": ["tabula rasa"],
        "threshold_rule": "top_k", "threshold_parameters": {"k": 3, "above": -1e9},
        "policy_parameters": {"stages": "gatekeeper > session(scope=session) > gate"},
    }  # fmt: skip
    loaded = load_policy(settings=agent_file(agent), encoder=fake_encoder)
    (talk,) = read_conversations(app_root() / "sample_conversations" / "coding_with_tools.json").conversations
    assert told(loaded, talk) == told(Selector(policy), talk)
    assert "`convgate versions export mine`" in agent.needs()[0]
    assert str(rules) in agent.needs()[1]
    assert len(agent.needs()) == 2, "the language model is not asked, so its key is not needed"
    assert "load_policy(settings=" in agent.to_python()


def test_what_a_policy_takes_from_the_settings_is_written_for_that_policy_alone(tmp_path: Path) -> None:
    settings = Settings(session_idle_gap=60, gatekeeper_mode="disabled", gatekeeper_short_user=1)

    def written(name: str, **parameters: Any) -> dict[str, Any]:
        policy = build_policy(name, settings, FakeEncoder(), **parameters)
        values = tomllib.loads(AgentSettings.of(policy, settings).to_toml())
        return {name: value for name, value in values.items() if name.startswith(("session", "gatekeeper"))}

    assert written("session") == {"session_idle_gap": 60}
    assert written("gatekeeper") == {"gatekeeper_short_user": 1}
    assert written("gatekeeper", mode="settings") == {
        "gatekeeper_short_user": 1,
        "gatekeeper_mode": "disabled",
    }
    assert written("last_k") == {}
