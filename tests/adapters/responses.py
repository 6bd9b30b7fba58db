"""Responses items for tests, and what the API refuses of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Item = dict[str, Any]


def user(text: str) -> Item:
    return {"role": "user", "content": text}


def answer(text: str) -> Item:
    return {
        "type": "message",
        "id": f"msg_{text}",
        "role": "assistant",
        "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }


def reasoning(id: str) -> Item:
    return {"type": "reasoning", "id": f"rs_{id}", "summary": []}


def call(id: str) -> Item:
    return {"type": "function_call", "call_id": id, "name": "look", "arguments": f'{{"at": "{id}"}}'}


def output(id: str, text: str = "nan") -> Item:
    return {"type": "function_call_output", "call_id": id, "output": text}


def exchange(topic: str, *ids: str, thinks: bool = True) -> list[Item]:
    """Return a question about a topic, a batch of calls with their outputs, and the answer."""
    first = [reasoning(f"{topic}-1")] if thinks else []
    last = [reasoning(f"{topic}-2")] if thinks else []
    batch = [*first, *map(call, ids), *map(output, ids)] if ids else []
    return [user(f"How is the {topic}?"), *batch, *last, answer(f"The {topic} is fine.")]


def violations(items: Sequence[Item]) -> list[str]:
    """Return what the Responses API refuses: calls and outputs apart, reasoning without what follows it."""
    problems = [] if items else ["no item"]
    calls = [item["call_id"] for item in items if item.get("type") == "function_call"]
    outputs = [item["call_id"] for item in items if item.get("type") == "function_call_output"]
    problems += [f"call {id} without output" for id in calls if id not in outputs]
    seen: set[str] = set()
    for item, following in zip(items, [*items[1:], {}], strict=True):
        type_ = item.get("type")
        if type_ == "function_call":
            seen.add(item["call_id"])
        elif type_ == "function_call_output" and item["call_id"] not in seen:
            problems.append(f"output {item['call_id']} without call")
        follows = following.get("type") in {"function_call", "reasoning"} or (
            following.get("role") == "assistant"
        )
        if type_ == "reasoning" and not follows:
            problems.append(f"reasoning {item['id']} without its item")
    return problems


def all_in(some: Sequence[Any], items: Sequence[Any]) -> bool:
    """Return whether all of `some` are objects of `items`, in the same order."""
    rest = iter(items)
    return all(any(item is one for item in rest) for one in some)
