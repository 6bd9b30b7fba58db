"""Adding conversations: files and pasted text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import streamlit as st

from convgate.core.conversation import Conversation
from convgate.core.errors import TranscriptError
from convgate.core.text import pluralize
from convgate.messages.tokens import turn_tokens
from convgate.store import Addition, Conversations, NewConversation
from convgate.transcripts import (
    BadLinesError,
    Problems,
    Transcript,
    format_named,
    read_conversations,
    read_text,
)
from convgate.transcripts.redaction import Redactor
from convgate.ui import state
from convgate.ui.frame import App
from convgate.ui.library import page
from convgate.ui.navigation import open_conversation
from convgate.ui.redaction import redact_checkbox
from convgate.ui.text import literal, make_labels_unique, show_text

OUTCOME, GENERATION = "library.outcome", "library.generation"
PREVIEW_TURNS, PREVIEW_LETTERS, PREVIEW_PROBLEMS = 3, 300, 10
MAX_SPEAKERS = 12
PASTED = "pasted text"


@dataclass(frozen=True, slots=True)
class Reading:
    """What became of a file or a text: its transcript, or the error that says why there is none."""

    name: str
    transcript: Transcript | None
    problems: Problems = field(default_factory=Problems)
    error: str = ""


def draw_upload(app: App) -> None:
    """The place for files, and what is in them."""
    limit, seconds = app.settings.upload_limit_mb, app.settings.read_limit_seconds
    files = st.file_uploader(
        "Transcripts: OpenAI chat JSON or JSONL, ShareGPT, CSV, Markdown, relevance sets",
        accept_multiple_files=True,
        max_upload_size=limit,
        # Only another widget in its place is an empty one.
        key=f"library.files.{state.remembered(GENERATION, 0)}",
    )
    _draw_readings(
        app, [_read_file(file.file_id, file.name, limit, seconds, file.getvalue()) for file in files], "files"
    )


def draw_paste(app: App) -> None:
    """The place for a conversation as text, and what is in it."""
    text = st.text_area(
        "A conversation as text, JSON, Markdown or CSV",
        key=f"library.text.{state.remembered(GENERATION, 0)}",
        height=180,
        placeholder="User: Where is the oasis?\nAssistant: Two days east of here.",
    )
    # Leaving the field reads it; the button is what a person looks for.
    pressed = st.button("Read it", key="library.read", icon=":material/visibility:")
    if text.strip():
        _draw_readings(app, [_read_paste(text, app.settings.read_limit_seconds)], "text")
    elif pressed:
        st.caption("There is nothing to read yet: paste a conversation into the field.")


def draw_outcome() -> None:
    """What the last addition did; shown once."""
    if sentence := st.session_state.pop(OUTCOME, None):
        st.success(sentence, icon=":material/check:")


def add_to_library(conversations: Conversations, new: Sequence[NewConversation]) -> list[Addition]:
    """Count the tokens of the conversations, store all or none of them, and keep a message about it."""
    bar = st.progress(0.0, "Counting tokens …")
    items = []
    for done, item in enumerate(new, 1):
        items.append(replace(item, tokens=int(turn_tokens(item.conversation.turns).sum())))
        bar.progress(done / len(new), f"Counting tokens: {done:,} of {pluralize(len(new), 'conversation')}")
    bar.progress(1.0, "Storing …")
    additions = conversations.add(items)  # only now: nobody else can write meanwhile
    bar.empty()
    st.session_state[OUTCOME] = _outcome(additions)
    page.change(search=None)  # or the list might hide what was added
    return additions


def _outcome(additions: Sequence[Addition]) -> str:
    new = [addition for addition in additions if addition.new]
    known = len(additions) - len(new)
    if not new:
        if known == 1 and additions[0].grown:
            title = literal(additions[0].title)
            return f"Nothing was added: this is the beginning of “{title}”, which has gone on since."
        has = "it" if known == 1 else f"all {known:,}"
        return f"Nothing was added: the library has {has} already."
    added = f"“{literal(new[0].title)}”" if len(new) == 1 else pluralize(len(new), "conversation")
    return f"Added {added}." + (f" The library had {known:,} more already." if known else "")


@st.cache_resource(max_entries=8, scope="session", show_spinner="Reading …")
def _read_file(file_id: str, name: str, limit_mb: int, seconds: float, _data: bytes) -> Reading:
    # Keyed by the upload's id, not by its content: hashing 200 MB on every rerun would cost seconds.
    try:
        transcript = read_conversations(
            _data,
            name=name,
            skip_bad=True,
            max_bytes=limit_mb * 2**20,
            time_limit=seconds,
            stop=_end_if_stopped,
        )
    except TranscriptError as error:
        return _unreadable(name, error)
    return Reading(name, transcript, transcript.problems)


@st.cache_resource(max_entries=2, scope="session", show_spinner="Reading …")
def _read_paste(text: str, seconds: float) -> Reading:
    try:
        transcript = read_text(text, skip_bad=True, time_limit=seconds, stop=_end_if_stopped)
    except TranscriptError as error:
        return _unreadable(PASTED, error)
    return Reading(PASTED, transcript, transcript.problems)


def _end_if_stopped() -> bool:
    """Give Streamlit the chance to end the run, as it does when the session is looked at; never True."""
    st.session_state.get(GENERATION)
    return False


def _unreadable(name: str, error: TranscriptError) -> Reading:
    problems = error.problems if isinstance(error, BadLinesError) else Problems()
    return Reading(name, None, problems, str(error))


def _draw_readings(app: App, readings: Sequence[Reading], place: str) -> None:
    new: list[NewConversation] = []
    for number, reading in enumerate(readings):
        with st.container(border=True):
            new += [
                NewConversation(each, reading.name) for each in _draw_reading(reading, f"{place}-{number}")
            ]
    if not new:
        return
    redactor = Redactor() if redact_checkbox(f"redact-{place}") else None
    with st.container(horizontal=True):
        is_single = len(new) == 1
        opening = is_single and st.button(
            "Add and open", key=f"open-{place}", type="primary", icon=":material/query_stats:"
        )
        label = "Add to the library" if is_single else f"Add {pluralize(len(new), 'conversation')}"
        adding = st.button(
            label, key=f"add-{place}", type="secondary" if is_single else "primary", icon=":material/add:"
        )
    if opening or adding:
        if redactor:
            new = [replace(item, conversation=redactor.redact(item.conversation)) for item in new]
        additions = add_to_library(app.conversations, new)
        if redactor:
            st.session_state[OUTCOME] += f" {redactor.summary}"
            st.toast(redactor.summary)  # which is seen on Explore, too
        st.session_state[GENERATION] += 1
        if opening:
            state.forget(OUTCOME)
            open_conversation(additions[0].key)
        st.rerun()


def _draw_reading(reading: Reading, place: str) -> list[Conversation]:
    """Draw what is in one file, and return the conversations to add."""
    if reading.transcript is None:
        st.error(literal(reading.error, ltr=True), icon=":material/error:")
        _draw_problems(reading.problems)
        return []
    conversations = list(reading.transcript.conversations)
    speakers = sorted({turn.speaker for each in conversations for turn in each.turns})
    n_turns = pluralize(sum(map(len, conversations)), "turn")
    st.markdown(
        f"**{literal(reading.name)}** · {format_named(reading.transcript.format).label} · "
        f"{pluralize(len(conversations), 'conversation')} · {n_turns} · {pluralize(len(speakers), 'speaker')}"
        f" · {pluralize(reading.problems.n_errors, 'line')} skipped"
    )
    _draw_problems(reading.problems)
    if reading.problems.n_errors:
        rest = pluralize(len(conversations), "conversation") if len(conversations) > 1 else n_turns
        if not st.toggle(f"Open the other {rest} without what cannot be read", key=f"skip-{place}"):
            return []
    conversations = _assign_assistant(conversations, speakers, place)
    if conversations:
        _draw_first_turns(conversations[0])
    return conversations


def _assign_assistant(
    conversations: list[Conversation], speakers: list[str], place: str
) -> list[Conversation]:
    """Ask which speaker is the assistant, where a transcript has names and no assistant."""
    turns = [turn for each in conversations for turn in each.turns]
    if not 2 <= len(speakers) <= MAX_SPEAKERS or any(turn.role == "assistant" for turn in turns):
        return conversations
    labels = make_labels_unique({speaker: speaker for speaker in speakers})
    chosen = st.selectbox(
        "Which speaker is the assistant?", [None, *speakers], key=f"assistant-{place}",
        format_func=lambda speaker: "None: they are all people" if speaker is None else labels[speaker],
    )  # fmt: skip
    if chosen is None:
        return conversations
    return [
        replace(
            each,
            turns=tuple(
                replace(turn, role="assistant") if turn.speaker == chosen and turn.role == "user" else turn
                for turn in each.turns
            ),
        )
        for each in conversations
    ]


def _draw_first_turns(conversation: Conversation) -> None:
    for turn in conversation.turns[:PREVIEW_TURNS]:
        with st.container(gap=None):
            st.caption(literal(turn.speaker, limit=60))
            show_text(turn.scored_text, limit=PREVIEW_LETTERS)
    if len(conversation) > PREVIEW_TURNS:
        st.caption(f"… and {pluralize(len(conversation) - PREVIEW_TURNS, 'more turn')}")


def _draw_problems(problems: Problems) -> None:
    if problems:
        bad = problems.n_errors
        st.warning(
            f"{pluralize(bad, 'place')} cannot be read" if bad else "Read, with some doubts",
            icon=":material/warning:",
        )
        st.text("\n".join(str(problem) for problem in problems[:PREVIEW_PROBLEMS]))
        if problems.total > PREVIEW_PROBLEMS:
            st.caption(f"… and {problems.total - PREVIEW_PROBLEMS:,} more")
