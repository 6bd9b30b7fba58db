"""Conversations of relevance sets found again in the Library, so that their turns can be opened."""

from __future__ import annotations

from collections.abc import Mapping

from convgate.conversation import Conversation
from convgate.store import Store
from convgate.store.openings import Openings, chain


def library_keys(store: Store, conversations: Mapping[str, Conversation]) -> dict[str, str | None]:
    """The key under which the Library has each conversation; None for one that it has not.

    A conversation is the same when the same was said by the same speakers, whatever file it came from.
    """
    with store.read() as db:
        openings = Openings(db)
        numbers = {id: openings.same(chain(talk.turns)) for id, talk in conversations.items()}
        wanted = [number for number in numbers.values() if number is not None]
        marks = ", ".join("?" * len(wanted))
        keys = dict(db.execute(f"SELECT number, key FROM conversations WHERE number IN ({marks})", wanted))
    return {id: None if number is None else keys[number] for id, number in numbers.items()}
