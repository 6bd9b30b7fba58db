"""Light and dark: the palette of figures, and the style of all pages."""

from __future__ import annotations

import streamlit as st

from convgate.figures.palette import DARK, LIGHT, Palette

# Streamlit does not run the page again when the theme changes. A transition of a colour that the theme sets
# begins at just that time, whether the menu or the system changed it.
_watch = st.components.v2.component(
    "convgate.theme",
    html="<i></i>",
    css="i { position: absolute; color: var(--st-text-color); transition: color 1ms; }",
    js="""export default function ({ parentElement, setTriggerValue }) {
      const mark = parentElement.querySelector("i")
      mark.ontransitionrun = () => setTriggerValue("theme", getComputedStyle(mark).color)
    }""",
)


# Streamlit's main area is a tab stop: after a click in it, any key would draw an outline around the page.
_STYLE = """<style>
*:has(> .st-key-follow-theme) { position: absolute; width: 0; }
#stMain:focus-visible { outline: none; box-shadow: none; }
[data-testid="stPageLink-NavLink"] * { white-space: normal; line-height: 1.35; }
[role="tab"][aria-selected="true"] p, button[data-variant][data-selected="true"] p {
  color: light-dark(#1B1F24, #E8EBEF); font-weight: 600;
}
[data-testid="stMetricValue"] { font-size: 1.3rem; font-weight: 600; line-height: 1.3; }
[data-testid="stMetricDelta"] { font-size: 0.8rem; }
/* Numbers under each other; a wide table is scrolled rather than the page. */
[data-testid="stMarkdownContainer"]:has(> table) { overflow-x: auto; }
[data-testid="stMarkdownContainer"] table { font-variant-numeric: tabular-nums; }
[data-testid="stMarkdownContainer"] :is(td, th) { padding: 0.25rem 0.6rem; }
/* No keys without a keyboard. */
@media (hover: none), (max-width: 640px) { [data-has-shortcut] kbd { display: none; } }
@media (min-width: 640px) {
  [data-testid="stMainBlockContainer"] { padding: 3.2rem 2.5rem 2rem; }
}
</style>"""


def current_palette() -> Palette:
    """Return the colours of figures for the theme of the browser; light until it is known."""
    return DARK if st.context.theme.type == "dark" else LIGHT


def follow_theme() -> None:
    """Rerun the page with other colours when the theme changes; no focus frame around the whole page."""
    st.html(_STYLE)
    with st.container(key="follow-theme"):
        _watch(key="theme", on_theme_change=lambda: None)  # the rerun is enough
