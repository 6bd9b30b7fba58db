"""Modes of a conversation's messages, cached for all pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from convgate.context.invariants.finding import InvariantFinder
from convgate.context.invariants.judge import KindJudge, load_judge
from convgate.context.mode import MODES, Mode
from convgate.context.modes.classifier import ModeClassifier, load_classifier
from convgate.context.modes.conversation import is_from_user
from convgate.core.conversation import Conversation
from convgate.core.settings import Settings
from convgate.core.text import pluralize
from convgate.store.edits import ModeCorrections
from convgate.ui.frame import App
from convgate.ui.measurement import once

_BATCH = 32  # turns between two reports of the progress
_BY_HOME: dict[str | type[Any], Callable[[Any], Any]] = {Settings: lambda settings: str(settings.home)}


@st.cache_resource(max_entries=2, show_spinner="Loading the classifier of modes …", hash_funcs=_BY_HOME)
def mode_classifier(settings: Settings) -> ModeClassifier:
    """Return the classifier of modes, loaded once; errors as of `load_classifier`."""
    return load_classifier(settings)


@st.cache_resource(max_entries=2, show_spinner=False, hash_funcs=_BY_HOME)
def statement_judge(settings: Settings) -> KindJudge:
    """Return the classifier of statements, loaded once; errors as of `load_judge`."""
    return load_judge(settings)


def find_ahead(app: App, key: str, conversation: Conversation, judge: KindJudge | None = None) -> None:
    """Find the modes of all messages, with a progress bar the first time.

    This encodes each message for the classifier, and its statements for the judge when there is one.
    """
    classifier = mode_classifier(app.settings)

    def work(report: Callable[[str, float], None]) -> None:
        turns, finder = conversation.turns, InvariantFinder()
        n_messages = pluralize(sum(map(is_from_user, turns)), "message")
        for start in range(0, len(turns), _BATCH):
            report(f"Finding the modes of {n_messages} for the first time …", start / len(turns))
            batch = turns[start : start + _BATCH]
            classifier.classify([turn for turn in batch if is_from_user(turn)])
            if judge is not None:
                finder.add(batch, judge)

    once(f"modes {key} {id(classifier)} {id(judge)}", work)


def corrected_modes(app: App, key: str) -> dict[int, Mode]:
    """Return the modes that people chose for messages of a conversation, by turn."""
    edits = ModeCorrections(app.store).of(key).items()
    return {turn: mode for turn, edit in edits for mode in MODES if mode == edit.corrected}
