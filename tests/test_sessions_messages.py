"""Messages of a running agent: stored by session, and the selections from them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from convgate.core.errors import SessionError, TranscriptError
from convgate.policies.sessions import BoundaryRules
from convgate.sessions import SessionManager
from convgate.store import Conversations, Store
from tests import selectors
from tests.session_agents import Clock


@pytest.fixture
def sessions(store: Store, clock: Clock) -> SessionManager:
    return SessionManager(
        store, workspace="shop", rules=BoundaryRules(), clock=clock, selector=selectors.make_selector()
    )


def texts(sessions: SessionManager, session: str | None = None) -> list[str]:
    return [turn.text for turn in sessions.history(session).conversation.turns]


def test_messages_are_kept_in_the_library(sessions: SessionManager, store: Store) -> None:
    sessions.add_message({"role": "system", "content": "Be brief."})
    first = sessions.add_message("TASK make a button")
    last = sessions.add_message({"role": "assistant", "content": "Done."})
    assert last.session.id == first.session.id
    assert texts(sessions) == ["Be brief.", "TASK make a button", "Done."]
    [row] = Conversations(store).find(search="button").rows
    assert (row.key, row.turns) == (last.key, 3)
    assert [held.key for held in sessions.conversations()] == [last.key]


def test_a_new_conversation_takes_the_instructions_along(sessions: SessionManager, clock: Clock) -> None:
    before = sessions.add_messages(selectors.chat("system: Be brief.", "user: hello", "assistant: Hi."))
    after = sessions.add_message("new topic: tea")
    assert after.began.rule == "new_command"
    assert texts(sessions) == ["Be brief.", "new topic: tea"]
    clock.advance(hours=3)
    late = sessions.add_message("tea again")
    assert late.session.id != before.session.id
    assert texts(sessions) == ["Be brief.", "tea again"]
    assert texts(sessions, before.session.id) == ["Be brief.", "new topic: tea"]


def test_a_conversation_that_was_only_detected_is_stored_from_its_next_message_on(
    sessions: SessionManager,
) -> None:
    detected = sessions.detect("hello").session
    assert sessions.add_message("there").session.id == detected.id
    assert texts(sessions) == ["there"]


def test_a_deleted_conversation_is_not_continued(sessions: SessionManager, store: Store) -> None:
    first = sessions.add_message("hello")
    Conversations(store).delete([first.key])
    with pytest.raises(SessionError):
        sessions.history()
    assert sessions.add_message("there").session.id != first.session.id
    assert texts(sessions) == ["there"]


def test_messages_are_added_all_or_none(sessions: SessionManager) -> None:
    sessions.add_message("hello")
    good = selectors.chat("user: a", "assistant: b")
    for arguments in ({"after": 0}, {"max_turns": 2}):
        with pytest.raises(SessionError):
            sessions.add_messages(good, **arguments)
    with pytest.raises(TranscriptError):
        sessions.add_messages([*good, {"content": "no role"}])
    assert texts(sessions) == ["hello"]
    assert len(sessions.add_messages(good, after=1, max_turns=3).conversation) == 3


def test_a_selection_is_made_of_stored_messages(sessions: SessionManager) -> None:
    with pytest.raises(SessionError):
        sessions.select()
    session = sessions.add_messages(selectors.chat("user: TASK a login", "assistant: Fine.")).session.id
    sessions.add_message("TASK add a logout")
    assert [message["content"] for message in sessions.select().messages] == [
        "TASK a login", "Fine.", "TASK add a logout",
    ]  # fmt: skip
    selection = sessions.select(session, "DEBUGGING it fails", request_id="r1")
    assert (selection.mode, selection.request_id) == ("DEBUGGING", "r1")
    assert selection.messages[-1]["content"] == "DEBUGGING it fails"
    assert len(texts(sessions)) == 3, "a question is not stored"


def test_messages_are_stored_with_their_times(sessions: SessionManager, clock: Clock) -> None:
    sessions.add_message("now")
    clock.advance(hours=1)
    sessions.add_message({"role": "user", "content": "stated", "timestamp": "2026-11-20T08:00:00+01:00"})
    sessions.add_message("given", at=clock.now - timedelta(minutes=5))
    times = [turn.timestamp for turn in sessions.history().conversation.turns]
    assert times[0] == clock.now - timedelta(hours=1)
    assert times[1].isoformat() == "2026-11-20T08:00:00+01:00"
    assert times[2] == clock.now - timedelta(minutes=5)


def test_a_selection_has_no_fields_that_a_model_refuses(sessions: SessionManager) -> None:
    own = {"workflow_state": "ACTIVE", "confidence": 0.4, "created_at": "2026-11-20T08:00:00Z"}
    sessions.add_message({"role": "user", "content": "GENERAL hello", "name": "Ada", **own})
    assert sessions.select().messages == [{"role": "user", "content": "GENERAL hello", "name": "Ada"}]
    [turn] = sessions.history().conversation.turns
    assert turn.metadata["confidence"] == 0.4
