"""Relevance sets: conversations with known relevant turns, to train on and to measure with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, ValidationError

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.core.files import write_whole
from convgate.core.text import join_words, quote
from convgate.transcripts.cases import Case, RelevanceSet
from convgate.transcripts.formats.benchmarks import LoCoMoFormat, LongMemEvalFormat
from convgate.transcripts.formats.message_files import OpenAIFormat
from convgate.transcripts.identity import make_ids_unique
from convgate.transcripts.json_text import Place
from convgate.transcripts.message_lists import dump_json, top_fields
from convgate.transcripts.openai_messages import file_message, turn_from_message
from convgate.transcripts.problems import Report, pluralize_noun
from convgate.transcripts.source import MAX_BYTES, Source, source_of_path

M = TypeVar("M", bound=BaseModel)

SPLIT_GROUP = "split_group"
"""The field of a conversation that says on which side of a split it is: those of one group stay together."""


class RelevanceFormat(OpenAIFormat):
    """The conversations of a relevance set; its cases are passed over here (see `read_relevance_set`).

    Holds everything that a turn has, except that a part that is no text comes back as text.
    """

    name = "relevance-set"
    label = "Relevance set"
    suffix = ".jsonl"
    expected = (
        "a line of a relevance set, with type 'conversation', an id and 'messages', or with type 'case'"
    )

    def list_key(self, fields: Mapping[str, Any]) -> str | None:
        """`messages`, where the type says that it is a conversation."""
        return "messages" if fields.get("type") == "conversation" else None

    def is_message(self, value: Any) -> bool:
        """Never: messages stand in conversations only."""
        return False

    def is_case(self, value: Any) -> bool:
        """Return whether it is a case."""
        return isinstance(value, Mapping) and value.get("type") == "case" and "conversation" in value

    def conversation(self, value: Any, place: Any) -> Conversation:
        """Return a conversation line; a missing list of messages is told as such."""
        if isinstance(value, Mapping) and value.get("type") == "conversation":
            value = {"messages": None, **value}
        conversation = super().conversation(value, place)
        fields = {key: field for key, field in conversation.metadata.items() if key != "type"}
        return replace(conversation, metadata=fields)

    def write(self, conversation: Conversation, turns: Sequence[Turn]) -> str:
        """Return one line."""
        line = {"type": "conversation", "id": conversation.id}
        fields = {**line, **top_fields(conversation, self.name), **line}  # a transcript may have a `type` too
        return dump_json({**fields, "messages": [_message(turn) for turn in turns]}) + "\n"


def _message(turn: Turn) -> Mapping[str, Any]:
    message = file_message(turn)
    if message is turn.source:
        return message
    own = {"id": turn.id, "timestamp": turn.timestamp and turn.timestamp.isoformat()}
    return {**turn.metadata, **message, **{key: value for key, value in own.items() if value is not None}}


_FORMAT = RelevanceFormat()

BENCHMARKS = (LoCoMoFormat(), LongMemEvalFormat())
"""Formats of others that have cases too."""


def read_relevance_set(
    path: str | Path, *, skip_bad: bool = False, max_bytes: int = MAX_BYTES
) -> RelevanceSet:
    """Return the relevance set in a file of JSON lines; cases may come before their conversations.

    The file may also be one of `BENCHMARKS`; what its questions lack is a warning.

    Raises TranscriptError when the file cannot be read or, unless `skip_bad`, has a bad line: broken
    JSON, a conversation that is not one, an id given twice, a case about an unknown conversation or
    with turns that are not in its history.
    """
    path = Path(path)
    report = Report(path.name)
    source = source_of_path(path, report, max_bytes=max_bytes)
    benchmark = next((format for format in BENCHMARKS if format.match_share(source) > 0.5), None)
    conversations, cases = _read_benchmark(benchmark, source) if benchmark else _read_set(source)
    readable = f"{len(conversations)} conversations and {len(cases)} cases" if conversations else None
    problems = report.close(readable, skip_bad=skip_bad)
    return RelevanceSet(path.stem, conversations, tuple(cases.values()), problems)


def _read_set(source: Source) -> tuple[dict[str, Conversation], dict[str, Case]]:
    conversations, lines = read_set_lines(source)
    cases: dict[str, Case] = {}
    for value, place in lines:
        with place.skip_bad_value():
            case = case_of_line(value, conversations)
            _check_id(case.id, cases, "case")
            cases[case.id] = case
    return conversations, cases


def _read_benchmark(
    benchmark: LoCoMoFormat | LongMemEvalFormat, source: Source
) -> tuple[dict[str, Conversation], dict[str, Case]]:
    report, used = source.report, dict[str, int]()
    conversations: dict[str, Conversation] = {}
    cases: dict[str, Case] = {}
    for value, place in benchmark.objects(source):
        with place.skip_bad_value():
            read = benchmark.conversation(value, place)
            conversation = make_ids_unique(read, used, report, place.line)
            conversations[conversation.id] = conversation
            cases |= {case.id: case for case in benchmark.cases(value, conversation, place)}
    if report.omitted:
        counts = (pluralize_noun(n, what) for what, n in report.omitted.items())
        report.warn(f"left out in all: {join_words(counts)}")
    return conversations, cases


def read_set_lines(source: Source) -> tuple[dict[str, Conversation], list[tuple[Mapping[str, Any], Place]]]:
    """Return the conversations of a set by id, and the objects of its cases, which `case_of_line` reads.

    Bad conversations are noted in the source's report.
    """
    conversations: dict[str, Conversation] = {}
    cases: list[tuple[Mapping[str, Any], Place]] = []
    for value, place in source.need_json("a relevance set, one JSON object a line").lines():
        if _FORMAT.is_case(value):
            cases.append((value, place))
            continue
        with place.skip_bad_value():
            conversation = _FORMAT.conversation(value, place)
            _check_id(conversation.id, conversations, "conversation")
            conversations[conversation.id] = conversation
    return conversations, cases


def write_relevance_set(relevance_set: RelevanceSet, path: str | Path, *, private: bool = False) -> None:
    """Write the set to a file, each conversation before its cases; a failed write leaves no half file.

    `private` is as in `write_whole`. Raises TranscriptError when the file cannot be written.
    """
    content = "".join(_lines(relevance_set)).encode()
    try:
        write_whole(Path(path), content, private=private)
    except OSError as error:
        raise TranscriptError(f"the file cannot be written: {error.strerror}", file=str(path)) from error


def _lines(relevance_set: RelevanceSet) -> Iterator[str]:
    for conversation in relevance_set.conversations.values():
        yield _FORMAT.write(conversation, conversation.turns)
    for case in relevance_set.cases:
        yield dump_json(case_fields(case)) + "\n"


def case_fields(case: Case) -> dict[str, Any]:
    """Return what a case's line holds."""
    optional = {
        "turn": case.turn,
        "query": _query_fields(case.query) if case.query else None,
        "window": case.window,
        "tags": list(case.tags) or None,
        "judged": None if case.judged is None else sorted(case.judged),
        "needed": None if case.needed is None else sorted(case.needed),
    }
    line = {"type": "case", "id": case.id, "conversation": case.conversation}
    given = {key: value for key, value in optional.items() if value is not None}
    return {**line, **given, "relevant": sorted(case.relevant)}


def _query_fields(query: Turn) -> dict[str, str]:
    timestamp = {"timestamp": query.timestamp.isoformat()} if query.timestamp else {}
    return {"role": query.role, "content": query.text, **timestamp}


class _CaseLine(BaseModel):
    """What the line of a case has to have, whatever conversation it is about."""

    model_config = ConfigDict(strict=True)
    id: str = Field(min_length=1)
    conversation: str = Field(min_length=1)
    turn: NonNegativeInt | None = None
    query: Any = None
    window: NonNegativeInt | None = None
    tags: list[str] | None = None
    relevant: list[NonNegativeInt]
    judged: list[NonNegativeInt] | None = None
    needed: list[NonNegativeInt] | None = None


def read_fields(model: type[M], value: Any) -> M:
    """Return a line's object as the model has it; TranscriptError names the first field that does not fit."""
    try:
        return model.model_validate(value)
    except ValidationError as error:
        detail = error.errors()[0]
        field = "".join(f"[{part}]" if isinstance(part, int) else part for part in detail["loc"])
        raise TranscriptError(f"{detail['msg']}; got {quote(detail['input'])}", field=field) from None


def case_of_line(value: Mapping[str, Any], conversations: Mapping[str, Conversation]) -> Case:
    """The case that a line's object holds; TranscriptError when it is none, or of no such conversation."""
    line = read_fields(_CaseLine, value)
    conversation = conversations.get(line.conversation)
    if conversation is None:
        raise TranscriptError(
            f"there is no readable conversation {line.conversation!r} in this file", field="conversation"
        )
    query = None if line.query is None else turn_from_message(line.query, "query")
    if (line.turn is None) == (query is None):
        raise TranscriptError("a case has either a turn or a query", field="turn")
    stop = len(conversation) if line.turn is None else line.turn
    if line.turn == len(conversation) or stop > len(conversation):
        raise TranscriptError(
            f"turn {stop}, but conversation {line.conversation!r} has {len(conversation)} turns", field="turn"
        )
    history = range(0 if line.window is None else max(0, stop - line.window), stop)
    for name, indices in (("relevant", line.relevant), ("judged", line.judged or [])):
        for place, index in enumerate(indices):
            if index not in history:
                field = f"{name}[{place}]"
                raise TranscriptError(f"{index} is not among the {len(history)} turns before it", field=field)
    relevant, tags = frozenset(line.relevant), tuple(line.tags or ())
    judged = None if line.judged is None else frozenset(line.judged)
    needed = None if line.needed is None else frozenset(line.needed)
    if judged is not None and not relevant <= judged:
        raise TranscriptError("a relevant turn is not among the judged", field="judged")
    if needed is not None and not needed <= relevant:
        raise TranscriptError("a needed turn is not among the relevant ones", field="needed")
    return Case(line.id, line.conversation, line.turn, query, relevant, line.window, tags, judged, needed)


def _check_id(id: str, known: Mapping[str, object], what: str) -> None:
    if not id:
        raise TranscriptError(f"the {what} has no id", field="id")
    if id in known:
        raise TranscriptError(f"another {what} has the id {id!r} already", field="id")


def split_group_of(conversation: Conversation, otherwise: str | None = None) -> str:
    """Return the group of a conversation of a relevance set: what its field says, or its id.

    otherwise: the group of what came in another format, where ids often are names of files.

    >>> split_group_of(Conversation("tea", ()), "0123456789abcdef")
    '0123456789abcdef'
    """
    if otherwise is not None and conversation.format != RelevanceFormat.name:
        return otherwise
    given = conversation.metadata.get(SPLIT_GROUP)
    return given if isinstance(given, str) and given else conversation.id
