"""Items of OpenAI's Responses API: what a model gave in one response is decided on, and sent, together."""

from __future__ import annotations

import pytest

from convgate.adapters.openai import select_messages
from convgate.adapters.selection import MessageSelector
from convgate.core.conversation import Conversation
from convgate.core.errors import TranscriptError
from convgate.messages.check import check_valid
from convgate.transcripts import turns_from_messages
from tests.selectors import FixedPolicy, plain


def test_items_of_one_response_stay_together_and_say_so():
    items = [
        {"role": "user", "content": "TASK find a boat"},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"query": "boats"}},
        {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "red"},
        {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
        {"role": "user", "content": "GENERAL thanks"},
    ]
    turns = turns_from_messages(items)
    assert [turn.scored_text for turn in turns[1:6]] == [
        "Hm.", 'web_search({"query": "boats"})', "look({})", "red", "No.",
    ]  # fmt: skip
    assert [turn.source for turn in turns] == items
    for kept in (1, 2):  # the response, or the output
        selection = plain(FixedPolicy({kept})).select(items)
        assert (selection.indices, selection.violations) == ([0, 1, 2, 3, 4, 6], ())
        reasons = {decision.reason for decision in selection.decisions if decision.stage == "repair"}
        assert any("of the same response of the model" in reason for reason in reasons)
    broken_off = [*items[:2], *items[6:]]
    selection = plain(FixedPolicy({1})).select(broken_off)
    assert selection.indices == [2]
    assert "broke off" in selection.decisions[1].reason
    assert check_valid(broken_off)[0].startswith("incomplete_response: message 1 ")
    assert check_valid(items) == []


def test_what_an_item_refers_to_must_be_in_the_list():
    for item in ({"type": "item_reference", "id": "msg_1"}, {"id": "msg_1"}, {"type": "new", "x": 1}):
        with pytest.raises(TranscriptError) as error:
            plain(FixedPolicy()).select([item, {"role": "user", "content": "So?"}])
        assert str(error.value.field).startswith("messages[0].")


@pytest.mark.parametrize("id", ["lsh_1", "call_1"])
def test_an_output_may_name_the_item_of_its_call(id: str):
    items = [
        {"role": "user", "content": "List the files."},
        {"type": "local_shell_call", "id": "lsh_1", "call_id": "call_1", "action": {"command": ["ls"]}},
        {"type": "local_shell_call_output", "id": id, "output": "a.txt"},
        {"role": "user", "content": "GENERAL thanks"},
    ]
    selection = plain(FixedPolicy({2})).select(items)
    assert (selection.indices, selection.violations, check_valid(items)) == ([0, 1, 2, 3], (), [])


def test_a_users_message_behind_an_output_is_the_users():
    items = [
        {"role": "user", "content": "Look."},
        {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "red"},
        {"role": "user", "content": "GENERAL thanks"},
    ]
    assert select_messages(items, MessageSelector(plain(FixedPolicy(set())))) == items[3:]


class SeenPolicy(FixedPolicy):
    def decide(self, current, history):
        self.seen = [turn.scored_text for turn in history]
        self.current = current.index
        return super().decide(current, history)


def test_a_policy_sees_a_response_as_one_turn_without_its_reasoning():
    items = [
        {"role": "user", "content": "TASK find a boat"},
        {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]},
        {"type": "function_call", "call_id": "a", "name": "look", "arguments": "{}"},
        {"type": "function_call", "call_id": "b", "name": "look", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "red"},
        {"type": "function_call_output", "call_id": "b", "output": "blue"},
        {"role": "user", "content": "GENERAL thanks"},
    ]
    scores = {0: 0.1, 1: 0.9, 2: 0.2, 3: 0.3}
    policy = SeenPolicy(set(), scores, probabilities=True)
    selection = plain(policy).select(items)
    assert policy.seen == ["TASK find a boat", "look({})\nlook({})", "red", "blue"]
    assert (policy.current, selection.indices) == (4, [6])
    assert [decision.score for decision in selection.decisions] == [0.1, None, 0.9, None, 0.2, 0.3]
    assert "leaves with the response" in selection.decisions[1].reason
    current, history = Conversation("live", turns_from_messages(items)).at(6, window=4)
    decisions = plain(policy).decide(current, history)
    assert policy.seen == ["look({})\nlook({})", "red", "blue"], "the window begins within the response"
    assert decisions.indices.tolist() == [2, 3, 4, 5]
