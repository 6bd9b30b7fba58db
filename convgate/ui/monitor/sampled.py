"""How often each mode is found in the messages of the samples."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import streamlit as st

from convgate.app_files import app_root
from convgate.context.mode import MODES
from convgate.context.modes import ModeClassifier
from convgate.ui.frame import App
from convgate.ui.library_add import samples
from convgate.ui.modes import mode_classifier


def sampled_modes(app: App) -> Mapping[str, int]:
    """Messages of users in all samples, by the mode that is found of each by itself.

    Raises EncoderError when they cannot be read by the encoder.
    """
    classifier = mode_classifier(app)
    return _counted(id(classifier), classifier)


@st.cache_resource(max_entries=2, show_spinner="Finding the modes of the samples' messages …")
def _counted(identity: int, _classifier: ModeClassifier) -> dict[str, int]:
    said = [
        turn
        for sample in samples(app_root() / "sample_conversations")
        for talk in sample.conversations
        for turn in talk.turns
        if turn.role == "user"
    ]
    found = Counter(one.mode for one in _classifier.classify(said))
    return {mode: found[mode] for mode in MODES}
