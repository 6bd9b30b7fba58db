"""Random valid lists of every dialect, and what each provider documents about a valid list.

The rules know nothing of convgate: they read the raw messages, each as its provider's reference says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from tests.dialect_exchanges import Exchange, random_exchanges
from tests.dialects_responses import check_openai_responses, openai_responses

__all__ = ["DIALECTS", "anthropic", "check_anthropic", "random_exchanges"]

Message = dict[str, Any]


def openai_chat(exchanges: Sequence[Exchange]) -> Iterator[Message]:
    yield {"role": "system", "content": "You plan trips."}
    for each in exchanges:
        shown = [{"type": "image_url", "image_url": {"url": "data:,"}}] if each.shows else []
        yield {"role": "user", "content": [{"type": "text", "text": each.question}, *shown]}
        for batch in each.batches:
            calls = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": "{}"}}
                for call in batch
            ]
            yield {"role": "assistant", "content": None, "tool_calls": calls}
            yield from (
                {"role": "tool", "tool_call_id": call.id, "content": str(call.output)} for call in batch
            )
        if each.answer:
            yield {"role": "assistant", "content": each.answer}


def ag_ui(exchanges: Sequence[Exchange]) -> Iterator[Message]:
    names = {"tool_calls": "toolCalls", "tool_call_id": "toolCallId"}
    for place, message in enumerate(openai_chat(exchanges)):
        if isinstance(message["content"], list):
            message["content"] = message["content"][0]["text"]
        yield {"id": str(place), **{names.get(key, key): value for key, value in message.items()}}


def anthropic(exchanges: Sequence[Exchange]) -> Iterator[Message]:
    for each in exchanges:
        shown = [{"type": "image", "source": {"type": "base64", "data": ""}}] if each.shows else []
        yield {
            "role": "user",
            "content": [*shown, {"type": "text", "text": each.question}] if shown else each.question,
        }
        thinking = [
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            {"type": "redacted_thinking", "data": "x"},
        ]
        hosted = [
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}},
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
        ]
        for batch in each.batches:
            uses = [{"type": "tool_use", "id": call.id, "name": call.name, "input": {}} for call in batch]
            yield {"role": "assistant", "content": [*(thinking if each.thinks else ()), *uses]}
            results = [
                {"type": "tool_result", "tool_use_id": call.id, "content": str(call.output)}
                for call in reversed(batch)
            ]
            yield {"role": "user", "content": results}
        if each.answer:
            blocks = [*(hosted if each.hosted else ()), {"type": "text", "text": each.answer}]
            yield {"role": "assistant", "content": blocks}


def bedrock(exchanges: Sequence[Exchange]) -> Iterator[Message]:
    for each in exchanges:
        shown = [{"image": {"format": "png", "source": {"bytes": ""}}}] if each.shows else []
        yield {"role": "user", "content": [{"text": each.question}, *shown]}
        thinking = [{"reasoningContent": {"reasoningText": {"text": "Hm.", "signature": "s"}}}]
        for batch in each.batches:
            uses = [{"toolUse": {"toolUseId": call.id, "name": call.name, "input": {}}} for call in batch]
            yield {"role": "assistant", "content": [*(thinking if each.thinks else ()), *uses]}
            results = [
                {"toolResult": {"toolUseId": call.id, "content": [{"json": call.output}]}} for call in batch
            ]
            yield {"role": "user", "content": results}
        if each.answer:
            yield {"role": "assistant", "content": [{"text": each.answer}]}


def gemini(exchanges: Sequence[Exchange], *, ids: bool = True) -> Iterator[Message]:
    for each in exchanges:
        shown = [{"inlineData": {"mimeType": "image/png", "data": "AAAA"}}] if each.shows else []
        yield {"role": "user", "parts": [{"text": each.question}, *shown]}
        thinking = [{"text": "Hm.", "thought": True}] if each.thinks else []
        for batch in each.batches:
            own = [{"id": call.id} if ids else {} for call in batch]
            calls: list[Message] = [
                {"functionCall": {**id, "name": call.name, "args": {}}}
                for id, call in zip(own, batch, strict=True)
            ]
            if each.thinks:
                calls[0]["thoughtSignature"] = "c2ln"  # the first of parallel calls has it
            yield {"role": "model", "parts": [*thinking, *calls]}
            responses = [
                {"functionResponse": {**id, "name": call.name, "response": call.output}}
                for id, call in zip(own, batch, strict=True)
            ]
            yield {"role": "user", "parts": responses}
        if each.answer:
            yield {"role": "model", "parts": [{"text": each.answer}]}


def gemini_without_ids(exchanges: Sequence[Exchange]) -> Iterator[Message]:
    yield from gemini(exchanges, ids=False)


def ai_sdk(exchanges: Sequence[Exchange]) -> Iterator[Message]:
    yield {"role": "system", "content": "You plan trips."}
    for each in exchanges:
        shown = [{"type": "file", "mediaType": "image/png", "data": ""}] if each.shows else []
        yield {"role": "user", "content": [{"type": "text", "text": each.question}, *shown]}
        thinking = [{"type": "reasoning", "text": "Hm."}] if each.thinks else []
        hosted = [
            {
                "type": "tool-call",
                "toolCallId": "h",
                "toolName": "web",
                "input": {},
                "providerExecuted": True,
            },
            {
                "type": "tool-result",
                "toolCallId": "h",
                "toolName": "web",
                "output": {"type": "json", "value": []},
            },
        ]
        for batch in each.batches:
            calls = [
                {"type": "tool-call", "toolCallId": call.id, "toolName": call.name, "input": {}}
                for call in batch
            ]
            yield {"role": "assistant", "content": [*thinking, *calls]}
            results = [
                {
                    "type": "tool-result", "toolCallId": call.id, "toolName": call.name,
                    "output": {"type": "json", "value": call.output},
                }
                for call in batch
            ]  # fmt: skip
            yield {"role": "tool", "content": results}
        if each.answer:
            yield {
                "role": "assistant",
                "content": [*(hosted if each.hosted else ()), {"type": "text", "text": each.answer}],
            }


def ai_sdk_ui(exchanges: Sequence[Exchange]) -> Iterator[Message]:
    for place, each in enumerate(exchanges):
        yield {"id": f"u{place}", "role": "user", "parts": [{"type": "text", "text": each.question}]}
        if each.answer:
            tools = [
                {
                    "type": f"tool-{call.name}", "toolCallId": call.id, "state": "output-available",
                    "input": {}, "output": call.output,
                }
                for batch in each.batches for call in batch
            ]  # fmt: skip
            yield {
                "id": f"a{place}",
                "role": "assistant",
                "parts": [*tools, {"type": "text", "text": each.answer}],
            }


def check_openai(
    messages: Sequence[Message], *, calls: str = "tool_calls", answered: str = "tool_call_id"
) -> list[str]:
    """A message with calls is followed by results for each of them, and a result follows nothing else."""
    wrong, waiting = [], set[str]()
    for place, message in enumerate(messages):
        if message["role"] == "tool":
            if message[answered] not in waiting:
                wrong.append(f"result {place} answers no call just before")
            waiting.discard(message[answered])
            continue
        if waiting:
            wrong.append(f"calls {waiting} have no results before {place}")
        waiting = {call["id"] for call in message.get(calls) or ()}
    return wrong + ([f"calls {waiting} have no results"] if waiting else [])


def check_ag_ui(messages: Sequence[Message]) -> list[str]:
    return check_openai(messages, calls="toolCalls", answered="toolCallId")


def check_blocks(
    messages: Sequence[Message], use: Callable[[Any], str | None], result: Callable[[Any], str | None]
) -> list[str]:
    """A user's message comes first; all uses of a message are answered at the start of the next one."""
    wrong = [] if messages[0]["role"] == "user" else ["the list does not open with a user's message"]
    wrong += [] if messages[-1]["role"] == "user" else ["the last message is not a user's"]
    before: set[str] = set()
    for place, message in enumerate(messages):
        blocks = message["content"] if isinstance(message["content"], list) else []
        results = [id for id in map(result, blocks) if id]
        if set(results) != before or len(results) != len(before):
            wrong.append(f"message {place} answers {results}, and {before} wait")
        if results and any(result(block) is None for block in blocks[: len(results)]):
            wrong.append(f"message {place} does not begin with its results")
        before = {id for id in map(use, blocks) if id}
    return wrong


def merged(messages: Sequence[Message]) -> list[Message]:
    """What Anthropic's API makes of neighbours of one role."""
    result: list[Message] = []
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else list(content)
        if result and result[-1]["role"] == message["role"]:
            result[-1]["content"] += blocks
        else:
            result.append({"role": message["role"], "content": blocks})
    return result


def check_anthropic(messages: Sequence[Message]) -> list[str]:
    wrong = check_blocks(
        merged(messages),
        lambda block: block["id"] if block["type"] == "tool_use" else None,
        lambda block: block["tool_use_id"] if block["type"] == "tool_result" else None,
    )
    for message in messages:
        types = (
            [block["type"] for block in message["content"]] if isinstance(message["content"], list) else []
        )
        if ("server_tool_use" in types) != ("web_search_tool_result" in types):
            wrong.append("a tool of the server is without its result")
    return wrong + [
        f"the role {each['role']}" for each in messages if each["role"] not in ("user", "assistant")
    ]


def _alternate(messages: Sequence[Message]) -> list[str]:
    roles = [message["role"] for message in messages]
    return ["roles do not alternate"] if any(a == b for a, b in pairwise(roles)) else []


def check_bedrock(messages: Sequence[Message]) -> list[str]:
    return _alternate(messages) + check_blocks(
        messages,
        lambda block: block["toolUse"]["toolUseId"] if "toolUse" in block else None,
        lambda block: block["toolResult"]["toolUseId"] if "toolResult" in block else None,
    )


def check_gemini(messages: Sequence[Message]) -> list[str]:
    """Calls come directly after a user's content, and responses of the same names directly after them."""
    wrong = _alternate(messages)
    wrong += [] if messages[0]["role"] == messages[-1]["role"] == "user" else ["not from a user to a user"]
    before: list[str] = []
    for place, message in enumerate(messages):
        responses = [
            part["functionResponse"]["name"] for part in message["parts"] if "functionResponse" in part
        ]
        if sorted(responses) != sorted(before):
            wrong.append(f"content {place} responds to {responses}, and {before} wait")
        before = [part["functionCall"]["name"] for part in message["parts"] if "functionCall" in part]
    return wrong


def check_ai_sdk(messages: Sequence[Message]) -> list[str]:
    """What convertToLanguageModelPrompt asks: results of all calls before a message of another role."""
    wrong, waiting = [], set[str]()
    for place, message in enumerate(messages):
        parts = message["content"] if isinstance(message["content"], list) else []
        results = {part["toolCallId"] for part in parts if part["type"] == "tool-result"}
        if message["role"] == "tool":
            wrong += [] if results <= waiting else [f"message {place} answers calls that nobody made"]
            waiting -= results
        else:
            wrong += [f"calls {waiting} have no results before {place}"] if waiting else []
            calls = {part["toolCallId"] for part in parts if part["type"] == "tool-call"}
            wrong += [] if results <= calls else [f"message {place} answers calls that it does not make"]
            waiting = calls - results
    return wrong + ([f"calls {waiting} have no results"] if waiting else [])


def check_ai_sdk_ui(messages: Sequence[Message]) -> list[str]:
    return [] if messages[-1]["role"] == "user" else ["the last message is not a user's"]


Write = Callable[[Sequence[Exchange]], Iterator[Message]]
Check = Callable[[Sequence[Message]], list[str]]

DIALECTS: dict[str, tuple[Write, Check]] = {
    "openai": (openai_chat, check_openai),
    "openai-responses": (openai_responses, check_openai_responses),
    "ag-ui": (ag_ui, check_ag_ui),
    "anthropic": (anthropic, check_anthropic),
    "bedrock": (bedrock, check_bedrock),
    "gemini": (gemini, check_gemini),
    "gemini without ids": (gemini_without_ids, check_gemini),
    "ai-sdk": (ai_sdk, check_ai_sdk),
    "ai-sdk-ui": (ai_sdk_ui, check_ai_sdk_ui),
}
