"""The web server of the app: Streamlit behind `AccessControl`."""

from __future__ import annotations

import os
import secrets
import sys
import threading
import webbrowser
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from urllib.parse import urlencode

import streamlit as st
from starlette.middleware import Middleware
from streamlit import config
from streamlit.web.server.server_util import get_display_address, get_url

from convgate.app_files import app_root
from convgate.settings import Settings
from convgate.ui.access import TOKEN, AccessControl

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
    app = st.App(root / "app.py", middleware=[access], lifespan=announce)
    app.run(config={name: value for name, value in options.items() if value is not None})


def _with_token(address: str, token: str | None) -> str:
    return f"{address}/?{urlencode({TOKEN: token})}" if token else address
