"""Feedback from a running agent: which earlier messages mattered to one that was answered.

    convgate.feedback(messages, 4, relevant=True)            # for example a thumb up
    convgate.feedback_from_answer(messages, answer)          # the answer quotes earlier messages
    convgate.feedback("0123456789abcdef", [2, 3], relevant=False, at=9)

It is stored in the log of labels, under the agent's name. A file has one JSON object a line:

{"messages": [{"role": "user", "content": "Hi"}, …], "turn": 0, "relevant": true}
{"conversation": "0123456789abcdef", "turn": [2, 3], "relevant": false, "at": 9, "source": "my-agent"}
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from sqlite_utils import Database

from convgate.core.conversation import Conversation, History, prefix_hashes
from convgate.core.errors import ConversationError, StoreError, TranscriptError
from convgate.core.settings import Settings, resolve_settings
from convgate.core.text import make_writable, pluralize, quote
from convgate.messages.tokens import turn_tokens
from convgate.store import ActionRecord, Conversations, CurrentKey, Entry, Labels, NewConversation, Store
from convgate.store.openings import PrefixIndex
from convgate.transcripts.identity import content_id
from convgate.transcripts.json_text import kind
from convgate.transcripts.message_reader import turns_from_messages
from convgate.transcripts.problems import Problems
from convgate.transcripts.source import Source

How = Literal["explicit", "implicit"]
Messages = Sequence[Mapping[str, Any]]

AGENT = "agent"
"""Name of an agent that gives none."""

MIN_QUOTE = 8
"""Words in a row that make a quote; fewer are often a turn of phrase."""

_FIELDS = ("conversation", "messages", "turn", "relevant", "at", "question", "source", "version", "how")
_WORD = re.compile(r"\w+")
_CODE = re.compile(r"[(){}\[\]=;<>]")
_MIN_CODE = 12  # characters of a line of code


class FeedbackError(StoreError):
    """Feedback is invalid; `field` names the part of it."""

    code = "feedback"

    def __init__(self, problem: str, field: str) -> None:
        self.field = field
        super().__init__(problem)


@dataclass(frozen=True)
class Feedback:
    """What an agent says about some earlier messages; see `feedback`."""

    conversation: str | Messages  # the library's key, or OpenAI messages as `select` takes them
    turns: tuple[int, ...]  # 0-based; of the earlier messages
    relevant: bool | None  # None removes what the agent said
    at: int | None = None  # 0-based; of the message that was answered; None: the one that `select` takes
    question: str | None = None  # what was answered, when it is not among the messages but follows them
    source: str = AGENT
    version: str | None = None  # of the gate
    how: How = "explicit"  # said by a person or the agent; implicit: concluded

    def __post_init__(self) -> None:
        key = ("conversation",) if isinstance(self.conversation, str) else ()
        make_writable(self, "question", "source", "version", *key)
        if not self.turns:
            raise FeedbackError("at least one earlier message is needed", "turn")
        indices = [("turn", turn) for turn in self.turns]
        indices += [] if self.at is None else [("at", self.at)]
        for name, index in indices:
            if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < 2**63:
                raise FeedbackError(f"expected the index of a message, from 0; got {quote(index)}", name)
        if self.relevant is not None and not isinstance(self.relevant, bool):
            raise FeedbackError(f"relevant is true, false or none; got {quote(self.relevant)}", "relevant")
        if self.at is not None and self.question is not None:
            raise FeedbackError("either `at` or `question` can be given, not both", "at")
        if self.question is not None and not self.question.strip():
            raise FeedbackError("the question has no text", "question")
        if self.how not in get_args(How):
            raise FeedbackError(f"how is {' or '.join(get_args(How))}; got {self.how!r}", "how")


@dataclass(frozen=True, slots=True)
class AnswerFeedback:
    """The feedback in an answer."""

    quoted: tuple[int, ...]  # 0-based indices of the earlier messages that it quotes
    saved: ActionRecord | None  # None when it quotes none

    @property
    def outcome(self) -> Literal["no quotes", "known", "stored"]:
        """Whether the answer quotes nothing, all quoted messages were relevant already, or some are new."""
        if self.saved is None:
            return "no quotes"
        return "stored" if self.saved.changed else "known"


def feedback(
    conversation: str | Messages,
    turn: int | Iterable[int],
    relevant: bool | None,  # noqa: FBT001 - it is what the call says
    *,
    at: int | None = None,
    question: str | None = None,
    source: str = AGENT,
    version: str | None = None,
    how: How = "explicit",
    settings: Settings | str | Path | None = None,
) -> ActionRecord:
    """Store whether earlier messages mattered to the one that was answered.

    conversation: the library's key, or the agent's list of OpenAI messages, which the library keeps; as it
        grows from call to call, it stays one conversation there.
    turn: the index of an earlier message, from 0, or several.
    relevant: None removes what this source said before.
    at: the index of the message that was answered; the last from the user or a tool unless given.
    question: what was answered, when it is not among the messages but follows them.
    source: the agent's name.
    version: of the gate that selected.
    how: "implicit" for what was concluded.

    Threads and processes may call it at once. Raises ConvgateError, and stores nothing, for an unknown
    conversation or message, or when the name is that of a person.
    """
    turns = (turn,) if isinstance(turn, int) else tuple(turn)
    store = open_store(settings)
    try:
        return keep_feedback(
            store, Feedback(conversation, turns, relevant, at, question, source, version, how)
        )
    finally:
        store.close()


def feedback_from_answer(
    conversation: Messages,
    answer: str,
    *,
    question: str | None = None,
    source: str = AGENT,
    version: str | None = None,
    settings: Settings | str | Path | None = None,
) -> AnswerFeedback:
    """Store that the earlier messages which an answer quotes were relevant; see `quoted_turns`.

    Nothing is stored about the others, which may still have mattered.
    """
    parsed = _conversation_of(conversation)
    current, history = parsed.find_current(question=question)
    quoted = quoted_turns(history, current.turn.scored_text, answer)
    if not quoted:
        return AnswerFeedback((), None)
    messages = [turn.source for turn in parsed.turns if turn.source is not None]  # an iterator is read once
    saved = feedback(
        messages, quoted, relevant=True, question=question, source=source, version=version,
        how="implicit", settings=settings,
    )  # fmt: skip
    return AnswerFeedback(tuple(quoted), saved)


def quoted_turns(history: History, asked: str, answer: str) -> list[int]:
    """Return the indices in the conversation of the turns that an answer quotes, in order.

    A quote is MIN_QUOTE words in a row, in any case and punctuation, or a line of code, that occurs in
    exactly one earlier turn and not in the current message `asked`. Instructions are skipped, as they are
    always sent. In languages without spaces between words, few quotes are found.
    """
    candidates = set(_pieces(answer)) - set(_pieces(asked))
    turns_with: dict[object, set[int]] = defaultdict(set)
    for index, turn in enumerate(history, history.start):
        if not turn.is_instruction:
            for piece in candidates.intersection(_pieces(turn.scored_text)):
                turns_with[piece].add(index)
    return sorted({index for turns in turns_with.values() if len(turns) == 1 for index in turns})


def keep_feedback(store: Store, piece: Feedback) -> ActionRecord:
    """Store a piece of feedback, or nothing of it; errors as for `feedback`."""
    messages = None if isinstance(piece.conversation, str) else _conversation_of(piece.conversation)
    at = piece.at
    if messages is not None and piece.question is None:
        at = messages.current_index() if at is None else at
        messages.at(at)  # raises when there is no such message
    with store.write() as db:
        key = str(piece.conversation) if messages is None else _library_key(store, db, messages, piece)
        if at is None and piece.question is None:
            at = Conversations(store).get(key).conversation.current_index()
        current = CurrentKey(key, at, piece.question or "")
        answer = None if piece.relevant is None else "relevant" if piece.relevant else "not_relevant"
        entries = [
            Entry(current, turn, piece.source, answer, version=piece.version, kind="agent")
            for turn in dict.fromkeys(piece.turns)
        ]
        return Labels(store).record(
            entries, by=piece.source, kind="feedback", origin=piece.how, by_kind="agent"
        )


def keep_feedback_lines(
    store: Store, source: Source, *, agent: str = AGENT, skip_bad: bool = False
) -> tuple[list[ActionRecord], Problems]:
    """Store every line, or nothing; return what became of each, and what was left out.

    agent: the source of lines that name none. Raises BadLinesError for bad lines unless `skip_bad`, and when
    there is no good one.
    """
    report = source.report
    lines = source.need_json("one JSON object a line").lines()
    saved: list[ActionRecord] = []
    with store.write():
        for value, place in lines:
            try:
                saved.append(keep_feedback(store, _parse_line(value, agent)))
            except TranscriptError as error:
                place.leave_out_all(error)
            except (StoreError, ConversationError) as error:
                field = error.field if isinstance(error, FeedbackError) else None
                place.leave_out_all(TranscriptError(str(error), field=field))
        problems = report.close(pluralize(len(saved), "line") if saved else None, skip_bad=skip_bad)
    return saved, problems


def _parse_line(value: Any, agent: str) -> Feedback:
    """Return the feedback in a line's object; TranscriptError or StoreError when it is invalid."""
    if not isinstance(value, Mapping):
        raise TranscriptError(f"expected an object, got {kind(value)}")
    if unknown := sorted(set(value) - set(_FIELDS)):
        raise TranscriptError(f"unknown field; the fields are {', '.join(_FIELDS)}", field=unknown[0])
    if ("conversation" in value) == ("messages" in value):
        raise TranscriptError("either a conversation or its messages are needed", field="conversation")
    if "relevant" not in value:
        raise TranscriptError("relevant is missing", field="relevant")
    turn: Any = value.get("turn")
    return Feedback(
        _text(value, "conversation") or value.get("messages") or "",
        tuple(turn) if isinstance(turn, list) else (turn,),
        value["relevant"],
        value.get("at"),
        _text(value, "question"),
        _text(value, "source") or agent,
        _text(value, "version"),
        value.get("how", "explicit"),
    )


def _text(value: Mapping[str, Any], name: str) -> str | None:
    text = value.get(name)
    if text is None or isinstance(text, str):
        return text or None
    raise TranscriptError(f"expected a text, got {kind(text)}", field=name)


def open_store(settings: Settings | str | Path | None) -> Store:
    """Open the store of the settings, of a settings file, or of this machine."""
    return Store(resolve_settings(settings).database)


def _pieces(text: str) -> Iterator[object]:
    """Yield every run of MIN_QUOTE words, and every line of code."""
    spoken = _WORD.findall(text.casefold())
    for start in range(len(spoken) - MIN_QUOTE + 1):
        yield tuple(spoken[start : start + MIN_QUOTE])
    for line in map(str.strip, text.splitlines()):
        if len(line) >= _MIN_CODE and _CODE.search(line):
            yield line


def _conversation_of(messages: Messages) -> Conversation:
    turns = turns_from_messages(messages)
    if not turns:
        raise ConversationError("there are no messages")
    return Conversation(content_id(turns), turns)


def _library_key(store: Store, db: Database, messages: Conversation, piece: Feedback) -> str:
    """Return the key of the conversation in the library, where it is found, grows or is added."""
    conversations, openings = Conversations(store), PrefixIndex(db)
    hashes = prefix_hashes(messages.turns)
    existing = openings.same(hashes)
    if existing is None and piece.question is None:  # a question follows exactly these messages
        existing = openings.longer(hashes)
    if existing is not None:
        return existing
    if (key := openings.live_beginning(hashes)) is not None:
        new = messages.turns[conversations.summary(key).turns :]
        try:
            return conversations.grow(key, new, tokens=int(turn_tokens(new).sum())).key
        except StoreError:
            pass  # what it would become was deleted before: added below, it comes back
    item = NewConversation(
        messages,
        f"feedback from {piece.source}",
        tokens=int(turn_tokens(messages.turns).sum()),
        ends_here=piece.question is not None,
    )
    (added,) = conversations.add([item])
    db.execute("UPDATE conversations SET is_live = 1 WHERE key = ?", [added.key])
    return added.key
