"""A tour of Explore by doing: four steps on the first sample, each over when the person did it."""

from __future__ import annotations

import streamlit as st

from convgate.core.home import app_root
from convgate.ui.shared.explore_state import LISTED, ExploreState
from convgate.ui.shared.frame import App
from convgate.ui.shared.samples import load_samples

STEPS = {
    "question": "Ask something else: replace the message below by “Write a test for the Fibonacci function”.",
    "selected": "Other turns are kept now. Click a turn to read why it is kept or dropped.",
    "choice": "Move the slider to the right end: the more may be lost, the fewer turns are kept.",
    "listed": "Choose “As sent”: exactly these messages go to the model.",
}
"""What to do, by the part of the state that doing it changes."""

_OTHER_LISTS = LISTED.keys() - {"sent"}  # choosing them does no step
_PROGRESS = "explore.tour"  # the step, len(STEPS) after the last, and the value of its part as it began
SEEN = "tour-seen"
"""A file in the data directory, from the end of the tour on."""


def draw_tour(app: App, state: ExploreState, origin: str) -> bool:
    """Draw the step that comes next; False where there is no tour: on other samples, or when it is over."""
    first = load_samples(app_root() / "sample_conversations")[0]
    parts = list(STEPS)
    if origin != first.file or (app.settings.home / SEEN).exists():
        return False
    step, before = st.session_state.setdefault(_PROGRESS, (0, getattr(state, parts[0])))
    if step < len(parts) and getattr(state, parts[step]) not in (before, *_OTHER_LISTS):
        step += 1
        if step == len(parts):
            _end(app)
            st.toast(
                "That is how turns are selected. Add your own chats in the Library.", icon=":material/check:"
            )
        else:
            st.session_state[_PROGRESS] = step, getattr(state, parts[step])
    if step == len(parts):
        return False
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="explore-tour"):
        st.markdown(f":blue-badge[{step + 1} of {len(parts)}] {STEPS[parts[step]]}", width="content")
        st.button("Skip", key="explore.tour.skip", type="tertiary", on_click=_end, args=(app,))
    return True


def _end(app: App) -> None:
    st.session_state[_PROGRESS] = len(STEPS), None
    if not app.store.is_read_only:
        (app.settings.home / SEEN).touch()
