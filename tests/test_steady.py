"""Long runs: growing lists of messages, changes in them, threads, and stored conversations that grow."""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from convgate.core.conversation import Conversation
from convgate.core.errors import TranscriptError
from convgate.embedding.base import Embeddings, Progress
from convgate.embedding.cache import default_encoder
from convgate.policies.gate import GatePolicy
from convgate.selection.load import load
from convgate.selection.selector import Selector
from convgate.sessions import SessionManager
from convgate.store import documents
from convgate.store.conversations import Conversations
from convgate.store.database import Store
from convgate.transcripts import MessageReader, turns_from_messages
from tests.fakes import FakeEncoder
from tests.processes import run_threads
from tests.selectors import make_selector, turns_by_section

CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": [{"type": "text", "text": "What is in the plan?"}]},
    CALL,
    {"role": "tool", "tool_call_id": "a", "content": "The plan has three steps."},
    {"role": "assistant", "content": "Three steps.", "note": {"seen": [1]}},
    {"role": "user", "content": "And the first?"},
]


def test_known_messages_are_the_same_turns_whether_their_objects_are_or_not() -> None:
    reader = MessageReader()
    first = reader.read(MESSAGES[:3])
    assert all(map(lambda new, old: new is old, reader.read(copy.deepcopy(MESSAGES)), first))
    assert reader.read(MESSAGES) == turns_from_messages(MESSAGES)
    assert reader.read(MESSAGES[:2]) == first[:2]


@pytest.mark.parametrize(
    ("index", "change"),
    [
        (0, lambda message: message["content"][0].update(text="Something else")),
        (1, lambda message: message["tool_calls"][0]["function"].update(name="g")),
        (3, lambda message: message.update(content="Four steps.")),
        (3, lambda message: message["note"]["seen"].append(2)),
        (2, lambda message: message.update(role="user")),
    ],
)
def test_a_message_that_changed_in_place_is_noticed(index: int, change: Any) -> None:
    messages, reader = copy.deepcopy(MESSAGES), MessageReader()
    before = reader.read(messages)
    change(messages[index])
    after = reader.read(messages)
    assert after[index] != before[index]
    assert after == turns_from_messages(messages)


def test_errors_name_the_place_in_the_whole_list() -> None:
    reader = MessageReader()
    reader.read(MESSAGES)
    with pytest.raises(TranscriptError, match=r"messages\[5\]"):
        reader.read([*MESSAGES, {"role": "user", "content": 5}])


def test_the_callers_own_objects_are_returned_although_equal_ones_are_known() -> None:
    selector, budgeted = load(policy="everything"), make_selector({0, 1, 2, 3})
    for messages in (MESSAGES, copy.deepcopy(MESSAGES)):
        assert all(map(lambda sent, own: sent is own, selector.select(messages).messages, messages))
        assert all(any(sent is own for own in messages) for sent in budgeted.select(messages).messages)


def growing_messages(name: str) -> list[dict[str, Any]]:
    modes = ("TASK", "LEARNING", "DEBUGGING must", "GENERAL?")
    return [
        {
            "role": ("user", "assistant")[place % 2],
            "content": f"{modes[place % 4]} {name} step {place} of the plan {place % 7}",
        }
        for place in range(41)
    ]


def grow(selector: Selector, name: str) -> tuple[list[list[int]], list[float]]:
    """Return what is selected at each step, and all scores."""
    messages = growing_messages(name)
    selections = [selector.select(messages[:stop]) for stop in range(1, 42, 2)]
    scores = [score for one in selections for score in np.asarray(one.decisions.scores).tolist()]
    return [one.indices for one in selections], scores


class WaitingEncoder(FakeEncoder):
    """Takes the place of the shipped gate's encoder.

    Other threads run before it encodes, so that several extend what one of them found.
    """

    identity = default_encoder().identity

    def encode(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        time.sleep(0.001)
        return super().encode(texts, progress=progress)


@pytest.mark.shipped
def test_eight_threads_on_one_gate_get_what_one_gets() -> None:
    expected = [grow(load(encoder=WaitingEncoder()), f"talk {number}") for number in range(4)]
    shared = load(encoder=WaitingEncoder())
    assert isinstance(shared.policy, GatePolicy)
    assert shared.policy.gate.config.preset == "full"
    for (indices, scores), (own, own_scores) in zip(
        run_threads(8, lambda number: grow(shared, f"talk {number % 4}")), expected * 2, strict=True
    ):
        assert indices == own
        assert scores == pytest.approx(own_scores, abs=1e-4)  # their last digits depend on how turns came


@pytest.mark.shipped
def test_eight_threads_within_a_budget_get_what_one_gets() -> None:
    def selections(selector: Selector, name: str) -> list[Any]:
        messages = growing_messages(name)
        selected = [selector.select(messages[:stop]) for stop in range(1, 42, 2)]
        return [
            (
                one.messages,
                one.mode,
                dict(one.budgeted.labels),
                turns_by_section(one),
                one.invariants,
                one.tokens,
            )
            for one in selected
        ]

    def new_selector() -> Selector:
        return make_selector(policy=load(encoder=WaitingEncoder()).policy, budget={"tokens": 150})

    expected = [selections(new_selector(), f"talk {number}") for number in range(4)]
    shared = new_selector()
    assert run_threads(8, lambda number: selections(shared, f"talk {number % 4}")) == expected * 2


def test_what_is_stored_message_by_message_is_found_exported_and_deleted_as_a_whole(tmp_path: Path) -> None:
    store = Store(tmp_path / "convgate.db")
    sessions = SessionManager(store)
    for text in ("the zebra asks", "the walrus answers", "nothing else"):
        history = sessions.add_message(text)
    conversations = Conversations(store)
    stored = conversations.get(history.key).conversation
    assert stored == Conversations(Store(tmp_path / "convgate.db")).get(history.key).conversation
    assert [turn.text for turn in stored.turns] == ["the zebra asks", "the walrus answers", "nothing else"]
    assert documents.content_key(stored) == history.key
    for search in ("zebra walrus", '"walrus answers" no', "zebra"):
        assert [row.key for row in conversations.find(search=search).rows] == [history.key]
    assert conversations.find(search="zebra giraffe").total == 0
    assert "walrus" in (conversations.find(search="walrus").rows[0].excerpt or "")
    conversations.delete([history.key])
    assert conversations.deleted() == [stored]
    assert conversations.purge() == 1
    with store.read() as db:
        assert db.execute("SELECT count(*) FROM conversation_search").fetchone() == (0,)
        assert db.execute("SELECT count(*) FROM grown_turns").fetchone() == (0,)


def test_a_message_is_added_without_writing_the_conversation_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "convgate.db")
    sessions = SessionManager(store)
    sessions.add_messages([{"role": "user", "content": f"message {place}"} for place in range(300)])
    with store.read() as db:
        (document,) = db.execute("SELECT document FROM documents").fetchone()
        db.execute("CREATE TEMP TRIGGER kept BEFORE UPDATE ON documents BEGIN SELECT raise(ABORT, 'x'); END")
        sessions.add_message("one more")
        assert db.execute("SELECT document FROM documents").fetchone() == (document,)
        (last,) = db.execute("SELECT turns FROM grown_turns ORDER BY number DESC LIMIT 1").fetchone()
    assert len(last) < 500


def test_a_conversation_that_another_process_grew_is_read_anew(tmp_path: Path) -> None:
    here, there = (SessionManager(Store(tmp_path / "convgate.db")) for _ in range(2))
    here.add_message("one")
    there.add_message("two")
    here.add_message("three")
    assert [turn.text for turn in there.history().conversation.turns] == ["one", "two", "three"]


def test_the_key_of_a_growing_conversation_is_that_of_the_whole() -> None:
    turns = turns_from_messages(MESSAGES)
    key = documents.ContentKey(Conversation("a", ()))
    for stop in range(len(turns) + 1):
        whole = Conversation("b", turns[:stop])
        assert key.copy().digits == documents.content_key(whole)
        key.add(documents.dump_turns(turns[stop : stop + 1], whole))
