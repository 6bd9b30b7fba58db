"""Modes of a conversation's messages, found once and kept; what pages share of them."""

from __future__ import annotations

import streamlit as st

from convgate.context.invariants.finding import InvariantFinder
from convgate.context.invariants.judge import KindJudge, load_judge
from convgate.context.modes.classifier import ModeClassifier, is_bundled, load_classifier
from convgate.context.modes.conversation import ConversationModes, find_modes, is_from_user
from convgate.core.conversation import Conversation
from convgate.core.settings import Settings
from convgate.core.text import pluralize
from convgate.embedding.base import Encoder
from convgate.ui.frame import App

_FOUND = "modes.found"  # conversations whose modes were found in this session
_AT_ONCE = 32  # turns between two looks at how far it is


def mode_classifier(app: App) -> ModeClassifier:
    """The classifier for the encoder of the settings, loaded once; ContextError when it cannot be."""
    encoder = app.encoder()
    return _classifier(id(encoder), repr(encoder.identity), str(app.settings.home), encoder, app.settings)


def are_modes_ready(app: App) -> bool:
    """Whether the classifier for the encoder of the settings is there without fitting one."""
    return is_bundled(app.encoder().identity)


def find_ahead(app: App, key: str, conversation: Conversation, judge: KindJudge | None = None) -> None:
    """Find the modes of all messages, showing how far it is; at once when that was done before.

    The classifier reads each message in a way of its own, which is remembered from then on; so does a judge
    of their statements, when one is given.
    """
    classifier = mode_classifier(app)
    done: set[tuple[str, int, int]] = st.session_state.setdefault(_FOUND, set())
    place = st.empty()  # always, or what follows would change its place on the page
    known = (key, id(classifier), id(judge))
    if known in done:
        return
    turns, finding = conversation.turns, InvariantFinder()
    count = sum(map(is_from_user, turns))
    told = (
        f"Reading {pluralize(count, 'message')} for the first time: modes"
        f"{' and what must hold' if judge else ''}. They are remembered."
    )
    for start in range(0, len(turns), _AT_ONCE):
        place.progress(start / len(turns), text=told)
        part = turns[start : start + _AT_ONCE]
        classifier.classify([turn for turn in part if is_from_user(turn)])
        if judge is not None:
            finding.add(part, judge)
    place.empty()
    done.add(known)


def conversation_modes(app: App, key: str, conversation: Conversation) -> ConversationModes:
    """The modes of its turns, as far as nobody names an intent; texts should be encoded already."""
    classifier = mode_classifier(app)
    return _modes(key, id(classifier), classifier, conversation)


@st.cache_resource(max_entries=2, show_spinner="Loading the classifier of modes …")
def _classifier(
    encoder: int, identity: str, home: str, _encoder: Encoder, _settings: Settings
) -> ModeClassifier:
    return load_classifier(_settings)


@st.cache_resource(max_entries=2, show_spinner=False, hash_funcs={Settings: lambda one: str(one.home)})
def statement_judge(settings: Settings) -> KindJudge:
    """Return what classifies statements, loaded once; errors as of `load_judge`."""
    return load_judge(settings)


@st.cache_resource(max_entries=16, show_spinner=False)
def _modes(
    key: str, classifier: int, _classifier: ModeClassifier, _conversation: Conversation
) -> ConversationModes:
    return find_modes(_conversation.turns, _classifier)
