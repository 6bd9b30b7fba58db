"""Looking through the library: each conversation is decided by the checks once, the newest first."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from convgate.conversation import Conversation
from convgate.errors import StoreError
from convgate.gatekeeper.checks import Limits, check
from convgate.gatekeeper.exchanges import exchanges_of
from convgate.settings import Settings
from convgate.store import ConversationSummary
from convgate.ui.frame import App
from convgate.ui.rules.looked import Looked, Talk

AT_ONCE = 10_000
"""Turns of the library that are looked through without being asked."""

_PER_PAGE = 500  # conversations that are listed at a time
_EVERY = 0.2  # seconds from one telling of the progress to the next


@dataclass(frozen=True)
class Extent:
    """How much of the library was looked through."""

    keys: Sequence[str]  # the newest conversation first
    titles: dict[str, str]
    conversations: int  # in all
    turns_left: int  # of conversations that were not looked at
    damaged: int  # conversations that cannot be read

    @property
    def is_whole(self) -> bool:
        """Whether nothing is left."""
        return not self.turns_left


def limits_of(settings: Settings) -> Limits:
    """The lengths that the settings name."""
    return Limits(
        greeting=settings.gatekeeper_greeting_length,
        short_user=settings.gatekeeper_short_user,
        short_assistant=settings.gatekeeper_short_assistant,
    )


def looked(app: App) -> Looked:
    """What was looked at in this library, under these limits."""
    return _looked(app.settings.database, limits_of(app.settings))


def talk_of(app: App, key: str, conversation: Conversation) -> Talk:
    """The exchanges of a conversation with the decisions of the checks."""
    held = looked(app)
    talk = held.talk(key)
    if talk is None:
        talk = decided(conversation, limits_of(app.settings))
        held.put(key, talk)
    return talk


def decided(conversation: Conversation, limits: Limits) -> Talk:
    """The exchanges of a conversation, decided by the checks alone."""
    placed = exchanges_of(conversation)
    return Talk.of(placed, [check(one.exchange, limits, item=one.user_turn) for one in placed])


def look_through(app: App, progress: Callable[[int, int], None], *, whole: bool) -> Extent:
    """Look at what was not looked at yet: the newest `AT_ONCE` turns, or all of the library.

    progress: called with the turns that are looked through and those that are to be.
    """
    held = looked(app)
    rows = _rows(app)
    held.keep_only(row.key for row in rows)
    total = sum(row.turns for row in rows)
    aim = total if whole else min(total, AT_ONCE)
    keys, titles, done, left, damaged = [], {}, 0, 0, 0
    told = time.monotonic()
    for row in rows:
        if held.talk(row.key) is None:
            if done >= aim:
                left += row.turns
                continue
            if time.monotonic() - told > _EVERY:
                told = time.monotonic()
                progress(done, aim)
            try:
                held.put(row.key, decided(_read(app, row.key), limits_of(app.settings)))
            except StoreError:
                damaged += 1
                continue
        done += row.turns
        keys.append(row.key)
        titles[row.key] = row.title
    return Extent(keys, titles, len(rows), left, damaged)


def _read(app: App, key: str) -> Conversation:
    # Not by the cache of the pages, in which few conversations have room.
    return app.conversations.get(key).conversation


def _rows(app: App) -> list[ConversationSummary]:
    rows: list[ConversationSummary] = []
    while True:
        page = app.conversations.find(page=1 + len(rows) // _PER_PAGE, per_page=_PER_PAGE)
        rows += page.rows
        if len(rows) >= page.total or not page.rows:
            return rows


@st.cache_resource(max_entries=2, show_spinner=False)
def _looked(path: Path, limits: Limits) -> Looked:
    return Looked()
