"""Answers of APIs, whole or as a stream: their calls, and what follows. OpenAI's and Anthropic's are here.

A call is a dict as its API has it. Malformed answers raise one of `MALFORMED`.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from convgate.adapters.expand import ANTHROPIC_TOOL, NAME, OPENAI_TOOL, RESPONSES_TOOL

Json = dict[str, Any]

MALFORMED = (AttributeError, IndexError, KeyError, TypeError, ValueError)

Kind = Literal["text", "thought", "call", "ping", None]
"""What begins with an event: text that is shown, a thought that belongs to what follows it, or a call."""

PARAGRAPH = "\n\n"
"""Between the texts of two answers of Chat Completions, which has one text."""

NOT_RUN = (
    f"Not run: {NAME} was called beside it, and is answered here. Call this again if it is still needed."
)
"""The result of another tool that was called beside this one."""


class StreamReader(ABC):
    """Makes an answer of its events, and the events of a later answer go on with those of earlier ones."""

    @abstractmethod
    def begin(self) -> None:
        """Begin with the next answer."""

    @abstractmethod
    def read(self, event: Json) -> Kind:
        """Add an event to the answer; return what begins with it, None where something goes on."""

    @property
    @abstractmethod
    def answer(self) -> Json:
        """The answer so far, as it would be without a stream."""

    def text_of(self, event: Json) -> Json | None:
        """Return the text of an event that has a call, too, as an event; None where it has none."""
        return None

    @abstractmethod
    def go_on(self, event: Json, front: Json) -> Json | None:
        """Return an event as it follows `front`, of which the client has the events; None: it is left out."""


class Api(ABC):
    """What an API's requests and answers look like."""

    field: ClassVar[str]  # of a request: its messages or items
    usage_field: ClassVar[str] = "usage"  # of an answer
    tool: ClassVar[Mapping[str, Any]]
    reader: ClassVar[type[StreamReader]]

    def with_tool(self, request: Json) -> Json | None:
        """Return a request with the tool; None: it has no tools, or that one, or asks for several answers."""
        tools = request["tools"]
        if not tools or request.get("n") not in (None, 1) or NAME in map(self.name, tools):
            return None
        return {**request, "tools": [*tools, self.tool]}

    def is_streamed(self, request: Json) -> bool:
        """Return whether the answer to a request is a stream."""
        return request.get("stream") is True

    def is_array(self, query: Mapping[str, str]) -> bool:
        """Return whether the answer is an array of what would be events; query: of the address."""
        return False

    @abstractmethod
    def calls(self, answer: Json) -> list[Json]:
        """Return the calls of tools that the client has to run; none of an answer that was cut."""

    def name(self, call: Json) -> str:
        """Return the name of the tool that a call, or a definition, is of."""
        return str(call.get("name", ""))

    @abstractmethod
    def refuse(self, call: Json) -> Json:
        """Return the result of a call that is not run."""

    @abstractmethod
    def follow(self, request: Json, answer: Json, results: Sequence[Json]) -> list[Json]:
        """Return what a request has behind its messages to go on after an answer."""

    @abstractmethod
    def front(self, answer: Json) -> Json:
        """Return an answer without its calls, and without what stands behind the first of them."""

    @abstractmethod
    def join(self, front: Json, answer: Json) -> Json:
        """Return an answer with what `front` says before it."""


class _ChatReader(StreamReader):
    _id: Any = None  # of the chunks that the client has

    def begin(self) -> None:
        self._message: Json = {}
        self._others: Json = {}
        self._begun_text = False

    def read(self, event: Json) -> Kind:
        if event.get("usage"):
            self._others["usage"] = event["usage"]
        if not event.get("choices"):
            return None
        (choice,) = event["choices"]
        delta = choice.get("delta") or {}
        calls = delta.get("tool_calls") or []
        for piece in calls:
            known = self._message.setdefault("tool_calls", [])
            if piece["index"] == len(known):
                known.append({})
            _merge(known[piece["index"]], {name: piece[name] for name in piece if name != "index"})
        _merge(self._message, {name: delta[name] for name in delta if name != "tool_calls"})
        self._others["finish_reason"] = choice.get("finish_reason") or self._others.get("finish_reason")
        if calls:
            return "call"
        if not any(value for name, value in delta.items() if name != "role"):
            return None
        self._id = self._id or event.get("id")
        return "text"

    @property
    def answer(self) -> Json:
        finish = self._others.get("finish_reason")
        return {
            "choices": [{"message": self._message, "finish_reason": finish}],
            "usage": self._others.get("usage"),
        }

    def text_of(self, event: Json) -> Json | None:
        choices = [
            {**choice, "finish_reason": None, "delta": {"role": "assistant", "content": text}}
            for choice in event.get("choices") or []
            if (text := (choice.get("delta") or {}).get("content"))
        ]
        return {**event, "choices": choices} if choices else None

    def go_on(self, event: Json, front: Json) -> Json | None:
        choices = []
        for choice in event.get("choices") or []:
            delta = {name: value for name, value in (choice.get("delta") or {}).items() if name != "role"}
            if delta.get("content") and not self._begun_text:
                self._begun_text = True
                if front["choices"][0]["message"]["content"]:
                    delta["content"] = PARAGRAPH + delta["content"]
            choices.append({**choice, "delta": delta})
        return {**event, "id": self._id, "choices": choices}


class _ChatCompletions(Api):
    """Chat Completions, of OpenAI and compatible ones."""

    field, tool, reader = "messages", OPENAI_TOOL, _ChatReader

    def calls(self, answer: Json) -> list[Json]:
        (choice,) = answer["choices"]
        is_whole = choice.get("finish_reason") in ("tool_calls", "stop")
        return list(choice["message"].get("tool_calls") or []) if is_whole else []

    def name(self, call: Json) -> str:
        return super().name(call.get("function") or call)

    def refuse(self, call: Json) -> Json:
        return {"role": "tool", "tool_call_id": call["id"], "content": NOT_RUN}

    def follow(self, request: Json, answer: Json, results: Sequence[Json]) -> list[Json]:
        message = answer["choices"][0]["message"]
        said = {name: value for name, value in message.items() if value is not None or name == "content"}
        return [{"role": "assistant", "content": None, **said}, *results]

    def front(self, answer: Json) -> Json:
        return {"choices": [{"message": {"content": answer["choices"][0]["message"].get("content")}}]}

    def join(self, front: Json, answer: Json) -> Json:
        (choice,) = answer["choices"]
        message = choice["message"]
        texts = [front["choices"][0]["message"]["content"], message.get("content")]
        content = PARAGRAPH.join(filter(None, texts)) or message.get("content")
        return {**answer, "choices": [{**choice, "message": {**message, "content": content}}]}


class _MessagesReader(StreamReader):
    def begin(self) -> None:
        self._message: Json = {}
        self._inputs: dict[int, str] = {}

    def read(self, event: Json) -> Kind:
        kind = event["type"]
        if kind == "ping":
            return "ping"
        if kind == "error":
            return "text"
        if kind == "message_start":
            self._message = {**event["message"], "content": []}
        elif kind == "content_block_start":
            self._message["content"].append({**event["content_block"]})
            return "call" if event["content_block"]["type"] == "tool_use" else "text"
        elif kind == "content_block_delta":
            self._add(event["index"], event["delta"])
        elif kind == "message_delta":
            usage = {**(self._message.get("usage") or {}), **(event.get("usage") or {})}
            self._message |= {**event["delta"], "usage": usage}
        return None

    def _add(self, index: int, delta: Json) -> None:
        block = self._message["content"][index]
        if delta["type"] == "input_json_delta":
            self._inputs[index] = self._inputs.get(index, "") + delta["partial_json"]
        elif delta["type"] == "citations_delta":
            block["citations"] = [*(block.get("citations") or ()), delta["citation"]]
        else:
            name = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}[
                delta["type"]
            ]
            block[name] = block.get(name, "") + delta[name]

    @property
    def answer(self) -> Json:
        content = [
            {**block, "input": json.loads(self._inputs[index])} if self._inputs.get(index) else block
            for index, block in enumerate(self._message["content"])
        ]
        return {**self._message, "content": content}

    def go_on(self, event: Json, front: Json) -> Json | None:
        if event["type"] == "message_start":
            return None
        if event["type"] == "message_delta":  # the client has the usage of the first message_start
            return {**event, "usage": self._message["usage"]}
        return {**event, "index": event["index"] + len(front["content"])} if "index" in event else event


class _Messages(Api):
    """Anthropic's Messages."""

    field, tool, reader = "messages", ANTHROPIC_TOOL, _MessagesReader

    def calls(self, answer: Json) -> list[Json]:
        is_whole = answer.get("stop_reason") == "tool_use"
        return [block for block in answer["content"] if block["type"] == "tool_use"] if is_whole else []

    def refuse(self, call: Json) -> Json:
        return {"type": "tool_result", "tool_use_id": call["id"], "content": NOT_RUN, "is_error": True}

    def follow(self, request: Json, answer: Json, results: Sequence[Json]) -> list[Json]:
        return [{"role": "assistant", "content": answer["content"]}, {"role": "user", "content": [*results]}]

    def front(self, answer: Json) -> Json:
        blocks = answer["content"]
        first = next((place for place, block in enumerate(blocks) if block["type"] == "tool_use"), None)
        return {"content": blocks[:first]}

    def join(self, front: Json, answer: Json) -> Json:
        return {**answer, "content": [*front["content"], *answer["content"]]}


_CALLS = {"function_call": "function_call_output", "custom_tool_call": "custom_tool_call_output"}
_OPENINGS = {"response.created", "response.queued", "response.in_progress"}
_ENDS = {"response.completed", "response.incomplete", "response.failed"}


class _ResponsesReader(StreamReader):
    def begin(self) -> None:
        self._response: Json = {}

    def read(self, event: Json) -> Kind:
        if event["type"] in _ENDS:
            self._response = event["response"]
        elif event["type"] == "response.output_item.added":
            kind = event["item"]["type"]
            return "call" if kind in _CALLS else "thought" if kind == "reasoning" else "text"
        return "text" if event["type"] == "error" else None

    @property
    def answer(self) -> Json:
        return self._response

    def go_on(self, event: Json, front: Json) -> Json | None:
        if event["type"] in _OPENINGS:
            return None
        if "output_index" in event:
            event = {**event, "output_index": event["output_index"] + len(front["output"])}
        if event["type"] in _ENDS:
            output = [*front["output"], *event["response"]["output"]]
            event = {**event, "response": {**event["response"], "output": output}}
        return event


class _Responses(Api):
    """OpenAI's Responses."""

    field, tool, reader = "input", RESPONSES_TOOL, _ResponsesReader

    def calls(self, answer: Json) -> list[Json]:
        output = answer["output"] if answer.get("status") == "completed" else []
        calls = [item for item in output if item["type"] in _CALLS]
        unknown = {item["type"] for item in output} - {"message", "reasoning", *_CALLS}
        if unknown and any(self.name(call) == NAME for call in calls):
            raise ValueError(f"other calls need other results: {', '.join(sorted(unknown))}")
        return calls

    def refuse(self, call: Json) -> Json:
        return {"type": _CALLS[call["type"]], "call_id": call["call_id"], "output": NOT_RUN}

    def follow(self, request: Json, answer: Json, results: Sequence[Json]) -> list[Json]:
        items = [
            {name: value for name, value in item.items() if value is not None} for item in answer["output"]
        ]
        thoughts = [item for item in items if item["type"] == "reasoning"]
        if request.get("store") is False and not all("encrypted_content" in each for each in thoughts):
            # OpenAI did not keep these thoughts, and refuses what points to them.
            items = [
                {name: item[name] for name in item if name != "id"} for item in items if item not in thoughts
            ]
        return [*items, *results]

    def front(self, answer: Json) -> Json:
        output = answer["output"]
        stop = next((place for place, item in enumerate(output) if item["type"] in _CALLS), len(output))
        while stop and output[stop - 1]["type"] == "reasoning":  # is refused without what followed it
            stop -= 1
        return {"output": output[:stop]}

    def join(self, front: Json, answer: Json) -> Json:
        return {**answer, "output": [*front["output"], *answer["output"]]}


CHAT_COMPLETIONS, MESSAGES, RESPONSES = _ChatCompletions(), _Messages(), _Responses()


def _merge(known: Json, delta: Json) -> None:
    """Add the pieces of a stream: texts are continued, names and ids come once."""
    for name, value in delta.items():
        before = known.get(name)
        if isinstance(before, dict) and isinstance(value, dict):
            _merge(before, value)
        elif isinstance(before, list) and isinstance(value, list):
            known[name] = [*before, *value]
        elif (
            isinstance(before, str) and isinstance(value, str) and name not in ("role", "id", "type", "name")
        ):
            known[name] = before + value
        elif value is not None or name not in known:
            known[name] = {**value} if isinstance(value, dict) else value
