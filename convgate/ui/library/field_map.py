"""Which field of a list in no known format holds the text, who speaks, when, and who is the assistant."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from convgate.core.text import join_words, truncate
from convgate.transcripts.formats.field_map import FieldMap, ItemList
from convgate.transcripts.roles import role_of
from convgate.ui.shared.text import literal, make_labels_unique

MAX_SPEAKERS, MAX_UNUSED, MAX_LETTERS = 50, 8, 40
_WIDTH = 160  # px; two stand side by side on a phone


def draw_field_map(lists: Sequence[ItemList], key: str) -> FieldMap | None:
    """Draw the choice of fields, the guessed ones at first; return it, None while none holds the text."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = lists[0]
        if len(lists) > 1:
            labels = make_labels_unique({each.path or "": each.path or "The file itself" for each in lists})
            paths = list(labels)
            path = st.selectbox(
                "List", paths, key=f"map-items-{key}", width=_WIDTH, format_func=labels.__getitem__
            )
            chosen = lists[paths.index(path)]
        guess, key = chosen.guess, f"{key}-{chosen.path}"
        text = _draw_field(chosen, "text", key, none=None)
        speaker, assistant = _draw_field(chosen, "speaker", key), None
        if speaker is not None:
            guessed = guess.assistant if guess and guess.speaker == speaker else None
            assistant = _draw_assistant(chosen.speakers(speaker), f"map-assistant-{key}-{speaker}", guessed)
        time, conversation = _draw_field(chosen, "time", key), _draw_field(chosen, "conversation", key)
    if text is None:
        return None
    unused = [name for name in chosen.fields if name not in (text, speaker, time, conversation)]
    if unused:
        st.caption(f"Not read: {join_words((literal(name) for name in unused), max_words=MAX_UNUSED)}")
    return FieldMap(text, speaker, time, assistant, conversation, chosen.path)


def _draw_field(chosen: ItemList, held: str, key: str, none: str | None = "Not known") -> str | None:
    """Draw the choice of the field that holds this, each with its first value; `none`: no field."""
    guessed = getattr(chosen.guess, held, None)
    labels = make_labels_unique(
        {name: truncate(f"{name}: {values[0]}", MAX_LETTERS) for name, values in chosen.fields.items()}
    )
    options: list[str | None] = [*([] if none is None else [None]), *labels]
    index = options.index(guessed) if guessed or none else None
    return st.selectbox(
        held.capitalize(), options, index, key=f"map-{held}-{key}", width=_WIDTH,
        placeholder="Choose a field",
        format_func=lambda name: labels.get(name or "", none or ""),
    )  # fmt: skip


def _draw_assistant(speakers: Sequence[str], key: str, guessed: str | None) -> str | None:
    """Draw the choice of the speaker who is the assistant; None: those who are called so."""
    speakers = speakers[:MAX_SPEAKERS]
    named = [name for name in speakers if role_of(name) == "assistant"]
    labels = make_labels_unique({"": "Nobody", **{name: name for name in speakers}})
    options: list[str | None] = [*([None] if named else []), *labels]
    return st.selectbox(
        "Assistant", options, key=key, width=_WIDTH, index=options.index(guessed or (None if named else "")),
        format_func=lambda name: f"By name: {join_words(named)}" if name is None else labels[name],
    )  # fmt: skip
