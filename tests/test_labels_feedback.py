"""Feedback from agents: logged as labels, on one stored conversation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import convgate
from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import ConvgateError
from convgate.labels.feedback import quoted_turns
from convgate.labels.gold import gold_set
from convgate.store import ActionRecord, Conversations, CurrentKey, Labels, NewConversation, Store
from convgate.transcripts import read_conversations

Messages = list[dict[str, Any]]


def messages(turns: int, name: str = "talk") -> Messages:
    return [{"role": "assistant" if i % 2 else "user", "content": f"{name} {i}"} for i in range(turns)]


def place(saved: ActionRecord) -> CurrentKey:
    assert saved.current is not None
    return saved.current


def log(store: Store) -> list[tuple[Any, ...]]:
    with store.read() as db:
        return db.execute("SELECT kind, origin FROM label_actions ORDER BY number").fetchall()


def total(store: Store) -> int:
    return Conversations(store).find().total


def test_feedback_on_the_agents_own_messages_is_an_answer_of_the_agent(store: Store) -> None:
    saved = convgate.feedback(messages(4), 0, relevant=True, version="shipped")
    current = place(saved)
    assert (current.turn, saved.changed) == (2, 1), "what `select` takes for the current message"
    (entry,) = Labels(store).entries()
    assert (entry.turn, entry.annotator, entry.value, entry.version) == (0, "agent", "relevant", "shipped")
    (agent,) = Labels(store).annotators()
    assert (agent.name, agent.kind, agent.trains) == ("agent", "agent", True)
    assert log(store) == [("feedback", "explicit")]
    summary = Conversations(store).summary(current.conversation)
    assert (summary.origin, summary.turns, bool(summary.tokens)) == ("feedback from agent", 4, True)
    assert gold_set(store).cases[0].relevant == {0}


def test_a_growing_conversation_keeps_one_entry(store: Store) -> None:
    labels = Labels(store)
    for turns in range(2, 30):
        convgate.feedback(messages(turns), 0, relevant=turns % 3 == 0, at=turns - 1)
    assert total(store) == 1
    (key,) = Conversations(store).keys()
    assert Conversations(store).summary(key).turns == 29
    assert (
        Conversations(store).get(key).conversation.turns
        == read_conversations(json.dumps(messages(29)).encode(), name="x.json").conversations[0].turns
    )
    for current in range(1, 29):
        expected = "relevant" if (current + 1) % 3 == 0 else "not_relevant"
        assert labels.of(CurrentKey(key, current)).of("agent") == {0: expected}
    assert place(convgate.feedback(messages(5), 0, relevant=True)) == CurrentKey(key, 4), "an earlier state"
    other = messages(10)
    other[4] = {"role": "user", "content": "another way"}
    convgate.feedback(other, 0, relevant=True)
    assert total(store) == 2, "a talk that took another way is another one"


@pytest.mark.parametrize(
    ("arguments", "options", "field"),
    [
        ((messages(4), -1, True), {}, "turn"),
        ((messages(4), "0", True), {}, "turn"),
        ((messages(4), 2**63, True), {}, "turn"),
        ((messages(4), [], True), {}, "turn"),
        ((messages(4), 0, "yes"), {}, "relevant"),
        ((messages(4), 0, True), {"at": True}, "at"),
        ((messages(4), 0, True), {"at": 2, "question": "and?"}, "at"),
        ((messages(4), 0, True), {"question": " "}, "question"),
        ((messages(4), 0, True), {"how": "guessed"}, "how"),
        (("nobody", 0, True), {}, None),
        ((messages(4), 2, True), {}, None),
        ((messages(4), 0, True), {"at": 4}, None),
        ((messages(4), 4, True), {"question": "and?"}, None),
        ((messages(4), 0, True), {"source": ""}, None),
        ((messages(4), 0, True), {"source": "Ada"}, None),
        (([], 0, True), {}, None),
        (([{"content": "x"}], 0, True), {}, "messages[0].role"),
        ((5, 0, True), {}, "messages"),
    ],
)
def test_invalid_feedback_names_its_field_and_stores_nothing(
    store: Store, arguments: tuple[Any, ...], options: Mapping[str, Any], field: str | None
) -> None:
    conversation = Conversation("t", (Turn.of("user", "a"), Turn.of("user", "b")))
    (added,) = Conversations(store).add([NewConversation(conversation)])
    Labels(store).answer(CurrentKey(added.key, 1), {0: "relevant"}, by="Ada")
    before = log(store)
    with pytest.raises(ConvgateError) as raised:
        convgate.feedback(*arguments, **options)
    assert getattr(raised.value, "field", None) == field
    assert (log(store), total(store)) == (before, 1)


def test_concurrent_feedback_on_one_conversation_is_stored_once(store: Store) -> None:
    def tell(turns: int) -> None:
        convgate.feedback(messages(turns), 0, relevant=True, at=turns - 1, source=f"bot {turns % 3}")

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(tell, [*range(2, 20), *range(19, 1, -1)]))
    assert total(store) == 1
    (key,) = Conversations(store).keys()
    assert len(Conversations(store).get(key).conversation) == 19
    assert len(gold_set(store).cases) == 18


# What an answer quotes

SPOKEN = "The camels have to be back at the northern gate before the evening prayer, he said."
CONVERSATION: Messages = [
    {"role": "system", "content": "Never tell anybody where the second well of the oasis is hidden."},
    {"role": "user", "content": "When do they close?"},
    {"role": "assistant", "content": f"{SPOKEN} Is there anything else that I can help you with today?"},
    {"role": "user", "content": "And the code?"},
    {"role": "assistant", "content": "Try this:\n```\n  total = add(price, tax)\n```\n"
        "Is there anything else that I can help you with today?"},
    {"role": "user", "content": "Is the toll still two silver coins for each and every camel in the row?"},
]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "quoted"),
    [
        ("As I said, the CAMELS have to be back at the – northern gate.", [2]),
        ("Run `total` first:\n    total = add(price, tax)\nand look.", [4]),
        ("Camels have to be back at the gate", []),
        ("Is there anything else that I can help you with today?", []),
        ("The toll is still two silver coins for each and every camel in the row.", []),
        ("Never tell anybody where the second well of the oasis is hidden!", []),
        ("", []),
    ],
)
def test_an_answer_quotes_what_stands_in_one_earlier_turn_alone(answer: str, quoted: list[int]) -> None:
    conversation = Conversation("t", tuple(Turn.of(m["role"], m["content"]) for m in CONVERSATION))
    current, history = conversation.at(5)
    assert quoted_turns(history, current.turn.text, answer) == quoted
