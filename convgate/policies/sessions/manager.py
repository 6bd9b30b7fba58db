"""Sessions of a running agent, kept in the library's database.

    sessions = convgate.SessionManager(workspace="shop")
    detection = sessions.detect("continue authentication")
    detection.session.id, detection.boundary    # where the message belongs, and what begins with it

Several workspaces, threads and processes share a database: each message is one transaction.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from convgate.core.conversation import Turn
from convgate.core.errors import SessionError
from convgate.core.settings import Settings, load_settings
from convgate.core.text import format_duration
from convgate.policies.sessions.boundaries import Boundary, problems_of, workflow_state_of
from convgate.policies.sessions.rules import BoundaryRules
from convgate.policies.sessions.segmentation import State, step
from convgate.store.database import Store
from convgate.store.documents import translate_decoding_errors
from convgate.store.sessions import Session, SessionConversation, Sessions
from convgate.transcripts.formats.openai_messages import turn_from_message

ENDED = "It was ended."


@dataclass(frozen=True, slots=True)
class Detection:
    """Where a message belongs."""

    session: Session
    conversation: int  # number of the conversation, as `SessionManager.conversations` has it
    boundary: Boundary | None  # what begins with it, or why nothing does
    problems: tuple[str, ...] = ()  # its values that are not known


class SessionManager:
    """The sessions of one workspace; those of others are never touched.

    place: a store, or settings, or a file of them. settings: those for a store; default: the usual ones.
    """

    def __init__(
        self,
        place: Store | Settings | str | Path | None = None,
        *,
        workspace: str = "default",
        rules: BoundaryRules | None = None,
        settings: Settings | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        if not isinstance(workspace, str) or not workspace.strip():
            raise SessionError(f"a workspace needs a name; got {workspace!r}")
        self.workspace = workspace
        self._clock = clock
        if isinstance(place, Settings):
            settings = place
        elif settings is None:
            settings = load_settings(Path(place) if isinstance(place, str | Path) else None)
        self.store = place if isinstance(place, Store) else Store(settings.database)
        self.rules = rules or BoundaryRules.of(settings)
        self._retention_days = settings.session_retention_days
        self._sessions = Sessions(self.store)
        if settings.session_clean_up_at_start and not settings.read_only:
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
            before = State() if live is None else _load(live.state)
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

    def active(self) -> Session | None:
        """Return the active session of this workspace, or None."""
        live = self._sessions.live(self.workspace)
        return None if live is None else live.session

    def end(self, reason: str = ENDED) -> Session | None:
        """End the active session, so that the next message begins another; None when there is none."""
        with self.store.write():
            session = self.active()
            return None if session is None else self._sessions.end(session.id, self._now(), reason)

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

    def clean_up(self) -> int:
        """Remove the sessions of all workspaces that ended before the retention period; return how many.

        The library keeps all conversations.
        """
        return self._sessions.clean_up(self._now() - timedelta(days=self._retention_days))

    def _named(self, session: str | None) -> str:
        if session is not None:
            return session
        if (active := self.active()) is None:
            raise SessionError(
                f"no session is active in the workspace {self.workspace!r}; name one by its id"
            )
        return active.id

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


def _dump(state: State) -> str:
    values = asdict(replace(state, zone=None))  # all times are in UTC here
    del values["zone"]
    return json.dumps(values, default=datetime.isoformat)


@translate_decoding_errors("session state")
def _load(text: str) -> State:
    values = json.loads(text)
    return State(**values | {"latest": values["latest"] and datetime.fromisoformat(values["latest"])})
