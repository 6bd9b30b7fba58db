"""Which kind of interaction a message is, and what that kind wants of the history."""

from convgate.context.modes.classifier import ModeClassifier, load_classifier
from convgate.context.modes.conversation import (
    ConversationModes,
    decide_by_intent,
    find_modes,
    is_from_user,
)

__all__ = [
    "ConversationModes",
    "ModeClassifier",
    "decide_by_intent",
    "find_modes",
    "is_from_user",
    "load_classifier",
]
