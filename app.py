"""The Library, where the app opens: the conversations, and the ways to add some."""

import streamlit as st

from convgate.core.errors import ConvgateError
from convgate.ui import library
from convgate.ui.frame import App, page
from convgate.ui.library_add import draw_outcome, draw_paste, draw_path, draw_upload
from convgate.ui.library_data import draw_data
from convgate.ui.page_state import draw_problems
from convgate.ui.samples import draw_samples

PURPOSE = (
    "convgate decides which earlier turns of a conversation a language model should see, and says why. "
    "Open a conversation to see its decisions."
)


def draw_library(app: App) -> None:
    """Draw the conversations and the ways to add some."""
    view, problems = library.page.current()
    library.page.keep(view)
    draw_problems(problems)
    draw_outcome()
    if app.conversations.keys():
        with st.expander("Add conversations", icon=":material/add:", key="library.add"):
            files, path, text, samples = st.tabs(["Files", "Path", "Pasted text", "Samples"])
            with files:
                draw_upload(app)
            with path:
                draw_path(app)
            with text:
                draw_paste(app)
            with samples:
                draw_samples(app)
        library.draw_conversations(app, view)
    else:
        st.subheader("Start with a sample", anchor=False)
        draw_samples(app)
        st.subheader("Or bring a conversation of your own", anchor=False)
        files, path, text = st.tabs(["Files", "Path", "Pasted text"])
        with files:
            draw_upload(app)
        with path:
            draw_path(app)
        with text:
            draw_paste(app)


with page("Library", PURPOSE) as app:
    try:
        draw_library(app)
    except ConvgateError:  # a restore or its undo may help
        draw_data(app)
        raise
    draw_data(app)
