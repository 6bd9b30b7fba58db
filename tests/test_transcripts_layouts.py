"""Formats that are rows of a table: one object a conversation, its messages a plain list."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.errors import ConvgateError
from convgate.transcripts import read_text
from convgate.transcripts.formats.layouts import LAYOUTS
from tests.transcript_files import said

SAID = ("Which boat is it?", "The red one.", "And when?", "At six.")
ROLES = ("user", "assistant", "user", "assistant")
MESSAGES = [{"role": role, "content": text} for role, text in zip(ROLES, SAID, strict=True)]
CALLED = [{**message, "role": {"assistant": "agent"}.get(message["role"], "user")} for message in MESSAGES]
PLAIN = "".join(f"\n\n{name}: {text}" for name, text in zip(("Human", "Assistant") * 2, SAID, strict=True))


def renamed(role: str, text: str, names: tuple[str, str]) -> list[dict[str, Any]]:
    return [{role: names[place % 2], text: content, "index": place} for place, content in enumerate(SAID)]


SAMPLES: dict[str, dict[str, Any]] = {
    "retell": {"call_id": "1", "transcript": "Agent: …", "transcript_object": CALLED},
    "elevenlabs": {
        "agent_id": "a",
        "conversation_id": "1",
        "transcript": renamed("role", "message", ("user", "agent")),
    },
    "vapi": {"id": "1", "artifact": {"messages": renamed("role", "message", ("user", "bot"))}},
    "arena": {"question_id": "1", "model_a": "a", "conversation_a": MESSAGES, "conversation_b": MESSAGES[:2]},
    "preferences": {"id": "1", "chosen": MESSAGES, "rejected": MESSAGES[:2]},
    "hh-rlhf": {"chosen": PLAIN, "rejected": PLAIN[:-1]},
    "capybara": {
        "conversation": [dict(zip(("input", "output"), SAID[at : at + 2], strict=True)) for at in (0, 2)]
    },
    "alpaca": {"instruction": SAID[2], "input": "", "output": SAID[3], "history": [list(SAID[:2])]},
    "dailydialog": {"dialog": list(SAID), "act": [1, 2, 1, 2], "emotion": [0] * 4},
    "ultrachat": {"id": "1", "data": list(SAID)},
    "tau-bench": {"task_id": 1, "reward": 1.0, "traj": MESSAGES},
    "swe-agent": {"trajectory": [], "history": [{**message, "agent": "main"} for message in MESSAGES]},
    "multiwoz": {"dialogue_id": "1", "turns": renamed("speaker", "utterance", ("USER", "SYSTEM"))},
    "continue": {
        "sessionId": "1",
        "title": "Boats",
        "history": [{"message": message, "contextItems": []} for message in MESSAGES],
    },
    "taskmaster": {"conversation_id": "1", "utterances": renamed("speaker", "text", ("USER", "ASSISTANT"))},
}
NAMES = ("Ann Lee", "Ben Orr")
PEOPLE = {
    "google-chat": {
        "messages": [
            {
                "creator": {"name": NAMES[place % 2]}, "text": text, "message_id": f"m{place}",
                "created_date": f"Monday, 2 March 2026 at 1{place}:00:00 UTC",
            }
            for place, text in enumerate(SAID)
        ]
    },
    "teams": {
        "@odata.context": "…",
        "value": [
            {
                "id": f"{place}", "messageType": "message", "createdDateTime": f"2026-03-02T1{place}:00:00Z",
                "from": {"user": {"displayName": NAMES[place % 2]}},
                "body": {"contentType": "html", "content": f"<p>{SAID[place].replace(' ', '&nbsp;', 1)}</p>"},
            }
            for place in (3, 2, 1, 0)
        ],
    },
}  # fmt: skip
ALTERNATIVES = {"arena", "preferences", "hh-rlhf"}


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("form", ["list", "lines"])
def test_a_file_is_recognised_and_read(name: str, form: str) -> None:
    values = [SAMPLES[name], {**SAMPLES[name]}]
    text = json.dumps(values) if form == "list" else "\n".join(map(json.dumps, values))
    transcript = read_text(text)
    assert transcript.format == name
    for conversation in transcript:
        assert said(conversation) == list(zip(ROLES, SAID, strict=True))
    assert dict(transcript.summary.omitted) == ({"alternative answer": 2} if name in ALTERNATIVES else {})


@pytest.mark.parametrize("name", PEOPLE)
def test_a_chat_of_people_is_read(name: str) -> None:
    transcript = read_text(json.dumps(PEOPLE[name]))
    (chat,) = transcript
    assert (chat.format, {turn.role for turn in chat.turns}) == (name, {"user"})
    texts = [(turn.name, turn.text.replace("\xa0", " ")) for turn in chat.turns]
    assert texts == list(zip(NAMES * 2, SAID, strict=True))
    assert [turn.timestamp.hour for turn in chat.turns if turn.timestamp] == [10, 11, 12, 13]
    assert ("newest first" in str(transcript.problems)) == (name == "teams")


def test_a_day_that_is_none_is_warned_of() -> None:
    (message, *_) = PEOPLE["google-chat"]["messages"]
    wrong = {**message, "created_date": "Monday, 31 February 2026 at 10:00:00 UTC"}
    transcript = read_text(json.dumps({"messages": [wrong]}))
    assert transcript.conversations[0].turns[0].timestamp is None
    assert "is not a time" in str(transcript.problems)


def test_every_layout_has_a_sample() -> None:
    assert {layout.name for layout in LAYOUTS} == SAMPLES.keys() | PEOPLE.keys()


def test_calls_and_instructions_are_kept_or_counted() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    history = [
        *MESSAGES[:1],
        {"role": "assistant", "content": "I look.", "tool_calls": [call]},
        {"role": "tool", "content": [{"type": "text", "text": "red"}], "tool_call_ids": ["1"]},
    ]
    (run,) = read_text(json.dumps({"trajectory": [], "history": history}))
    assert (run.turns[1].tool_calls[0].name, run.turns[2].tool_call_id, run.turns[2].text) == (
        "look",
        "1",
        "red",
    )
    (conversation,) = read_text(json.dumps({**SAMPLES["alpaca"], "system": "You rent boats."}))
    assert [turn.role for turn in conversation.turns] == ["system", *ROLES]


def test_messages_may_be_text_with_their_json() -> None:
    (conversation,) = read_text(json.dumps({"uuid": "1", "messages": json.dumps(MESSAGES)}))
    assert [turn.text for turn in conversation.turns] == list(SAID)
    with pytest.raises(ConvgateError, match="expected a list of messages, got a text"):
        read_text(json.dumps({"messages": "[oops"}))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "x", "user", "\n\nHuman: x"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["role", "content", "input"]), inner)
    ),
    max_leaves=6,
)


@pytest.mark.parametrize("name", [*SAMPLES, *PEOPLE])
@given(data=st.data())
def test_any_value_may_be_wrong(name: str, data: st.DataObject) -> None:
    value = json.loads(json.dumps((SAMPLES | PEOPLE)[name]))
    layout = next(layout for layout in LAYOUTS if layout.name == name)
    *path, last = layout.path.split(".")
    holder = value
    for key in path:
        holder = holder[key]
    if isinstance(holder[last], list) and data.draw(st.booleans()):
        holder[last].append(data.draw(JSON))
    else:
        holder[last] = data.draw(JSON)
    with suppress(ConvgateError):  # and nothing else
        assert read_text(json.dumps([value])).conversations


def test_the_prompt_of_a_preferred_answer_stands_before_it() -> None:
    answer = [MESSAGES[1]]
    for prompt, chosen in ((MESSAGES[:1], answer), (SAID[0], answer), (MESSAGES[:1], MESSAGES[:2])):
        value = {"prompt": prompt, "chosen": chosen, "rejected": answer}
        (conversation,) = read_text(json.dumps(value))
        assert [turn.text for turn in conversation.turns] == list(SAID[:2])


@pytest.mark.parametrize(
    "value",
    [
        {"id": "chart-1", "data": ["2024-01", "2024-02"]},
        {"name": "greetings", "dialog": ["Hello you", "Hi there"]},
        {"utterances": [{"speaker": "A", "text": "Hello you"}]},
    ],
)
def test_what_only_resembles_a_layout_is_refused(value: dict[str, Any]) -> None:
    with pytest.raises(ConvgateError, match="in no form that convgate reads"):
        read_text(json.dumps(value))


def test_a_file_of_two_layouts_may_be_read_as_either() -> None:
    transcript = read_text(json.dumps(SAMPLES["tau-bench"] | SAMPLES["swe-agent"]))
    assert (transcript.format, transcript.alternatives) == ("tau-bench", ("swe-agent",))


SPOKEN = {"role": "user", "content": "Which boat?", "message": "Which boat?"}
TOLD = {"role": "agent", "content": "The red one.", "message": "The red one."}
VOICE: dict[str, dict[str, Any]] = {
    "retell": {
        "call_id": "1",
        "transcript_object": [SPOKEN, TOLD],
        "transcript_with_tool_calls": [
            SPOKEN,
            {"role": "tool_call_invocation", "tool_call_id": "c1", "name": "look", "arguments": '{"at": 6}'},
            {"role": "node_transition", "new_node_id": "n2"},
            {"role": "tool_call_result", "tool_call_id": "c1", "successful": True, "content": "red"},
            TOLD,
        ],
    },
    "elevenlabs": {
        "agent_id": "a",
        "transcript": [
            {**SPOKEN, "tool_calls": [], "tool_results": []},
            {
                "role": "agent",
                "message": None,
                "tool_calls": [{"request_id": "c1", "tool_name": "look", "params_as_json": '{"at": 6}'}],
            },
            {
                "role": "agent",
                "message": None,
                "tool_results": [{"request_id": "c1", "tool_name": "look", "result_value": "red"}],
            },
            TOLD,
        ],
    },
    "vapi": {
        "artifact": {
            "messages": [
                SPOKEN,
                {
                    "role": "tool_calls",
                    "message": "",
                    "toolCalls": [
                        {"id": "c1", "type": "function", "function": {"name": "look", "arguments": {"at": 6}}}
                    ],
                },
                {"role": "tool_call_result", "toolCallId": "c1", "name": "look", "result": "red"},
                {**TOLD, "role": "bot"},
            ]
        }
    },
    "openai-responses": {  # of LiveKit
        "items": [
            {"id": "i1", "type": "message", "role": "user", "content": [SPOKEN["content"]]},
            {"id": "f1", "type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"at": 6}'},
            {"id": "f2", "type": "function_call_output", "call_id": "c1", "output": "red", "is_error": False},
            {"id": "i2", "type": "message", "role": "assistant", "content": [TOLD["content"]]},
        ]
    },
}


@pytest.mark.parametrize("name", VOICE)
def test_a_voice_agents_calls_have_their_results(name: str) -> None:
    transcript = read_text(json.dumps(VOICE[name]))
    (spoken,) = transcript
    assert spoken.format == name
    assert said(spoken) == [
        ("user", "Which boat?"), ("assistant", ""), ("tool", "red"), ("assistant", "The red one."),
    ]  # fmt: skip
    (call,) = spoken.turns[1].tool_calls
    assert (call.name, json.loads(call.arguments)) == ("look", {"at": 6})
    assert call.id == spoken.turns[2].tool_call_id == "c1"
    left_out = {"message of no known role": 1} if name == "retell" else {}
    assert dict(transcript.summary.omitted) == left_out


def test_a_call_without_a_name_is_counted() -> None:
    spoken = {"agent_id": "a", "transcript": [{**TOLD, "tool_calls": [{"request_id": "1"}]}]}
    transcript = read_text(json.dumps(spoken))
    assert dict(transcript.summary.omitted) == {"call of a tool without a name": 1}
