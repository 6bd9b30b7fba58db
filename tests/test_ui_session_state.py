"""State kept between reruns, and what a click on a chart selects."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def test_a_selection_is_read_by_key_whether_streamlit_or_a_test_put_it_there() -> None:
    def script() -> None:
        import streamlit as st

        from convgate.ui.shared import session_state

        st.text(session_state.selected_points("chart"))

    app = AppTest.from_function(script).run()
    assert [element.value for element in app.text] == ["[]"]

    app.session_state["chart"] = {"selection": {"points": [{"customdata": 4}, {"x": 1}, {"customdata": 2}]}}
    assert [element.value for element in app.run().text] == ["[4, 2]"]
