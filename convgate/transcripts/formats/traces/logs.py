"""What Langfuse and LangSmith export: traces, observations and runs, whose messages have many shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from convgate.core.conversation import Turn
from convgate.transcripts.dialects.openai_responses import is_item
from convgate.transcripts.fields import mapping_of, text_of, value_at
from convgate.transcripts.formats.agents.frameworks import LangChainFormat
from convgate.transcripts.formats.agents.responses import item_turns
from convgate.transcripts.formats.traces.model_calls import (
    CallLog,
    ModelCall,
    children,
    message_turns,
    parse_if_json,
)
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place

_LANGCHAIN = LangChainFormat()
_MESSAGE_FIELDS = {"role", "parts", "tool_calls"}
_ANSWERS, _LISTS = ("generations", "choices"), ("messages", "prompts", "input", "output")

_LANGFUSE_LISTS = ("data", "traces", "observations")
_TRACE_FIELDS = {"sessionId", "observations", "htmlPath", "bookmarked", "userId"}
_TYPES = (
    *("GENERATION", "SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING"),
    "GUARDRAIL",
)
_SNAKE = re.compile("_([a-z])")  # in the names of fields in exports to blob storage


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
        for name, item in children(
            {**value, "trace": [value.get("trace")]}, ("trace", *_LANGFUSE_LISTS), field
        ):
            yield from self.records(item, name.replace("trace[0]", "trace"))

    def call(self, record: Mapping[str, Any], place: Place) -> ModelCall:
        """Return the call of a generation, or of a whole trace."""
        is_inner = record.get("type") != "GENERATION" and record.get("parentObservationId")
        read = () if is_inner else (("input", "user"), ("output", "assistant"))
        of_model = record.get("type") == "GENERATION"
        turns = [
            _turns(parse_if_json(record.get(key), key), key, role, place, of_model=of_model)
            for key, role in read
        ]
        inputs, outputs = turns or ((), ())
        return ModelCall(
            trace=given_id(record, "traceId", "id") or "",
            conversation=given_id(record, "sessionId"),
            inputs=inputs,
            outputs=outputs,
            started=place.time(record, keys=("startTime", "timestamp")),
            ended=place.time(record, keys=("endTime",)),
        )


_RUN_LISTS = ("child_runs", "runs", "data")
_OWN_FIELDS = {"trace_id", "dotted_order", "child_runs", "child_run_ids", "parent_run_id", "session_name"}
_MODELS = ("llm", "chat_model")
_THREADS = ("session_id", "thread_id", "conversation_id")
"""In a run's metadata; its own `session_id` is that of the project."""


class LangSmithFormat(CallLog):
    """A conversation for each thread, or each trace of none: of model calls, and what a trace begins with."""

    name = "langsmith"
    label = "LangSmith runs"

    def records(self, value: Mapping[str, Any], field: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield the runs in a value; those below another one have its trace."""
        is_run = text_of(value, "run_type") is not None and not _OWN_FIELDS.isdisjoint(value)
        if is_run:
            yield field, value
        own = {"trace_id": _trace_id(value), "parent_run_id": given_id(value, "id") or "run"}
        for name, item in children(value, _RUN_LISTS, field):
            yield from self.records({**own, **item} if is_run else item, name)

    def call(self, record: Mapping[str, Any], place: Place) -> ModelCall:
        """Return the call of a model, or the messages of a trace's first run."""
        is_model = record.get("run_type") in _MODELS
        inputs: tuple[Turn, ...] = ()
        outputs: tuple[Turn, ...] = ()
        if is_model or not record.get("parent_run_id"):
            inputs = _turns(_held_in(record, "inputs"), "inputs", "user", place, of_model=is_model)
            outputs = _turns(_held_in(record, "outputs"), "outputs", "assistant", place, of_model=is_model)
            if outputs[: len(inputs)] == inputs:  # a state, which has all messages
                outputs = outputs[len(inputs) :]
        metadata = mapping_of(record, "extra.metadata") or mapping_of(record, "metadata")
        return ModelCall(
            trace=_trace_id(record),
            conversation=given_id(metadata, *_THREADS) or given_id(record, "thread_id"),
            inputs=inputs,
            outputs=outputs,
            started=place.time(record, keys=("start_time",)),
            ended=place.time(record, keys=("end_time",)),
        )


def _trace_id(run: Mapping[str, Any]) -> str:
    root = (text_of(run, "dotted_order") or "").partition(".")[0].partition("Z")[2]
    return given_id(run, "trace_id") or root or given_id(run, "id") or ""


def _held_in(run: Mapping[str, Any], key: str) -> Any:
    """Return a run's inputs or outputs, or where their only field with an object or a text leads to."""
    value = parse_if_json(run.get(key), key)
    while isinstance(value, Mapping) and not _is_message(value):
        if any(isinstance(value.get(name), list) for name in (*_ANSWERS, *_LISTS)):
            break
        held = [item for name, item in value.items() if isinstance(item, Mapping) or text_of(value, name)]
        if len(held) != 1:
            break
        value = mapping_of(value, "kwargs") or held[0]
    return value


def _turns(value: Any, key: str, role: str, place: Place, *, of_model: bool) -> tuple[Turn, ...]:
    """Return the messages in an input or output as turns; what holds none is counted for models."""
    messages = list(_messages(value, place))
    if value and not messages and of_model:
        place.report.omit("non-chat generation")
    turns: list[Turn] = []
    for message in messages:
        if isinstance(message, list) and len(message) == 2:  # as LangGraph takes them
            message = dict(zip(("role", "content"), message, strict=True))
        if is_item(message):
            turns += item_turns(message, key, place, None)
        elif _LANGCHAIN.is_message(message):
            turns += _LANGCHAIN.turns(message, key, place)
        else:
            turns += message_turns(message, role, key, place)
    return tuple(turns)


def _messages(value: Any, place: Place) -> Iterator[Any]:
    """Yield the messages that an application logged, of several answers the first; a single text is one."""
    if _is_message(value) or (isinstance(value, str) and value.strip()):
        yield value
    elif isinstance(value, list):
        yield from _unnested(value) if any(map(_is_message, _unnested(value))) else ()
    elif isinstance(value, Mapping):
        for key in _ANSWERS:
            if isinstance(answers := value.get(key), list):
                answers = _unnested(answers)
                place.report.omit("other answer", len(answers) - 1)
                yield from (_answer(each) for each in answers[:1])
                return
        for key in _LISTS:
            if isinstance(messages := value.get(key), list):
                if system := value_at(value, "system|instructions"):
                    yield {"role": "system", "content": system}
                yield from _unnested(messages)
                return


def _is_message(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    return (
        is_item(value)
        or _LANGCHAIN.is_message(value)
        or "content" in value
        or len(_MESSAGE_FIELDS & value.keys()) > 1
    )


def _unnested(items: list[Any]) -> list[Any]:
    """Return the items, or those of the first list where all are lists of objects: of a batch, one call."""
    first = items[0] if items else None
    return first if isinstance(first, list) and all(isinstance(each, Mapping) for each in first) else items


def _answer(item: Any) -> Any:
    """Return the message of a generation or a choice, or its text."""
    if not isinstance(item, Mapping):
        return item
    return item.get("message") or text_of(item, "text") or ""
