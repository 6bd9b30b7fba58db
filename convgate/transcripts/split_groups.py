"""What says on which side of a split a conversation is: training, validation or comparing.

Conversations of one group stay together. A conversation keeps its group as it grows, and takes it along into
files; one that has none is a group of its own, by its id.
"""

from __future__ import annotations

from convgate.core.conversation import Conversation

SPLIT_GROUP = "split_group"
"""The field of a conversation in a relevance set."""

_FORMAT = "relevance-set"


def split_group_of(conversation: Conversation, otherwise: str | None = None) -> str:
    """The group of a conversation of a relevance set: what its field says, or its id.

    otherwise: the group of what came in another format, where ids often are names of files.

    >>> split_group_of(Conversation("tea", ()), "0123456789abcdef")
    '0123456789abcdef'
    """
    if otherwise is not None and conversation.format != _FORMAT:
        return otherwise
    given = conversation.metadata.get(SPLIT_GROUP)
    return given if isinstance(given, str) and given else conversation.id
