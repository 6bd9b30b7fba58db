"""The APIs whose calls of `expand_result` the proxy answers: requests with stubs, and answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from convgate.elision.elide import result_id
from tests.adapters.replies import anthropic_reply, gemini_reply, openai_reply, responses_reply
from tests.llm_server import Answer
from tests.test_selection_elide import in_dialect
from tests.tool_runs import Run, code

Part = dict[str, Any]

ORIGINAL = f"\tÄ 𝄞 \x1b[31m\n{code()}\n\n  "
ID = result_id(ORIGINAL)
RUN = Run().call("Read", ORIGINAL, file_path="a.py").go_on().call("Read", ORIGINAL, file_path="a.py").messages


def expand_call(id: str = ID, number: int = 1) -> Part:
    return {"id": f"x{number}", "name": "expand_result", "input": {"id": id}}


READ = {"id": "r1", "name": "Read", "input": {"file_path": "b.py"}}


@dataclass(frozen=True)
class Api:
    """What requests and answers of an API look like."""

    name: str
    path: str
    field: str

    def url(self, *, streams: bool = False) -> str:
        """The path of a request."""
        return (
            self.path.replace(":g", ":streamG") + "?alt=sse" if streams and "gem" in self.name else self.path
        )

    @property
    def messages(self) -> list[Part]:
        """A run of an agent whose first result is sent as a stub."""
        if self.name in ("anthropic", "gemini"):
            return in_dialect(self.name, RUN)
        return RUN if self.name == "openai" else [item for message in RUN for item in _items(message)]

    def request(self, **fields: Any) -> Part:
        """A request with a tool."""
        if self.name == "gemini":
            fields = {name: value for name, value in fields.items() if name != "stream"}
            return {"contents": self.messages, "tools": [self.tool("Read")], **fields}
        return {
            "model": "m",
            "max_tokens": 9,
            self.field: self.messages,
            "tools": [self.tool("Read")],
            **fields,
        }

    def tool(self, name: str) -> Part:
        """The definition of a tool."""
        schema = {"type": "object", "properties": {}}
        if self.name == "anthropic":
            return {"name": name, "input_schema": schema}
        function = {"name": name, "parameters": schema}
        if self.name == "gemini":
            return {"functionDeclarations": [function]}
        return (
            {"type": "function", "function": function}
            if self.name == "openai"
            else {"type": "function", **function}
        )

    def reply(self, text: str | None, calls: Sequence[Part] = (), *, streams: bool = False) -> Answer:
        """An answer of the upstream; calls have a name, an id and an input."""
        if self.name == "openai":
            return openai_reply(text, calls, streams=streams)
        if self.name == "anthropic":
            said = [{"type": "text", "text": text}] if text else []
            reason = "tool_use" if calls else "end_turn"
            blocks = [*said, *({"type": "tool_use", **call} for call in calls)]
            return anthropic_reply(*blocks, streams=streams, stop_reason=reason)
        if self.name == "gemini":
            said = [{"text": text}] if text else []
            return gemini_reply(*said, *map(function_call, calls), streams=streams)
        return responses_reply(*_output(text, calls), streams=streams)

    def results(self, messages: Sequence[Part]) -> dict[str, Any]:
        """The results of the calls in messages, by the ids of the calls."""
        if self.name == "openai":
            return {each["tool_call_id"]: each["content"] for each in messages if each["role"] == "tool"}
        if self.name == "responses":
            outputs = (each for each in messages if each.get("type") == "function_call_output")
            return {each["call_id"]: each["output"] for each in outputs}
        if self.name == "gemini":
            parts = (part.get("functionResponse") for each in messages for part in each["parts"])
            return {part["id"]: "".join(part["response"].values()) for part in parts if part}
        blocks = (
            block for each in messages if isinstance(each["content"], list) for block in each["content"]
        )
        return {block["tool_use_id"]: block["content"] for block in blocks if block["type"] == "tool_result"}


APIS = (
    Api("openai", "/v1/chat/completions", "messages"),
    Api("anthropic", "/v1/messages", "messages"),
    Api("responses", "/v1/responses", "input"),
    Api("gemini", "/v1/models/m:generateContent", "contents"),
)


def function_call(call: Part) -> Part:
    """A part of Gemini."""
    return {
        "functionCall": {"id": call["id"], "name": call["name"], "args": call["input"]},
        "thoughtSignature": "c2ln",
    }


def _items(message: Part) -> list[Part]:
    if message["role"] == "tool":
        id = message["tool_call_id"]
        return [{"type": "function_call_output", "call_id": id, "output": message["content"]}]
    calls = [
        {"type": "function_call", "call_id": call["id"], **call["function"]}
        for call in message.get("tool_calls", ())
    ]
    said = [{"role": message["role"], "content": message["content"]}] if message["content"] else []
    return [*said, *calls]


def _output(text: str | None, calls: Sequence[Part]) -> list[Part]:
    part: Part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    message = {
        "type": "message", "id": f"msg_{text}", "role": "assistant", "status": "completed", "content": [part],
    }  # fmt: skip
    items = [
        {
            "type": "function_call", "id": f"fc_{call['id']}", "call_id": call["id"], "name": call["name"],
            "arguments": json.dumps(call["input"]), "status": "completed",
        }
        for call in calls
    ]  # fmt: skip
    return [*([message] if text else []), *items]
