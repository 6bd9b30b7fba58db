"""Modes of a conversation's messages, cached, and their correction by a person; shared by pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from convgate.context.invariants.finding import InvariantFinder
from convgate.context.invariants.judge import KindJudge, load_judge
from convgate.context.mode import MODES, Mode
from convgate.context.modes import (
    ConversationModes,
    ModeClassifier,
    find_modes,
    is_from_user,
    load_classifier,
)
from convgate.context.modes.classifier import is_bundled
from convgate.core.conversation import Conversation
from convgate.core.errors import ConvgateError
from convgate.core.settings import Settings
from convgate.core.text import pluralize
from convgate.embedding.base import Encoder
from convgate.store.edits import ModeCorrection, ModeCorrections
from convgate.ui.frame import App
from convgate.ui.page_state import Address
from convgate.ui.state import put
from convgate.ui.text import literal

_CLASSIFIED = "modes.classified"  # conversations whose messages were classified in this session
_PROBLEM = "modes.problem"  # why a correction could not be stored
_BATCH = 32  # turns between two updates of the progress bar
_NOT_REVIEWED = ""


def mode_classifier(app: App) -> ModeClassifier:
    """Return the classifier for the encoder of the settings, cached; raises ContextError."""
    encoder = app.encoder()
    return _classifier(id(encoder), repr(encoder.identity), str(app.settings.home), encoder, app.settings)


def are_modes_ready(app: App) -> bool:
    """Return whether a classifier is bundled for the encoder, so that none has to be fitted."""
    return is_bundled(app.encoder().identity)


def find_ahead(app: App, key: str, conversation: Conversation, judge: KindJudge | None = None) -> None:
    """Classify all messages with a progress bar, once in a session.

    The classifier caches each message; so does a judge, when one is given, of their statements.
    """
    classifier = mode_classifier(app)
    classified: set[tuple[str, int, int]] = st.session_state.setdefault(_CLASSIFIED, set())
    progress = st.empty()  # always, or what follows would change its place on the page
    entry = (key, id(classifier), id(judge))
    if entry in classified:
        return
    turns, finder = conversation.turns, InvariantFinder()
    count = sum(map(is_from_user, turns))
    text = f"Classifying {pluralize(count, 'message')}: modes{' and invariants' if judge else ''}."
    for start in range(0, len(turns), _BATCH):
        progress.progress(start / len(turns), text=text)
        batch = turns[start : start + _BATCH]
        classifier.classify([turn for turn in batch if is_from_user(turn)])
        if judge is not None:
            finder.add(batch, judge)
    progress.empty()
    classified.add(entry)


def conversation_modes(app: App, key: str, conversation: Conversation) -> ConversationModes:
    """Return the modes of a conversation's turns, with the corrections of people as intents."""
    classifier, modes = mode_classifier(app), corrected_modes(app, key)
    return _modes(key, id(classifier), tuple(modes.items()), classifier, conversation)


def corrected_modes(app: App, key: str) -> dict[int, Mode]:
    """Return the modes that people chose for messages of a conversation, by turn."""
    modes: Mapping[str, Mode] = {mode: mode for mode in MODES}
    corrections = ModeCorrections(app.store).of(key).items()
    return {turn: modes[edit.corrected] for turn, edit in corrections if edit.corrected in modes}


def draw_mode_correction(
    app: App, page: Address[Any], key: str, conversation: Conversation, turn: int | None
) -> None:
    """Draw the control that corrects or confirms the mode of a user's message; nothing for other turns.

    `find_ahead` has to run before it; until then, and for a typed question (turn None), nothing is drawn.
    """
    classified = {entry[0] for entry in st.session_state.get(_CLASSIFIED, ())}
    if turn is None or key not in classified or not is_from_user(conversation.turns[turn]):
        return
    decided = mode_classifier(app).classify([conversation.turns[turn]])[0].mode
    control = f"{page.name}.mode"
    put(control, corrected_modes(app, key).get(turn, _NOT_REVIEWED))

    def store() -> None:
        page.touched()
        mode = st.session_state[control]
        correction = ModeCorrection(decided, mode) if mode else None
        try:
            ModeCorrections(app.store).change(key, {turn: correction})
        except ConvgateError as error:
            st.session_state[_PROBLEM] = str(error)

    st.selectbox(
        "Correct the mode", [_NOT_REVIEWED, *MODES], key=control, on_change=store,
        format_func=lambda mode: (
            f"{mode.capitalize() or 'Not reviewed'}{' (as classified)' * (mode == decided)}"
        ),
        help="Monitor shows how often the classifier is wrong. Choose its own mode to confirm it.",
    )  # fmt: skip
    if problem := st.session_state.pop(_PROBLEM, None):
        st.error(f"Not saved: {literal(problem)}", icon=":material/error:")


@st.cache_resource(max_entries=2, show_spinner="Loading the classifier of modes …")
def _classifier(
    encoder: int, identity: str, home: str, _encoder: Encoder, _settings: Settings
) -> ModeClassifier:
    return load_classifier(_settings)


@st.cache_resource(
    max_entries=2, show_spinner=False, hash_funcs={Settings: lambda settings: str(settings.home)}
)
def statement_judge(settings: Settings) -> KindJudge:
    """Return what classifies statements, cached; errors as of `load_judge`."""
    return load_judge(settings)


@st.cache_resource(max_entries=16, show_spinner=False)
def _modes(
    key: str,
    classifier: int,
    intents: tuple[tuple[int, Mode], ...],
    _classifier: ModeClassifier,
    _conversation: Conversation,
) -> ConversationModes:
    return find_modes(_conversation.turns, _classifier, dict(intents))
