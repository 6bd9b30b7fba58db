"""A tool by which a model gets the whole text of a tool result that was shortened. Needs no package.

    client.chat.completions.create(model=…, messages=select_messages(messages), tools=[OPENAI_TOOL, …])
    messages.append(answer(call))  # of a call of that tool

`answer` takes calls of Chat Completions, `function_call` items of Responses, Anthropic's `tool_use` blocks
and Gemini's `functionCall`s, and returns a message, an item, a block or a part. Coding agents get the tool
from `convgate mcp`, or from the proxy, which answers it itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from convgate.adapters.openai import default_selector
from convgate.core.errors import StoreError
from convgate.selection.selector import Selector

NAME = "expand_result"
"""The name of the tool."""

_DESCRIPTION = (
    "Return the whole text of an earlier tool result that was shortened. Such a result begins with"
    " `[Shortened by convgate, id …`; give that id. Call it only when the lines shown are not enough."
)
_PARAMETERS = {
    "type": "object",
    "properties": {"id": {"type": "string", "description": "The id in the shortened result."}},
    "required": ["id"],
}
_FUNCTION = {"name": NAME, "description": _DESCRIPTION, "parameters": _PARAMETERS}

OPENAI_TOOL: Mapping[str, Any] = {"type": "function", "function": _FUNCTION}
"""For `tools` of Chat Completions."""

RESPONSES_TOOL: Mapping[str, Any] = {"type": "function", **_FUNCTION}
"""For `tools` of Responses."""

ANTHROPIC_TOOL: Mapping[str, Any] = {
    "name": NAME, "description": _DESCRIPTION, "input_schema": _PARAMETERS,
}  # fmt: skip
"""For `tools` of Messages."""

GEMINI_TOOL: Mapping[str, Any] = {"functionDeclarations": [_FUNCTION]}
"""For `tools` of Gemini; Vertex AI takes one tool with functions, so put them into one list."""


def answer(call: Any, selector: Selector | None = None) -> dict[str, Any]:
    """Return the answer to a call of the tool, in the shape of its API; for a wrong id it says so.

    call: a dict, or the object of an SDK. selector: which shortened the result; default: that of
    `select_messages`.
    """
    call = call if isinstance(call, Mapping) else call.model_dump()
    function = call.get("function", call)
    arguments = next((function[name] for name in ("arguments", "input", "args") if name in function), None)
    text, is_error = _expand(arguments, selector or default_selector().selector)
    if call.get("type") == "tool_use":
        block = {"type": "tool_result", "tool_use_id": call["id"], "content": text}
        return {**block, "is_error": True} if is_error else block
    if call.get("type") == "function_call":
        return {"type": "function_call_output", "call_id": call["call_id"], "output": text}
    if "arguments" not in function:
        own = {name: call[name] for name in ("id", "name") if call.get(name)}
        return {"functionResponse": {**own, "response": {"error" if is_error else "output": text}}}
    return {"role": "tool", "tool_call_id": call["id"], "content": text}


def _expand(arguments: Any, selector: Selector) -> tuple[str, bool]:
    """Return the text, and whether it says what is wrong: a model writes the arguments."""
    try:
        given = json.loads(arguments) if isinstance(arguments, str) else arguments
    except ValueError:
        given = None
    id = given.get("id") if isinstance(given, Mapping) else None
    if not isinstance(id, str):
        return 'Give the id of a shortened result: {"id": "…"}.', True
    try:
        return selector.expand(id), False
    except StoreError as error:
        return str(error), True
