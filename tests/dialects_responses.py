"""Random valid lists of items of OpenAI's Responses API, and what it documents about a valid one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tests.dialect_exchanges import Exchange

Message = dict[str, Any]


def openai_responses(exchanges: Sequence[Exchange]) -> Iterator[Message]:
    """Reasoning before calls and answers, tools of every kind, and a compaction where images are shown."""
    yield {"role": "developer", "content": "You plan trips."}
    numbers = iter(range(1000))

    def thinking(each: Exchange) -> list[Message]:
        own = {"type": "reasoning", "id": f"rs_{next(numbers)}", "summary": [], "encrypted_content": "x"}
        return [own] if each.thinks else []

    for each in exchanges:
        shown = [{"type": "input_image", "image_url": "data:,", "detail": "auto"}] if each.shows else []
        if each.shows and not each.thinks:
            yield {"type": "compaction", "id": f"cmp_{next(numbers)}", "encrypted_content": "x"}
        content = [{"type": "input_text", "text": each.question}, *shown]
        yield (
            {"type": "message", "role": "user", "content": content}
            if shown
            else {"role": "user", "content": each.question}
        )
        for batch in each.batches:
            yield from thinking(each)
            for call in batch:
                if call.name == "look":
                    yield {"type": "function_call", "call_id": call.id, "name": "look", "arguments": "{}"}
                else:
                    yield {"type": "custom_tool_call", "call_id": call.id, "name": "count", "input": "1"}
            for call in reversed(batch):
                type_ = "function_call_output" if call.name == "look" else "custom_tool_call_output"
                output: Any = [{"type": "input_text", "text": str(call.output)}, *shown]
                yield {
                    "type": type_,
                    "call_id": call.id,
                    "output": output if each.hosted else str(call.output),
                }
        if each.answer:
            yield from thinking(each)
            if each.hosted:
                action = {"type": "search", "query": "q"}
                yield {
                    "type": "web_search_call",
                    "id": f"ws_{next(numbers)}",
                    "status": "completed",
                    "action": action,
                }
                yield from thinking(each)
            parts = [{"type": "output_text", "text": each.answer, "annotations": []}]
            yield {
                "type": "message",
                "id": f"msg_{next(numbers)}",
                "role": "assistant",
                "status": "completed",
                "content": parts,
            }


def check_openai_responses(items: Sequence[Message]) -> list[str]:
    """Every output follows its call and every call has one; reasoning is followed by an item of the model."""
    wrong: list[str] = []
    waiting: dict[str, str] = {}
    for place, item in enumerate(items):
        type_ = item.get("type", "message")
        if type_ in ("function_call", "custom_tool_call"):
            waiting[item["call_id"]] = f"{type_}_output"
        elif type_.endswith("_output") and waiting.pop(item["call_id"], None) != type_:
            wrong.append(f"output {place} is of no call before it")
        following = items[place + 1] if place + 1 < len(items) else {}
        is_models = following.get("role") == "assistant" or following.get("type", "").endswith("_call")
        if type_ == "reasoning" and not (is_models or following.get("type") == "reasoning"):
            wrong.append(f"reasoning {place} is without its following item")
        is_led_to = following.get("role") == "assistant" or following.get("type") == "reasoning"
        if type_ == "web_search_call" and not is_led_to:
            wrong.append(f"the search {place} is without its answer")
    return wrong + [f"call {id} has no output" for id in waiting]
