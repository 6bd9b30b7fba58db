"""What is asked of the tables of sessions, and what the rows of an answer say."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from convgate.store.faults import translate_decoding_errors
from convgate.store.session_records import Session, SessionConversation

SESSION = "SELECT id, workspace, started, last_activity, conversation_count, ended, reason FROM sessions"
CONVERSATION = """
    SELECT held.number, sessions.id, key, coalesce(conversations.title, held.title), tags, began,
        held.last_activity, workflow_state
    FROM session_conversations AS held LEFT JOIN sessions ON sessions.number = held.session
    LEFT JOIN conversations ON conversations.number = held.conversation"""


@translate_decoding_errors("a session")
def session_of(row: Sequence[Any]) -> Session:
    """The session of a row of `SESSION`."""
    id, workspace, started, last_activity, count, ended, reason = row
    moments = [
        None if text is None else datetime.fromisoformat(text) for text in (started, last_activity, ended)
    ]
    began, active, over = moments
    assert began is not None
    assert active is not None
    return Session(id, workspace, began, active, count, over, reason)


@translate_decoding_errors("a conversation of a session")
def conversation_of(row: Sequence[Any]) -> SessionConversation:
    """The conversation of a row of `CONVERSATION`."""
    number, session, key, title, tags, began, last_activity, workflow_state = row
    return SessionConversation(
        number=number,
        session=session,
        key=key,
        title=title,
        tags=tuple(json.loads(tags)),
        began=datetime.fromisoformat(began),
        last_activity=datetime.fromisoformat(last_activity),
        workflow_state=workflow_state,
    )
