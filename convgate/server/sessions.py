"""Histories of sessions: a client sends only new messages, and the library keeps the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from convgate.core.settings import Settings
from convgate.selection.added import Capsule
from convgate.selection.selector import Selector
from convgate.sessions import SessionHistory, SessionManager
from convgate.store import Store

WORKSPACE = "serve:"
"""In front of a session's id: its workspace, as the page Sessions shows it."""

_MAX_MANAGERS = 1_000


class SessionHistories:
    """The histories of all sessions of a store. Threads and processes may append at once."""

    def __init__(self, store: Store, settings: Settings, selector: Selector) -> None:
        self._max_turns = settings.server.max_turns
        self._manager = lru_cache(_MAX_MANAGERS)(
            lambda id: SessionManager(store, workspace=WORKSPACE + id, selector=selector)
        )

    def append(
        self, id: str, messages: Sequence[Mapping[str, Any]], *, after: int | None = None
    ) -> SessionHistory:
        """Return the history with the messages appended; arguments and errors as `add_messages`."""
        return self._manager(id).add_messages(messages, after=after, max_turns=self._max_turns)

    def capsules(self, id: str, question: str | None = None) -> list[Capsule]:
        """Return the capsules of the open conversation, as `SessionManager.capsules`."""
        manager = self._manager(id)
        return manager.capsules(manager.history(), question)

    def key_of(self, id: str) -> str:
        """Return the key of the open conversation; SessionError when there is none."""
        return self._manager(id).history().key


def session_json(id: str, history: SessionHistory) -> dict[str, Any]:
    """Return what a response says of the session that clients know by this id."""
    return {
        "id": id,
        "conversation": history.key,
        "turns": len(history.conversation),
        "began": history.began and history.began.reason,
    }
