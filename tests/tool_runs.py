"""Runs of an agent with long tool results."""

from __future__ import annotations

import json
from typing import Any

from convgate.elision.elide import LAST_CALLS, Elision, find_elisions
from convgate.elision.evidence import Evidence
from convgate.transcripts import turns_from_messages

Message = dict[str, Any]


class Run:
    """A run of an agent, as messages of OpenAI's API."""

    def __init__(self, question: str = "Please fix it.") -> None:
        self.messages: list[Message] = [{"role": "user", "content": question}]

    def call(self, name: str, result: str, say: str = "", **arguments: Any) -> Run:
        """Add a call with its result."""
        id = f"c{len(self.messages)}"
        function = {"name": name, "arguments": json.dumps(arguments)}
        self.messages += [
            {"role": "assistant", "content": say, "tool_calls": [{"id": id, "function": function}]},
            {"role": "tool", "tool_call_id": id, "content": result},
        ]
        return self

    def go_on(self, n: int = LAST_CALLS) -> Run:
        """Add calls that have nothing to do with the others."""
        for _ in range(n):
            self.call("tick", f"tick {len(self.messages)}", n=len(self.messages))
        return self

    def say(self, role: str, text: str) -> Run:
        """Add a message."""
        self.messages.append({"role": role, "content": text})
        return self

    def elisions(self) -> dict[int, Elision]:
        """The elided results by the index of their messages."""
        found = find_elisions(Evidence().extend(turns_from_messages(self.messages)))
        return {index: elision for index, (elision,) in found.items()}


def code(n: int = 120, start: int = 1, name: str = "plain") -> str:
    return "\n".join(f"    {name} = values[{number}]" for number in range(start, start + n))
