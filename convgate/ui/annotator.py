"""Who labels: chosen once in a browser, and remembered there."""

from __future__ import annotations

from urllib.parse import quote, unquote

import streamlit as st

from convgate.errors import StoreError
from convgate.store import Labels
from convgate.store.label_log import LONGEST_NAME, check_annotator
from convgate.ui import state
from convgate.ui.frame import App, show_problem
from convgate.ui.text import literal

_NAME, _TYPED, _ASKED = "annotator.name", "annotator.typed", "annotator.asked"
COOKIE = "convgate-annotator"
"""Where a browser keeps the name, quoted as in addresses."""
_OFFERED = 8  # names of those who labelled before

_keep = st.components.v2.component(
    "convgate.annotator",
    js="""export default function ({ data }) {
        document.cookie = `${data.cookie}=${data.name}; max-age=${data.seconds}; path=/; samesite=strict`
    }""",
)


def annotator() -> str | None:
    """The name under which this browser labels; None until one was chosen."""
    if _NAME not in st.session_state:
        st.session_state[_NAME] = _from_cookie()
    name: str | None = st.session_state[_NAME]
    return name


def draw_annotator(app: App) -> None:
    """Who labels here, or the question who it is."""
    name = annotator()
    if name is None or state.remembered(_ASKED, start=False):
        _draw_question(app)
    else:
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            st.markdown(f":material/person: Labelling as **{literal(name)}**", width="stretch")
            st.button(
                "Change", key="annotator.change", type="tertiary", on_click=_ask,
                help="Somebody else labels in this browser",
            )  # fmt: skip
    if name is not None:  # not at the top: an element without height still takes a gap
        _keep(
            key="annotator.cookie",
            data={"cookie": COOKIE, "name": quote(name, safe=""), "seconds": 365 * 24 * 3600},
        )


def _draw_question(app: App) -> None:
    st.text_input(
        "Your name, to label", key=_TYPED, max_chars=LONGEST_NAME, on_change=_typed,
        args=(app,), placeholder="Ada",
        help="Every label says who gave it. The name stays in this browser and in your library.",
    )  # fmt: skip
    st.button("Start labelling", key="annotator.start", on_click=_typed, args=(app,), icon=":material/label:")
    if (problem := st.session_state.pop("annotator.problem", None)) is not None:
        show_problem(problem)
    known = Labels(app.store).people()[:_OFFERED]
    if known:
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            st.caption("or go on as", width="content")
            for name in known:
                st.button(
                    literal(name),
                    key=f"annotator.as.{name}",
                    type="tertiary",
                    on_click=_choose,
                    args=(app, name),
                )


def _typed(app: App) -> None:
    _choose(app, (st.session_state.get(_TYPED) or "").strip())


def _choose(app: App, name: str) -> None:
    """Label under that name; an empty one changes nothing."""
    try:
        if name:
            st.session_state[_NAME] = _checked(app, name)
        st.session_state[_ASKED] = False
    except StoreError as error:
        st.session_state["annotator.problem"] = error


def _checked(app: App, name: str) -> str:
    if any(one.name == name and one.kind != "person" for one in Labels(app.store).annotators()):
        raise StoreError(f"{name!r} is an agent that sends feedback; choose another name")
    return check_annotator(name)


def _ask() -> None:
    st.session_state[_ASKED] = True


def _from_cookie() -> str | None:
    try:
        return check_annotator(unquote(st.context.cookies.get(COOKIE, "")))
    except StoreError:  # none yet, or not one of ours
        return None
