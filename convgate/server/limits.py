"""Who may send requests, and how large and how many at once: ASGI middleware in front of all endpoints."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import unquote

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse

from convgate.server import metrics

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_HEADER = "x-convgate-token"
TOKEN_PATH = "/token/"
"""In front of any path: /token/TOKEN/v1/select, for clients that cannot send a header."""

OPEN_PATHS = frozenset({"/healthz", "/openapi.json", "/docs"})
"""Paths that need no token: nothing in them depends on data."""

BODY_SECONDS = 60.0
"""In which the body of a request arrives."""

_UNLIMITED = OPEN_PATHS | {"/metrics"}  # answered also when all places are taken


def error_response(
    status: int, code: str, message: str, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """Return an error as every endpoint has it."""
    return JSONResponse({"code": code, "message": message}, status, headers)


def is_token(given: str, token: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(given.encode(), token.encode())


def bearer_of(headers: Headers) -> str:
    """Return the token in Authorization, "" without one."""
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


class RequestLimits:
    """Answers 401, 408, 413 and 429, and counts all requests.

    max_body: bytes. max_requests: at once; what exceeds them is refused, not queued.
    """

    def __init__(self, app: ASGIApp, *, token: str, max_body: int, max_requests: int) -> None:
        self._app, self._token = app, token
        self._max_body, self._max_requests = max_body, max_requests
        self._n_running = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given, raw_path = _split_token(scope["raw_path"].decode())
        scope = {**scope, "path": unquote(raw_path), "raw_path": raw_path.encode()}
        started, status = time.perf_counter(), 500  # where an error is answered outside

        async def send_noting_status(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._answer(scope, given, receive, send_noting_status)
        except ClientDisconnect:
            status = 499
        finally:
            endpoint = getattr(scope.get("route"), "path", "other")
            metrics.REQUESTS.labels(endpoint, str(status)).inc()
            metrics.REQUEST_SECONDS.labels(endpoint).observe(time.perf_counter() - started)

    async def _answer(self, scope: Scope, given: str, receive: Receive, send: Send) -> None:
        path, headers = scope["path"], Headers(scope=scope)
        tokens = (given, headers.get(TOKEN_HEADER, ""), bearer_of(headers))
        if path not in OPEN_PATHS and not any(is_token(token, self._token) for token in tokens):
            message = (
                f"Send the server's token as `Authorization: Bearer`, in `{TOKEN_HEADER}`, or in the path."
            )
            await error_response(401, "unauthorized", message, {"WWW-Authenticate": "Bearer"})(
                scope, receive, send
            )
            return
        if path in _UNLIMITED:
            await self._app(scope, receive, send)
            return
        if self._n_running >= self._max_requests:
            message = f"{self._max_requests} requests are being answered; try again."
            await error_response(429, "too_many_requests", message, {"Retry-After": "1"})(
                scope, receive, send
            )
            return
        self._n_running += 1
        try:
            await self._answer_limited(scope, headers, receive, send)
        finally:
            self._n_running -= 1

    async def _answer_limited(self, scope: Scope, headers: Headers, receive: Receive, send: Send) -> None:
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await self._read(headers, receive)
        except TimeoutError:
            message = f"The body did not arrive within {BODY_SECONDS:.0f} seconds."
            await error_response(408, "body_timeout", message)(scope, receive, send)
            return
        if body is None:
            message = f"The body has more than {self._max_body:,} bytes."
            await error_response(413, "body_too_large", message)(scope, receive, send)
            return
        unread: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return unread.pop() if unread else await receive()

        await self._app(scope, replay, send)

    async def _read(self, headers: Headers, receive: Receive) -> bytes | None:
        """Return the body; None when it is too large."""
        length = headers.get("content-length", "")
        if length.isdecimal() and int(length) > self._max_body:
            return None
        body = bytearray()
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            body += message.get("body", b"")
            if len(body) > self._max_body:
                return None
            if not message.get("more_body"):
                return bytes(body)


def _split_token(path: str) -> tuple[str, str]:
    """Return the token in front of a path, and the path.

    >>> _split_token("/token/secret/v1/select")
    ('secret', '/v1/select')
    """
    if not path.startswith(TOKEN_PATH):
        return "", path
    token, _, rest = path.removeprefix(TOKEN_PATH).partition("/")
    return token, f"/{rest}"
