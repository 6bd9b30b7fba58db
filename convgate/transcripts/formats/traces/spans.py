"""Spans of model calls: OTLP JSON, the console exporter's, and Phoenix's, with OpenInference's attributes or
those of OpenTelemetry, old and new."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from convgate.core.conversation import Turn
from convgate.transcripts.fields import mapping_of, text_of, value_at
from convgate.transcripts.formats.traces.model_calls import (
    CallLog,
    ModelCall,
    children,
    message_turns,
    parse_if_json,
)
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place

_CONTAINERS = (
    *("resourceSpans", "batches", "scopeSpans", "instrumentationLibrarySpans", "spans", "data"),
    *("resourceLogs", "scopeLogs"),
)
_CONVERSATION_IDS = (
    "gen_ai.conversation.id|session.id|langfuse.session.id|traceloop.association.properties.session_id"
)
_STARTS = ("startTimeUnixNano", "start_time", "startTime", "timeUnixNano")
_ENDS = ("endTimeUnixNano", "end_time", "endTime")
_MESSAGE_EVENT = re.compile(r"gen_ai\.(?:(system|user|assistant|tool)\.message|choice)")
_DETAILS = "gen_ai.client.inference.operation.details"

_Messages = list[tuple[str, Any]]  # each with its field


class SpanFormat(CallLog):
    """A conversation for each conversation or session id, or each trace."""

    name = "otel-spans"
    label = "OpenTelemetry spans"

    def records(self, value: Mapping[str, Any], field: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the spans in a value, and log records as the events of one."""
        for name, item in children(value, _CONTAINERS, field):
            yield from self.records(item, name)
        logs: dict[tuple[str | None, str | None], list[Mapping[str, Any]]] = defaultdict(list)
        for _, record in children(value, ("logRecords",), field):
            if trace := given_id(record, "traceId"):
                logs[trace, given_id(record, "spanId")].append(record)
        for (trace, _), events in logs.items():
            yield f"{field}.logRecords", {"traceId": trace, "events": events, **events[-1]}
        has_attributes = "attributes" in value or any(key.startswith("attributes.") for key in value)
        if (has_attributes or "events" in value) and _trace_id(value):
            yield field, value

    def call(self, record: Mapping[str, Any], place: Place) -> ModelCall:
        """Return the call of a span, from the first kind of attributes that has messages, or its events."""
        attributes = _attributes(record)
        events = parse_if_json(record.get("events") or attributes.get("events"), "events")
        events = events if isinstance(events, list) else []
        events = [event for event in events if isinstance(event, Mapping)]
        for event in events:
            if _event_name(event) == _DETAILS:
                attributes = {**attributes, **_attributes(event)}
        inputs, outputs = _read_genai(attributes, place)
        for (sent, returned), read in _NUMBERED:
            if not inputs and not outputs:
                inputs = [(f"attributes.{key}", read(item)) for key, item in _items(attributes, sent)]
                outputs = [(f"attributes.{key}", read(item)) for key, item in _items(attributes, returned)]
        if not inputs and not outputs:
            inputs, outputs = _read_events(events, place)
        return ModelCall(
            trace=_trace_id(record) or "",
            conversation=text_of(attributes, _CONVERSATION_IDS),
            inputs=_turns(inputs, "user", place),
            outputs=_turns(outputs, "assistant", place),
            started=place.time(record, keys=_STARTS),
            ended=place.time(record, keys=_ENDS),
        )


def _turns(messages: _Messages, role: str, place: Place) -> tuple[Turn, ...]:
    return tuple(turn for field, message in messages for turn in message_turns(message, role, field, place))


def _read_genai(attributes: Mapping[str, Any], place: Place) -> tuple[_Messages, _Messages]:
    """Return the messages of `gen_ai.input.messages` and its kin; of several answers the first."""
    lists = []
    for key in ("gen_ai.system_instructions", "gen_ai.input.messages", "gen_ai.output.messages"):
        name = f"attributes.{key}"
        value = parse_if_json(value_at(attributes, key), name)
        values = value if isinstance(value, list) else [] if value is None else [value]
        lists.append([(f"{name}[{index}]", item) for index, item in enumerate(values)])
    instructions, inputs, outputs = lists
    if len(outputs) > 1 and all(isinstance(item, Mapping) and "finish_reason" in item for _, item in outputs):
        place.report.omit("other answer", len(outputs) - 1)
        outputs = outputs[:1]
    if instructions:
        parts = [
            {"type": "text", "content": item} if isinstance(item, str) else item for _, item in instructions
        ]
        inputs = [(instructions[0][0], {"role": "system", "parts": parts}), *inputs]
    return inputs, outputs


def _read_openinference(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an OpenInference message in OpenAI's form."""
    message = _under(item, "message")
    parts = [{"type": "text", **_under(part, "message_content")} for _, part in _items(message, "contents")]
    calls = [_under(call, "tool_call") for _, call in _items(message, "tool_calls")]
    calls = [{"id": call.get("id"), "function": _under(call, "function")} for call in calls]
    return {**message, "content": message.get("content") or parts, "tool_calls": calls}


def _read_indexed(item: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a message of numbered attributes, such as `gen_ai.prompt.0.role`, in OpenAI's form."""
    return {**item, "tool_calls": [call for _, call in _items(item, "tool_calls")]}


_NUMBERED = (
    (("llm.input_messages", "llm.output_messages"), _read_openinference),
    (("gen_ai.prompt", "gen_ai.completion"), _read_indexed),
)
"""Attributes with a list of messages, or with one attribute for each of their fields."""


def _read_events(events: list[Mapping[str, Any]], place: Place) -> tuple[_Messages, _Messages]:
    """Return the messages of events such as `gen_ai.user.message` and `gen_ai.choice`."""
    inputs: _Messages = []
    outputs: _Messages = []
    for index, event in enumerate(events):
        match = _MESSAGE_EVENT.fullmatch(_event_name(event))
        if match is None:
            continue
        name = f"events[{index}]"
        attributes = _attributes(event) or event
        content = parse_if_json(attributes.get("gen_ai.event.content"), name)
        message = _message(content or _unwrap(event.get("body")) or attributes)
        if match[1] is None:
            message |= _message(parse_if_json(message.get("message"), name))
        message["tool_calls"] = parse_if_json(message.get("tool_calls"), name)
        role = text_of(message, "role") or match[1] or "assistant"
        call_id = given_id(message, "tool_call_id", "id") if role == "tool" else None
        message |= {"role": role, "tool_call_id": call_id}
        if match[1] is None and outputs and message.get("index") not in (None, 0, "0"):
            place.report.omit("other answer")
            continue
        (inputs if match[1] else outputs).append((name, message))
    return inputs, outputs


def _message(value: Any) -> dict[str, Any]:
    """Return the fields of a message that is an object, or its content alone."""
    return {"content": value} if isinstance(value, str) else dict(value) if isinstance(value, Mapping) else {}


def _event_name(event: Mapping[str, Any]) -> str:
    fields = (event, _attributes(event))
    names = (text_of(of, key) for key in ("event.name", "eventName", "name") for of in fields)
    return next(filter(None, names), "")


def _trace_id(record: Mapping[str, Any]) -> str | None:
    return text_of(record, "traceId|trace_id|context.trace_id")


def _attributes(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return attributes by name: of an OTLP list, an object, or fields that begin with `attributes.`."""
    value = record.get("attributes")
    if isinstance(value, list):
        return {
            item["key"]: _unwrap(item.get("value"))
            for item in value
            if isinstance(item, Mapping) and isinstance(item.get("key"), str)
        }
    return _under(record, "attributes")


def _under(fields: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return what is under a name: the fields of an object, or those that begin with the name and a dot."""
    prefix = f"{name}."
    flat = {key.removeprefix(prefix): value for key, value in fields.items() if key.startswith(prefix)}
    return mapping_of(fields, name) or flat


def _unwrap(value: Any) -> Any:
    """Return an OTLP value as JSON has it."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    ((key, held),) = value.items()
    if key == "arrayValue":
        values = held.get("values") if isinstance(held, Mapping) else None
        return [_unwrap(item) for item in values] if isinstance(values, list) else []
    if key == "kvlistValue":
        return _attributes({"attributes": held.get("values")}) if isinstance(held, Mapping) else {}
    return held if key.endswith("Value") else value


def _items(fields: Mapping[str, Any], path: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the objects of a list at a path, or of attributes such as `path.0.role`, with names."""
    value = value_at(fields, path)
    if isinstance(value, str):
        value = parse_if_json(value, path)
    if isinstance(value, list):
        return [(f"{path}[{n}]", item) for n, item in enumerate(value) if isinstance(item, Mapping)]
    items: dict[int, dict[str, Any]] = defaultdict(dict)
    for key, held in _under(fields, path).items():
        number, _, rest = key.partition(".")
        if rest and re.fullmatch("[0-9]{1,9}", number):
            items[int(number)][rest] = held
    return [(f"{path}.{number}", item) for number, item in sorted(items.items())]
