"""Edits of invariants: in a message's metadata, and in the store with undo."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import RequestError, StoreError
from convgate.invariants import InvariantEdit, finding, with_edits
from convgate.invariants.invariant import Invariant
from convgate.store import Conversations, NewConversation, Store
from convgate.store.edits import InvariantEdits
from convgate.transcripts.message_reader import turns_from_messages
from tests.selectors import WordJudge


def find_invariants(turns: Sequence[Turn]) -> list[Invariant]:
    return finding.find_invariants(turns, WordJudge())


CONVERSATION = Conversation(
    "talk",
    (
        Turn.of("user", "No emojis, ever. It starts at 9."),
        Turn.of("assistant", "The hall opens at 8."),
        Turn.of("user", "emojis are ok again"),
    ),
)
NO_EMOJIS = "No emojis, ever."


def add_conversation(store: Store, conversation: Conversation = CONVERSATION) -> str:
    (stored,) = Conversations(store).add([NewConversation(conversation)])
    return stored.key


def after(*edits: InvariantEdit, turn: int = 0) -> list[tuple[str, str, str, bool]]:
    edited = with_edits(CONVERSATION, {turn: edits})
    return [(one.type, one.text, one.state, one.pinned) for one in find_invariants(edited.turns)]


def test_an_edit_takes_precedence_over_found_invariants():
    assert after() == [("hard_constraint", NO_EMOJIS, "lifted", False)]
    assert after(InvariantEdit(of=NO_EMOJIS, pinned=True)) == [("hard_constraint", NO_EMOJIS, "active", True)]
    assert after(InvariantEdit(of=NO_EMOJIS, state="active")) == [
        ("hard_constraint", NO_EMOJIS, "active", False)
    ]
    changed = InvariantEdit(of=NO_EMOJIS, text="It starts at 9.", type="safety_requirement", scope="start")
    assert after(changed) == [("safety_requirement", "It starts at 9.", "active", False)]
    (one,) = find_invariants(with_edits(CONVERSATION, {0: [changed]}).turns)
    assert (one.scope, one.found_by, CONVERSATION.turns[0].text[one.start : one.end]) == (
        "start",
        "person",
        one.text,
    )
    ended = find_invariants(
        with_edits(CONVERSATION, {0: [InvariantEdit(of=NO_EMOJIS, state="ended")]}).turns[:1]
    )
    assert [(one.state, one.ended_by, one.reason) for one in ended] == [
        ("lifted", None, "A person ended it.")
    ]


def test_what_is_added_stands_at_any_turn_and_what_is_found_can_end_it_unless_it_is_pinned():
    hall = InvariantEdit(text="The hall opens at 8.", type="blocking_error")
    assert after(hall, turn=1)[1:] == [("blocking_error", "The hall opens at 8.", "active", False)]
    (_, one) = find_invariants(with_edits(CONVERSATION, {1: [hall]}).turns)
    assert (one.source, one.found_by, one.held) == (1, "person", False)
    (_, one) = find_invariants(with_edits(CONVERSATION, {1: [replace(hall, pinned=True)]}).turns)
    assert one.held
    own = InvariantEdit(text="emojis never", type="hard_constraint")
    assert ("hard_constraint", "emojis never", "lifted", False) in after(own)


def test_an_edit_of_what_is_no_longer_found_is_not_lost():
    assert ("user_correction", "other words", "active", True) in after(
        InvariantEdit(of="gone", text="other words", type="user_correction", pinned=True)
    )
    assert after(InvariantEdit(of="gone", state="ended")) == after()


def test_edits_travel_in_messages():
    messages = [{"role": "user", "content": NO_EMOJIS, "invariants": [{"of": NO_EMOJIS, "state": "ended"}]}]
    assert [one.active for one in find_invariants(turns_from_messages(messages))] == [False]
    assert with_edits(CONVERSATION, {}) is CONVERSATION
    assert with_edits(CONVERSATION, {7: [InvariantEdit(of="x")]}).turns == CONVERSATION.turns


@pytest.mark.parametrize(
    ("value", "field"),
    [
        ("x", r"invariants: "),
        (["x"], r"invariants\[0\]: "),
        ([{"of": "a"}, {"oof": 1}], r"invariants\[1\].oof: "),
        ([{"of": 1}], r"invariants\[0\].of: "),
        ([{"of": "a", "type": "rule"}], r"invariants\[0\].type: "),
        ([{"of": "a", "state": "on"}], r"invariants\[0\].state: "),
        ([{"of": "a", "pinned": "yes"}], r"invariants\[0\].pinned: "),
        ([{"text": "a"}], r"invariants\[0\]: "),
    ],
)
def test_a_bad_edit_names_message_and_field(value: object, field: str):
    turns = [Turn.of("user", "hi"), Turn.of("user", "hi", metadata={"invariants": value})]
    with pytest.raises(RequestError, match=r"^messages\[1\]." + field):
        find_invariants(turns)


def test_edits_are_stored_and_undone_step_by_step_also_by_another_program(store: Store):
    key, edits = add_conversation(store), InvariantEdits(store)
    pin, end = InvariantEdit(of=NO_EMOJIS, pinned=True), InvariantEdit(of=NO_EMOJIS, state="ended")
    own = InvariantEdit(text="be brief", type="hard_constraint")
    for values in ([pin], [pin, own], [own, end], [own, end]):
        edits.change(key, {0: values})
    assert edits.of(key) == {0: (own, end)}
    later = InvariantEdits(Store(store.path))
    assert later.changed_last(key) == [0], "the same again is no step"
    assert later.undo(key) == [0]
    assert later.of(key) == {0: (pin, own)}
    edits.change(key, {0: [pin]})
    edits.change(key, {0: (), 2: [own]})
    assert edits.of(key) == {2: (own,)}
    assert edits.undo(key) == [0, 2]
    assert edits.of(key) == {0: (pin,)}
    assert [edits.undo(key) for _ in range(4)] == [[0], [0], [0], []]
    assert edits.of(key) == {}


@pytest.mark.parametrize(
    ("turn", "edits"),
    [
        (3, [InvariantEdit(of="a")]),
        (0, [InvariantEdit(of="a"), InvariantEdit(of="a")]),
        (0, [InvariantEdit(text="a")]),
    ],
)
def test_an_invalid_edit_is_not_stored(store: Store, turn: int, edits: list[InvariantEdit]):
    key, held = add_conversation(store), InvariantEdits(store)
    with pytest.raises(StoreError, match=f"{turn}"):
        held.change(key, {1: [InvariantEdit(of="fine")], turn: edits})
    assert (held.of(key), held.changed_last(key)) == ({}, [])
    with pytest.raises(StoreError, match="gone"):
        held.change("gone", {0: [InvariantEdit(of="a")]})


def test_edits_and_their_undo_go_with_what_is_removed_for_good(store: Store):
    key, edits = add_conversation(store), InvariantEdits(store)
    edits.change(key, {0: [InvariantEdit(of=NO_EMOJIS, scope="zebrafish")]})
    edits.change(key, {0: [InvariantEdit(of=NO_EMOJIS, scope="axolotl")]})
    Conversations(store).delete([key])
    Conversations(store).purge()
    assert edits.changed_last(key) == []
    for word in (b"zebrafish", b"axolotl"):
        assert not [path for path in store.path.parent.iterdir() if word in path.read_bytes()]
