"""What is tried in place of the settings: intent, budgets, filter, hysteresis, policy."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from convgate.context.budgets import SECTIONS, SectionName
from convgate.context.mode import INTENTS, MODES, Mode, known_intents
from convgate.core.settings import Settings
from convgate.core.text import pluralize
from convgate.figures.modes import SECTION_LABELS
from convgate.ui.context import state
from convgate.ui.context.build import ContextView
from convgate.ui.context.state import LARGEST, View
from convgate.ui.text import literal

PRESET = "context.preset"
_FOUND = ""  # no intent: the mode is found by the message
_PRESETS = {4_000: "4k", 8_000: "8k", 16_000: "16k", 32_000: "32k", 128_000: "128k"}
_TABLE = 0  # the budget of the table


def draw_intent(view: View, settings: Settings) -> None:
    """The mode as the message has it, or as a caller says."""
    known = known_intents(settings)
    own = (word for word in known if word not in INTENTS and word.upper() not in MODES)
    words = dict.fromkeys([*INTENTS, *own, *([view.intent] if view.intent else [])])
    named = {word: known[word] for word in words}
    st.selectbox(
        "Mode", [_FOUND, *named], **state.page.control("intent", view.intent, none=_FOUND),
        format_func=lambda word: _intent_label(word, named) if word else "Found by the message",
        help="A program that knows what a message is for says so: `build(…, intent=\"task\")`. Otherwise the"
        " mode is found by the message.",
    )  # fmt: skip


def draw_tried(view: View, settings: Settings, labels: Mapping[str, str], *, table: int) -> None:
    """Budget, filter, hysteresis and policy; `table` are the tokens of the mode's whole table."""
    usual = table if settings.context_budget is None else settings.context_budget
    budget = usual if view.budget is None else view.budget
    st.number_input(
        "Budget in tokens", min_value=0, max_value=LARGEST, step=1_000,
        **state.page.control("budget", min(budget, LARGEST)),
        help="Of the whole context. Less than the table of the mode has scales every section down; what must"
        " hold, the instructions and the message to answer stay whatever it is.",
    )  # fmt: skip
    presets = {**_PRESETS, _TABLE: "Table" if settings.context_budget is None else "As set"}
    state.put(PRESET, _TABLE if view.budget is None else budget if budget in _PRESETS else None)
    st.pills(
        "Usual budgets", list(presets), key=PRESET, format_func=presets.__getitem__, on_change=_chose_preset,
        label_visibility="collapsed",
    )  # fmt: skip
    filters = settings.context_filter if view.filter is None else view.filter
    st.toggle(
        "Leave out what does not matter", **state.page.control("filter", filters),
        help="Off: everything stands that fits, the newest first.",
    )  # fmt: skip
    hysteresis = settings.context_hysteresis if view.hysteresis is None else view.hysteresis
    st.slider(
        "Hysteresis", 0.0, 0.5, step=0.01, **state.page.control("hysteresis", hysteresis),
        help="A turn of the context before stays, and another waits, until its score is this far beyond the"
        " threshold. The front of the context changes less, so that a provider's cache is used more.",
    )  # fmt: skip
    chosen = settings.policy if view.policy is None else view.policy
    chosen = chosen if chosen in labels else next(iter(labels))
    st.selectbox(
        "Evidence by", list(labels), format_func=labels.__getitem__, **state.page.control("policy", chosen),
        help="The policy that says which earlier turns serve the message.",
    )  # fmt: skip
    count = len(view.overrides)
    st.button(
        "As the settings have it", key="context.reset", icon=":material/undo:", disabled=not count,
        on_click=_reset, help=f"{pluralize(count, 'thing')} tried here" if count else "Nothing is tried",
    )  # fmt: skip


def _intent_label(word: str, named: Mapping[str, Mode]) -> str:
    mode = named[word].capitalize()
    return mode if INTENTS.get(word) == named[word] else f"{mode} ({literal(word, limit=30)})"


def _chose_preset() -> None:
    chosen = st.session_state[PRESET]
    if chosen is None:  # the one that was chosen was clicked
        state.touched()
    else:
        state.change(budget=chosen or None)


def _reset() -> None:
    state.change(budget=None, cells=(), filter=None, hysteresis=None, policy=None)


def draw_cells(shown: ContextView, usual: Mapping[SectionName, int]) -> None:
    """A number a section; usual: tokens as the settings have them."""
    cells = shown.cells
    mode = shown.bundle.mode
    place = st.expander(
        f"Budgets of the sections in {mode}", key="context.cells", icon=":material/table_rows:",
        on_change=state.touched,
    )  # fmt: skip
    if not place.open:
        return
    with place:
        scaled = shown.bundle.budget < sum(cells.values())
        st.caption(
            "Tokens. 0 turns a section off. Evidence chooses first; the others share"
            " what it leaves, each up to its number."
            + (
                f" The whole is {shown.bundle.budget:,} here, less than these add up to, so each is scaled"
                " down as it says below."
                if scaled
                else ""
            )
        )
        for start in (0, 3):
            for column, section in zip(st.columns(3), SECTIONS[start : start + 3], strict=True):
                with column:
                    _draw_cell(shown, mode, section, cells[section], usual[section])


def _draw_cell(shown: ContextView, mode: Mode, section: SectionName, tokens: int, usual: int) -> None:
    key = f"context.cell.{mode}.{section}"
    state.put(key, tokens)
    st.number_input(
        SECTION_LABELS[section], min_value=0, max_value=LARGEST, step=500, key=key,
        on_change=_typed, args=(key, mode, section, usual),
    )  # fmt: skip
    found = shown.section(section)
    told = [f"{found.tokens:,} used"]
    if found.budget != tokens:
        told.append(f"{found.budget:,} scaled")
    if tokens != usual:
        told.append(f"{usual:,} as set")
    st.caption(" · ".join(told))


def _typed(key: str, mode: Mode, section: SectionName, usual: int) -> None:
    view = state.page.now()
    tokens = int(st.session_state[key])
    others = tuple(cell for cell in view.cells if cell[:2] != (mode, section))
    state.change(cells=others if tokens == usual else tuple(sorted((*others, (mode, section, tokens)))))
