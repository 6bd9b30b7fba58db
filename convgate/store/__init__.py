"""What convgate remembers: one SQLite file in the user's data folder, one repository for each subject."""

from convgate.store.conversations import (
    Addition,
    ConversationPage,
    Conversations,
    ConversationSummary,
    NewConversation,
    Sort,
    StoredConversation,
)
from convgate.store.database import Store

__all__ = [
    "Addition",
    "ConversationPage",
    "ConversationSummary",
    "Conversations",
    "NewConversation",
    "Sort",
    "Store",
    "StoredConversation",
]
