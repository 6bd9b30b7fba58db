"""A proxy in front of the API of OpenAI, Anthropic or Gemini, or a compatible one, for selected messages.

Whatever goes wrong with selecting, the request is forwarded as it came, and the reason is counted.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any
from urllib.parse import quote

import anyio
import httpx
from fastapi import APIRouter
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse

from convgate.core.errors import ConvgateError
from convgate.costs.calibration import TokenRatios
from convgate.messages.tokens import turn_tokens
from convgate.selection.around import keep_when_answered
from convgate.selection.caching import CacheReport
from convgate.server import metrics
from convgate.server.answers import Api
from convgate.server.expanding import APIS, Expansion, Rounds, add_tool
from convgate.server.limits import TOKEN_HEADER, bearer_of, error_response, is_token
from convgate.server.service import Service
from convgate.server.usage import SentTokens, calibrate, count_sent, observe, relay
from convgate.transcripts import dialect_of, turns_from_messages
from convgate.transcripts.dialects.base import join_neighbours

log = logging.getLogger(__name__)

SESSION_HEADER = "x-convgate-session"
"""The id of a session, for its arm in a rollout."""

_CONNECT_SECONDS = 10.0
_HOP_BY_HOP = frozenset({
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer",
    "transfer-encoding", "upgrade",
})  # fmt: skip
_VERSIONS = ("v1", "v1beta")  # the first part of a path; the upstream's base URL has its own
_STORED = (  # fields of a request whose history the upstream has
    "previous_response_id", "conversation", "cachedContent", "cached_content",
)  # fmt: skip


class NotSelectedError(ConvgateError):
    """A request is forwarded as it came; `reason` is one of a few words."""

    code = "not_selected"

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


@dataclass(frozen=True)
class Forwarded:
    """A body for the upstream, and the headers that say what was kept."""

    body: bytes
    headers: dict[str, str]
    counts: dict[str, int] = field(default_factory=dict)  # for `metrics.count_selection`
    cache: CacheReport | None = None  # with prices
    sent: SentTokens | None = None  # what the upstream's `usage` is compared with
    keep: Callable[[float], None] | None = None  # notes the request as sent, and the cost of further ones
    expansion: Expansion | None = None  # where calls of the tool for shortened results are answered here


class Proxy:
    """Forwards requests to the upstream of the settings."""

    def __init__(self, service: Service) -> None:
        self._service, self._settings = service, service.settings
        self._ratios = TokenRatios()
        timeout = httpx.Timeout(self._settings.server.upstream_seconds, connect=_CONNECT_SECONDS)
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=20)
        self._client = httpx.AsyncClient(timeout=timeout, limits=limits)
        logging.getLogger("uvicorn.error").addFilter(_is_news)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    def router(self) -> APIRouter:
        """Return the routes: every path below a version that is no endpoint of the server's own."""
        router = APIRouter()
        methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] if self._settings.server.upstream else ["POST"]
        paths = [*APIS, "{path:path}"] if self._settings.server.upstream else list(APIS)
        for path in (f"/{version}/{path}" for version in _VERSIONS for path in paths):
            router.add_api_route(
                path, self._answer, methods=methods, include_in_schema=False, response_model=None
            )
        return router

    async def _answer(self, request: Request) -> Response:
        """Forward a request, with the selected messages where it has any."""
        if (upstream := self._settings.server.upstream) is None:
            return error_response(404, "no_upstream", "Start the server with --upstream URL to forward this.")
        body = await request.body()
        if ".." in request.scope["path"].split("/"):  # would be a path of the upstream outside its base URL
            return error_response(404, "not_found", "The path has `..` in it.")
        return await _unless_disconnected(request, self._forward(request, body, upstream))

    async def _forward(self, request: Request, body: bytes, upstream: str) -> Response:
        """Return the upstream's response to the request, with the selected messages."""
        forwarded = Forwarded(body, {})
        path = _below_version(request.scope["route"].path)
        if (api := APIS.get(path)) is not None and request.method == "POST":
            session, model = request.headers.get(SESSION_HEADER), request.path_params.get("model")
            is_read = not api.is_array(request.query_params)
            forwarded = await self._select(
                body, partial(self._reduce, body, api, session, model, is_read=is_read)
            )
        raw_path, query = request.scope["raw_path"].decode(), request.scope["query_string"].decode("latin-1")
        url = f"{upstream.rstrip('/')}/{_below_version(raw_path)}"
        url += f"?{query}" if query else ""
        headers = self._headers(request, reads=forwarded.expansion is not None)

        async def ask(content: bytes, headers: Sequence[tuple[str, str]] = headers) -> httpx.Response:
            forward = self._client.build_request(request.method, url, headers=headers, content=content)
            return await self._client.send(forward, stream=True)

        try:
            response = await ask(forwarded.body)
            async with AsyncExitStack() as closing:  # where the client goes away
                closing.push_async_callback(response.aclose)
                if response.is_success:
                    metrics.count_dollars(forwarded.cache)
                    await self._keep(forwarded)
                closing.pop_all()
            if forwarded.expansion is None:
                return Relay(response, forwarded.headers, relay(response, forwarded.sent, self._ratios))
            again = [(name, value) for name, value in headers if name != "idempotency-key"]
            rounds = Rounds(
                forwarded.expansion, response, partial(ask, headers=again), self._service.run,
                partial(observe, forwarded.sent, self._ratios), partial(self._keep, forwarded),
            )  # fmt: skip
            await rounds.begin()
            known = {**forwarded.headers, **rounds.headers}
            if forwarded.cache is not None:
                known["x-convgate-dollars"] = f"{forwarded.cache.cost + rounds.dollars:.6f}"
            return Relay(rounds.response, known, rounds.body(), rounds)
        except httpx.TimeoutException as error:
            return _fail(504, "upstream_timeout", error, forwarded)
        except httpx.RequestError as error:
            return _fail(502, "upstream_unreachable", error, forwarded)

    async def _keep(self, forwarded: Forwarded, further: float = 0.0) -> None:
        """Note a request that the upstream answered: what it refuses is in no cache, and not billed.

        further: as of `keep_when_answered`.
        """
        if forwarded.keep is None:
            return
        try:
            async with asyncio.timeout(self._settings.server.select_seconds):
                await self._service.run(forwarded.keep, further)
        except Exception as error:  # whatever it is, the agent must get its answer
            log.warning("what was sent is not noted, or later", exc_info=error)

    async def _select(self, body: bytes, reduce: Callable[[], Forwarded]) -> Forwarded:
        """Return the body with the selected messages; as it came when selecting fails or takes too long."""
        try:
            async with asyncio.timeout(self._settings.server.select_seconds):
                forwarded = await self._service.run(reduce)
            metrics.count_selection(**forwarded.counts)
            return forwarded
        except TimeoutError:
            reason = "timeout"
            log.warning(
                "selecting took longer than server.select_seconds; the request is forwarded unchanged"
            )
        except NotSelectedError as error:
            reason = error.reason
        except Exception as error:  # whatever it is, the agent must get its answer
            reason = error.code if isinstance(error, ConvgateError) else "error"
            log.warning("selecting failed; the request is forwarded unchanged", exc_info=error)
        metrics.FALLBACKS.labels(reason).inc()
        return Forwarded(body, {"x-convgate-policy": "none", "x-convgate-reason": reason})

    def _reduce(
        self, body: bytes, api: Api, session: str | None, model: str | None, *, is_read: bool
    ) -> Forwarded:
        """Return the body with the selected messages. Raises NotSelectedError, or what selecting raises.

        model: where the path names it. is_read: whether calls in the answer can be answered here.
        """
        request, items = _read(body, api.field)
        if len(items) > self._settings.server.max_turns:
            raise NotSelectedError("too_many_turns")
        turns = turns_from_messages(items)
        arm, selector = self._service.selector(session)
        model = str(model or request.get("model") or "")
        ratio = self._ratios.of(model)
        with metrics.SELECT_SECONDS.time():
            around, keep = keep_when_answered(selector.around, is_shadow=self._settings.server.shadow)
            calibrated = calibrate(replace(selector, around=around), ratio)
            choice = calibrated.choose(turns, adds=True, session=session)
        tokens, kept = turn_tokens(turns), choice.of(items, items)
        elided = [elision for own in choice.elided.values() for elision in own]
        saved = sum(elision.saved for elision in elided)
        added = [turn for own in choice.added.values() for turn in own]
        dropped = len(items) - len(choice.indices)
        counts = {
            "kept": len(choice.indices),
            "dropped": dropped,
            "tokens_kept": int(tokens[choice.indices].sum() + turn_tokens(added).sum()) - saved,
            "tokens_total": int(tokens.sum()),
        }
        headers = {
            "x-convgate-kept": str(len(choice.indices)),
            "x-convgate-dropped": str(dropped),
            "x-convgate-tokens": str(counts["tokens_kept"]),
            "x-convgate-token-ratio": f"{ratio:.3f}",
            "x-convgate-policy": quote(selector.name, safe=" "),
        }
        if arm is not None:
            headers["x-convgate-arm"] = arm
        if choice.selection is not None:
            headers["x-convgate-request-id"] = choice.selection.request_id
        if (cache := choice.selection.cache if choice.selection else None) is not None:
            headers |= {"x-convgate-way": cache.way, "x-convgate-dollars": f"{cache.cost:.6f}"}
        if elided:
            headers["x-convgate-elided"] = str(len(elided))
        if self._settings.server.shadow:
            sent = count_sent(model, request, turns, counts["tokens_total"])
            return Forwarded(body, {**headers, "x-convgate-shadow": "true"}, counts, cache, sent, keep)
        if dropped or elided or added:
            request = {**request, api.field: join_neighbours(dialect_of(kept), kept)}
            body = json.dumps(request).encode()
        expansion = None
        if selector.settings.elide and is_read:
            expansion = add_tool(api, request, calibrated.selector, counts["tokens_kept"])
            body = json.dumps(expansion.request).encode() if expansion else body
        sent = count_sent(model, expansion.request if expansion else request, turns, counts["tokens_kept"])
        return Forwarded(body, headers, counts, cache, sent, keep, expansion)

    def _headers(self, request: Request, *, reads: bool) -> list[tuple[str, str]]:
        """Return the client's headers for the upstream, without those for this server.

        reads: whether the answer is read here, which takes no compressed one.
        """
        left_out = _left_out(request.headers.get("connection", "")) | {
            "host", "content-length", TOKEN_HEADER, SESSION_HEADER,
        }  # fmt: skip
        token = request.app.state.token
        if is_token(bearer_of(request.headers), token):
            left_out |= {"authorization"}
        if reads:
            left_out |= {"accept-encoding"}
        headers = [(name, value) for name, value in request.headers.items() if name not in left_out]
        if reads or "accept-encoding" not in request.headers:
            headers.append(("accept-encoding", "identity"))  # httpx would ask for gzip
        return headers


class Relay(StreamingResponse):
    """The upstream's response, byte for byte as it comes; with rounds the body is theirs."""

    def __init__(
        self,
        upstream: httpx.Response,
        headers: dict[str, str],
        chunks: AsyncIterator[bytes],
        rounds: Rounds | None = None,
    ) -> None:
        super().__init__(chunks, upstream.status_code)
        self._close = rounds.close if rounds else upstream.aclose
        left_out = _left_out(upstream.headers.get("connection", ""))
        if rounds:
            left_out |= {"content-length"}
        values = [
            (name, value) for name, value in upstream.headers.raw if name.decode().lower() not in left_out
        ]
        self.raw_headers = [*values, *((name.encode(), value.encode()) for name, value in headers.items())]

    async def stream_response(self, send: Any) -> None:
        """Send the response; one that the upstream breaks off is broken off here too, never ended."""
        try:
            await super().stream_response(send)
        except httpx.RequestError as error:
            metrics.UPSTREAM_FAILURES.labels("broken").inc()
            log.warning("the upstream broke off its response: %s", type(error).__name__)
        finally:
            with anyio.CancelScope(shield=True):
                await self._close()


def _below_version(path: str) -> str:
    """Return a path without its first part, such as /v1."""
    return path.split("/", 2)[-1]


def _read(body: bytes, name: str) -> tuple[dict[str, Any], list[Any]]:
    """Return the request, and its messages or items."""
    try:
        request = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise NotSelectedError("unreadable") from error
    items = request.get(name) if isinstance(request, dict) else None
    if isinstance(request, dict) and any(map(request.get, _STORED)):
        raise NotSelectedError("stored_history")
    if not isinstance(items, list) or not items:
        raise NotSelectedError("no_messages")
    return request, items


def _fail(status: int, code: str, error: httpx.RequestError, forwarded: Forwarded) -> Response:
    metrics.UPSTREAM_FAILURES.labels(code).inc()
    log.warning("the upstream did not answer: %s", type(error).__name__)
    return error_response(
        status, code, f"The upstream did not answer ({type(error).__name__}).", forwarded.headers
    )


def _left_out(connection: str) -> frozenset[str]:
    """Return the names of headers for this connection alone."""
    return _HOP_BY_HOP | {name.strip().lower() for name in connection.split(",")}


async def _unless_disconnected(request: Request, answering: Coroutine[Any, Any, Response]) -> Response:
    """Return the response; when the client goes away before it comes, what answers is cancelled."""

    async def wait_for_disconnect() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    answer = asyncio.create_task(answering)
    watch = asyncio.create_task(wait_for_disconnect())
    try:
        await asyncio.wait({answer, watch}, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            raise ClientDisconnect
        return answer.result()
    finally:
        watch.cancel()
        answer.cancel()
        await asyncio.gather(watch, answer, return_exceptions=True)  # its connection is closed by then


def _is_news(record: logging.LogRecord) -> bool:
    """Return whether a log line of uvicorn says more than that a response was broken off, as Relay does."""
    return "without completing response" not in record.getMessage()
