"""The `usage` of the upstream's answers, which calibrates the token counts of later requests.

Answers are read as they pass, and never changed or delayed; one that cannot be read counts nothing.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import httpx

from convgate.adapters.selection import MessageSelector
from convgate.core.conversation import TEXT_PARTS, Turn
from convgate.costs.calibration import TokenRatios
from convgate.costs.prices import Usage
from convgate.messages.tokens import default_token_counter
from convgate.selection.selector import Selector
from convgate.server import metrics
from convgate.transcripts.fields import value_at

_BESIDE_MESSAGES = ("system", "instructions", "systemInstruction", "system_instruction", "tools", "functions")
"""Fields of a request that the provider counts as input, too."""

_PLACES = ("usage", "usageMetadata", "message.usage", "response.usage")
"""Where an answer or an event has the usage: OpenAI, Gemini, and events of Anthropic and Responses."""

_MAX_CHARS = 4_000_000
"""Of an answer, or of an event of a stream; a longer one counts nothing."""


@dataclass(frozen=True, slots=True)
class SentTokens:
    """What convgate counts in a request as it is sent."""

    model: str
    tokens: int  # of messages, instructions and tools


def count_sent(
    model: str, request: Mapping[str, Any], turns: Sequence[Turn], tokens: int
) -> SentTokens | None:
    """Return the count of a request whose messages have `tokens`; None where parts of them are no text."""
    if not model or any(part.kind not in TEXT_PARTS for turn in turns for part in turn.parts):
        return None
    beside = [request[name] for name in _BESIDE_MESSAGES if request.get(name)]
    text = json.dumps(beside, ensure_ascii=False) if beside else ""
    return SentTokens(model, tokens + default_token_counter()(text))


def calibrate(selector: Selector, ratio: float) -> MessageSelector:
    """Return what selects with prices and a budget of the settings in the provider's tokens."""
    price, budget = selector.price, selector.settings.budget.tokens
    return MessageSelector(
        selector if price is None else replace(selector, price=replace(price, token_ratio=ratio)),
        None if budget is None else max(1, int(budget / ratio)),
    )


async def relay(
    response: httpx.Response, sent: SentTokens | None, ratios: TokenRatios
) -> AsyncIterator[bytes]:
    """Yield the bytes of an answer as they come, then count its usage."""
    reader = None if sent is None or response.status_code != httpx.codes.OK else UsageReader(response.headers)
    async for chunk in response.aiter_raw():
        if reader is not None:
            reader.feed(chunk)
        yield chunk
    if reader is not None:
        observe(sent, ratios, reader.close())


def observe(sent: SentTokens | None, ratios: TokenRatios, usage: Usage | None) -> None:
    """Count the usage of an answer."""
    if sent is not None and usage is not None:
        ratios.observe(sent.model, sent.tokens, usage.total)
        metrics.TOKEN_RATIO.labels(sent.model).set(ratios.of(sent.model))


class UsageReader:
    """Finds the usage in the bytes of an answer: a JSON object, or server-sent events."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        coding = headers.get("content-encoding", "identity").lower()
        self._inflate = zlib.decompressobj(zlib.MAX_WBITS | 32) if coding in {"gzip", "deflate"} else None
        self._is_readable = self._inflate is not None or coding == "identity"
        self._is_stream = headers.get("content-type", "").startswith("text/event-stream")
        self._rest = b""  # of a stream, the line that is not whole
        self._usage: Usage | None = None

    def feed(self, chunk: bytes) -> None:
        """Read the next bytes."""
        if not self._is_readable:
            return
        try:
            self._rest += self._inflate.decompress(chunk, _MAX_CHARS) if self._inflate else chunk
        except zlib.error:
            self._is_readable = False
        if self._is_stream:
            *lines, self._rest = self._rest.split(b"\n")
            for line in lines:
                self._read(line.partition(b":")[2] if line.startswith(b"data:") else b"")
        is_cut = self._inflate is not None and bool(self._inflate.unconsumed_tail)
        if is_cut or len(self._rest) > _MAX_CHARS:
            self._rest, self._is_readable = b"", False

    def close(self) -> Usage | None:
        """Return the usage of the whole answer; None where it says none."""
        if self._is_readable:
            self._read(self._rest.removeprefix(b"data:") if self._is_stream else self._rest)
        return self._usage

    def _read(self, data: bytes) -> None:
        """Keep the usage of an object that has one: the last one counts, as it is of the whole answer."""
        if b'"usage' not in data:
            return
        try:
            answer = json.loads(data)
        except (ValueError, RecursionError):
            return
        for path in _PLACES:
            found = value_at(answer, path)
            usage = Usage.of(found) if isinstance(found, dict) else None
            if usage is not None and usage.total > 0:
                self._usage = usage
