"""Langfuse's exports: traces with or without their observations, sessions, and lists of observations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from convgate.core.conversation import Turn
from convgate.transcripts.fields import mapping_of, value_at
from convgate.transcripts.formats.traces.model_calls import (
    CallLog,
    ModelCall,
    children,
    message_turns,
    parse_if_json,
)
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place

_CONTAINERS = ("data", "traces", "observations")
_TRACE_FIELDS = {"sessionId", "observations", "htmlPath", "bookmarked", "userId"}
_TYPES = (
    *("GENERATION", "SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING"),
    "GUARDRAIL",
)
_SNAKE = re.compile("_([a-z])")  # in the names of fields in exports to blob storage
_MESSAGE_FIELDS = {"role", "content", "parts", "tool_calls"}


class LangfuseFormat(CallLog):
    """A conversation for each session, or each trace of none.

    Turns are those of generations, and the input and output of a trace or its outermost observation.
    """

    name = "langfuse"
    label = "Langfuse traces or observations"

    def records(self, value: Mapping[str, Any], field: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the traces and observations in a value."""
        value = {_SNAKE.sub(lambda match: match[1].upper(), key): item for key, item in value.items()}
        is_observation = {"traceId", "type", "startTime"} <= value.keys() and value["type"] in _TYPES
        has_content = "input" in value or "output" in value
        if is_observation or (has_content and "timestamp" in value and _TRACE_FIELDS & value.keys()):
            yield field, value
        for name, item in children({**value, "trace": [value.get("trace")]}, ("trace", *_CONTAINERS), field):
            yield from self.records(item, name.replace("trace[0]", "trace"))

    def call(self, record: Mapping[str, Any], place: Place) -> ModelCall:
        """Return the call of a generation, or of a whole trace."""
        is_inner = record.get("type") != "GENERATION" and record.get("parentObservationId")
        read = () if is_inner else (("input", "user"), ("output", "assistant"))
        turns = [_turns(record, key, role, place) for key, role in read]
        inputs, outputs = turns or ((), ())
        return ModelCall(
            trace=given_id(record, "traceId", "id") or "",
            conversation=given_id(record, "sessionId"),
            inputs=inputs,
            outputs=outputs,
            started=place.time(record, keys=("startTime", "timestamp")),
            ended=place.time(record, keys=("endTime",)),
        )


def _turns(record: Mapping[str, Any], key: str, role: str, place: Place) -> tuple[Turn, ...]:
    """Return the messages in an input or output as turns; what holds none is counted for generations."""
    value = parse_if_json(record.get(key), key)
    messages = list(_messages(value))
    if value and not messages and record.get("type") == "GENERATION":
        place.report.omit("non-chat generation")
    return tuple(turn for message in messages for turn in message_turns(message, role, key, place))


def _messages(value: Any) -> Iterator[Any]:
    """Yield the messages in what an application logged, none when it is something else."""
    if isinstance(value, str) and value.strip():
        yield value
    elif isinstance(value, list):
        yield from (item for item in value if isinstance(item, Mapping) and _MESSAGE_FIELDS & item.keys())
    elif isinstance(messages := value_at(value, "messages"), list):
        if system := value_at(value, "system"):
            yield {"role": "system", "content": system}
        yield from _messages(messages)
    elif isinstance(choices := value_at(value, "choices"), list):
        yield from (message for choice in choices[:1] if (message := mapping_of(choice, "message")))
    elif isinstance(value, Mapping) and _MESSAGE_FIELDS & value.keys():
        yield value
