"""Callbacks of a page, and the click after them."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def page() -> None:
    import streamlit as st
    from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx

    from convgate.ui.shared.callbacks import finish_callbacks

    finish_callbacks()

    def label() -> None:
        context = get_script_run_ctx()
        assert context is not None
        assert context.script_requests is not None
        context.script_requests.request_rerun(RerunData())  # as the following click does
        st.session_state["labels"] = st.session_state.get("labels", 0) + 1

    st.button("Label", on_click=label)


def test_a_callback_is_finished_when_the_following_click_has_arrived() -> None:
    app = AppTest.from_function(page).run()
    app.button[0].click().run()
    assert app.session_state["labels"] == 1
