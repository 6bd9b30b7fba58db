"""Quote what an assistant says before the first user's message, for targets whose lists open with a user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from convgate.core.conversation import Turn

Message = Mapping[str, Any]
_INTRODUCTION = "The assistant said before:"


def quote_opening(messages: Sequence[Message], turns: Sequence[Turn]) -> list[Message]:
    """Return OpenAI-style messages, the assistant's first ones quoted at the start of the user's first.

    turns: the same messages. Lists that open with a user, or with a call of a tool, come back as they are.

    >>> opening = {"role": "assistant", "content": "TP 571, or a refund?"}
    >>> answer = {"role": "user", "content": "TP 571, please."}
    >>> quote_opening([opening, answer], [Turn.of(m["role"], m["content"]) for m in (opening, answer)])
    [{'role': 'user', 'content': 'The assistant said before:\\n> TP 571, or a refund?\\n\\nTP 571, please.'}]
    """
    others = [row for row, turn in enumerate(turns) if not turn.is_instruction]
    first = next((row for row in others if turns[row].role == "user"), None)
    opening = [row for row in others if first is None or row < first]
    is_text = all(turns[row].role == "assistant" and not turns[row].tool_calls for row in opening)
    if first is None or not opening or not is_text:
        return list(messages)
    lines = [line for row in opening for line in turns[row].text.splitlines()]
    quoted = "\n".join([_INTRODUCTION, *(f"> {line}".rstrip() for line in lines)])
    content = messages[first].get("content")
    if "parts" in messages[first] or (
        isinstance(content, list) and any("type" not in part for part in content)
    ):
        return list(messages)  # of an API whose texts have another shape
    if isinstance(content, str) or content is None:
        joined: Any = f"{quoted}\n\n{content or ''}".rstrip()
    else:
        joined = [{"type": "text", "text": quoted}, *content]
    user = {**messages[first], "content": joined}
    return [user if row == first else message for row, message in enumerate(messages) if row not in opening]
