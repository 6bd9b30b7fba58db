"""A running agent with sessions, on a clock that is set by hand."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from convgate.core.conversation import Conversation, Turn
from convgate.policies.sessions import BoundaryRules
from convgate.sessions import SessionManager
from convgate.store import Conversations, NewConversation, Store
from tests.session_days import MORNING

NINE = MORNING + timedelta(hours=9)


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = NINE

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **time: float) -> None:
        self.now += timedelta(**time)


def empty_store(folder: Path) -> Store:
    """A new store in the folder."""
    return Store(folder / "convgate.db")


def manager(store: Store, clock: Clock, workspace: str = "shop", **rules: float | bool) -> SessionManager:
    """The sessions of a workspace, on the clock `clock`."""
    return SessionManager(store, workspace=workspace, rules=BoundaryRules(**rules), clock=clock)


def add(store: Store, text: str) -> str:
    """A conversation of one message for the library; its key."""
    (added,) = Conversations(store).add([NewConversation(Conversation("", (Turn.of("user", text),)))])
    return added.key
