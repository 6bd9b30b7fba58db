"""What convgate stores: one SQLite file in the user's data folder, one repository for each subject."""

from convgate.store.conversations import (
    Addition,
    ConversationPage,
    Conversations,
    ConversationSummary,
    DeletedConversation,
    NewConversation,
    Sort,
    StoredConversation,
)
from convgate.store.database import Store
from convgate.store.label_log import (
    ADJUDICATED,
    WHOLE,
    Answer,
    Entry,
    Saved,
    SituationKey,
    Status,
)
from convgate.store.labels import Annotator, Labels, Said, SituationLabels

__all__ = [
    "ADJUDICATED",
    "WHOLE",
    "Addition",
    "Annotator",
    "Answer",
    "ConversationPage",
    "ConversationSummary",
    "Conversations",
    "DeletedConversation",
    "Entry",
    "Labels",
    "NewConversation",
    "Said",
    "Saved",
    "SituationKey",
    "SituationLabels",
    "Sort",
    "Status",
    "Store",
    "StoredConversation",
]
