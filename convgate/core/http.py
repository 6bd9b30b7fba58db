"""POST JSON to an address of the settings: bounded in time and size, without redirects."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from http.client import HTTPException, HTTPResponse
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from convgate.core.errors import ConvgateError

ATTEMPTS = 3

_RETRIED = (408, 425, 429, 500, 502, 503, 504)  # statuses
_MAX_DETAIL = 2_000  # bytes of an error's body that are read


class PostError(ConvgateError):
    """A POST failed; the message says how, without the address, which may hold secrets."""

    code = "http"

    def __init__(self, problem: str, detail: str = "") -> None:
        self.detail = detail  # untrusted: the beginning of the endpoint's reply
        super().__init__(problem)


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        """Follow nothing: a redirect is an error."""


_OPENER = build_opener(_NoRedirects)


def post_json(
    url: str,
    values: Mapping[str, Any],
    *,
    timeout: float,
    headers: Mapping[str, str] | None = None,
    attempts: int = ATTEMPTS,
    pause: float = 0.5,
    max_bytes: int = 0,
) -> bytes:
    """Return the reply's body; with `max_bytes` 0 it is not read.

    timeout: seconds of an attempt. What may pass is tried again, after `pause` seconds, doubled each time,
    but less where attempts took long: the calling thread waits for about `timeout` × `attempts` at most.
    Raises PostError for any other outcome, also for a longer reply.
    """
    if not is_http_url(url):
        raise PostError("it is no http or https address")
    own = {"Content-Type": "application/json", "User-Agent": "convgate"}
    request = Request(url, json.dumps(values).encode(), own | dict(headers or {}))
    error, start = PostError("no attempt"), time.monotonic()
    for attempt in range(attempts):
        if attempt:
            spare = start + timeout * attempt - time.monotonic()
            time.sleep(max(0.0, min(pause * 2.0 ** (attempt - 1), spare)))
        end = time.monotonic() + timeout
        try:
            with _OPENER.open(request, timeout=timeout) as response:
                return _read(response, end, max_bytes)
        except HTTPError as failure:
            with failure:
                error = PostError(f"status {failure.code}", _read_detail(failure))
            if failure.code not in _RETRIED:
                break
        except (OSError, HTTPException, ValueError) as failure:
            error = PostError(type(getattr(failure, "reason", failure)).__name__)
    raise error


def is_http_url(url: str) -> bool:
    """Return whether this is an http or https address, without a user name."""
    try:
        address = urlsplit(url)
        has_host = bool(address.hostname) and address.port != 0  # raises for a wrong port
    except ValueError:
        return False
    return address.scheme in ("http", "https") and has_host and "@" not in address.netloc


def _read(response: HTTPResponse, end: float, max_bytes: int) -> bytes:
    body = b""
    while max_bytes and (part := response.read1(65_536)):
        body += part
        if len(body) > max_bytes:
            raise PostError(f"the reply is longer than {max_bytes:,} bytes")
        if time.monotonic() > end:
            raise TimeoutError
    return body


def _read_detail(error: HTTPError) -> str:
    try:
        return str(error.read1(_MAX_DETAIL), "utf-8", "replace")
    except (OSError, HTTPException, ValueError):
        return ""
