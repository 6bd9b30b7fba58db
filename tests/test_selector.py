"""The selector that an agent uses."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from convgate.core.errors import ConversationError, TranscriptError
from convgate.core.settings import load_settings
from convgate.gate.model import Gate
from convgate.gate.rule import Rule
from convgate.gate.thresholds import Absolute, TopK
from convgate.messages.check import check_valid
from convgate.selection.load import load, load_gate
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
    gate = load(encoder=FakeEncoder())
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
    assert 0 < selection.tokens < selection.tokens_total


def test_question_is_put_behind_the_selected_messages():
    selection = load(encoder=FakeEncoder()).select(MESSAGES, question="fibonacci function with memo")
    assert selection.messages[-1] == {"role": "user", "content": "fibonacci function with memo"}
    assert MESSAGES[3] in selection.messages
    assert len(selection.decisions) == 6
    assert selection.tokens <= selection.tokens_total


def test_no_messages_and_invalid_messages_are_refused():
    gate = load(encoder=FakeEncoder())
    with pytest.raises(ConversationError):
        gate.select([])
    with pytest.raises(TranscriptError, match="role"):
        gate.select([{"content": "who speaks?"}])
    with pytest.raises(TranscriptError):
        gate.select("not messages")


def add_version(name: str, gate: Gate | None = None, **card: Any) -> Version:
    return Versions(load_settings().home).add(gate or trained_gate(), Draft(**card), name=name)


def test_active_version_is_the_one_without_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("convgate.versions.catalog.PACKAGED", tmp_path / "package")
    assert load(encoder=FakeEncoder()).policy.version == "untrained"
    write_version(tmp_path / "package" / "shipped", trained_gate(), Draft())
    assert load(encoder=FakeEncoder()).policy.version == "shipped"
    add_version("mine")
    assert load(encoder=FakeEncoder()).policy.version == "shipped", "nothing is activated by itself"
    Versions(load_settings().home).activate("mine", who="Ada")
    assert load(encoder=FakeEncoder()).policy.version == "mine"
    (tmp_path / "untrained").mkdir()
    monkeypatch.chdir(tmp_path)
    assert load(version="untrained", encoder=FakeEncoder()).policy.version == "untrained"
    assert load(version="shipped", encoder=FakeEncoder()).policy.version == "shipped"


def test_load_gate_gives_the_gate_whatever_policy_the_settings_choose():
    settings = load_settings().model_copy(update={"policy": "last_k"})
    assert load(settings, encoder=FakeEncoder()).policy.name == "last_k"
    assert load_gate(settings=settings, encoder=FakeEncoder()).policy.name == "gate"


def test_version_decides_by_its_own_rule_unless_another_is_named(tmp_path: Path):
    version = add_version("mine", threshold_rule="top_k", threshold_parameters={"k": 2, "above": 0.25})

    def rule(**options: Any) -> Rule:
        return load(version="mine", encoder=FakeEncoder(), **options).policy.rule

    assert rule() == TopK(k=2, above=0.25)
    assert rule(rule="absolute", threshold=0.5) == Absolute(0.5)
    assert rule(settings=load_settings().model_copy(update={"threshold_rule": "absolute"})) == Absolute()
    assert rule(settings=load_settings().model_copy(update={"threshold_rule": "top_k"})) == TopK()
    assert rule(settings=load_settings().model_copy(update={"threshold_parameters": {"k": 5}})) == TopK(
        5, 0.25
    )
    assert load(version=str(version.folder), encoder=FakeEncoder()).policy.rule == TopK(k=2, above=0.25)
