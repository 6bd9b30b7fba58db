"""Which kind of interaction a message is, and what that kind wants of the history."""

from convgate.context.modes.classifier import ModeClassifier
from convgate.context.modes.conversation import ConversationModes, asked_for, is_users, modes_of
from convgate.context.modes.intents import INTENTS, known_intents, mode_of_intent
from convgate.context.modes.loading import load_classifier

__all__ = [
    "INTENTS",
    "ConversationModes",
    "ModeClassifier",
    "asked_for",
    "is_users",
    "known_intents",
    "load_classifier",
    "mode_of_intent",
    "modes_of",
]
