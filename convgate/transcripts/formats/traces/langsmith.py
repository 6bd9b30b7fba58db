"""LangSmith's runs, as its API, its bulk export and `child_runs` have them."""

from __future__ import annotations

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

_CONTAINERS = ("child_runs", "runs", "data")
_OWN_FIELDS = {"trace_id", "dotted_order", "child_runs", "child_run_ids", "parent_run_id", "session_name"}
_MODELS = ("llm", "chat_model")
_THREADS = ("session_id", "thread_id", "conversation_id")
"""In a run's metadata; its own `session_id` is that of the project."""

_LANGCHAIN = LangChainFormat()


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
        for name, item in children(value, _CONTAINERS, field):
            yield from self.records({**own, **item} if is_run else item, name)

    def call(self, record: Mapping[str, Any], place: Place) -> ModelCall:
        """Return the call of a model, or the messages of a trace's first run."""
        is_model = record.get("run_type") in _MODELS
        inputs: tuple[Turn, ...] = ()
        outputs: tuple[Turn, ...] = ()
        if is_model or not record.get("parent_run_id"):
            inputs = _turns(record, "inputs", "user", place)
            outputs = _turns(record, "outputs", "assistant", place)
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


def _turns(run: Mapping[str, Any], key: str, role: str, place: Place) -> tuple[Turn, ...]:
    """Return the messages of a run's inputs or outputs as turns; what has none is counted for models."""
    value = parse_if_json(run.get(key), key)
    messages = list(_messages(value, place))
    if value and not messages and run.get("run_type") in _MODELS:
        place.report.omit("non-chat generation")
    turns: list[Turn] = []
    for message in messages:
        if isinstance(message, list) and len(message) == 2:  # as LangGraph takes them
            message = dict(zip(("role", "content"), message, strict=True))
        if is_item(message):
            turns += item_turns(message, key, place, None)
        elif isinstance(message, Mapping) and "role" not in message and "parts" not in message:
            turns += _LANGCHAIN.turns(message, key, place)
        else:
            turns += message_turns(message, role, key, place)
    return tuple(turns)


def _messages(value: Any, place: Place) -> Iterator[Any]:
    """Yield the messages that a run took or gave, of several answers the first; a single text is one."""
    if _is_message(value) or (isinstance(value, str) and value.strip()):
        yield value
    if not isinstance(value, Mapping) or _is_message(value):
        return
    for key in ("generations", "choices"):
        if isinstance(answers := value.get(key), list):
            answers = _unnested(answers)
            place.report.omit("other answer", len(answers) - 1)
            yield from (_answer(each) for each in answers[:1])
            return
    for key in ("messages", "prompts", "input", "output"):
        if isinstance(messages := value.get(key), list):
            if system := value_at(value, "system|instructions"):
                yield {"role": "system", "content": system}
            yield from _unnested(messages)
            return
    held = [item for key, item in value.items() if isinstance(item, Mapping) or text_of(value, key)]
    if len(held) == 1:
        yield from _messages(mapping_of(value, "kwargs") or held[0], place)


def _is_message(value: Any) -> bool:
    if not isinstance(value, Mapping):
        return False
    return _LANGCHAIN.is_message(value) or (
        "role" in value and not {"content", "tool_calls"}.isdisjoint(value)
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
