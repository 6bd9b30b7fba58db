"""A button that copies a link to a view of this page: Streamlit has none that writes to the clipboard."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

_HERE = Path(__file__).parent
_button = st.components.v2.component(
    "convgate.copy_link",
    html='<button type="button" title="Opens this view in this app alone. To show it to people who do not'
    ' reach the app, send the file of “Download as a page”.">Copy link</button>',
    css=(_HERE / "copy_link.css").read_text(encoding="utf-8"),
    js=(_HERE / "copy_link.js").read_text(encoding="utf-8"),
)


def draw_copy_link(query: Mapping[str, str], *, key: str) -> None:
    """Draw the button; query: the parameters of the address, as the state of the page writes them."""
    _button(key=key, data={"query": urlencode(query)}, width="content")
