"""Originals of shortened tool results: stored, returned byte for byte, removed."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import convgate
from convgate.adapters import expand
from convgate.core.errors import MissingResultError
from convgate.core.settings import Settings
from convgate.selection.originals import Originals
from convgate.selection.selector import Selector
from convgate.sessions import SessionManager
from convgate.store import Store
from convgate.store.results import ElidedResults
from tests.selectors import FixedPolicy, plain
from tests.tool_runs import Message, Run, code

TEXT = f"\tÄ 𝄞 \x1b[31m  \r\n{code()}\r\n\n  "


@pytest.fixture
def settings(convgate_home: Path) -> Settings:
    return Settings(home=convgate_home, elide=True)


def selector_of(settings: Settings) -> Selector:
    return replace(
        plain(FixedPolicy(), elide=settings.elide), settings=settings, originals=Originals(settings)
    )


def reread(text: str = TEXT) -> list[Message]:
    run = Run().call("Bash", text, command="make").go_on().call("Bash", "ok", command="make")
    return run.messages


def test_an_original_comes_back_byte_for_byte(settings: Settings):
    selector = selector_of(settings)
    ((elision,),) = selector.select(reread()).elided.values()
    assert elision.id in elision.stub
    assert selector.expand(elision.id) == TEXT
    assert convgate.expand(elision.id, settings=settings) == TEXT
    with pytest.raises(MissingResultError, match="'none'"):
        convgate.expand("none", settings=settings)


def test_without_eliding_nothing_is_stored(settings: Settings):
    selector_of(settings.updated(elide=False)).select(reread())
    selector_of(settings).select(reread("short"))
    assert not settings.database.exists()
    selector_of(settings).select(reread())
    assert settings.database.stat().st_mode & 0o077 == 0, "it is private"


def test_what_cannot_be_stored_is_sent_whole(settings: Settings, caplog: pytest.LogCaptureFixture):
    settings.database.mkdir(parents=True)
    with caplog.at_level(logging.WARNING):
        selection = selector_of(settings).select(reread())
    assert (selection.elided, selection.messages) == ({}, reread())
    assert "cannot be stored" in caplog.text


def test_results_that_are_not_sent_any_more_are_removed_with_old_sessions(settings: Settings):
    results, now = ElidedResults(Store(settings.database)), datetime.now(UTC)
    results.put({"old": "one", "new": "two"}, now - timedelta(days=200))
    results.put({"new": "two"}, now)
    results.put({"new": "two"}, now - timedelta(days=300))
    SessionManager(settings).clean_up()
    assert results.get("new") == "two"
    with pytest.raises(MissingResultError):
        results.get("old")
    results.put({"old": "one"}, now - timedelta(days=200))
    selector_of(settings).select(reread())
    with pytest.raises(MissingResultError):
        results.get("old")


def test_a_tool_answers_calls_of_every_api(settings: Settings):
    selector = selector_of(settings)
    ((elision,),) = selector.select(reread()).elided.values()
    arguments = json.dumps({"id": elision.id})
    function = {"name": expand.NAME, "arguments": arguments}
    chat = {"id": "c", "type": "function", "function": function}
    assert expand.answer(chat, selector) == {"role": "tool", "tool_call_id": "c", "content": TEXT}
    item = {"type": "function_call", "call_id": "c", **function}
    assert expand.answer(item, selector) == {"type": "function_call_output", "call_id": "c", "output": TEXT}
    block = {"type": "tool_use", "id": "c", "name": expand.NAME, "input": {"id": elision.id}}
    assert expand.answer(block, selector) == {"type": "tool_result", "tool_use_id": "c", "content": TEXT}
    for wrong in ({"id": "none"}, {}, []):
        assert expand.answer({**block, "input": wrong}, selector)["is_error"]
    assert expand.OPENAI_TOOL["function"]["parameters"] == expand.ANTHROPIC_TOOL["input_schema"]
    assert expand.GEMINI_TOOL["functionDeclarations"] == [expand.OPENAI_TOOL["function"]]
