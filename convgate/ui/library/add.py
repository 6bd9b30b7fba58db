"""Adding conversations: files, a path and pasted text, with the fields of an unknown format."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Literal

import streamlit as st

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.core.text import join_words, pluralize, truncate, writable
from convgate.messages.tokens import turn_tokens
from convgate.store import Addition, Conversations, NewConversation
from convgate.transcripts import BadLinesError, Problems, TranscriptReader, format_named, open_transcript
from convgate.transcripts.formats.field_map import FieldMap, ItemList, lists_in
from convgate.transcripts.problems import ReadStoppedError
from convgate.transcripts.reading import ReadSummary
from convgate.transcripts.redaction import Redactor
from convgate.transcripts.roles import role_of
from convgate.ui.library.listing import page
from convgate.ui.shared.files import redact_checkbox
from convgate.ui.shared.frame import App
from convgate.ui.shared.navigation import conversation_link, open_conversation
from convgate.ui.shared.results_cache import Progress, compute_once
from convgate.ui.shared.session_state import pressed
from convgate.ui.shared.text import literal, make_labels_unique, show_text

OUTCOME, ADDED, GENERATION = "library.outcome", "library.added", "library.generation"
MAX_LINKS = 5
PREVIEW_FILES, PREVIEW_TURNS, PREVIEW_LETTERS, PREVIEW_PROBLEMS = 3, 3, 300, 10
MAX_SPEAKERS = 12
PASTED = "pasted text"
MAX_NAMES, MAX_UNUSED, MAX_LETTERS = 50, 8, 40
_WIDTH = 160  # px; two stand side by side on a phone


@dataclass(frozen=True)
class Preview:
    """What a transcript holds, of its conversations only the first."""

    format: str | None  # as which it was read; None: as what it was recognised
    alternatives: tuple[str, ...]
    summary: ReadSummary
    problems: Problems
    first: Conversation


@dataclass(frozen=True)
class Upload:
    """A transcript that may be added."""

    app: App
    name: str
    key: str  # stands for the content, because hashing 200 MB would cost seconds
    load: Callable[[], bytes | Path]

    def open(self, format: str | None) -> TranscriptReader:
        """Return a reader of the conversations."""
        data, settings = self.load(), self.app.settings
        return open_transcript(
            data, name=self.name, format=format, max_bytes=settings.upload_limit_mb * 2**20,
            time_limit=None if isinstance(data, Path) else settings.read_limit_seconds, stop=_end_if_stopped,
        )  # fmt: skip

    def preview(self, format: str | None) -> Preview | TranscriptError:
        """Return what everything in it comes to, read once."""
        return compute_once(f"preview {self.key} {format}", partial(self._read, format))

    def lists(self, error: TranscriptError) -> list[ItemList]:
        """Return the lists of objects in it, where it is in no format, as the error says; read once."""
        if isinstance(error, ReadStoppedError):
            return []
        limit = self.app.settings.upload_limit_mb * 2**20
        return compute_once(f"lists {self.key}", lambda _: lists_in(self.load(), self.name, max_bytes=limit))

    def _read(self, format: str | None, progress: Progress) -> Preview | TranscriptError:
        try:
            reader = self.open(format)
            conversations = iter(reader)
            first = next(conversations, None)
            for _ in conversations:
                progress(f"Reading {self.name}, percent", round(100 * reader.fraction_read), 100)
            problems = reader.close(skip_bad=True)
        except TranscriptError as error:
            return error
        assert first is not None  # an empty one is refused when it is closed
        return Preview(format, reader.alternatives, reader.summary, problems, first)


def draw_ways(app: App) -> None:
    """Draw a tab for each way to add conversations, folded again after an addition."""
    ways = {"Files": _draw_upload, "Path": _draw_path, "Pasted text": _draw_paste}
    key = f"library.add.{st.session_state.setdefault(GENERATION, 0)}"
    with st.expander("Add conversations of your own", icon=":material/add:", key=key):
        for tab, draw_way in zip(st.tabs(list(ways)), ways.values(), strict=True):
            with tab:
                draw_way(app)


def _draw_upload(app: App) -> None:
    """Draw the upload of files, and a preview of each."""
    files = st.file_uploader(
        "Transcripts: exports of chat apps, coding agents and frameworks, JSON, CSV, Markdown, text",
        accept_multiple_files=True,
        max_upload_size=app.settings.upload_limit_mb,
        # A new key gives an empty widget.
        key=f"library.files.{st.session_state[GENERATION]}",
    )
    uploads = [Upload(app, file.name, file.file_id, file.getvalue) for file in files]
    _draw_results(app, "files", uploads)


def _draw_path(app: App) -> None:
    """Draw the field for a file, archive or folder on the app's machine, of any size, and its preview."""
    typed = st.text_input(
        "A file, a zip archive or a folder on this machine",
        key=f"library.path.{st.session_state[GENERATION]}",
        persist_state="session",
        placeholder="~/Downloads/conversations.json",
        help="For exports that are too large to upload, and for folders. One conversation is read at a time.",
    ).strip(" \"'")  # quoted by Windows
    if typed:
        path, version = Path(typed), 0
        with suppress(OSError, RuntimeError, ValueError):  # reading it says what is wrong
            path = path.expanduser()
            version = path.stat().st_mtime_ns
        _draw_results(app, "path", [Upload(app, path.name or typed, f"{path} {version}", lambda: path)])


def _draw_paste(app: App) -> None:
    """Draw the field for a conversation as text, and its preview."""
    text = st.text_area(
        "A conversation as text, JSON, Markdown or CSV",
        key=f"library.text.{st.session_state[GENERATION]}",
        height=180,
        persist_state="session",
        placeholder="User: Where is the oasis?\nAssistant: Two days east of here.",
    )
    # Leaving the field reads it too.
    is_asked = st.button("Read it", key="library.read", icon=":material/visibility:")
    if text.strip():
        data = writable(text).encode()
        _draw_results(app, "text", [Upload(app, PASTED, hashlib.sha256(data).hexdigest(), lambda: data)])
    elif is_asked:
        st.caption("Paste a conversation into the field first.")


def draw_outcome() -> None:
    """Draw the result of the last addition, with links to the newest conversations, once."""
    if sentence := st.session_state.pop(OUTCOME, None):
        st.success(sentence, icon=":material/check:")
        for addition in st.session_state.pop(ADDED, ()):
            conversation_link(addition.key, addition.title, ":material/arrow_forward:")


def add_to_library(
    conversations: Conversations, new: Iterable[NewConversation], total: int
) -> list[Addition]:
    """Store one conversation after the other with its number of tokens, and keep a message about it."""
    additions: list[Addition] = []
    place = st.empty()
    for item in new:
        tokens = int(turn_tokens(item.conversation.turns).sum())
        additions += conversations.add([replace(item, tokens=tokens)])
        # Shown too when the person leaves before all are added.
        st.session_state[OUTCOME] = f"Added {len(additions):,} of {pluralize(total, 'conversation')}."
        place.progress(min(1.0, len(additions) / total), st.session_state[OUTCOME])
    place.empty()
    added = [addition for addition in additions if addition.new]
    n_known = len(additions) - len(added)
    if added:
        what = f"“{literal(added[0].title)}”" if len(added) == 1 else pluralize(len(added), "conversation")
        sentence = f"Added {what}." + (f" {n_known:,} more were in the library already." if n_known else "")
    else:
        sentence = f"Nothing added: {pluralize(n_known, 'conversation')} in the library already."
    st.session_state[OUTCOME], st.session_state[ADDED] = sentence, added[: -MAX_LINKS - 1 : -1]
    page.change(search=None)  # which might hide them
    return additions


def _end_if_stopped() -> bool:
    """Let Streamlit end the run, as it does when the session state is read; never True."""
    st.session_state.get(GENERATION)
    return False


def _draw_results(app: App, place: str, uploads: Sequence[Upload]) -> None:
    """Draw the buttons that add the transcripts, and the previews below them."""
    buttons = st.container()
    chosen: list[tuple[Upload, Preview, str | None]] = []  # with who is the assistant
    for upload in uploads:
        with st.container(border=True):
            preview = upload.preview(_draw_format(upload))
            fields = None
            if isinstance(preview, TranscriptError) and (lists := upload.lists(preview)):
                fields = _draw_fields(upload, preview, lists)
                if fields is None:
                    continue
                preview = upload.preview(str(fields))
            if isinstance(preview, TranscriptError):
                _draw_error(preview)
                continue
            assistant = _draw_preview(
                upload, preview, expanded=len(uploads) <= PREVIEW_FILES, is_mapped=fields is not None
            )
            if assistant is not False:
                chosen.append((upload, preview, assistant))
    if not chosen:
        return
    total = sum(preview.summary.n_conversations for _, preview, _ in chosen)
    with buttons, st.container(horizontal=True, vertical_alignment="center"):
        opening = total == 1 and pressed(
            "Add and open", key=f"open-{place}", type="primary", icon=":material/query_stats:"
        )
        label = "Add to the library" if total == 1 else f"Add {pluralize(total, 'conversation')}"
        adding = pressed(
            label, key=f"add-{place}", type="secondary" if total == 1 else "primary", icon=":material/add:"
        )
        redactor = Redactor() if redact_checkbox(f"redact-{place}") else None
        if not (opening or adding):
            return
        new = (
            NewConversation(_prepare(conversation, assistant, redactor), upload.name)
            for upload, preview, assistant in chosen
            for conversation in upload.open(preview.format)
        )
        additions = add_to_library(app.conversations, new, total)
    if redactor:
        st.session_state[OUTCOME] += f" {redactor.summary}"
    st.toast(st.session_state[OUTCOME])  # visible on Explore and at the end of the page too
    st.session_state[GENERATION] += 1
    if opening:
        del st.session_state[OUTCOME]
        open_conversation(additions[0].key)
    st.rerun()


def _draw_format(upload: Upload) -> str | None:
    """Draw the choice of the format of a file that fits several, and return it."""
    preview = upload.preview(None)
    if isinstance(preview, TranscriptError) or not preview.alternatives:
        return None
    return st.selectbox(
        f"{literal(upload.name)} fits several formats. Read it as",
        [*preview.summary.formats, *preview.alternatives], key=f"format-{upload.key}",
        format_func=lambda name: format_named(name).label,
    )  # fmt: skip


def _draw_fields(upload: Upload, error: TranscriptError, lists: Sequence[ItemList]) -> FieldMap | None:
    """Draw the choice of the fields of a file in no known format, and return it; None without a text."""
    st.markdown(
        f"**{literal(upload.name)}** cannot be read in a known format. Choose which field holds what."
    )
    st.caption(literal(str(error), ltr=True))
    _draw_problems_of(error)
    return draw_field_map(lists, upload.key)


def _draw_error(error: TranscriptError) -> None:
    st.error(literal(str(error), ltr=True), icon=":material/error:")
    _draw_problems_of(error)


def _draw_problems_of(error: TranscriptError) -> None:
    _draw_problems(error.problems if isinstance(error, BadLinesError) else Problems())


def _draw_preview(
    upload: Upload, preview: Preview, *, expanded: bool, is_mapped: bool = False
) -> str | Literal[False] | None:
    """Draw what a file holds; return which speaker is the assistant, or False to leave the file out."""
    summary, problems = preview.summary, preview.problems
    n = summary.n_conversations
    formats = join_words(format_named(name).label for name in summary.formats)
    st.markdown(f"**{literal(upload.name)}** · {formats} · {literal(str(summary))}")
    _draw_problems(problems)
    if problems.n_errors:
        rest = pluralize(n, "conversation") if n > 1 else pluralize(summary.n_turns, "turn")
        if not st.toggle(f"Add the other {rest} without what cannot be read", key=f"skip-{upload.key}"):
            return False
    assistant = None
    speakers = sorted(summary.speakers)
    if 2 <= len(speakers) <= MAX_SPEAKERS and "assistant" not in summary.roles and not is_mapped:
        labels = make_labels_unique({speaker: speaker for speaker in speakers})
        assistant = st.selectbox(
            "Which speaker is the assistant?", [None, *speakers], key=f"assistant-{upload.key}",
            format_func=lambda speaker: "None: they are all people" if speaker is None else labels[speaker],
        )  # fmt: skip
    label = "First turns" if n == 1 else f"First of {n:,} conversations"
    with st.expander(label, expanded=expanded, type="compact"):
        _draw_first_turns(_prepare(preview.first, assistant, None))
    return assistant


def _prepare(conversation: Conversation, assistant: str | None, redactor: Redactor | None) -> Conversation:
    """Return the conversation with the speaker who is the assistant, and without secrets."""

    def assign(turn: Turn) -> Turn:
        is_assistant = turn.speaker == assistant and turn.role == "user"
        return replace(turn, role="assistant") if is_assistant else turn

    if assistant is not None:
        conversation = replace(conversation, turns=tuple(map(assign, conversation.turns)))
    return redactor.redact(conversation) if redactor else conversation


def _draw_first_turns(conversation: Conversation) -> None:
    for turn in conversation.turns[:PREVIEW_TURNS]:
        with st.container(gap=None):
            role = f" · {turn.role}" if turn.role != turn.speaker else ""
            st.caption(literal(turn.speaker, limit=60) + role)
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
    speakers = speakers[:MAX_NAMES]
    named = [name for name in speakers if role_of(name) == "assistant"]
    labels = make_labels_unique({"": "Nobody", **{name: name for name in speakers}})
    options: list[str | None] = [*([None] if named else []), *labels]
    return st.selectbox(
        "Assistant", options, key=key, width=_WIDTH, index=options.index(guessed or (None if named else "")),
        format_func=lambda name: f"By name: {join_words(named)}" if name is None else labels[name],
    )  # fmt: skip
