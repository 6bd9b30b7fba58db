"""Histories of sessions: a client sends only new messages, and the library keeps the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import SessionError, StoreError
from convgate.core.settings import Settings
from convgate.messages.tokens import turn_tokens
from convgate.policies.sessions.manager import Detection, SessionManager
from convgate.store import Conversations, NewConversation, Store
from convgate.store.sessions import Sessions
from convgate.transcripts import turns_from_messages

WORKSPACE = "serve:"
"""In front of a session's id: its workspace, as the page Sessions shows it."""

_MAX_MANAGERS = 1_000


@dataclass(frozen=True)
class SessionHistory:
    """The open conversation of a session, with the messages that were appended."""

    id: str
    key: str  # in the library
    conversation: Conversation
    began: str | None  # why it began with one of these messages; None when it did not

    def to_json(self) -> dict[str, Any]:
        """Return what a response says of it."""
        turns = len(self.conversation)
        return {"id": self.id, "conversation": self.key, "turns": turns, "began": self.began}


class SessionHistories:
    """The histories of all sessions of a store. Threads and processes may append at once."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store, self._conversations, self._sessions = store, Conversations(store), Sessions(store)
        self._max_turns = settings.server_max_turns
        self._manager = lru_cache(_MAX_MANAGERS)(
            lambda id: SessionManager(store, workspace=WORKSPACE + id, settings=settings)
        )

    def append(
        self, id: str, messages: Sequence[Mapping[str, Any]], *, after: int | None = None
    ) -> SessionHistory:
        """Return the history with the messages appended, in one transaction.

        Where the session's rules begin a conversation, the history begins anew, with the instructions of the
        former one. after: number of turns that the history has. Raises SessionError when it has another one,
        would be too long or empty, and TranscriptError for messages that cannot be read.
        """
        turns, manager = turns_from_messages(messages), self._manager(id)
        with self._store.write():
            key, number = self._find(manager)
            if key is None:
                manager.end("The library no longer has its conversation.")
            known = self._conversations.get(key).conversation.turns if key else ()
            if after is not None and after != len(known):
                raise SessionError(f"the history of session {id!r} has {len(known)} turns, not {after}")
            history, new, began = list(known), [], None
            for turn in turns:
                detection = manager.detect(turn)
                if key is not None and detection.conversation == number:
                    history.append(turn)
                    new.append(turn)
                    continue
                key = self._grow(key, new)
                history = [*(earlier for earlier in history if earlier.is_instruction), turn]
                key, number, new = self._begin(manager, detection, history), detection.conversation, []
                began = detection.boundary.reason if detection.boundary else None
            key = self._grow(key, new)
            if key is None:
                raise SessionError(f"session {id!r} has no messages yet; send some")
            if len(history) > self._max_turns:
                raise SessionError(f"session {id!r} would have more than {self._max_turns:,} turns")
        return SessionHistory(id, key, Conversation(id, tuple(history)), began)

    def key_of(self, id: str) -> str:
        """Return the key of the open conversation; SessionError when there is none."""
        key, _ = self._find(self._manager(id))
        if key is None:
            raise SessionError(f"session {id!r} has no messages")
        return key

    def _find(self, manager: SessionManager) -> tuple[str | None, int | None]:
        """Return key and number of the open conversation of a workspace; no key when the library has none."""
        live = self._sessions.live(manager.workspace)
        if live is None:
            return None, None
        held = manager.conversations(live.session.id)
        key = next((one.key for one in held if one.number == live.conversation), None)
        try:
            return key and self._conversations.summary(key).key, live.conversation
        except StoreError:  # it was deleted in the app
            return None, live.conversation

    def _begin(self, manager: SessionManager, detection: Detection, turns: Sequence[Turn]) -> str:
        # Numbers of conversations are never used twice, so equal messages of two sessions stay apart.
        metadata = {"session": detection.session.id, "conversation": detection.conversation}
        conversation = Conversation(manager.workspace, tuple(turns), metadata=metadata)
        new = NewConversation(conversation, manager.workspace, tokens=int(turn_tokens(turns).sum()))
        (added,) = self._conversations.add([new])
        manager.add_conversation(added.key, session=detection.session.id)
        return added.key

    def _grow(self, key: str | None, turns: Sequence[Turn]) -> str | None:
        if key is None or not turns:
            return key
        return self._conversations.grow(key, turns, tokens=int(turn_tokens(turns).sum())).key
