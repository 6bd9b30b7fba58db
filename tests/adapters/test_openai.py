"""Chat Completions messages and Responses items."""

from __future__ import annotations

import copy
import runpy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.adapters.openai import default_selector, select_messages
from convgate.adapters.selection import MessageSelector
from convgate.messages.check import check_valid
from tests.adapters.histories import failing_gate
from tests.adapters.responses import all_in, answer, call, exchange, output, reasoning, user, violations
from tests.selectors import make_selector, tool_calls_message, tool_result

pytestmark = pytest.mark.adapters
CHECKOUT = Path(__file__).resolve().parents[2]


def selector(*kept: int) -> MessageSelector:
    """Keeps these messages, of items these responses and other items."""
    return MessageSelector(make_selector(kept, budget={"tokens": None}))


CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Why is the loss nan?"},
    tool_calls_message("a", "b"),
    tool_result("a"),
    tool_result("b"),
    {"role": "assistant", "content": "The rate is too high."},
    {"role": "user", "content": "What is for lunch?"},
    {"role": "assistant", "content": "Soup."},
    {"role": "user", "content": "And the loss now?"},
]


def test_chat_messages_are_the_same_objects_in_order_with_whole_tool_calls() -> None:
    before = copy.deepcopy(CHAT)
    sent = select_messages(CHAT, selector(4))
    assert [CHAT.index(message) for message in sent] == [0, 1, 2, 3, 4, 8]
    assert all_in(sent, CHAT)
    assert before == CHAT
    assert check_valid(sent) == []
    assert select_messages(iter(CHAT), selector()) == [CHAT[0], CHAT[8]]


def test_objects_of_the_openai_package_are_returned_as_they_are() -> None:
    pytest.importorskip("openai")
    from openai.types.chat import ChatCompletionMessage
    from openai.types.responses import ResponseFunctionToolCall

    completion = ChatCompletionMessage(role="assistant", content="The rate is too high.")
    messages = [user("Why is the loss nan?"), completion, user("Lunch?"), answer("Soup."), user("So?")]
    sent = select_messages(messages, selector(1))
    assert [id(one) for one in sent] == [id(messages[index]) for index in (0, 1, 4)]

    called = ResponseFunctionToolCall(type="function_call", call_id="a", name="look", arguments="{}")
    items = [user("Why?"), called, output("a"), answer("So."), user("Lunch?"), answer("Soup."), user("And?")]
    sent = select_messages(items, selector(2))
    assert [id(one) for one in sent] == [id(items[index]) for index in (0, 1, 2, 6)]


def test_a_call_is_sent_with_its_output_and_its_reasoning() -> None:
    items = [*exchange("loss", "a", "b"), *exchange("lunch", "c"), user("So?")]
    sent = select_messages(items, selector(3))  # an output
    assert [items.index(item) for item in sent] == [0, 1, 2, 3, 4, 5, len(items) - 1]
    assert violations(sent) == []
    sent = select_messages(items, selector(4))  # the answer
    assert [items.index(item) for item in sent] == [0, 6, 7, len(items) - 1]


EXCHANGES = st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=5)


@given(EXCHANGES, st.frozensets(st.integers(0, 30)), st.integers(0, 9))
def test_every_selection_of_items_is_valid(
    shapes: list[tuple[int, bool]], kept: frozenset[int], cut: int
) -> None:
    items = [
        item
        for place, (n, thinks) in enumerate(shapes)
        for item in exchange(f"t{place}", *(f"{place}-{number}" for number in range(n)), thinks=thinks)
    ]
    done = len(items)
    last = exchange("now", "x", "y")
    items += last[: 1 if cut < 5 else 6]  # the question, or the outputs of its calls
    sent = select_messages(items, selector(*kept))
    assert all_in(sent, items)
    assert violations(sent) == []
    assert sent[-1] is items[-1]
    assert [item for item in items[done:] if item not in sent] == []
    first = next(item for item in sent if item.get("role"))
    assert first["role"] == "user"


def test_runs_that_end_with_an_output_are_selected_from() -> None:
    items = [item for place in range(5) for item in exchange(f"t{place}", f"{place}", thinks=False)[:3]]
    items.append(user("So?"))
    assert select_messages(items, selector(4)) == [*items[3:6], items[-1]]


def test_reasoning_whose_response_broke_off_leaves() -> None:
    items = [user("Why?"), reasoning("a"), user("Why not?"), answer("So."), user("And?")]
    assert select_messages(items, selector(1, 3)) == items[2:]


@pytest.mark.parametrize(
    ("asked", "result"),
    [
        ({"type": "custom_tool_call", "call_id": "a", "name": "sql", "input": "select 1"}, {}),
        (
            {"type": "computer_call", "id": "c1", "call_id": "a", "action": {"type": "click", "x": 1}},
            {"output": {"type": "computer_screenshot", "image_url": "data:image/png;base64,AAAA"}},
        ),
        (
            {"type": "shell_call", "call_id": "a", "action": {"commands": ["ls"]}},
            {"output": [{"stdout": "train.py", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}]},
        ),
        ({"type": "apply_patch_call", "call_id": "a", "operation": {"type": "delete_file", "path": "a"}}, {}),
        (
            {"type": "local_shell_call", "id": "c1", "call_id": "a", "action": {"command": ["ls"]}},
            {"call_id": None, "id": "c1"},
        ),
        (
            {"type": "mcp_approval_request", "id": "a", "name": "sql", "arguments": "{}"},
            {"type": "mcp_approval_response", "approval_request_id": "a", "approve": True, "call_id": None},
        ),
    ],
    ids=lambda fields: fields.get("type", ""),
)
def test_other_calls_are_sent_with_their_results(asked: dict[str, Any], result: dict[str, Any]) -> None:
    result = {"type": f"{asked['type']}_output", "call_id": "a", "output": "done", **result}
    items = [user("Look."), reasoning("a"), asked, result, user("Lunch?"), answer("Soup."), user("And?")]
    assert select_messages(items, selector(2)) == [*items[:4], items[6]]
    assert select_messages(items, selector(3)) == items[4:5] + items[6:]
    running = [*items[4:6], *items[:4]]
    assert select_messages(running, selector()) == running[2:]


def test_calls_that_hold_their_results_leave_with_their_reasoning() -> None:
    searched = [reasoning("a"), {"type": "web_search_call", "id": "ws", "action": {}}, answer("Rome.")]
    items = [user("Where?"), *searched, user("Lunch?"), answer("Soup."), user("And?")]
    assert select_messages(items, selector(1)) == [*items[:4], items[6]]
    assert select_messages(items, selector(3)) == items[4:]


def test_items_that_later_ones_depend_on_are_always_sent() -> None:
    tools = {"type": "mcp_list_tools", "id": "m", "server_label": "db", "tools": []}
    summary = {"type": "compaction", "encrypted_content": "…"}
    items = [summary, user("a"), reasoning("a"), tools, call("c"), output("c"), answer("b"), user("So?")]
    assert select_messages(items, selector()) == [items[0], items[2], items[3], items[7]]


@pytest.mark.parametrize(
    "item", [{"id": "msg_1"}, {"type": "item_reference", "id": "msg_1"}, {"type": "new"}]
)
def test_references_and_unknown_items_make_the_list_stay_whole(item: dict[str, Any], caplog) -> None:
    items = [user("a"), item, answer("b"), user("c"), answer("d"), user("So?")]
    assert select_messages(items, selector()) == items
    assert "selecting failed" in caplog.text


def test_outputs_of_calls_that_the_server_has_are_sent() -> None:
    items = [output("a"), output("b")]
    assert select_messages(items, selector()) == items
    assert select_messages([], selector()) == []


def test_all_messages_are_sent_when_selecting_fails(caplog) -> None:
    broken = MessageSelector(failing_gate())
    assert select_messages(CHAT, broken) == CHAT
    assert "no model" in caplog.text


def test_a_budget_counts_the_items() -> None:
    items = [*exchange("loss", "a"), *exchange("lunch"), *exchange("rain", "b"), user("So?")]
    sent = select_messages(items, MessageSelector(make_selector(), budget=60))
    assert 0 < len(sent) < len(items)
    assert violations(sent) == []


@pytest.mark.shipped
def test_the_example_sends_valid_lists_with_what_is_needed_without_the_finished_subject(
    capsys: pytest.CaptureFixture[str],
) -> None:
    default_selector.cache_clear()
    names = runpy.run_path(str(CHECKOUT / "examples" / "openai_lists.py"), run_name="__main__")
    for messages in (names["MESSAGES"], names["ITEMS"]):
        assert "learning rate of 0.1 is too high" in str(select_messages(messages))
    assert violations(select_messages(names["ITEMS"])) == []
    printed = capsys.readouterr().out
    assert "NaN" in printed
    assert "lunch" not in printed


def test_a_response_with_hosted_tools_is_one_group() -> None:
    def hosted(id: str, type_: str = "web_search_call") -> dict[str, Any]:
        return {"type": type_, "id": id, "status": "completed", "action": {}}

    response = [reasoning("a"), hosted("w1"), reasoning("b"), hosted("w2"), reasoning("c"), answer("Rome.")]
    items = [user("Where?"), *response, user("And when?"), answer("In May."), user("So?")]
    assert select_messages(items, selector(1)) == [*items[:7], items[-1]]
    assert select_messages(items, selector(2, 3)) == items[7:]
