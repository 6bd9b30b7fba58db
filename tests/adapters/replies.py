"""What the upstream of each provider answers, whole or as a stream: text, thinking and calls of tools."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from tests.llm_server import Answer, raw_reply

Part = dict[str, Any]

_END = {"stop_reason": "end_turn", "stop_sequence": None}


def openai_reply(
    text: str | None, calls: Sequence[Part] = (), *, streams: bool = False, in_one_chunk: bool = False
) -> Answer:
    """A completion; each call is a name and arguments. in_one_chunk: text and calls of a stream."""
    tool_calls = [
        {
            "index": place, "id": call["id"], "type": "function",
            "function": {"name": call["name"], "arguments": json.dumps(call["input"])},
        }
        for place, call in enumerate(calls)
    ]  # fmt: skip
    message: Part = {"role": "assistant", "content": text} | ({"tool_calls": tool_calls} if calls else {})
    end = {"finish_reason": "tool_calls" if calls else "stop"}
    whole = {"id": "1", "object": "chat.completion", "model": "m", "created": 1}
    if not streams:
        return raw_reply(json.dumps({**whole, "choices": [{"index": 0, "message": message, **end}]}).encode())
    chunk = {**whole, "object": "chat.completion.chunk"}
    deltas: list[Part] = [
        {"role": "assistant", "content": text},
        *([{"tool_calls": tool_calls}] if calls else []),
    ]
    choices: list[Part] = [{"index": 0, "delta": delta} for delta in ([message] if in_one_chunk else deltas)]
    choices.append({"index": 0, "delta": {}, **end})
    return raw_reply(
        b"".join(_event({**chunk, "choices": [choice]}) for choice in choices) + b"data: [DONE]\n\n"
    )


def anthropic_reply(*content: Part, streams: bool = False, stop_reason: str = "end_turn") -> Answer:
    """A message of these blocks; in a stream, each field comes in two deltas."""
    end = {**_END, "stop_reason": stop_reason}
    message = {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", **end,
        "content": content, "usage": {"input_tokens": 1, "output_tokens": 1},
    }  # fmt: skip
    if not streams:
        return raw_reply(json.dumps(message).encode())
    events: list[Part] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    ]
    for index, block in enumerate(content):
        events += [{**event, "index": index} for event in _block_events(block)]
    events.append({"type": "message_delta", "delta": end, "usage": {"output_tokens": 2}})
    events.append({"type": "message_stop"})
    return raw_reply(
        b"".join(b"event: %s\n%s" % (str(event["type"]).encode(), _event(event)) for event in events)
    )


def _block_events(block: Part) -> Iterable[Part]:
    values = {name: block[name] for name in ("text", "thinking", "signature") if name in block}
    empty: Part = {**block, **dict.fromkeys(values, "")}
    if "input" in block:
        empty["input"] = {}
    yield {"type": "content_block_start", "content_block": empty}
    for name, value in values.items():
        for piece in [value] if name == "signature" else [value[:3], value[3:]]:
            yield {"type": "content_block_delta", "delta": {"type": f"{name}_delta", name: piece}}
    if "input" in block:
        text = json.dumps(block["input"])
        for piece in (text[:3], text[3:]):
            yield {
                "type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": piece}
            }  # fmt: skip
    yield {"type": "content_block_stop"}


def gemini_reply(*parts: Part, streams: bool = False, in_one_chunk: bool = False) -> Answer:
    """A response of these parts; in a stream, each comes alone, or all in one chunk."""
    if streams:
        chunks = [parts] if in_one_chunk else [(part,) for part in parts]
        return raw_reply(
            b"".join(_event(_response(*chunk)) for chunk in chunks), Content_Type="text/event-stream"
        )
    return raw_reply(json.dumps(_response(*parts)).encode())


def _response(*parts: Part) -> Part:
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    return {"candidates": [candidate], "modelVersion": "m", "usageMetadata": {"promptTokenCount": 1}}


def _event(value: Part) -> bytes:
    return b"data: %s\n\n" % json.dumps(value).encode()


def responses_reply(*output: Part, streams: bool = False, **fields: Any) -> Answer:
    """A response of these items; in a stream, texts and arguments come in two deltas."""
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    response: Part = {
        "id": "resp_1",
        "object": "response",
        "model": "m",
        "created_at": 1,
        "status": "completed",
    }
    response |= {"output": list(output), "usage": usage, **fields}
    if not streams:
        return raw_reply(json.dumps(response).encode())
    begun: Part = {**response, "output": [], "status": "in_progress", "usage": None}
    events: list[Part] = [
        {"type": f"response.{name}", "response": begun} for name in ("created", "in_progress")
    ]
    for index, item in enumerate(output):
        events += [{**event, "output_index": index, "item_id": item["id"]} for event in _item_events(item)]
    events.append({"type": f"response.{response['status']}", "response": response})
    numbered = [{**event, "sequence_number": number} for number, event in enumerate(events)]
    return raw_reply(
        b"".join(b"event: %s\n%s" % (str(event["type"]).encode(), _event(event)) for event in numbered)
    )


def _item_events(item: Part) -> Iterable[Part]:
    empty = {**item, "status": "in_progress"}
    if item["type"] == "message":
        yield {"type": "response.output_item.added", "item": {**empty, "content": []}}
        for place, part in enumerate(item["content"]):
            where = {"content_index": place}
            yield {"type": "response.content_part.added", "part": {**part, "text": ""}, **where}
            for piece in (part["text"][:3], part["text"][3:]):
                yield {"type": "response.output_text.delta", "delta": piece, "logprobs": [], **where}
            yield {"type": "response.output_text.done", "text": part["text"], "logprobs": [], **where}
            yield {"type": "response.content_part.done", "part": part, **where}
    elif item["type"] == "function_call":
        yield {"type": "response.output_item.added", "item": {**empty, "arguments": ""}}
        for piece in (item["arguments"][:3], item["arguments"][3:]):
            yield {"type": "response.function_call_arguments.delta", "delta": piece}
        done = {"arguments": item["arguments"], "name": item["name"]}
        yield {"type": "response.function_call_arguments.done", **done}
    else:
        yield {"type": "response.output_item.added", "item": empty}
    yield {"type": "response.output_item.done", "item": item}
