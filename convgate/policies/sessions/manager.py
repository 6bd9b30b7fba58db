"""Sessions of a running agent, kept in the library's database.

    sessions = convgate.SessionManager(workspace="shop")
    found = sessions.detect("continue authentication")
    found.session.id, found.boundary            # where the message belongs, and what begins with it

Several workspaces, threads and processes share a database: each message is one transaction.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from convgate.core.conversation import Turn
from convgate.core.errors import SessionError
from convgate.core.settings import Settings, load_settings
from convgate.core.text import format_duration
from convgate.policies.sessions.boundaries import Boundary
from convgate.policies.sessions.clock import Clock
from convgate.policies.sessions.rules import BoundaryRules
from convgate.policies.sessions.segmentation import State, problems_of, step
from convgate.policies.sessions.workflow import workflow_state_of
from convgate.store.conversations import Conversations
from convgate.store.damage import translate_decoding_errors
from convgate.store.database import Store
from convgate.store.sessions import Session, SessionConversation, Sessions
from convgate.transcripts.openai_messages import turn_from_message

ENDED = "It was ended."
RETENTION_DAYS = 90.0


@dataclass(frozen=True, slots=True)
class Detection:
    """Where a message belongs."""

    session: Session
    conversation: int  # number of the conversation, as `SessionManager.conversations` has it
    boundary: Boundary | None  # what begins with it, or why nothing does although it would have
    problems: tuple[str, ...] = ()  # what it says about boundaries and cannot be taken

    @property
    def is_new_session(self) -> bool:
        """Whether a session begins with the message."""
        return self.boundary is not None and self.boundary.kind == "session"

    @property
    def is_new_conversation(self) -> bool:
        """Whether a conversation begins with the message; with every session one does."""
        return self.boundary is not None and self.boundary.kind != "none"


class SessionManager:
    """The sessions of one workspace; those of others are never touched.

    place: a store, or settings, or a file of them, that name one; the usual settings unless given. Of
    settings come the rules, how long ended sessions are kept, and whether they are cleaned up now.
    """

    def __init__(
        self,
        place: Store | Settings | str | Path | None = None,
        *,
        workspace: str = "default",
        rules: BoundaryRules | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        if not isinstance(workspace, str) or not workspace.strip():
            raise SessionError(f"a workspace needs a name; got {workspace!r}")
        self.workspace = workspace
        self._clock = clock
        if isinstance(place, Store):
            self.store, usual, self._retention, cleans_up = place, BoundaryRules(), RETENTION_DAYS, False
        else:
            settings = place if isinstance(place, Settings) else load_settings(Path(place) if place else None)
            self.store, usual = Store(settings.database), BoundaryRules.of(settings)
            self._retention = settings.session_retention_days
            cleans_up = settings.session_clean_up_at_start and not settings.read_only
        self.rules = usual if rules is None else rules
        self._sessions = Sessions(self.store)
        if cleans_up:
            self.clean_up()

    def detect(self, message: str | Mapping[str, Any] | Turn, *, at: datetime | None = None) -> Detection:
        """The session and conversation that a message belongs to; they are made where one begins with it.

        message: what the user says, or any message of the talk: the assistant's count for the gap. at: when
        it came; its own time or else the present unless given. A time without a zone is this machine's, and
        one in the future is taken for the present. Raises TranscriptError when it is no message.
        """
        if at is not None and not isinstance(at, datetime):
            raise SessionError(f"at is a datetime; got {at!r}")
        problems: list[str] = []
        turn = self._stamped(_turn_of(message, problems), at, problems)
        moment = turn.timestamp
        assert moment is not None
        with self.store.write():
            live = self._sessions.live(self.workspace)
            before = State() if live is None else _load(live.state)
            after, boundary = step(before, turn, self.rules)
            problems += problems_of(turn, before.messages)
            begins = boundary.kind if boundary is not None else "none"
            if live is None or begins == "session":
                if live is not None and boundary is not None:
                    self._sessions.end(live.session.id, live.session.last_activity, boundary.reason)
                id, conversation = self._sessions.begin(self.workspace, moment).id, None
            else:
                id, conversation = live.session.id, live.conversation
            if conversation is None or begins == "conversation":
                conversation = self._sessions.open_conversation(id, moment)
            self._sessions.note_message(id, moment, _dump(after), workflow_state_of(turn))
            session = self._sessions.get(id)
        return Detection(session, conversation, boundary, tuple(problems))

    def active(self) -> Session | None:
        """The session of this workspace that the next message may go on in."""
        live = self._sessions.live(self.workspace)
        return None if live is None else live.session

    def end(self, reason: str = ENDED) -> Session | None:
        """End the active session, so that the next message begins another; None when there is none."""
        with self.store.write():
            session = self.active()
            return None if session is None else self._sessions.end(session.id, self._now(), reason)

    def recent(self, *, limit: int = 20, everywhere: bool = False) -> list[Session]:
        """The last sessions of this workspace, or of all, the one that was last at work first."""
        return self._sessions.recent(None if everywhere else self.workspace, limit=limit)

    def conversations(self, session: str | None = None) -> list[SessionConversation]:
        """The conversations of a session, the active one unless its id is given, in order."""
        return self._sessions.conversations(self._named(session))

    def add_conversation(self, key: str, *, session: str | None = None) -> SessionConversation:
        """Put a conversation of the library into a session, the active one unless its id is given.

        It is the one that is open there, if that is not in the library yet, and a further one else. Raises
        StoreError when the library does not have it.
        """
        with self.store.write():
            return self._sessions.add_conversation(self._named(session), key, self._now())

    def describe(
        self, conversation: int, *, title: str | None = None, tags: Sequence[str] | None = None
    ) -> SessionConversation:
        """Give a conversation, by its number, a title or tags; what is not given stays.

        Where the library has the conversation, the title is the library's, too.
        """
        with self.store.write():
            key = self._sessions.conversation(conversation).key
            if title is not None and key is not None:
                Conversations(self.store).rename(key, title)
            self._sessions.describe(conversation, title=title if key is None else None, tags=tags)
            return self._sessions.conversation(conversation)

    def clean_up(self, *, retention_days: float | None = None, with_conversations: bool = False) -> int:
        """Remove the sessions, of all workspaces, that ended longer ago than they are kept; how many.

        retention_days: as the settings say unless given. Conversations stay in the library, unless
        `with_conversations` deletes them there as well, from where they can come back until they are purged.
        """
        days = self._retention if retention_days is None else retention_days
        if not days > 0:
            raise SessionError(f"sessions are kept for more than 0 days; got {days}")
        try:
            before = self._now() - timedelta(days=days)
        except OverflowError:  # for ever
            return 0
        if with_conversations:
            Conversations(self.store).delete(self._sessions.keys_of_old(before))
        return self._sessions.clean_up(before)

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
        """The message with its time in UTC, which is never after the present."""
        now = self._now()
        told = at or turn.timestamp or now
        try:
            moment = told.astimezone(UTC)
        except (OverflowError, ValueError):  # the first and last of all days
            problems.append(f"{told} is no time; the present was taken")
            return replace(turn, timestamp=now)
        if moment > now:
            ahead = format_duration((moment - now).total_seconds())
            problems.append(f"its time is {ahead} ahead of the clock; the present was taken")
        return replace(turn, timestamp=min(moment, now))


def _turn_of(message: str | Mapping[str, Any] | Turn, problems: list[str]) -> Turn:
    """The message as a turn; what is odd about it goes to `problems`."""
    if isinstance(message, Turn):
        return message
    if isinstance(message, str):
        return Turn.of("user", message)
    return turn_from_message(message, warn=lambda problem, field: problems.append(f"{field}: {problem}"))


def _dump(state: State) -> str:
    clock = state.clock
    return json.dumps(
        {
            "messages": state.messages,
            "spoken": state.spoken,
            "closed_at": state.closed_at,
            "latest": clock.latest and clock.latest.isoformat(),
            "behind": clock.behind and clock.behind.isoformat(),
            "set_back": clock.set_back,
        }
    )


@translate_decoding_errors("the state of a session")
def _load(text: str) -> State:
    held = json.loads(text)
    latest, behind = (held[name] and datetime.fromisoformat(held[name]) for name in ("latest", "behind"))
    clock = Clock(latest, behind, held["set_back"])
    return State(held["messages"], held["spoken"], held["closed_at"], clock)
