"""The proxy answers calls of `expand_result` itself: the upstream is asked again with the original results.

A request that uses tools gets this one, too, from its first one on: providers' caches begin with the tools.
What a client gets is one answer: what the model said before its first call, if anything, and the last answer.
Of a stream, text is passed on as it comes, and calls when the answer has ended: only then is it known whether
one of them is of this tool. An answer that is in no known form is passed on as it came.
"""

from __future__ import annotations

import json
import re
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Awaitable,
    Callable,
    Mapping,
    Sequence,
)
from contextlib import aclosing, suppress
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import httpx

from convgate.adapters.expand import NAME, answer
from convgate.core.errors import ConvgateError
from convgate.costs.prices import Usage
from convgate.messages.tokens import turn_tokens
from convgate.selection.selector import Selector
from convgate.server import metrics
from convgate.server.answers import CHAT_COMPLETIONS, MALFORMED, MESSAGES, RESPONSES, Api, Json, StreamReader
from convgate.server.gemini_answers import GEMINI, STREAMED_GEMINI
from convgate.transcripts import turns_from_messages

APIS: Mapping[str, Api] = {
    "chat/completions": CHAT_COMPLETIONS,
    "messages": MESSAGES,
    "responses": RESPONSES,
    "{model:path}:generateContent": GEMINI,
    "{model:path}:streamGenerateContent": STREAMED_GEMINI,
}
"""By path."""

MAX_ROUNDS = 8
"""Requests that are made for one of a client; then it gets the call, which it does not know."""

_NOT_UNDERSTOOD = (*MALFORMED, RecursionError, ConvgateError)
_END = re.compile(rb"\r\n\r\n|\n\n")
_DATA = re.compile(rb"^data: ?(.*?)\r?$", re.MULTILINE)


@dataclass(frozen=True)
class Expansion:
    """A request with the tool, for the upstream."""

    api: Api
    request: Json
    selector: Selector  # has the originals
    tokens: int  # of its messages


def add_tool(api: Api, request: Json, selector: Selector, tokens: int) -> Expansion | None:
    """Return a request with the tool; None where it is of no use, as `Api.with_tool` says."""
    with suppress(*MALFORMED):
        if (with_tool := api.with_tool(request)) is not None:
            return Expansion(api, with_tool, selector, tokens)
    return None


class Event(NamedTuple):
    """A server-sent event."""

    raw: bytes  # with the empty line behind it
    data: Json | None  # None: no JSON object

    def with_data(self, data: Json) -> bytes:
        """Return the event with other data."""
        head = b"".join(line + b"\n" for line in self.raw.splitlines() if line.startswith(b"event:"))
        return b"%sdata: %s\n\n" % (head, json.dumps(data).encode())


async def read_events(chunks: AsyncIterable[bytes]) -> AsyncGenerator[Event]:
    """Yield the events of a stream; their bytes together are those of the stream."""
    rest = b""
    async for chunk in chunks:
        rest, start = rest + chunk, 0
        for end in _END.finditer(rest):
            yield _read_event(rest[start : end.end()])
            start = end.end()
        rest = rest[start:]
    if rest:
        yield _read_event(rest)


def _read_event(raw: bytes) -> Event:
    try:
        data = json.loads(b"\n".join(_DATA.findall(raw)))
    except (ValueError, RecursionError):
        data = None
    return Event(raw, data if isinstance(data, dict) else None)


@dataclass
class Rounds:
    """The requests of the upstream for one of a client, until an answer does not call the tool."""

    expansion: Expansion
    response: httpx.Response  # to the last request
    ask: Callable[[bytes], Awaitable[httpx.Response]]
    run: Callable[..., Awaitable[Any]]  # in a thread
    observe: Callable[[Usage | None], None]  # gets the usage of the first answer
    spend: Callable[[float], Awaitable[None]]  # gets the cost of all further requests so far
    n_expanded: int = 0
    dollars: float = 0.0  # of the input of further requests, with prices
    hidden: Usage = field(default_factory=lambda: Usage(0, 0, 0))  # of the answers that the client has not
    _n_rounds: int = 1
    _front: Json | None = None  # what the answers before said
    _n_events: int = 0  # of a stream, that the client has
    _number: int = -1  # of the last of them, where they have numbers

    def __post_init__(self) -> None:
        self._request, self._tokens = self.expansion.request, self.expansion.tokens

    @property
    def headers(self) -> dict[str, str]:
        """What is known so far, for the client."""
        if not self.n_expanded:
            return {}
        hidden = self.hidden
        usage = f"input={hidden.input}, cached={hidden.cached}, written={hidden.written}"
        return {
            "x-convgate-expanded": str(self.n_expanded),
            "x-convgate-expanded-usage": f"{usage}, output={hidden.output}",
        }

    async def begin(self) -> None:
        """Ask until there is something for the client. Raises httpx.RequestError where the upstream fails."""
        is_stream = self.expansion.api.is_streamed(self.expansion.request)
        self._chunks = self._stream() if is_stream else self._read()
        self._first = await anext(self._chunks, b"")

    async def body(self) -> AsyncIterator[bytes]:
        """Yield the bytes of the answer; begin first.

        Raises httpx.RequestError where the upstream breaks off, or refuses to go on with what was begun.
        """
        yield self._first
        async for chunk in self._chunks:
            yield chunk

    async def close(self) -> None:
        """Close the connection to the upstream."""
        await self._chunks.aclose()

    async def _read(self) -> AsyncGenerator[bytes]:
        """Yield the last answer, behind what was said before."""
        try:
            while is_readable(self.response):
                body = await self.response.aread()
                try:
                    whole = json.loads(body)
                    self._observe(whole)
                    if await self._go_on(whole):
                        continue
                    joined = whole if self._front is None else self.expansion.api.join(self._front, whole)
                except _NOT_UNDERSTOOD:
                    metrics.EXPANDED.labels("unreadable").inc()
                    joined = whole = None
                yield body if joined == whole else json.dumps(joined).encode()
                return
            async for chunk in self.response.aiter_raw():
                yield chunk
        finally:
            await self.response.aclose()

    async def _stream(self) -> AsyncGenerator[bytes]:
        """Yield the events of all answers but those with calls of the tool, and what stands behind them."""
        reader = self.expansion.api.reader()
        try:
            while is_readable(self.response):
                is_first, held = self._n_events == 0, _Held(reader)
                async with aclosing(read_events(self.response.aiter_bytes())) as events:
                    async for event in events:
                        for each in held.add(event, has_begun=self._n_events > 0):
                            yield self._edit(each, reader, is_first=is_first)
                if held.is_known:
                    with suppress(*MALFORMED):
                        self._observe(reader.answer)
                if held.has_calls and held.is_known and await self._go_on_after(reader):
                    for each in held.texts() if is_readable(self.response) else ():
                        yield self._edit(each, reader, is_first=is_first)
                    continue
                for each in held.events:
                    yield self._edit(each, reader, is_first=is_first)
                return
            if self._n_events:
                raise httpx.RemoteProtocolError("the upstream refused to go on with its answer")
            async for chunk in self.response.aiter_raw():
                yield chunk
        finally:
            await self.response.aclose()

    def _edit(self, event: Event, reader: StreamReader, *, is_first: bool) -> bytes:
        """Return an event behind those that the client has. is_first: it has none of another answer."""
        raw, data = event
        if data is None:
            return raw
        if not is_first and self._front is not None:
            try:
                edited = reader.go_on(data, self._front)
            except MALFORMED:
                edited = data
            if edited is None:
                return b""
            if "sequence_number" in edited:
                edited = {**edited, "sequence_number": self._number + 1}
            raw, data = event.with_data(edited), edited
        self._n_events += 1
        self._number = data.get("sequence_number", self._number)
        return raw

    async def _go_on_after(self, reader: StreamReader) -> bool:
        try:
            return await self._go_on(reader.answer)
        except _NOT_UNDERSTOOD:
            metrics.EXPANDED.labels("unreadable").inc()
            return False

    async def _go_on(self, whole: Json) -> bool:
        """Ask again with the results where an answer calls the tool; return whether it does."""
        api = self.expansion.api
        calls = api.calls(whole)
        n_own = sum(api.name(call) == NAME for call in calls)
        if not n_own:
            return False
        if self._n_rounds == MAX_ROUNDS:
            metrics.EXPANDED.labels("passed on").inc(n_own)
            return False
        results = [await self._answer(call) for call in calls]
        further, front = api.follow(self._request, whole, results), api.front(whole)
        front = front if self._front is None else api.join(self._front, front)
        before, price = self._tokens, self.expansion.selector.price
        self._tokens += await self.run(_count_tokens, further)
        self._count(whole.get(api.usage_field))
        metrics.EXPANDED.labels("answered").inc(n_own)
        self.n_expanded += n_own
        self._n_rounds += 1
        self._front = front
        self._request = {**self._request, api.field: [*self._request[api.field], *further]}
        await self.response.aclose()
        self.response = await self.ask(json.dumps(self._request).encode())
        if price is not None and self.response.is_success:
            cost = price.cost(price.usage(self._tokens, before))
            metrics.DOLLARS.labels("sent").inc(cost)
            self.dollars += cost
            await self.spend(self.dollars / price.token_ratio)
        return True

    def _observe(self, whole: Json) -> None:
        usage = whole.get(self.expansion.api.usage_field)
        if self._n_rounds == 1 and isinstance(usage, dict):
            self.observe(Usage.of(usage))

    async def _answer(self, call: Json) -> Json:
        api = self.expansion.api
        if api.name(call) != NAME:
            return api.refuse(call)
        result: Json = await self.run(answer, call, self.expansion.selector)
        return result

    def _count(self, usage: Any) -> None:
        """Count what an answer used that the client has not."""
        if isinstance(usage, dict) and (used := Usage.of(usage)) is not None:
            values = asdict(used)
            self.hidden = Usage(**{name: getattr(self.hidden, name) + values[name] for name in values})
            for name, value in values.items():
                metrics.EXPAND_TOKENS.labels(name).inc(value)


@dataclass
class _Held:
    """The events of an answer that the client may not have yet."""

    reader: StreamReader
    events: list[Event] = field(default_factory=list)
    has_calls: bool = False
    is_known: bool = True  # the form of the stream
    _passes: bool = False

    def __post_init__(self) -> None:
        self.reader.begin()

    def add(self, event: Event, *, has_begun: bool) -> list[Event]:
        """Return the events that go to the client now. has_begun: whether it has any."""
        kind = None
        try:
            kind = self.reader.read(event.data) if event.data is not None and self.is_known else None
        except MALFORMED:
            metrics.EXPANDED.labels("unreadable").inc()
            self.is_known = False
        if has_begun and (kind == "ping" or event.raw.startswith(b":")):
            return [event]
        self.has_calls |= kind == "call"
        self._passes = kind == "text" or (self._passes and kind != "thought")
        self.events.append(event)
        if self.is_known and (self.has_calls or not self._passes):
            return []
        events, self.events = self.events, []
        return events

    def texts(self) -> list[Event]:
        """Return the texts among what the client will not get."""
        texts = (data and self.reader.text_of(data) for _, data in self.events)
        return [Event(b"data: %s\n\n" % json.dumps(text).encode(), text) for text in texts if text]


def _count_tokens(messages: Sequence[Json]) -> int:
    return int(turn_tokens(turns_from_messages(messages)).sum())


def is_readable(response: httpx.Response) -> bool:
    """Return whether a response is an answer whose bytes can be read."""
    encoding: str = response.headers.get("content-encoding", "identity")
    return response.is_success and encoding == "identity"
