"""Where a conversation of a relevance set is in the library."""

from __future__ import annotations

from convgate.core.conversation import Conversation, prefix_hashes
from convgate.core.errors import StoreError
from convgate.store import Conversations, Store
from convgate.store.openings import PrefixIndex


def library_key(store: Store, conversation: Conversation) -> str | None:
    """Return the Library's key of a conversation: by its key, present or former, else by equal turns."""
    try:
        return Conversations(store).summary(conversation.id).key
    except StoreError:
        with store.read() as db:
            return PrefixIndex(db).same(prefix_hashes(conversation.turns))
