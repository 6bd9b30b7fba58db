"""Who labels: the login until somebody chooses a name, which the browser remembers."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote, unquote

import streamlit as st

from convgate.core.errors import StoreError
from convgate.core.home import login_name
from convgate.store import Labels
from convgate.store.label_log import LONGEST_NAME, check_annotator
from convgate.ui.shared.actions import draw_problem, reporting_problems
from convgate.ui.shared.frame import App
from convgate.ui.shared.text import literal

NAME = "annotator.name"
_TYPED, _ASKED = "annotator.typed", "annotator.asked"
COOKIE = "convgate-annotator"
"""Where a browser keeps the name, quoted as in addresses."""
_A_YEAR = 365 * 24 * 3600  # seconds
_MAX_NAMES = 8  # of earlier annotators, offered as buttons

_keep = st.components.v2.component(
    "convgate.annotator",
    js="""export default function ({ data }) {
        document.cookie = `${data.cookie}=${data.name}; max-age=${data.seconds}; path=/; samesite=strict`
    }""",
)


def annotator() -> str:
    """Return the name under which this browser labels, else the login of who started the app."""
    return _chosen() or _login()


def name_words(who: str) -> str:
    """Return the name of a person as shown, plain text; empty for the account that started the app."""
    return "" if who == _login() else who


def is_asked() -> bool:
    """Return whether `draw_annotator` asks for a name, which takes a line of its own."""
    return bool(st.session_state.get(_ASKED))


def draw_annotator(app: App, progress: Callable[[str], str] | None = None) -> None:
    """Draw who labels here, or the question who it is. progress: that of a known annotator."""
    # Without a gap, for the component that sets the cookie has no height and would still take one.
    with st.container(gap=None, width="stretch" if is_asked() else "content", key="annotator"):
        if is_asked():
            _draw_question(app, progress)
        else:
            with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", width="content"):
                name = name_words(annotator())
                as_whom = f"as **{literal(name)}**" if name else "without a name"
                st.markdown(f":material/person: Labelling {as_whom}", width="content")
                words = "Change" if name else "Set a name"
                st.button(words, key="annotator.change", type="tertiary", on_click=_ask)
        _set_cookie(_chosen())


def draw_forgetting() -> None:
    """Draw the button to have this browser forget the name, where it knows one."""
    if (name := _chosen()) is not None:
        st.button(
            f"Forget my name in this browser ({literal(name)})", key="annotator.forget", type="tertiary",
            on_click=_forget, icon=":material/person_off:", help="Deletes the cookie. Your labels stay.",
        )  # fmt: skip
    else:
        _set_cookie(None)


def _draw_question(app: App, progress: Callable[[str], str] | None) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="bottom", gap="small"):
        st.text_input(
            "Your name", key=_TYPED, max_chars=LONGEST_NAME, on_change=_take_typed,
            args=(app,), placeholder="Ada",
            help="Every label says who gave it. The name stays in this browser and in your library.",
        )  # fmt: skip
        st.button("Use this name", key="annotator.start", on_click=_take_typed, args=(app,))
        people = [known.name for known in Labels(app.store).annotators() if known.kind == "person"]
        for name in people[:_MAX_NAMES]:
            done = f", {progress(name)}" if progress else ""
            st.button(
                f"Continue as {literal(name)}{done}", key=f"annotator.as.{name}", type="tertiary",
                on_click=_choose, args=(app, name),
            )  # fmt: skip
    draw_problem()


def _take_typed(app: App) -> None:
    _choose(app, (st.session_state.get(_TYPED) or "").strip())


def _choose(app: App, name: str) -> None:
    """Label under that name; an empty one changes nothing."""
    with reporting_problems():
        agents = [each.name for each in Labels(app.store).annotators() if each.kind != "person"]
        if name in agents:
            raise StoreError(f"{name!r} is an agent that sends feedback; choose another name")
        if name:
            st.session_state[NAME] = check_annotator(name)
        st.session_state[_ASKED] = False


def _ask() -> None:
    st.session_state[_ASKED] = True


def _forget() -> None:
    st.session_state[NAME] = None
    st.session_state[_ASKED] = False


def _set_cookie(name: str | None) -> None:
    """Have the browser keep the name; None deletes the one that it has."""
    if name is not None or _name_in_cookie() is not None:
        seconds = _A_YEAR if name else 0
        _keep(
            key="annotator.cookie",
            data={"cookie": COOKIE, "name": quote(name or "", safe=""), "seconds": seconds},
        )


def _chosen() -> str | None:
    if NAME not in st.session_state:
        st.session_state[NAME] = _name_in_cookie()
    name: str | None = st.session_state[NAME]
    return name


def _login() -> str:
    try:
        return check_annotator(login_name())
    except StoreError:  # a login that no annotator can have
        return "me"


def _name_in_cookie() -> str | None:
    try:
        return check_annotator(unquote(st.context.cookies.get(COOKIE, "")))
    except StoreError:  # none yet, or not one of ours
        return None
