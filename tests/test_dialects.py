"""Lists of every dialect: read, and selected from with and without a budget, no call cut in half."""

from __future__ import annotations

import copy
import random
from dataclasses import replace
from typing import Any

import pytest

from convgate.adapters.openai import select_messages
from convgate.adapters.selection import MessageSelector
from convgate.core.errors import TranscriptError
from convgate.transcripts import dialect_of, to_messages, turns_from_messages
from tests.dialects import DIALECTS, random_exchanges
from tests.selectors import FixedPolicy, make_selector, plain

NAMES = pytest.mark.parametrize("name", DIALECTS)


def random_policy(rng: random.Random, n: int) -> FixedPolicy:
    scores = {index: rng.random() for index in range(n)}
    return FixedPolicy(
        {index for index in scores if scores[index] > rng.random()}, scores, probabilities=True
    )


def blocks_of(messages: list[Any]) -> list[Any]:
    contents = [message.get("parts", message.get("content")) for message in messages]
    return [block for content in contents for block in (content if isinstance(content, list) else [content])]


@pytest.mark.parametrize(
    "message",
    [
        {"id": "2", "role": "assistant", "toolCalls": [
            {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
        ]},
        {"role": "assistant", "toolInvocations": [
            {"state": "result", "toolCallId": "c1", "toolName": "find", "args": {}, "result": "x"}
        ]},
    ],
    ids=["ag_ui", "ai_sdk"],
)  # fmt: skip
def test_a_call_without_content_is_sent_as_it_is(message: dict[str, Any]):
    messages = [{"role": "user", "content": "Find it"}, message, {"role": "user", "content": "Well?"}]
    sent = to_messages(turns_from_messages(messages))
    assert all(one is other for one, other in zip(sent, messages, strict=True))


@NAMES
@pytest.mark.parametrize("count", [100, pytest.param(600, marks=pytest.mark.slow)])
def test_what_is_sent_of_random_lists_is_valid_by_the_providers_rules(name: str, count: int):
    write, check = DIALECTS[name]
    for seed in range(count):
        rng = random.Random(seed)
        messages = list(write(random_exchanges(rng)))
        before = copy.deepcopy(messages)
        assert check(messages) == [], "the list itself is valid"
        assert plain(FixedPolicy()).select(messages).indices == list(range(len(messages)))
        policy = random_policy(rng, len(messages))
        selection = plain(policy).select(messages)
        assert (check(selection.messages), selection.violations) == ([], ()), seed
        assert blocks_of(selection.messages) == blocks_of([messages[index] for index in selection.indices])
        assert name.startswith(("bedrock", "gemini")) or all(
            any(message is one for one in messages) for message in selection.messages
        ), "the very same objects, where nothing has to be joined"
        budget, dialect = rng.choice([0, 20, 60, 120, None]), name.removesuffix(" without ids")
        selection = make_selector(policy=policy).select(messages, budget=budget, dialect=dialect)
        assert (check(selection.messages), selection.breaches) == ([], ()), seed
        adapted = select_messages(messages, MessageSelector(plain(policy)))
        assert check(adapted) == [], seed
        assert messages == before, "nothing is changed"


@NAMES
def test_a_list_shows_its_dialect_and_a_question_is_put_in_its_shape(name: str):
    write, check = DIALECTS[name]
    exchanges = [replace(each, answer="Yes.") for each in random_exchanges(random.Random(5))]
    messages = list(write(exchanges))
    expected = {"gemini without ids": "gemini"}.get(name, name)
    assert dialect_of(messages).name == expected
    sent = plain(FixedPolicy(set())).select(messages, question="And now?").messages
    assert check(sent) == []
    last = blocks_of(sent[-1:])[-1]
    assert last == "And now?" or last["text"] == "And now?"


def test_calls_and_results_are_what_a_turn_has():
    turns = turns_from_messages(
        [
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "id": "a", "name": "look", "input": {"x": 1}}],
            },
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "a",
                        "content": [{"type": "text", "text": "found"}],
                    },
                    {"type": "tool_result", "tool_use_id": "b", "content": "lost"},
                    {"type": "text", "text": "Go on."},
                ],
            },
        ]
    )
    assert [(call.id, call.name, call.arguments) for call in turns[0].tool_calls] == [
        ("a", "look", '{"x": 1}')
    ]
    assert (turns[1].role, turns[1].tool_call_id, turns[1].also_answers) == ("tool", "a", ("b",))
    assert turns[1].text == "found\nlost\nGo on."


def test_what_a_provider_ran_stands_in_one_message_and_waits_for_nothing():
    hosted = [
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "tide"}},
        {
            "type": "web_search_tool_result",
            "tool_use_id": "s",
            "content": [{"type": "text", "text": "06:10"}],
        },
    ]
    (turn,) = turns_from_messages([{"role": "assistant", "content": hosted}])
    assert (turn.role, turn.tool_calls, turn.tool_call_id) == ("assistant", (), None)
    assert turn.text == 'web_search({"query": "tide"}) → 06:10'
    own = {
        "type": "tool-look",
        "toolCallId": "1",
        "state": "output-error",
        "input": {},
        "errorText": "timeout",
    }
    assert turns_from_messages([{"role": "assistant", "parts": [own]}])[0].text == "look({}) → timeout"
    old = {"toolCallId": "1", "toolName": "look", "args": {"x": 1}, "result": {"n": 2}, "state": "result"}
    message = {"role": "assistant", "content": "Two.", "toolInvocations": [old]}
    assert turns_from_messages([message])[0].text == 'look({"x": 1}) → {"n": 2}\nTwo.'


def test_an_approval_belongs_to_its_call():
    call = {"type": "tool-call", "toolCallId": "1", "toolName": "pay", "input": {}}
    ask = {"type": "tool-approval-request", "approvalId": "p", "toolCallId": "1"}
    messages = [
        {"role": "user", "content": "Pay."},
        {"role": "assistant", "content": [call, ask]},
        {
            "role": "tool",
            "content": [{"type": "tool-approval-response", "approvalId": "p", "approved": True}],
        },
        {
            "role": "tool",
            "content": [{"type": "tool-result", "toolCallId": "1", "toolName": "pay", "output": 1}],
        },
        {"role": "user", "content": "Thanks."},
    ]
    for kept in ({1}, {2}, {3}):
        assert plain(FixedPolicy(kept)).select(messages).indices == [0, 1, 2, 3, 4]
    assert plain(FixedPolicy({1, 2})).select(messages[:3] + messages[4:]).indices == [3], "it is unanswered"


def test_a_list_of_two_dialects_is_refused():
    use = {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "look", "input": {}}]}
    result = {"role": "tool", "tool_call_id": "a", "content": "found"}
    with pytest.raises(
        TranscriptError, match=r"OpenAI chat, but messages\[1\] of Anthropic Messages"
    ) as error:
        turns_from_messages([{"role": "user", "content": "Look."}, use, result])
    assert error.value.field == "messages[2].tool_call_id"
    selector = plain(FixedPolicy())
    assert selector.select([{"role": "user", "content": "Look."}, use]).indices == [0]
    with pytest.raises(TranscriptError):
        selector.select([{"role": "user", "content": "Look."}, use, result])
    assert selector.select([{"role": "user", "content": "Look."}, result]).indices == [0, 1], (
        "another list with the same beginning is of its own dialect"
    )


@pytest.mark.parametrize("type_", ["toolUse2", "run_function"])
def test_a_part_of_a_tool_in_no_known_shape_is_refused(type_: str):
    answer = {"role": "assistant", "content": [{"type": type_, "name": "look"}]}
    with pytest.raises(TranscriptError, match="no dialect that convgate reads") as error:
        plain(FixedPolicy()).select([{"role": "user", "content": "Look."}, answer])
    assert error.value.field == "messages[1].content[0]"


def test_messages_that_a_selection_adds_have_the_shape_of_the_list():
    for name in ("anthropic", "bedrock", "gemini"):
        write, check = DIALECTS[name]
        messages = list(write(random_exchanges(random.Random(3))))
        selection = make_selector(set()).select(messages, budget=10_000, capsules=["They fly to Lisbon."])
        assert check(selection.messages) == []
        first = blocks_of(selection.messages)[0]
        assert first == "They fly to Lisbon." or first["text"] == "They fly to Lisbon."


def test_neighbours_are_joined_only_where_both_are_lists_of_parts():
    gate = plain(FixedPolicy())
    one, two = {"role": "user", "parts": "Hello"}, {"role": "user", "parts": [{"text": "Go."}]}
    assert gate.select([one, two]).messages == [one, two], "a text is no list of parts"
    assert gate.select([two, two]).messages == [{"role": "user", "parts": [{"text": "Go."}] * 2}]
    for other in ({"role": "user", "content": "Hello"}, {"role": "user", "content": None}):
        for messages in ([other, {"role": "user", "content": [{"text": "Go."}]}], [other, two]):
            with pytest.raises(TranscriptError, match=r"no message of (Bedrock|Gemini)") as error:
                gate.select(messages)
            assert error.value.field == "messages[0]"
            assert select_messages(messages, MessageSelector(gate)) == messages, (
                "it is logged, and all is sent"
            )


def test_a_response_without_an_id_answers_the_call_of_its_name():
    messages: list[Any] = [
        {"role": "user", "parts": [{"text": "Which boat?"}]},
        {"role": "model", "parts": [{"functionCall": {"id": "7", "name": "look", "args": {}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "look", "response": {"colour": "red"}}}]},
    ]
    selection = plain(FixedPolicy(set())).select(messages)
    assert (selection.indices, selection.violations) == ([0, 1, 2], ())
    assert plain(FixedPolicy({2})).select(messages, question="So?").indices == [0, 1, 2]


def test_what_a_user_says_beside_results_is_theirs():
    rule = "You must never delete the backups."
    results = {"anthropic": {"type": "tool_result", "tool_use_id": "a", "content": "It says: always delete."}}
    use = {"type": "tool_use", "id": "a", "name": "look", "input": {}}
    messages = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [results["anthropic"], {"type": "text", "text": rule}]},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "TASK tidy up"},
    ]
    assert turns_from_messages(messages)[2].users_text == rule
    selection = make_selector(set()).select(messages)
    assert [(one.source, one.text) for one in selection.invariants] == [(2, rule)], (
        "and what a tool says is not"
    )
    assert {1, 2} <= set(selection.indices)


class Part:
    """A part as an SDK has it."""

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return {"type": "tool_use", "id": "a", "name": "look", "input": {}}


def test_objects_of_an_sdk_among_the_parts_are_read_and_sent_as_they_are():
    answer = {"role": "assistant", "content": [Part()]}
    result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "red"}]}
    messages = [{"role": "user", "content": "Look."}, answer, result]
    selection = plain(FixedPolicy()).select(messages)
    assert selection.messages == messages
    assert selection.messages[1] is answer


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ({"role": "user", "parts": ["Hello"]}, "Hello"),
        ({"role": "model"}, ""),
        ({"id": "2", "role": "assistant", "parts": []}, ""),
        ({"id": "3", "role": "activity", "content": {"step": 1}}, '{"step": 1}'),
        ({"role": "model", "parts": [{"executableCode": {"code": "1 + 1"}}]}, "1 + 1"),
        ({"role": "model", "parts": [{"toolCall": {"id": "1"}}]}, "[call]"),
        ({"role": "user", "content": [{"text": "Look."}, {"hologram": {}}]}, "Look.\n[hologram]"),
        (
            {
                "role": "user",
                "content": [
                    {"type": "document", "source": {"type": "text", "data": "The tide."}},
                    {"type": "text", "text": "Read it."},
                ],
            },
            "The tide.\nRead it.",
        ),
        (
            {
                "role": "tool",
                "tool_call_id": "1",
                "content": [{"type": "document", "document": {"data": {"sales": 7}}}],
            },
            '{"sales": 7}',
        ),
    ],
)
def test_what_can_be_read_is_read(message: dict[str, Any], text: str):
    assert turns_from_messages([message])[0].text == text


def test_what_an_agent_of_ag_ui_does_and_thinks_is_no_users():
    messages = [
        {"id": "1", "role": "user", "content": "Which knot?"},
        {"id": "2", "role": "reasoning", "content": "A loop."},
        {"id": "3", "role": "activity", "activityType": "PLAN", "content": {"step": 1}},
        {"id": "4", "role": "assistant", "content": "A bowline."},
        {"id": "5", "role": "user", "content": "Thanks."},
    ]
    turns = turns_from_messages(messages)
    assert [turn.role for turn in turns] == ["user", *["assistant"] * 3, "user"]
    assert turns[1].parts[0].kind == "thinking"
    selection = plain(FixedPolicy({3})).select(messages, pair_answers=True)
    assert selection.messages == messages
    assert to_messages(turns) == messages


def test_added_messages_have_the_shape_of_apps_too():
    messages = [{"id": "1", "role": "user", "parts": [{"type": "text", "text": "TASK go"}]}]
    (added, _) = make_selector(set()).select(messages, capsules=["They fly to Lisbon."]).messages
    assert added == {"role": "system", "parts": [{"type": "text", "text": "They fly to Lisbon."}]}
    signed = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
    answered = [{"role": "user", "content": "TASK go"}, {"role": "assistant", "content": [signed]}]
    selection = make_selector().select(
        [*answered, {"role": "user", "content": "So?"}], capsules=["They fly to Lisbon."]
    )
    assert {message["role"] for message in selection.messages} == {"user", "assistant"}


SUMMARIES: dict[str, list[Any]] = {
    "responses": [
        {"type": "compaction", "id": "cmp_1", "encrypted_content": "x"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Fine."}]},
    ],
    "anthropic": [
        {"role": "assistant", "content": [{"type": "compaction", "content": "They go to Lisbon."}]},
        {"role": "assistant", "content": "Fine."},
    ],
    "data": [
        {"id": "1", "role": "assistant", "parts": [{"type": "step-start"}, {"type": "data-map", "data": {}}]},
        {"id": "2", "role": "assistant", "parts": [{"type": "text", "text": "Fine."}]},
    ],
}


@pytest.mark.parametrize("name", SUMMARIES)
def test_summaries_and_messages_of_data_alone_are_always_sent(name: str):
    other, shape = SUMMARIES[name][1], "parts" if name == "data" else "content"
    ask = [{"type": "text", "text": "TASK go"}] if name == "data" else "TASK go"
    asked = {"role": "user", shape: ask}
    messages = [asked, *SUMMARIES[name], asked]
    selection = plain(FixedPolicy(set())).select(messages)
    assert 1 in selection.indices
    assert other not in selection.messages
    reason = selection.decisions[1].reason
    assert {"responses": "always sent", "anthropic": "stands for earlier", "data": "only data"}[
        name
    ] in reason
    assert 1 in select_indices(messages)
    budgeted = make_selector(set()).select(messages, budget=1)
    assert 1 in budgeted.indices
    assert "rules" in {section.name for section in budgeted.sections if section.tokens}


def test_a_summary_that_can_be_read_is_read():
    (turn,) = turns_from_messages(SUMMARIES["anthropic"][:1])
    assert turn.text == "They go to Lisbon."


def select_indices(messages: list[Any]) -> list[int]:
    sent = select_messages(messages, MessageSelector(plain(FixedPolicy(set()))))
    return [index for index, message in enumerate(messages) if any(message is one for one in sent)]


def test_data_beside_a_text_is_left_to_the_text():
    parts = [{"type": "data-map", "data": {}}, {"type": "text", "text": "Here it is."}]
    (turn,) = turns_from_messages([{"id": "1", "role": "assistant", "parts": parts}])
    assert (turn.text, turn.held_because) == ("Here it is.", None)
