"""An agent's run: its messages in the shapes of APIs and session files, and which results each call used."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from convgate.messages.tokens import TokenCounter, default_token_counter

Message = dict[str, Any]

_START = "2026-03-02T"  # of timestamps, which count up


@dataclass(frozen=True)
class ModelCall:
    """One answer of the model, and which results it could not have been written without."""

    message: int  # 0-based index of the assistant's message in `AgentRun.messages`
    uses: tuple[frozenset[str], ...]
    """For each piece that it took from results, the ids of the calls whose results show it; any will do."""

    def lost_uses(self, elided: Collection[str]) -> int:
        """Return how many of `uses` are lost when the results of these calls are not sent."""
        return sum(use <= frozenset(elided) for use in self.uses)


@dataclass(frozen=True)
class AgentRun:
    """A generated run with the truth about its tool results.

    A call uses a result when its text or arguments took something from it: a value, lines to edit, an error
    to explain. What the agent or the user has written out is not taken from results any more. Of several
    results that show a piece, the newest is needed.
    """

    id: str
    family: str
    messages: tuple[Message, ...]  # of Anthropic's Messages API: `tool_use` and `tool_result` blocks
    calls: tuple[ModelCall, ...]  # in order

    def needed_from(self, call: int) -> frozenset[str]:
        """Return the ids of the results before call `call` (0-based) that it or a later one needs.

        A piece that a result after `call` shows again is needed from that one.
        """
        places = {block["tool_use_id"]: place for place, block in self._blocks("tool_result")}
        newest = {max(use, key=places.__getitem__) for later in self.calls[call:] for use in later.uses}
        return frozenset(id for id in newest if places[id] < self.calls[call].message)

    @property
    def results(self) -> dict[str, str]:
        """The text of each result by the id of its call, in order."""
        return {block["tool_use_id"]: block["content"] for _, block in self._blocks("tool_result")}

    @property
    def n_tool_calls(self) -> int:
        """How many tools were called."""
        return len(self.results)

    def count_tokens(self, counter: TokenCounter | None = None) -> tuple[int, int]:
        """Return the tokens of all texts and arguments, and how many of them are in results."""
        counter = counter or default_token_counter()
        in_results = sum(counter(text) for text in self.results.values())
        texts = [message["content"] for message in self.messages if isinstance(message["content"], str)]
        texts += [block["text"] for _, block in self._blocks("text")]
        texts += [f"{block['name']} {json.dumps(block['input'])}" for _, block in self._blocks("tool_use")]
        return in_results + sum(counter(text) for text in texts), in_results

    def openai_messages(self) -> list[Message]:
        """Return the run as messages of OpenAI's Chat Completions; ids of calls are the same."""
        return [converted for message in self.messages for converted in _openai(message)]

    def session_lines(self) -> str:
        """Return the run as a session file of Claude Code (JSONL); every block has a line of its own."""
        lines: list[str] = []
        for place, message in enumerate(self.messages):
            content = message["content"]
            blocks = [content] if isinstance(content, str) else [[block] for block in content]
            for block in blocks:
                own = {"role": message["role"], "content": block}
                if message["role"] == "assistant":
                    own |= {"id": f"msg_{place}", "type": "message", "model": "script"}
                seconds = len(lines)
                stamp = f"{8 + seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.000Z"
                line = {
                    "parentUuid": f"{self.id}-{len(lines) - 1}" if lines else None,
                    "isSidechain": False,
                    "sessionId": self.id,
                    "type": message["role"],
                    "uuid": f"{self.id}-{len(lines)}",
                    "timestamp": _START + stamp,
                    "message": own,
                }
                lines.append(json.dumps(line))
        return "".join(f"{line}\n" for line in lines)

    def _blocks(self, type_: str) -> Iterator[tuple[int, Message]]:
        for place, message in enumerate(self.messages):
            if not isinstance(message["content"], str):
                yield from ((place, block) for block in message["content"] if block["type"] == type_)


def _openai(message: Message) -> Iterator[Message]:
    content = message["content"]
    if isinstance(content, str):
        yield {"role": message["role"], "content": content}
        return
    for block in content:
        if block["type"] == "tool_result":
            yield {"role": "tool", "tool_call_id": block["tool_use_id"], "content": block["content"]}
    if message["role"] == "assistant":
        text = "\n".join(block["text"] for block in content if block["type"] == "text")
        calls = [
            {
                "id": block["id"],
                "type": "function",
                "function": {"name": block["name"], "arguments": json.dumps(block["input"])},
            }
            for block in content
            if block["type"] == "tool_use"
        ]
        yield {"role": "assistant", "content": text or None, **({"tool_calls": calls} if calls else {})}
