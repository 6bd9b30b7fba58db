"""Stubs of tool results in what is sent: selections, adapters, the proxy, files."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from convgate.adapters.openai import select_messages
from convgate.adapters.selection import MessageSelector
from convgate.core.conversation import Turn
from convgate.messages import check_valid
from convgate.selection.selection import write_selection
from convgate.transcripts import read_conversations, turns_from_messages
from tests.dialects import DIALECTS
from tests.selectors import FixedPolicy, make_selector, plain
from tests.test_elision import random_run
from tests.tool_runs import Message, Run, code

REREAD = (
    Run().call("Read", code(), file_path="a.py").go_on().call("Read", code(119), file_path="a.py").messages
)


def test_a_selection_sends_stubs_only_when_asked():
    selector = plain(FixedPolicy())
    assert selector.select(REREAD).messages == REREAD
    before = copy.deepcopy(REREAD)
    selection = selector.select(REREAD, elide=True)
    assert before == REREAD, "nothing is changed"
    assert [*selection.elided] == [2]
    ((stub,),) = selection.elided.values()
    assert selection.messages[2] == {**REREAD[2], "content": stub.stub}
    others = [place for place in range(len(REREAD)) if place != 2]
    assert all(selection.messages[place] is REREAD[place] for place in others)
    assert selection.violations == ()
    assert selection.tokens == selection.tokens_total - stub.tokens_before + stub.tokens_after
    assert plain(FixedPolicy(), elide=True).select(REREAD).elided == selection.elided
    assert plain(FixedPolicy(), elide=True).select(REREAD, elide=False).elided == {}


def test_the_reason_and_the_record_say_what_was_shortened():
    selection = plain(FixedPolicy()).select(REREAD, elide=True)
    assert selection.decisions[2].reason == (
        "Kept, shortened to 4 of 120 lines: 0.90, above 0.50. A later read of a.py covers it (turn 10)."
    )
    assert selection.decisions[1].reason == "Kept: 0.90, above 0.50."
    (record,) = json.loads(json.dumps(selection.to_json()))["elided"]
    assert (record["index"], record["lines"], record["shown"]) == (2, 120, 4)
    assert record["id"] in selection.messages[2]["content"]


def test_only_what_is_sent_stands_for_something_else():
    messages = Run().call("Read", code(), file_path="a.py").go_on(2)
    messages = messages.call("Read", code(), file_path="a.py").go_on().messages
    places = [index for index in range(len(messages)) if index not in (7, 8)]
    assert [*plain(FixedPolicy()).select(messages, elide=True).elided] == [2]
    assert plain(FixedPolicy(set(places))).select(messages, elide=True).elided == {}


def test_within_a_budget_sections_count_the_stubs():
    selector = make_selector(policy=FixedPolicy())
    whole, selection = (selector.select(REREAD, budget=5_000, elide=elide) for elide in (False, True))
    assert [*selection.elided] == [2]
    saved = sum(each.tokens_before - each.tokens_after for each in selection.elided[2])
    tokens, whole_tokens = (sum(section.tokens for section in each.sections) for each in (selection, whole))
    assert (whole.tokens - selection.tokens, whole_tokens - tokens) == (saved, saved)
    assert all(sum(turn.tokens for turn in section.turns) == section.tokens for section in selection.sections)


def test_a_stub_ends_the_common_prefix_once():
    run = Run().call("Read", code(), file_path="a.py").go_on()
    selector = plain(FixedPolicy(), elide=True)
    selector.select(run.messages)
    again = selector.select(run.call("Read", code(), file_path="a.py").messages).prefix
    assert again is not None
    after = selector.select(run.go_on(1).messages).prefix
    assert after is not None
    assert again.tokens < 20, "up to the first result"
    assert after.tokens == after.before


@pytest.mark.parametrize("name", ["openai", "ag-ui", "anthropic", "bedrock", "gemini", "ai-sdk"])
def test_lists_of_every_dialect_stay_valid(name: str):
    check = DIALECTS[name][1]
    n_elided = 0
    for seed in range(20):
        messages = in_dialect(name, random_run(random.Random(seed)))
        selector = plain(FixedPolicy(), elide=True)
        selection = selector.select(messages)
        assert (check(selection.messages), check_valid(selection.messages)) == ([], [])
        n_elided += len(selection.elided)
        adapted = select_messages(messages, MessageSelector(selector))
        assert check(adapted) == []
        assert all_text(turns_from_messages(adapted)) == all_text(selection.sent)
    assert n_elided > 20


def all_text(turns: Sequence[Turn]) -> str:
    return "\n".join(turn.text for turn in turns if turn.text)


def in_dialect(name: str, messages: list[Message]) -> list[Message]:
    """Return messages of OpenAI's API in the shape of another dialect."""
    names = {id: tool for id, tool, _ in map(_call, (each for each in messages if "tool_calls" in each))}
    return [SHAPES[name]({**each, "tool": names.get(each.get("tool_call_id"))}) for each in messages]


def _call(message: Message) -> tuple[str, str, Any]:
    (call,) = message["tool_calls"]
    return call["id"], call["function"]["name"], json.loads(call["function"]["arguments"])


def ag_ui(message: Message) -> Message:
    names = {"tool_calls": "toolCalls", "tool_call_id": "toolCallId"}
    return {"id": "1", **{names.get(key, key): value for key, value in message.items() if key != "tool"}}


def anthropic(message: Message) -> Message:
    said = [{"type": "text", "text": message["content"]}] if message["content"] else []
    if message["role"] == "tool":
        block = {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": message["content"]}
        return {"role": "user", "content": [block]}
    if "tool_calls" not in message:
        return {"role": message["role"], "content": message["content"]}
    id, name, arguments = _call(message)
    return {
        "role": "assistant",
        "content": [*said, {"type": "tool_use", "id": id, "name": name, "input": arguments}],
    }


def bedrock(message: Message) -> Message:
    said = [{"text": message["content"]}] if message["content"] else []
    if message["role"] == "tool":
        result = {"toolUseId": message["tool_call_id"], "content": [{"text": message["content"]}]}
        return {"role": "user", "content": [{"toolResult": result}]}
    if "tool_calls" not in message:
        return {"role": message["role"], "content": said}
    id, name, arguments = _call(message)
    return {
        "role": "assistant",
        "content": [*said, {"toolUse": {"toolUseId": id, "name": name, "input": arguments}}],
    }


def gemini(message: Message) -> Message:
    said = [{"text": message["content"]}] if message["content"] else []
    if message["role"] == "tool":
        response = {
            "id": message["tool_call_id"],
            "name": message["tool"],
            "response": {"output": message["content"]},
        }
        return {"role": "user", "parts": [{"functionResponse": response}]}
    if "tool_calls" not in message:
        return {"role": "user", "parts": said}
    id, name, arguments = _call(message)
    return {"role": "model", "parts": [*said, {"functionCall": {"id": id, "name": name, "args": arguments}}]}


def ai_sdk(message: Message) -> Message:
    said = [{"type": "text", "text": message["content"]}]
    if message["role"] == "tool":
        output = {"type": "text", "value": message["content"]}
        part = {
            "type": "tool-result",
            "toolCallId": message["tool_call_id"],
            "toolName": "x",
            "output": output,
        }
        return {"role": "tool", "content": [part]}
    if "tool_calls" not in message:
        return {"role": message["role"], "content": said}
    id, name, arguments = _call(message)
    call = {"type": "tool-call", "toolCallId": id, "toolName": name, "input": arguments}
    return {"role": "assistant", "content": [*said, call]}


SHAPES = {
    "openai": dict,
    "ag-ui": ag_ui,
    "anthropic": anthropic,
    "bedrock": bedrock,
    "gemini": gemini,
    "ai-sdk": ai_sdk,
}


def test_an_adapter_shortens_the_run_after_the_last_message_of_the_user():
    messages = [{"role": "system", "content": "Be brief."}, *REREAD]
    selector = MessageSelector(plain(FixedPolicy(), elide=True))
    sent = select_messages(messages, selector)
    assert len(sent) == len(messages)
    assert "Shortened by convgate" in sent[3]["content"]
    assert all(
        one is other for place, (one, other) in enumerate(zip(sent, messages, strict=True)) if place != 3
    )
    assert select_messages(messages, MessageSelector(plain(FixedPolicy()))) == messages


def test_a_selection_of_a_file_has_the_stub_in_the_format_of_the_file(tmp_path: Path):
    file = tmp_path / "run.json"
    file.write_text(json.dumps({"messages": REREAD}))
    (conversation,) = read_conversations(file)
    current, _ = conversation.find_current()
    selection = plain(FixedPolicy(), elide=True).select_at(conversation)
    written = json.loads(write_selection(conversation, current, selection))
    messages = written["messages"] if isinstance(written, dict) else written
    assert messages == selection.messages
    assert "Shortened by convgate" in messages[2]["content"]
    quiet = replace(selection, elided={})
    assert "Shortened by convgate" not in write_selection(conversation, current, quiet)
