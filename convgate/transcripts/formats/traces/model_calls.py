"""Logged calls of models as conversations: each call sends the history again, and it is kept once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import Any

from convgate.core.conversation import ContentPart, Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import (
    Content,
    Item,
    ToolResult,
    block_call,
    json_parts,
    placeholder,
    read_blocks,
)
from convgate.transcripts.exports import share_of
from convgate.transcripts.fields import text_of
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place, kind, parse_json
from convgate.transcripts.message_lists import described
from convgate.transcripts.openai_messages import read_calls
from convgate.transcripts.problems import Report
from convgate.transcripts.roles import role_of
from convgate.transcripts.source import LocatedConversations, Source
from convgate.transcripts.timestamps import to_utc


@dataclass(frozen=True)
class ModelCall:
    """What one call sent to the model, and what came back."""

    trace: str
    conversation: str | None = None  # or session, of several traces
    inputs: tuple[Turn, ...] = ()
    outputs: tuple[Turn, ...] = ()
    started: datetime | None = None
    ended: datetime | None = None

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Both."""
        return self.inputs + self.outputs


class CallLog(ABC):
    """Reads records of model calls; the conversations come once all are read."""

    name: str
    label: str

    @abstractmethod
    def records(self, value: Mapping[str, Any], field: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the records in a value, each with its field; none when the value is in another format."""

    @abstractmethod
    def call(self, record: Mapping[str, Any], place: Place) -> ModelCall:
        """Return the call of a record at its place, without turns when it is none; raises TranscriptError."""

    def match_share(self, source: Source) -> float:
        """Return the share of the source's first values that hold records of this format, 0…1."""
        return share_of(source, lambda value: any(self.records(value)))

    def read(self, source: Source) -> LocatedConversations:
        """Yield the source's conversations; bad places go to its report."""
        calls: list[ModelCall] = []
        for value, place in source.need_json().values():
            records = list(self.records(value)) if isinstance(value, Mapping) else []
            if not records:
                place.leave_out_all(TranscriptError(f"expected {self.label}; got {described(value)}"))
            for field, record in records:
                of_record = replace(place, prefix=".".join(filter(None, (place.prefix, field))))
                with of_record.skip_bad_value():
                    calls.append(self.call(record, of_record))
        if not any(call.turns for call in calls) and not source.report.counts["error"]:
            raise TranscriptError(
                f"the {self.label} hold no messages; let the application record the content of its calls",
                file=source.report.file,
            )
        for conversation in _conversations(calls, source.report):
            yield None, replace(conversation, format=self.name)


def _conversations(calls: Sequence[ModelCall], report: Report) -> Iterator[Conversation]:
    """Yield a conversation for each session, or trace of none, made of each trace's longest call."""
    sessions = {call.trace: call.conversation for call in reversed(calls) if call.conversation}
    traces: dict[str, dict[str, list[ModelCall]]] = defaultdict(lambda: defaultdict(list))
    n_read = len({call.trace for call in calls if call.turns})
    report.omit("trace without messages", len({call.trace for call in calls}) - n_read)
    for call in sorted(calls, key=lambda call: to_utc(call.started)):
        if call.turns:
            traces[call.conversation or sessions.get(call.trace, call.trace)][call.trace].append(call)
    for id, by_trace in traces.items():
        parts = []
        for called in by_trace.values():
            longest = max(reversed(called), key=lambda call: (len(call.inputs), len(call.outputs)))
            kept = set(map(_key, longest.turns))
            n_separate = sum(not kept.issuperset(map(_key, call.turns)) for call in called)
            report.omit("separate model call", n_separate)
            parts.append(longest.turns)
        yield Conversation(
            id, tuple(_add_times(_join_parts(parts, report), chain.from_iterable(by_trace.values())))
        )


def _join_parts(parts: Iterable[Sequence[Turn]], report: Report) -> list[Turn]:
    """Return the turns of all parts, each without instructions and last turns that it repeats.

    Parts that add nothing are counted in the report.
    """
    turns: list[Turn] = []
    instructions: set[tuple[str, ...]] = set()
    said: list[tuple[str, ...]] = []  # everything else
    for part in parts:
        keys = [_key(turn) for turn in part if not turn.is_instruction]
        n_max = min(len(said), len(keys))
        n_repeated = next(n for n in range(n_max, -1, -1) if said[len(said) - n :] == keys[:n])
        report.omit("repeated model call", int(n_repeated == len(keys) > 0))
        said += keys[n_repeated:]
        for turn in part:
            if turn.is_instruction:
                is_new = _key(turn) not in instructions
                instructions.add(_key(turn))
            else:
                n_repeated -= 1
                is_new = n_repeated < 0
            if is_new:
                turns.append(turn)
    return turns


def _add_times(turns: Sequence[Turn], calls: Iterable[ModelCall]) -> Iterator[Turn]:
    """Yield the turns with times: an answer came at the end of its call, what it answers at the beginning."""
    moments_of: dict[tuple[str, ...], dict[datetime, None]] = defaultdict(dict)
    for call in calls:
        moments = [(turn, call.started) for turn in call.inputs[-1:] if not turn.is_instruction]
        for turn, moment in (*moments, *((turn, call.ended or call.started) for turn in call.outputs)):
            if moment:
                moments_of[_key(turn)][moment] = None
    times = {key: list(moments) for key, moments in moments_of.items()}
    n_later = Counter(map(_key, turns))  # turns alike, from here to the end
    for turn in turns:
        key = _key(turn)
        if n_later[key] <= len(times.get(key, ())):
            turn = replace(turn, timestamp=times[key][-n_later[key]])
        n_later[key] -= 1
        yield turn


def _key(turn: Turn) -> tuple[str, ...]:
    """Return what is alike in a turn that was logged more than once."""
    text = "\n".join(part.text for part in turn.parts if part.kind != "thinking").strip()
    return (turn.role, text, turn.tool_call_id or "", *(call.name for call in turn.tool_calls))


def message_turns(message: Any, role: str, field: str, place: Place) -> tuple[Turn, ...]:
    """Return a message of OpenAI, Anthropic or OpenTelemetry as turns; `role`: of one that has none."""
    if isinstance(message, str):
        message = {"content": message}
    if not isinstance(message, Mapping):
        raise TranscriptError(f"expected a message, got {kind(message)}", field=field)
    parts, said = message.get("parts"), message.get("content")
    if isinstance(parts, list):
        items = [_part(part, f"{field}.parts[{index}]") for index, part in enumerate(parts)]
        content = Content(tuple(item for item in items if item is not None))
    else:
        name = f"{field}.content"
        blocks = json_parts(said, name) if isinstance(said, Mapping) else read_blocks(said, name).items
        content = Content((*blocks, *read_calls(message, field)))
    given, call_id = text_of(message, "role") or role, given_id(message, "tool_call_id")
    speaker = text_of(message, "name")
    turns = tuple(content.turns(role_of(given) or given, name=speaker, tool_call_id=call_id))
    if not turns:
        place.report.omit("empty message")
    return turns


def _part(part: Any, field: str) -> Item | None:
    """Return a part of an OpenTelemetry message, None when it is empty."""
    type_, text, id = text_of(part, "type"), text_of(part, "content"), given_id(part, "id")
    if not type_:
        raise TranscriptError("there is no type of part", field=f"{field}.type")
    if type_.endswith("tool_call"):
        arguments = part.get("arguments", part.get(type_))
        return block_call({"id": id, "name": part.get("name"), "arguments": arguments}, field)
    if type_.endswith("tool_call_response"):
        result = part.get("response", part.get("result", part.get(type_)))
        return ToolResult(id, json_parts(result, f"{field}.response"), text_of(part, "name"))
    if type_ in ("reasoning", "thinking"):
        return ContentPart("thinking", text or "[thinking]")
    if type_ == "text":
        return ContentPart("text", text) if text else None
    what = text_of(part, "modality") or type_
    return ContentPart(what, placeholder(what, part))


def parse_if_json(value: Any, field: str) -> Any:
    """Return what a text holds when it is JSON with an object or a list; anything else as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return parse_json(value)
    except TranscriptError as error:
        raise TranscriptError(error.problem, field=field) from None


def children(
    value: Mapping[str, Any], keys: Iterable[str], field: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the objects of the lists in some fields, each with its own field."""
    for key in keys:
        items = value.get(key)
        for index, item in enumerate(items if isinstance(items, list) else ()):
            if isinstance(item, Mapping):
                yield f"{field}.{key}[{index}]".lstrip("."), item
