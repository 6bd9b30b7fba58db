"""Lists of sessions a page at a time, what a clean-up would take, and the undo of moved boundaries."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from convgate.conversation import Conversation, Turn
from convgate.errors import StoreError
from convgate.store import Conversations, NewConversation, Store
from convgate.store.moved_boundaries import MovedBoundaries
from convgate.store.session_pages import Old, SessionPages
from convgate.store.session_records import MovedBoundary
from convgate.store.sessions import Sessions
from tests.session_days import MORNING


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "convgate.db")


def talk(store: Store, turns: int = 6) -> str:
    said = tuple(Turn.of("user", f"text {index}") for index in range(turns))
    (added,) = Conversations(store).add([NewConversation(Conversation("", said))])
    return added.key


def kinds(store: Store, key: str) -> dict[int, str]:
    return {turn: one.kind for turn, one in MovedBoundaries(store).of(key).items()}


def test_steps_are_undone_one_after_the_other_also_by_another_program(store: Store) -> None:
    key, moved = talk(store), MovedBoundaries(store)
    moved.change(key, {2: MovedBoundary("none"), 3: MovedBoundary("session", "first")})
    moved.change(key, {3: None, 4: MovedBoundary("session", "second")})
    moved.put(key, 4, MovedBoundary("conversation", "third"))
    moved.remove(key, 5)
    assert kinds(store, key) == {2: "none", 4: "conversation"}
    later = MovedBoundaries(Store(store.path))
    assert later.changed_last(key) == [4], "to remove what is not there is no step"
    assert later.undo(key) == [4]
    assert {turn: (one.kind, one.note) for turn, one in later.of(key).items()} == {
        2: ("none", ""),
        4: ("session", "second"),
    }
    assert later.undo(key) == [3, 4]
    assert {turn: (one.kind, one.note) for turn, one in later.of(key).items()} == {
        2: ("none", ""),
        3: ("session", "first"),
    }
    assert later.undo(key) == [2, 3]
    assert later.of(key) == {}
    assert later.undo(key) == later.changed_last(key) == []


def test_a_step_is_stored_whole_or_not_at_all(store: Store) -> None:
    key, moved = talk(store), MovedBoundaries(store)
    with pytest.raises(StoreError, match="at messages 1 to 5, as the first begins the session; got 6"):
        moved.change(key, {2: MovedBoundary("none"), 6: MovedBoundary("session")})
    assert moved.of(key) == {}
    assert moved.changed_last(key) == []


def test_the_undo_goes_with_what_is_removed_for_good(store: Store) -> None:
    key, moved = talk(store), MovedBoundaries(store)
    moved.put(key, 2, MovedBoundary("session", "zebrafish"))
    moved.remove(key)
    Conversations(store).delete([key])
    Conversations(store).purge()
    assert moved.changed_last(key) == []
    assert not [path for path in store.path.parent.iterdir() if b"zebrafish" in path.read_bytes()]


def test_pages_of_sessions_begin_with_the_active_ones(store: Store) -> None:
    sessions, pages = Sessions(store), SessionPages(store)
    for day in range(5):
        at = MORNING + timedelta(days=day)
        begun = sessions.begin("shop" if day % 2 else "lab", at)
        if day < 4:
            sessions.end(begun.id, at, "over")
    first, second = pages.find(per_page=3), pages.find(per_page=3, page=2)
    assert first.total == second.total == 5
    assert [(one.workspace, one.is_active) for one in (*first.rows, *second.rows)] == [
        ("lab", True), ("shop", False), ("lab", False), ("shop", False), ("lab", False),
    ]  # fmt: skip
    assert pages.find(workspace="shop").total == 2
    assert pages.find(workspace="lab", active=False).total == 2
    assert pages.find(active=True).total == 1
    assert pages.find(workspace="nobody").rows == ()
    assert pages.workspaces() == {"lab": 3, "shop": 2}


def test_a_clean_up_takes_what_was_told_before(store: Store) -> None:
    sessions, pages = Sessions(store), SessionPages(store)
    for day in range(3):
        at = MORNING + timedelta(days=day)
        begun = sessions.begin("shop", at)
        sessions.open_conversation(begun.id, at)
        sessions.open_conversation(begun.id, at)
        sessions.add_conversation(begun.id, talk(store, 2 + day), at)
        if day < 2:
            sessions.end(begun.id, at, "over")
    before = MORNING + timedelta(days=30)
    assert len(pages.conversations(begun.id)) == 2, "the open one is that of the library now"
    assert [one.key is None for one in pages.conversations(begun.id, page=2, per_page=1)] == [False]
    assert pages.old(before) == Old(sessions=2, workspaces=1, only_here=2, in_library=2)
    assert sessions.clean_up(before) == 2
    assert pages.old(before) == Old(0, 0, 0, 0)
    assert Conversations(store).find().total == 3
