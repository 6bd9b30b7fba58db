"""The lists below the pictures: sections, dropped turns, messages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from convgate.context.budgets import SectionName
from convgate.context.bundle import Section
from convgate.core.errors import TranscriptError
from convgate.core.text import pluralize, truncate
from convgate.figures.hover import on_screen
from convgate.figures.modes import SECTION_LABELS
from convgate.policies.agent_settings import FILE_NAME
from convgate.transcripts import format_named, write_conversation
from convgate.transcripts.characters import writable
from convgate.ui.context import state
from convgate.ui.context.build import ContextBuild, ContextView, agent_of, context_lines
from convgate.ui.context.charts import colour_sections
from convgate.ui.context.state import View
from convgate.ui.text import literal
from convgate.ui.turn import outcome_words

_TEXT, _REASON = 110, 150  # characters; the panel has all of a reason


@dataclass(frozen=True, slots=True)
class Row:
    """One turn of a list, or a message that was added, which has no index."""

    index: int | None  # 0-based
    tokens: int | None
    reason: str  # a sentence; untrusted
    mark: str = ""  # Markdown: what differs from the settings
    text: str = ""  # of a message that is no turn; untrusted


def draw_rows(shown: ContextView, rows: Sequence[Row], selected: int | None, name: str) -> None:
    """The rows; `name` tells their keys from those of other lists."""
    turns = shown.conversation.turns
    with st.container(key=f"context-rows-{name}", gap=None):
        for row in rows:
            tokens = "" if row.tokens is None else f"{row.tokens:,} tokens · "
            if row.index is None:
                st.markdown(f"**A message of its own** · {literal(row.text, limit=_TEXT)}")
            else:
                turn = turns[row.index]
                # Cut first: a turn may have 100,000 characters, each of which `literal` would look at.
                text = literal(truncate(turn.scored_text[: 4 * _TEXT].strip(), _TEXT))
                st.button(
                    f"**{row.index + 1:,}** · {literal(turn.speaker, limit=30)}: {text}",
                    key=f"context.{name}.{row.index}", width="stretch", on_click=state.select,
                    type="secondary" if row.index == selected else "tertiary", args=(row.index,),
                )  # fmt: skip
            st.caption(f"{row.mark}{tokens}{literal(row.reason, limit=_REASON)}")


def page_of(turns: Sequence[int | None], selected: int | None, page: int, per_page: int) -> int:
    """The page to show, from 1: the one asked for, else the one where the selected turn is, else the first.

    >>> page_of([3, 5, 8, 9], 8, 0, 2), page_of([3, 5, 8, 9], None, 0, 2), page_of([3, 5], 3, 7, 2)
    (2, 1, 1)
    """
    pages = max(1, -(-len(turns) // per_page))
    if page:
        return min(page, pages)
    return turns.index(selected) // per_page + 1 if selected in turns else 1


_FIRST = 5  # turns of a section that stand there before one asks for more
_ASKED = {
    "rules": "Instructions, and turns that state what must hold.",
    "task_state": "The latest task that the user set, and errors that block the work.",
    "recent": "What was said last.",
    "evidence": "What the policy keeps for this message.",
    "decisions": "Turns that decide something or answer what was asked.",
    "capsules": "Summaries that the calling program hands in.",
}
_LEFT_OVER = "{:,} of them from what others left over"
_BEYOND: Mapping[SectionName, str] = {"rules": "{:,} beyond its share: what must hold is never cut"}
_NONE: Mapping[SectionName, str] = {
    "rules": "No system message, and nothing was said that must hold on.",
    "task_state": "No task is set that does not stand in another section, and no error blocks the work.",
    "recent": "No turn before this message that another section does not have already.",
    "evidence": "The policy keeps nothing for this message that another section does not have already.",
    "decisions": "No turn decides something that does not stand in another section already.",
    "capsules": "None were handed in: a program gives them with `build(…, capsules=…)`.",
}


def draw_sections(shown: ContextView, view: View, marks: Mapping[int, str]) -> None:
    """All six, or the one that is listed whole; marks: Markdown by turn, what differs from the settings."""
    colour_sections(section.name for section in shown.bundle.sections)
    if view.section is not None:
        _draw_whole(shown, view, marks)
        return
    for section in shown.bundle.sections:
        with st.container(border=True, key=f"context-section-{section.name}", gap="xsmall"):
            _draw_head(section)
            if not section.turns:
                st.caption(_empty(shown, section))
                continue
            rows = _rows(shown, section, marks)
            start = _start(rows, view.selected)
            draw_rows(shown, rows[start : start + _FIRST], view.selected, section.name)
            if len(rows) > _FIRST:
                st.button(
                    f"All {pluralize(len(rows), 'turn')} of this section", type="tertiary",
                    key=f"context.all.{section.name}", icon=":material/expand_more:",
                    on_click=state.change, kwargs={"section": section.name},
                )  # fmt: skip


def _draw_whole(shown: ContextView, view: View, marks: Mapping[int, str]) -> None:
    assert view.section is not None
    section = shown.section(view.section)
    st.button(
        "All sections", key="context.all_sections", icon=":material/arrow_back:", type="tertiary",
        on_click=state.change, kwargs={"section": None},
    )  # fmt: skip
    with st.container(border=True, key=f"context-section-{section.name}", gap="xsmall"):
        _draw_head(section)
        rows = _rows(shown, section, marks)
        if not rows:
            st.caption(_empty(shown, section))
            return
        page = page_of([row.index for row in rows], view.selected, view.page, PER_PAGE)
        draw_rows(shown, rows[(page - 1) * PER_PAGE : page * PER_PAGE], view.selected, section.name)
        state.page.draw_pages(len(rows), PER_PAGE, page, section.name)


def _draw_head(section: Section) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{SECTION_LABELS[section.name]}**", width="content", help=_ASKED[section.name])
        turns = pluralize(len(section.turns), "turn" if section.name != "capsules" else "capsule")
        beyond = section.tokens - section.budget
        more = f", {_BEYOND.get(section.name, _LEFT_OVER).format(beyond)}" if beyond > 0 else ""
        st.caption(
            f"{turns} · {section.tokens:,} of {pluralize(section.budget, 'token')}{more}", width="stretch"
        )


def _rows(shown: ContextView, section: Section, marks: Mapping[int, str]) -> list[Row]:
    texts = iter(shown.added(section))
    return [
        Row(None, turn.tokens, _why(turn.reason), text=next(texts))
        if turn.index is None
        else Row(turn.index, turn.tokens, _why(turn.reason), marks.get(turn.index, ""))
        for turn in section.turns
    ]


def _start(rows: list[Row], selected: int | None) -> int:
    """Where the part begins that has the selected turn in it."""
    turns = [row.index for row in rows]
    return turns.index(selected) // _FIRST * _FIRST if selected in turns else 0


def _empty(shown: ContextView, section: Section) -> str:
    if section.name == "capsules":
        return _NONE[section.name]
    if not shown.cells[section.name]:
        return "Off: its budget is 0 in this mode."
    if not section.budget:
        return "No room: in so small a budget nothing is left for it."
    return _NONE[section.name]


PER_PAGE = 25
_ALL = "all"
_CALLED = {
    "mode": "By the mode",
    "superseded": "Corrected later",
    "budget": "No room in the budget",
    "messages": "Not valid in a message list",
    "gate": "By the policy",
    "policy": "By the policy",
    "baseline": "Not in the baseline context",
}


def draw_dropped(shown: ContextView, view: View, marks: Mapping[int, str]) -> None:
    """The turns that the model is not given; marks: Markdown by turn, what differs from the settings."""
    groups = shown.dropped
    everything = [one for group in groups.values() for one in group]
    if not everything:
        st.caption("Nothing was left out: every earlier turn is sent.")
        return
    names = [_ALL, *groups]
    chosen = view.why if view.why is not None and view.why in groups else _ALL
    st.pills(
        "Left out by", names, required=True, label_visibility="collapsed",
        **state.page.control("why", chosen, none=_ALL),
        format_func=lambda name: f"{_label(name)}: {len(groups.get(name, everything)):,}",
    )  # fmt: skip
    turns = sorted(groups.get(chosen, everything), key=lambda one: one.item)
    page = page_of([one.item for one in turns], view.selected, view.page, PER_PAGE)
    rows = [
        Row(
            one.item,
            None,
            _why(one.reason) if chosen != _ALL else on_screen(one.reason),
            marks.get(one.item, ""),
        )
        for one in turns[(page - 1) * PER_PAGE : page * PER_PAGE]
    ]
    tokens = shown.bundle.tokens_total - shown.bundle.tokens
    st.caption(f"{pluralize(len(everything), 'turn')} left out, {pluralize(max(0, tokens), 'token')} saved.")
    draw_rows(shown, rows, view.selected, "dropped")
    state.page.draw_pages(len(turns), PER_PAGE, page, f"dropped.{chosen}")


def _label(name: str) -> str:
    return (
        "All" if name == _ALL else _CALLED.get(name, literal(name.replace("_", " ").capitalize(), limit=40))
    )


FORM = "context.form"
JSON, OWN, AGENT = "json", "own", "agent"
_OPENAI = "openai"  # the format that is JSON already
_LONGEST = 200_000  # characters; more would make the browser slow, and is better downloaded


def draw_messages(made: ContextBuild, view: View) -> None:
    """The final list, to be copied or downloaded."""
    shown = made.shown
    forms = {JSON: "JSON", AGENT: "In my agent"}
    if shown.conversation.format != _OPENAI:
        forms = {JSON: "JSON", OWN: format_named(shown.conversation.format).label, **forms}
    if st.session_state.get(FORM) not in forms:
        state.put(FORM, JSON)
    st.segmented_control(
        "Form", list(forms), key=FORM, format_func=forms.__getitem__, required=True,
        on_change=state.touched, label_visibility="collapsed", persist_state="session",
    )  # fmt: skip
    form = str(st.session_state[FORM])
    if form == AGENT:
        _draw_agent(made, view)
        return
    try:
        text, name, language = _written(shown, form)
    except TranscriptError as error:
        st.warning(literal(str(error)), icon=":material/warning:")
        return
    st.caption(
        f"{pluralize(len(shown.bundle.messages), 'message')}, {pluralize(shown.bundle.tokens, 'token')}, in the"
        " order in which they are sent."
    )
    st.download_button(
        f"Download {name}", text, file_name=name, on_click="ignore", icon=":material/download:",
        mime="application/json" if form == JSON else "text/plain", key=f"context.download.{form}",
    )  # fmt: skip
    if len(text) > _LONGEST:
        st.caption(f"The first {_LONGEST:,} of {len(text):,} characters; the file has all.")
    st.code(truncate(text, _LONGEST), language=language, wrap_lines=True, height=520)


def messages_json(shown: ContextView) -> str:
    """The messages as a list of OpenAI messages."""
    return writable(json.dumps(shown.bundle.messages, ensure_ascii=False, indent=2, default=str)) + "\n"


def messages_as_read(shown: ContextView) -> str:
    """The same turns in the format of the transcript; TranscriptError when it cannot hold them."""
    talk, indices = shown.conversation, list(shown.bundle.indices)
    if shown.index is None:
        indices.append(len(talk))
        talk = replace(talk, turns=(*talk.turns, shown.moment.situation.turn))
    return writable(write_conversation(talk, indices=indices))


def _written(shown: ContextView, form: str) -> tuple[str, str, str | None]:
    """The text, the name of its file, and its language for colours."""
    if form == OWN:
        ending = format_named(shown.conversation.format).suffix
        return messages_as_read(shown), f"context{ending}", None
    return messages_json(shown), "context.json", "json"


def _draw_agent(made: ContextBuild, view: View) -> None:
    agent = agent_of(made)
    st.caption("Put the file beside your program; it then builds contexts as they are built here.")
    st.download_button(
        "Download settings", agent.to_toml, file_name=FILE_NAME, mime="application/toml", on_click="ignore",
        icon=":material/settings:", key="context.download_settings",
    )  # fmt: skip
    st.code(context_lines(intent=view.intent, asks=made.shown.index is None), language="python")
    for need in agent.needs():
        st.caption(f"It needs {need}")
    with st.expander("The file", icon=":material/description:"):
        st.code(agent.to_toml(), language="toml")


def _why(reason: str) -> str:
    return outcome_words(reason)[1]
