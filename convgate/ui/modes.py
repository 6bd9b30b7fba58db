"""Modes of a conversation's messages, found once and kept; what pages share of them."""

from __future__ import annotations

import streamlit as st

from convgate.context.modes import ConversationModes, ModeClassifier, load_classifier, modes_of
from convgate.conversation import Conversation
from convgate.embedding.base import Encoder
from convgate.settings import Settings
from convgate.ui.frame import App


def mode_classifier(app: App) -> ModeClassifier:
    """The classifier for the encoder of the settings, loaded once; ContextError when it cannot be."""
    encoder = app.encoder()
    return _classifier(id(encoder), repr(encoder.identity), str(app.settings.home), encoder, app.settings)


def are_modes_ready(app: App) -> bool:
    """Whether the classifier for the encoder of the settings is there without fitting one."""
    return bool(app.encoder().identity.model == Settings.model_fields["encoder"].default)


def conversation_modes(app: App, key: str, conversation: Conversation) -> ConversationModes:
    """The modes of its turns, as far as nobody names an intent; texts should be encoded already."""
    classifier = mode_classifier(app)
    return _modes(key, id(classifier), classifier, conversation)


@st.cache_resource(max_entries=2, show_spinner="Loading the classifier of modes …")
def _classifier(
    encoder: int, identity: str, home: str, _encoder: Encoder, _settings: Settings
) -> ModeClassifier:
    return load_classifier(_encoder, _settings)


@st.cache_resource(max_entries=16, show_spinner=False)
def _modes(
    key: str, classifier: int, _classifier: ModeClassifier, _conversation: Conversation
) -> ConversationModes:
    return modes_of(_conversation.turns, _classifier)
