"""Adding conversations: files and pasted text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from convgate.core.conversation import Conversation, Turn
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
from convgate.ui.files import redact_checkbox
from convgate.ui.frame import App
from convgate.ui.library import page
from convgate.ui.navigation import open_conversation
from convgate.ui.text import literal, make_labels_unique, show_text

OUTCOME, GENERATION = "library.outcome", "library.generation"
PREVIEW_TURNS, PREVIEW_LETTERS, PREVIEW_PROBLEMS = 3, 300, 10
MAX_SPEAKERS = 12
PASTED = "pasted text"


def draw_upload(app: App) -> None:
    """Draw the upload of files, and a preview of each."""
    settings = app.settings
    files = st.file_uploader(
        "Transcripts: OpenAI chat JSON or JSONL, ShareGPT, CSV, Markdown, relevance sets",
        accept_multiple_files=True,
        max_upload_size=settings.upload_limit_mb,
        # A new key gives an empty widget.
        key=f"library.files.{st.session_state.setdefault(GENERATION, 0)}",
    )
    results = {
        file.file_id: _read_file(
            file.file_id, file.name, settings.upload_limit_mb, settings.read_limit_seconds, file.getvalue()
        )
        for file in files
    }
    _draw_results(app, [(file.name, results[file.file_id]) for file in files], "files")


def draw_paste(app: App) -> None:
    """Draw the field for a conversation as text, and its preview."""
    text = st.text_area(
        "A conversation as text, JSON, Markdown or CSV",
        key=f"library.text.{st.session_state.setdefault(GENERATION, 0)}",
        height=180,
        placeholder="User: Where is the oasis?\nAssistant: Two days east of here.",
    )
    # Leaving the field reads it too.
    pressed = st.button("Read it", key="library.read", icon=":material/visibility:")
    if text.strip():
        _draw_results(app, [(PASTED, _read_paste(text, app.settings.read_limit_seconds))], "text")
    elif pressed:
        st.caption("Paste a conversation into the field first.")


def draw_outcome() -> None:
    """Draw the result of the last addition, once."""
    if sentence := st.session_state.pop(OUTCOME, None):
        st.success(sentence, icon=":material/check:")


def add_to_library(conversations: Conversations, new: Sequence[NewConversation]) -> list[Addition]:
    """Store all or none of the conversations with their number of tokens, and keep a message about it."""
    with st.spinner(f"Adding {pluralize(len(new), 'conversation')} …"):
        items = [replace(item, tokens=int(turn_tokens(item.conversation.turns).sum())) for item in new]
        additions = conversations.add(items)
    added = [addition for addition in additions if addition.new]
    n_known = len(additions) - len(added)
    if added:
        what = f"“{literal(added[0].title)}”" if len(added) == 1 else pluralize(len(added), "conversation")
        sentence = f"Added {what}." + (f" {n_known:,} more were in the library already." if n_known else "")
    else:
        sentence = f"Nothing added: {pluralize(n_known, 'conversation')} in the library already."
    st.session_state[OUTCOME] = sentence
    page.change(search=None)  # which might hide them
    return additions


@st.cache_resource(max_entries=8, scope="session", show_spinner="Reading …")
def _read_file(
    file_id: str, name: str, limit_mb: int, seconds: float, _data: bytes
) -> Transcript | TranscriptError:
    # Keyed by the upload's id, because hashing 200 MB on every rerun would cost seconds.
    try:
        return read_conversations(
            _data, name=name, skip_bad=True, max_bytes=limit_mb * 2**20, time_limit=seconds,
            stop=_end_if_stopped,
        )  # fmt: skip
    except TranscriptError as error:
        return error


@st.cache_resource(max_entries=2, scope="session", show_spinner="Reading …")
def _read_paste(text: str, seconds: float) -> Transcript | TranscriptError:
    try:
        return read_text(text, skip_bad=True, time_limit=seconds, stop=_end_if_stopped)
    except TranscriptError as error:
        return error


def _end_if_stopped() -> bool:
    """Let Streamlit end the run, as it does when the session state is read; never True."""
    st.session_state.get(GENERATION)
    return False


def _draw_results(app: App, results: Sequence[tuple[str, Transcript | TranscriptError]], place: str) -> None:
    """Draw the previews of files by name, and the buttons that add them."""
    new: list[NewConversation] = []
    for number, (name, result) in enumerate(results):
        with st.container(border=True):
            if isinstance(result, TranscriptError):
                st.error(literal(str(result), ltr=True), icon=":material/error:")
                _draw_problems(result.problems if isinstance(result, BadLinesError) else Problems())
                continue
            conversations = _draw_transcript(name, result, f"{place}-{number}")
            new += [NewConversation(conversation, name) for conversation in conversations]
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
            st.toast(redactor.summary)  # visible on Explore too
        st.session_state[GENERATION] += 1
        if opening:
            del st.session_state[OUTCOME]
            open_conversation(additions[0].key)
        st.rerun()


def _draw_transcript(name: str, transcript: Transcript, place: str) -> list[Conversation]:
    """Draw the preview of a file, and return the conversations to add."""
    conversations, problems = list(transcript.conversations), transcript.problems
    speakers = sorted({turn.speaker for conversation in conversations for turn in conversation.turns})
    n_turns = pluralize(sum(map(len, conversations)), "turn")
    st.markdown(
        f"**{literal(name)}** · {format_named(transcript.format).label} · "
        f"{pluralize(len(conversations), 'conversation')} · {n_turns} · {pluralize(len(speakers), 'speaker')}"
        f" · {pluralize(problems.n_errors, 'line')} skipped"
    )
    _draw_problems(problems)
    if problems.n_errors:
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
    roles = {turn.role for conversation in conversations for turn in conversation.turns}
    if not 2 <= len(speakers) <= MAX_SPEAKERS or "assistant" in roles:
        return conversations
    labels = make_labels_unique({speaker: speaker for speaker in speakers})
    assistant = st.selectbox(
        "Which speaker is the assistant?", [None, *speakers], key=f"assistant-{place}",
        format_func=lambda speaker: "None: they are all people" if speaker is None else labels[speaker],
    )  # fmt: skip

    def assign(turn: Turn) -> Turn:
        is_assistant = turn.speaker == assistant and turn.role == "user"
        return replace(turn, role="assistant") if is_assistant else turn

    return [
        replace(conversation, turns=tuple(map(assign, conversation.turns))) for conversation in conversations
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
