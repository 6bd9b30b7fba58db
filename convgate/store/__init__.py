"""What convgate stores: one SQLite file in the user's data folder, one repository for each subject."""

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
from convgate.store.label_log import ADJUDICATED, WHOLE, ActionRecord, Answer, CurrentKey, Entry
from convgate.store.labels import Annotator, CurrentLabels, Labels

__all__ = [
    "ADJUDICATED",
    "WHOLE",
    "ActionRecord",
    "Addition",
    "Annotator",
    "Answer",
    "ConversationPage",
    "ConversationSummary",
    "Conversations",
    "CurrentKey",
    "CurrentLabels",
    "Entry",
    "Labels",
    "NewConversation",
    "Sort",
    "Store",
    "StoredConversation",
]
