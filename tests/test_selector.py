"""The three lines that an agent uses."""

from __future__ import annotations

import copy
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import convgate
from convgate.building import EncoderOnDemand, build_policy
from convgate.conversation import Conversation
from convgate.errors import ConversationError, GateError, PolicyError, TranscriptError
from convgate.gate.checkpoint import save_gate
from convgate.gate.config import GateConfig
from convgate.gate.model import Gate
from convgate.gate.thresholds import Absolute, Rule, TopK
from convgate.messages.check import check_valid
from convgate.policies.gate import GatePolicy
from convgate.selector import Selector, load_gate, load_policy
from convgate.settings import load_settings
from convgate.transcripts import turns_from_messages
from convgate.versions import Draft, Version, Versions, write_version
from tests.fakes import FakeEncoder
from tests.gates import trained_gate

MESSAGES = [
    {"role": "system", "content": "You are terse."},
    {"role": "user", "content": "my training loss becomes nan"},
    {"role": "assistant", "content": "lower the learning rate of the training"},
    {"role": "user", "content": "write a fibonacci function"},
    {"role": "assistant", "content": "def fibonacci(n): ..."},
    {"role": "user", "content": "the training loss is nan again"},
]


def test_three_lines_give_valid_messages_and_a_reason_for_every_turn():
    gate = load_gate(encoder=FakeEncoder())
    before = copy.deepcopy(MESSAGES)
    selection = gate.select(MESSAGES)
    assert before == MESSAGES, "nothing is mutated"
    assert selection.messages[0] is MESSAGES[0]
    assert selection.messages[-1] is MESSAGES[-1]
    assert all(any(message is given for given in MESSAGES) for message in selection.messages)
    assert check_valid(selection.messages) == []
    assert MESSAGES[1] in selection.messages
    assert MESSAGES[3] not in selection.messages
    assert len(selection.decisions) == 5
    assert all(record.reason for record in selection.decisions)
    assert selection.decisions[0].forced, "the system message is not the gate's choice"
    assert 0 < selection.tokens_kept < selection.tokens_total


def test_package_offers_the_same_names():
    assert convgate.load_gate is load_gate
    assert convgate.load_policy is load_policy
    with pytest.raises(AttributeError, match="no attribute 'magic'"):
        _ = convgate.magic


def test_question_is_put_behind_the_selected_messages():
    selection = load_gate(encoder=FakeEncoder()).select(MESSAGES, question="fibonacci function with memo")
    assert selection.messages[-1] == {"role": "user", "content": "fibonacci function with memo"}
    assert MESSAGES[3] in selection.messages
    assert len(selection.decisions) == 6
    assert selection.tokens_kept <= selection.tokens_total


def test_messages_behind_the_current_one_are_not_sent():
    done = [*MESSAGES, {"role": "assistant", "content": "clip the gradients"}]
    selection = load_gate(encoder=FakeEncoder()).select(done)
    assert selection.messages[-1] is done[5]
    assert len(selection.decisions) == 5


def test_everything_sent_is_everything_up_to_the_current_message():
    selection = load_policy("everything").select(MESSAGES)
    assert selection.messages == MESSAGES
    assert selection.tokens_kept == selection.tokens_total


def test_nothing_chosen_still_sends_the_instructions_and_the_current_message():
    policy = GatePolicy(trained_gate(), FakeEncoder(), rule=Absolute(1.0))
    assert Selector(policy).select(MESSAGES).messages == [MESSAGES[0], MESSAGES[5]]


def test_single_message_is_sent_as_it_is():
    selection = load_gate(encoder=FakeEncoder()).select(MESSAGES[1:2])
    assert selection.messages == MESSAGES[1:2]
    assert len(selection.decisions) == 0


def test_tool_call_comes_with_all_its_results():
    call = {"type": "function", "function": {"name": "search", "arguments": '{"q": "nan"}'}}
    messages = [
        {"role": "user", "content": "look up nan"},
        {"role": "assistant", "content": None, "tool_calls": [{**call, "id": "a"}, {**call, "id": "b"}]},
        {"role": "tool", "tool_call_id": "a", "content": "training loss nan: lower the rate"},
        {"role": "tool", "tool_call_id": "b", "content": "weather: sunny"},
        {"role": "user", "content": "training loss nan"},
    ]
    policy = GatePolicy(Gate().eval(), FakeEncoder(), rule=TopK(k=1))
    turns = turns_from_messages(messages)
    alone = policy.decide(*Conversation(id="live", turns=turns).at(4))
    assert alone.kept_indices == [2], "the policy keeps one of two results, without its call"

    selection = Selector(policy).select(messages)
    assert check_valid(selection.messages) == []
    assert selection.messages == messages
    told = {record.item: (record.forced, record.rule) for record in selection.decisions}
    assert told == {
        0: (True, "first_user"),
        1: (True, "tool_unit"),
        2: (False, "top_k"),
        3: (True, "tool_unit"),
    }


def test_no_messages_and_wrong_messages_are_told():
    gate = load_gate(encoder=FakeEncoder())
    with pytest.raises(ConversationError, match="no turns"):
        gate.select([])
    with pytest.raises(TranscriptError, match="role"):
        gate.select([{"content": "who speaks?"}])
    with pytest.raises(TranscriptError, match="list of messages"):
        gate.select("not messages")  # type: ignore[arg-type]


def test_turn_and_question_together_are_refused():
    conversation = convgate.Conversation(id="c", turns=(convgate.Turn.of("user", "hi"),))
    with pytest.raises(ConversationError, match="a turn or for a question, not for both"):
        load_policy("everything").select_at(conversation, 0, question="why?")


def test_version_in_a_folder_is_loaded_and_named(tmp_path: Path):
    save_gate(trained_gate(), tmp_path / "mine")
    selector = load_gate(tmp_path / "mine", encoder=FakeEncoder())
    assert selector.policy.version == "mine"
    selection = selector.select(MESSAGES)
    assert np.abs(selection.decisions.parts["contextual"]).max() > 0


def test_version_of_another_encoder_is_refused(tmp_path: Path):
    foreign = FakeEncoder(model="foreign").identity
    save_gate(type(trained_gate())(GateConfig(encoder=foreign)), tmp_path)
    with pytest.raises(GateError, match="made for the encoder foreign"):
        load_gate(tmp_path, encoder=FakeEncoder())


def add_version(name: str, gate: Gate | None = None, **told: Any) -> Version:
    return Versions(load_settings().home).add(gate or trained_gate(), Draft(**told), name=name)


def test_version_is_loaded_by_its_name():
    add_version("mine", trained_gate(seed=1))
    policy = load_gate("mine", encoder=FakeEncoder()).policy
    assert (policy.version, policy.gate.fingerprint) == ("mine", trained_gate(seed=1).fingerprint)
    with pytest.raises(GateError, match="there is no version 'other'"):
        load_gate("other", encoder=FakeEncoder())


def test_active_version_is_the_one_without_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("convgate.versions.catalog.PACKAGED", tmp_path / "package")
    assert load_gate(encoder=FakeEncoder()).policy.version == "untrained"
    write_version(tmp_path / "package" / "shipped", trained_gate(), Draft())
    assert load_gate(encoder=FakeEncoder()).policy.version == "shipped"
    add_version("mine")
    assert load_gate(encoder=FakeEncoder()).policy.version == "shipped", "nothing is activated by itself"
    Versions(load_settings().home).activate("mine", who="Ada")
    assert load_gate(encoder=FakeEncoder()).policy.version == "mine"
    assert load_gate("untrained", encoder=FakeEncoder()).policy.version == "untrained"
    assert load_gate("shipped", encoder=FakeEncoder()).policy.version == "shipped"


def test_version_decides_by_its_own_rule_unless_another_is_named(tmp_path: Path):
    found = add_version("mine", threshold_rule="top_k", threshold_parameters={"k": 2, "above": 0.25})

    def rule(**options: Any) -> Rule:
        return load_policy("gate", version="mine", encoder=FakeEncoder(), **options).policy.rule

    assert rule() == TopK(k=2, above=0.25)
    assert rule(rule=Absolute(0.5)) == Absolute(0.5)
    assert rule(settings=load_settings().model_copy(update={"threshold_rule": "absolute"})) == Absolute()
    assert rule(settings=load_settings().model_copy(update={"threshold_rule": "top_k"})) == TopK()
    assert rule(settings=load_settings().model_copy(update={"threshold_parameters": {"k": 5}})) == TopK(
        5, 0.25
    )
    assert load_gate(found.folder, encoder=FakeEncoder()).policy.rule == TopK(k=2, above=0.25)


def test_version_is_refused_before_its_encoder_is_loaded(monkeypatch: pytest.MonkeyPatch):
    loaded: list[object] = []
    monkeypatch.setattr("convgate.building.default_encoder", lambda *args, **options: loaded.append(args))
    for version, settings, error in (
        ("other", {}, GateError),
        (None, {"threshold_rule": "magic"}, PolicyError),
    ):
        with pytest.raises(error, match="there is no"):
            load_gate(version, settings=load_settings().model_copy(update=settings))
    assert loaded == []


def test_settings_file_chooses_the_rule(tmp_path: Path):
    file = tmp_path / "agent.toml"
    file.write_text('threshold_rule = "top_k"\nthreshold_parameters = {k = 2}\n')
    selection = load_gate(settings=file, encoder=FakeEncoder()).select(MESSAGES)
    assert selection.decisions.rule == "top_k"
    assert len([record for record in selection.decisions if record.kept and not record.forced]) == 2


def test_parameters_of_a_policy_are_passed_on():
    assert load_policy("last_k", k=1).policy.k == 1
    with pytest.raises(PolicyError, match="no policy 'magic'"):
        load_policy("magic")


def test_encoder_is_loaded_only_when_a_policy_needs_it(monkeypatch: pytest.MonkeyPatch):
    loaded = []
    monkeypatch.setattr(
        "convgate.building.default_encoder", lambda *args, **options: loaded.append(args) or FakeEncoder()
    )
    settings = load_settings()
    encoder = EncoderOnDemand(settings)
    build_policy("bm25", settings, encoder)
    assert loaded == []
    build_policy("cosine", settings, encoder)
    build_policy("gate", settings, encoder)
    assert len(loaded) == 1


def test_rules_of_sessions_come_from_the_settings():
    settings = load_settings().model_copy(
        update={"session_idle_gap": math.inf, "session_new_commands": ("neues Thema",)}
    )
    times = (9, 9.1, 9.2, 12, 12.1)
    texts = ("a", "new topic: tea", "b", "c", "d")
    messages = [
        {"role": "user", "content": text, "timestamp": 3_600 * hour}
        for text, hour in zip(texts, times, strict=True)
    ]
    assert len(load_policy("session", settings=settings).select(messages).messages) == 5
    assert len(load_policy("session", settings=settings, idle_gap=600).select(messages).messages) == 2
