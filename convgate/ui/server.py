"""The web server of the app: Streamlit behind `AccessControl`."""

from __future__ import annotations

import hmac
import os
import secrets
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from streamlit import config
from streamlit.web.server.server_util import get_display_address, get_url
from streamlit.web.server.starlette.starlette_websocket import is_host_allowed

from convgate.core.home import app_root
from convgate.core.settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


TOKEN = "token"
"""Name of the query parameter that carries a token."""

OPEN_PATHS = frozenset({"/_stcore/health"})
"""Paths that need no token: they say only that the server answers."""

_HEADERS = {
    "Content-Security-Policy": "frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>convgate</title>
<body style="font: 1rem/1.5 system-ui; max-width: 36rem; margin: 4rem auto; padding: 0 1rem">
<h1>convgate</h1><p>{reason}</p>{form}</body></html>"""
_FORM = """<form><label>Token <input name="token" autocomplete="off" autofocus required></label>
<button>Open</button></form>"""


class AccessControl:
    """ASGI middleware in front of Streamlit; what it refuses is answered with 403 and goes no further.

    - `Host` must be one of Streamlit's `server.allowedHosts` (a page of any name that resolves to this
      machine could drive the app otherwise: DNS rebinding).
    - `Origin`, if there is one, must be exactly the address that `Host` names. Streamlit would compare a
      foreign one with this machine's external address, and ask a web service for it.
    - With a token, a request needs it in its cookie. An address with `?token=` sets the cookie. A key of
      `single_use` does so once: the command line of a browser can be read by other users.

    No response may be shown in a frame.
    """

    def __init__(self, app: ASGIApp, *, token: str | None, single_use: set[str]) -> None:
        self._app, self._token, self._single_use = app, token, single_use

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or answer it."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] in {"http.response.start", "websocket.http.response.start"}:
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        answer = self._answer(HTTPConnection(scope)) or self._app
        await answer(scope, receive, send_with_headers)

    def _answer(self, request: HTTPConnection) -> Response | None:
        """Return the response to a request that does not reach the app, None for all others."""
        host, origin = request.headers.get("host"), request.headers.get("origin")
        if not is_host_allowed(host):
            return _refusal(
                f"The host name {host!r} is not allowed. Open the address that convgate printed when it"
                " started, or start it with --host NAME."
            )
        if origin is not None and origin not in {f"http://{host}", f"https://{host}"}:
            return _refusal(f"A page of {origin!r} may not use this app.")
        if self._token is None or request.url.path in OPEN_PATHS:
            return None
        server = request.scope.get("server") or ("", 0)
        cookie = f"convgate_{server[1]}"  # a browser sends cookies to every port of a host
        if self._is_token(request.cookies.get(cookie, "")):
            return None
        if request.scope["type"] == "http" and self._accepts(request.query_params.get(TOKEN, "")):
            rest = urlencode([item for item in request.query_params.multi_items() if item[0] != TOKEN])
            path = "/" + request.url.path.lstrip("/")  # "//name" would lead to another machine
            response = RedirectResponse(f"{path}?{rest}" if rest else path, status_code=303)
            response.set_cookie(cookie, self._token, httponly=True, samesite="lax")
            return response
        return _refusal("Open the address that convgate printed when it started, or enter its token.", _FORM)

    def _accepts(self, given: str) -> bool:
        if given in self._single_use:
            self._single_use.discard(given)
            return True
        return self._is_token(given)

    def _is_token(self, given: str) -> bool:
        return self._token is not None and hmac.compare_digest(given.encode(), self._token.encode())


def _refusal(reason: str, form: str = "") -> Response:
    return HTMLResponse(_PAGE.format(reason=escape(reason), form=form), status_code=403)


LOCAL_HOSTS = ("127.0.0.1", "localhost", "::1")


def serve(settings: Settings, *, address: str, port: int | None, hosts: Sequence[str], browser: bool) -> None:
    """Run the app until it is stopped; relative paths of this process are those of the app from now on.

    address: to listen at. port: None takes the first free one from 8501. hosts: names by which browsers may
    reach the app, besides this machine's own and `address`. browser: open one, where there is a display.
    """
    token = secrets.token_urlsafe() if settings.app_token else None
    single_use: set[str] = set()

    @asynccontextmanager
    async def announce(_: st.App) -> AsyncIterator[None]:
        name = get_display_address(address)
        home = get_url(f"[{name}]" if ":" in name else name)
        print(f"convgate runs at {_with_token(home, token)}\nStop it with Ctrl+C.", flush=True)  # noqa: T201
        if not config.get_option("server.headless"):
            once = secrets.token_urlsafe() if token else None
            single_use.update({once} if once else ())
            # In a thread: where the browser stays in the foreground, this returns when it is closed.
            threading.Thread(target=webbrowser.open, args=[_with_token(home, once)], daemon=True).start()
        yield

    root = app_root()
    os.chdir(root)  # Streamlit reads .streamlit/config.toml from its working directory
    sys.argv = [str(root / "app.py")]
    options = {
        "server.address": address,
        "server.allowedHosts": [*LOCAL_HOSTS, address, *hosts],
        "server.maxUploadSize": settings.upload_limit_mb,
        "browser.gatherUsageStats": False,
        "logger.hideWelcomeMessage": True,  # it has no token, and names addresses that nothing listens at
        "server.port": port,
        "server.headless": None if browser else True,
    }
    access = Middleware(AccessControl, token=token, single_use=single_use)
    # To Streamlit the first page has no name of its own.
    library = Route("/Library", lambda request: RedirectResponse(f"/?{request.url.query}"))
    app = st.App(root / "app.py", middleware=[access], lifespan=announce, routes=[library])
    app.run(config={name: value for name, value in options.items() if value is not None})


def _with_token(address: str, token: str | None) -> str:
    return f"{address}/?{urlencode({TOKEN: token})}" if token else address
