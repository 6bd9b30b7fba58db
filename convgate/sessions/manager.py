"""Sessions of a running agent, kept in the library's database.

    sessions = convgate.SessionManager(workspace="shop")
    history = sessions.add_message("continue authentication")    # stored in the library
    sessions.select(history.session.id).messages                 # what to send
    sessions.add_message({"role": "assistant", "content": answer})

Several workspaces, threads and processes share a database: each call is one transaction.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import SessionError, StoreError
from convgate.core.settings import Settings, resolve_settings
from convgate.core.text import format_duration
from convgate.messages.tokens import turn_tokens
from convgate.policies.retention.confidence import FIELD as CONFIDENCE_FIELD
from convgate.policies.retention.confidence import LOGPROBS
from convgate.policies.sessions.boundaries import (
    MOVED_FIELD,
    STATE_FIELD,
    Boundary,
    problems_of,
    workflow_state_of,
)
from convgate.policies.sessions.rules import BoundaryRules
from convgate.policies.sessions.segmentation import SegmentState, step
from convgate.selection.added import Capsule
from convgate.selection.edits import apply_edits
from convgate.sessions.notes import SessionNotes
from convgate.store.conversations import Conversations, NewConversation
from convgate.store.database import Store
from convgate.store.documents import translate_decoding_errors
from convgate.store.results import ElidedResults
from convgate.store.sessions import Session, SessionConversation, Sessions
from convgate.transcripts import turns_from_messages
from convgate.transcripts.message_reader import link_turn
from convgate.transcripts.openai_messages import turn_from_message
from convgate.transcripts.timestamps import TIMESTAMP_FIELDS

if TYPE_CHECKING:
    from convgate.selection.selection import Selection
    from convgate.selection.selector import Selector

ENDED = "It was ended."

_OWN_FIELDS = frozenset({CONFIDENCE_FIELD, LOGPROBS, MOVED_FIELD, STATE_FIELD, *TIMESTAMP_FIELDS})


@dataclass(frozen=True, slots=True)
class Detection:
    """Where a message belongs."""

    session: Session
    conversation: int  # number of the conversation, as `SessionManager.conversations` has it
    boundary: Boundary | None  # what begins with it, or why nothing does
    problems: tuple[str, ...] = ()  # its values that are not known


@dataclass(frozen=True, slots=True)
class SessionHistory:
    """The open conversation of a session, as the library has it."""

    session: Session
    key: str  # of the conversation
    conversation: Conversation
    began: Boundary | None = None  # what began with the last of the added messages that began something


class SessionManager:
    """The sessions of one workspace; those of others are never touched.

    place: a store, or settings, or a file of them. selector: selects what is sent, and its settings
    replace those of the file; by default that of the settings.
    """

    def __init__(
        self,
        place: Store | Settings | str | Path | None = None,
        *,
        workspace: str = "default",
        rules: BoundaryRules | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        selector: Selector | None = None,
    ) -> None:
        if not isinstance(workspace, str) or not workspace.strip():
            raise SessionError(f"a workspace needs a name; got {workspace!r}")
        self.workspace = workspace
        self._clock = clock
        given = None if isinstance(place, Store) else place
        settings = selector.settings if selector is not None and given is None else resolve_settings(given)
        self.store = place if isinstance(place, Store) else Store(settings.database)
        self.rules = rules or BoundaryRules.of(settings)
        self._settings, self._given_selector = settings, selector
        self._sessions, self._conversations = Sessions(self.store), Conversations(self.store)
        self._notes = SessionNotes(self.store, settings, workspace, lambda: self._selector.policy)
        if settings.session.clean_up_at_start and not settings.read_only:
            self.clean_up()

    def detect(self, message: str | Mapping[str, Any] | Turn, *, at: datetime | None = None) -> Detection:
        """Return the session and conversation of a message, added when they begin with it.

        at: by default its own time or now. A time without a zone is this machine's; one in the future counts
        as now. Raises TranscriptError when it is no message.
        """
        problems: list[str] = []
        turn = self._stamped(_turn_of(message, problems), at, problems)
        time = turn.timestamp
        assert time is not None
        with self.store.write():
            live = self._sessions.live(self.workspace)
            before = SegmentState() if live is None else _load(live.state)
            after, boundary = step(before, turn, self.rules)
            problems += problems_of(turn, before.messages)
            begins = boundary.kind if boundary is not None else "none"
            if live is None or begins == "session":
                if live is not None and boundary is not None:
                    self._sessions.end(live.session.id, live.session.last_activity, boundary.reason)
                id, conversation = self._sessions.begin(self.workspace, time).id, None
            else:
                id, conversation = live.session.id, live.conversation
            if conversation is None or begins == "conversation":
                conversation = self._sessions.open_conversation(id, time)
            self._sessions.note_message(id, time, _dump(after), workflow_state_of(turn))
            session = self._sessions.get(id)
        return Detection(session, conversation, boundary, tuple(problems))

    def add_message(
        self, message: str | Mapping[str, Any] | Turn, *, at: datetime | None = None
    ) -> SessionHistory:
        """Add a message to the open conversation, which begins with it where the rules say so.

        A text is a user's message. at, and errors: as in `detect`.
        """
        return self._append([_turn_of(message, [])], at=at)

    def add_messages(
        self, messages: Sequence[Mapping[str, Any]], *, after: int | None = None, max_turns: int | None = None
    ) -> SessionHistory:
        """Add OpenAI-style messages, all of them or none.

        after: turns that the open conversation has. Raises SessionError when it has another number, would
        have more than `max_turns` or none at all, and TranscriptError for messages that cannot be read.
        """
        return self._append(turns_from_messages(messages), after=after, max_turns=max_turns)

    def history(self, session: str | None = None) -> SessionHistory:
        """Return the open conversation of a session, the active one unless its id is given.

        Raises SessionError when it has no messages.
        """
        named = self._sessions.get(self._named(session))
        key, _ = self._find_open(named)
        if key is None:
            raise SessionError(f"the session {named.id} has no messages")
        conversation = self._conversations.get(key).conversation
        return SessionHistory(named, key, apply_edits(self.store, key, conversation))

    def select(
        self,
        session: str | None = None,
        message: str | None = None,
        *,
        budget: int | None = None,
        intent: str | None = None,
        request_id: str | None = None,
    ) -> Selection:
        """Return what is sent for a session's current message, or for a message put after its last one.

        session: an id; by default the active session. The message is not stored. Other arguments as in
        `Selector.select`. Its messages are without the fields that only convgate reads, such as
        `workflow_state`. Raises SessionError when the session has no messages.
        """
        history = self.history(session)
        selection = self._selector.select_at(
            history.conversation,
            question=message,
            budget=budget,
            intent=intent,
            capsules=self.capsules(history, message),
            request_id=request_id,
            session=history.session.id,
        )
        return replace(selection, messages=[_without_own_fields(message) for message in selection.messages])

    def capsules(self, history: SessionHistory, message: str | None = None) -> list[Capsule]:
        """Return the summary of a history, and what is recalled of earlier ones for its current message.

        message: put after its last one. Without settings for either, there is none.
        """
        return self._notes.capsules(history.key, history.conversation, message)

    def active(self) -> Session | None:
        """Return the active session of this workspace, or None."""
        live = self._sessions.live(self.workspace)
        return None if live is None else live.session

    def end(self, reason: str = ENDED) -> Session | None:
        """End the active session, so that the next message begins another; None when there is none."""
        with self.store.write():
            if (session := self.active()) is None:
                return None
            key, _ = self._find_open(session)
            session = self._sessions.end(session.id, self._now(), reason)
        if key is not None:
            self._notes.summarize(key, is_ended=True)
        return session

    def recent(self, *, limit: int = 20, everywhere: bool = False) -> list[Session]:
        """Return the last sessions of this workspace, or of all, the newest activity first."""
        return self._sessions.recent(None if everywhere else self.workspace, limit=limit)

    def conversations(self, session: str | None = None) -> list[SessionConversation]:
        """Return the conversations of a session, the active one unless its id is given, in order."""
        return self._sessions.conversations(self._named(session))

    def add_conversation(self, key: str, *, session: str | None = None) -> SessionConversation:
        """Move a conversation of the library into a session, the active one unless its id is given.

        Raises StoreError when the library does not have it.
        """
        with self.store.write():
            return self._sessions.add_conversation(self._named(session), key, self._now())

    def expired(self) -> list[Session]:
        """Return the sessions that `clean_up` would remove, oldest first."""
        return self._sessions.ended_before(self._retention_start())

    def clean_up(self) -> int:
        """Remove the sessions of all workspaces that ended before the retention period; return how many.

        With them go the originals of tool results whose stubs were sent last before it. The library keeps
        all conversations.
        """
        before = self._retention_start()
        ElidedResults(self.store).clean_up(before)
        return self._sessions.clean_up(before)

    @cached_property
    def _selector(self) -> Selector:
        from convgate.selection.load import load  # loads the model

        return self._given_selector or load(self._settings)

    def _append(
        self,
        turns: Sequence[Turn],
        *,
        at: datetime | None = None,
        after: int | None = None,
        max_turns: int | None = None,
    ) -> SessionHistory:
        """Append turns in one transaction; a conversation that begins takes the instructions along."""
        _ = self._notes.summarizer  # before anything is stored: raises for wrong settings
        ended: list[str] = []
        with self.store.write():
            active = self.active()
            key, number = self._find_open(active)
            if active and key is None and number is None:
                self.end("The library no longer has its conversation.")
            history = list(self._conversations.get(key).conversation.turns) if key else []
            if after is not None and after != len(history):
                raise SessionError(
                    f"the conversation in {self.workspace!r} has {len(history)} turns, not {after}"
                )
            new, began = list[Turn](), None
            for turn in turns:
                if at is not None or turn.timestamp is None:
                    turn = self._stamped(turn, at, [])
                detection = self.detect(turn)
                if key is not None and detection.conversation == number:
                    history.append(link_turn(turn, history))
                    new.append(history[-1])
                    continue
                if key is not None:
                    ended.append(self._grow(key, new))
                history = [*(earlier for earlier in history if earlier.is_instruction), turn]
                key, number, new = self._begin(detection, history), detection.conversation, []
                began = detection.boundary
            if key is not None:
                key = self._grow(key, new)
            if max_turns is not None and len(history) > max_turns:
                raise SessionError(
                    f"the conversation in {self.workspace!r} would have more than {max_turns:,} turns"
                )
            grown = replace(self.history(), began=began)
        for previous in ended:
            self._notes.summarize(previous, is_ended=True)
        self._notes.summarize(grown.key, is_ended=False)
        if grown.began is not None:
            self._notes.summarize_missing(without=grown.key)
        return grown

    def _find_open(self, session: Session | None) -> tuple[str | None, int | None]:
        """Return key and number of the open conversation; no number when it was removed or deleted.

        There is no key while the library does not have it.
        """
        if session is None or not (held := self._sessions.open_one(session.id)):
            return None, None
        if held.key is None:
            return None, held.number
        try:
            return self._conversations.summary(held.key).key, held.number
        except StoreError:  # it was deleted
            return None, None

    def _begin(self, detection: Detection, turns: Sequence[Turn]) -> str:
        # Numbers of conversations are never used twice, so equal messages of two sessions stay apart.
        metadata = {"session": detection.session.id, "conversation": detection.conversation}
        conversation = Conversation(self.workspace, tuple(turns), metadata=metadata)
        new = NewConversation(conversation, self.workspace, tokens=int(turn_tokens(turns).sum()))
        (added,) = self._conversations.add([new])
        self.add_conversation(added.key, session=detection.session.id)
        return added.key

    def _grow(self, key: str, turns: Sequence[Turn]) -> str:
        if not turns:
            return key
        return self._conversations.grow(key, turns, tokens=int(turn_tokens(turns).sum())).key

    def _named(self, session: str | None) -> str:
        if session is not None:
            return session
        if (active := self.active()) is None:
            raise SessionError(
                f"no session is active in the workspace {self.workspace!r}; name one by its id"
            )
        return active.id

    def _retention_start(self) -> datetime:
        return self._now() - timedelta(days=self._settings.session.retention_days)

    def _now(self) -> datetime:
        return self._clock().astimezone(UTC)

    def _stamped(self, turn: Turn, at: datetime | None, problems: list[str]) -> Turn:
        """Return the message with its time in UTC, at most now."""
        now = self._now()
        time = (at or turn.timestamp or now).astimezone(UTC)
        if time > now:
            ahead = format_duration((time - now).total_seconds())
            problems.append(f"its time is {ahead} ahead of the clock; now was used")
        return replace(turn, timestamp=min(time, now))


def _turn_of(message: str | Mapping[str, Any] | Turn, problems: list[str]) -> Turn:
    """Return the message as a turn; warnings go to `problems`."""
    if isinstance(message, Turn):
        return message
    if isinstance(message, str):
        return Turn.of("user", message)
    return turn_from_message(message, warn=lambda problem, field: problems.append(f"{field}: {problem}"))


def _without_own_fields(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the message as endpoints of models accept it; they refuse fields that they do not know."""
    # copies: the conversation stays in memory
    return {field: deepcopy(value) for field, value in message.items() if field not in _OWN_FIELDS}


def _dump(state: SegmentState) -> str:
    values = asdict(replace(state, zone=None))  # all times are in UTC here
    del values["zone"]
    return json.dumps(values, default=datetime.isoformat)


@translate_decoding_errors("session state")
def _load(text: str) -> SegmentState:
    values = json.loads(text)
    return SegmentState(**values | {"latest": values["latest"] and datetime.fromisoformat(values["latest"])})
