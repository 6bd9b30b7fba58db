"""Which requests reach the app: by host name, origin and token."""

from __future__ import annotations

import http.client
import re
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.running_app import running_app
from tests.conftest import GUARD
from tests.network_guard.loopback_only import LOG_VARIABLE

UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}
STREAM = "/_stcore/stream"
pytestmark = pytest.mark.xdist_group("access")


@dataclass(frozen=True)
class RunningApp:
    """An app that asks for a token, and what it gave away when it started."""

    address: str
    token: str  # as printed
    opened: str  # the address that the browser was started with
    attempts: Path  # connections to other machines, one a line

    @property
    def netloc(self) -> str:
        return urlsplit(self.address).netloc

    @property
    def cookie(self) -> dict[str, str]:
        return {"Cookie": f"convgate_{urlsplit(self.address).port}={self.token}"}

    def get(self, path: str, **headers: str) -> http.client.HTTPResponse:
        """The response, not followed; the header `_` stands for `-`."""
        connection = http.client.HTTPConnection(self.netloc)
        connection.request(
            "GET", path, headers={key.replace("_", "-"): text for key, text in headers.items()}
        )
        response = connection.getresponse()
        connection.close()
        return response


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningApp]:
    folder = tmp_path_factory.mktemp("access")
    opened, attempts = folder / "opened", folder / "network.log"
    browser = folder / "browser"
    # It stays in the foreground, as some browsers do.
    browser.write_text(f'#!/bin/sh\necho "$1" > {opened}.part; mv {opened}.part {opened}\nexec sleep 600\n')
    browser.chmod(browser.stat().st_mode | stat.S_IXUSR)
    environment = {
        "CONVGATE_APP_TOKEN": "true",
        "BROWSER": str(browser),
        "DISPLAY": ":99",  # without one, Streamlit starts no browser on Linux
        "PYTHONPATH": str(GUARD),
        LOG_VARIABLE: str(attempts),
    }
    with running_app(folder / "home", environment=environment, options=["--host", "gate.test"]) as address:
        printed = (folder / "home" / "app.log").read_text()
        token = re.search(r"token=(\S+)", printed)
        assert token, printed
        end = time.monotonic() + 60
        while not opened.exists() and time.monotonic() < end:
            time.sleep(0.05)
        yield RunningApp(address, token[1], opened.read_text().strip(), attempts)


def test_a_page_needs_the_token_that_was_printed(app: RunningApp) -> None:
    assert app.get("/").status == 403
    assert app.get("/?token=wrong").status == 403
    assert app.get("/", Cookie=app.cookie["Cookie"] + "x").status == 403
    assert app.get("/", **app.cookie).status == 200
    assert app.get("/_stcore/health").status == 200


def test_the_address_with_the_token_keeps_it_in_a_cookie_and_out_of_the_address(app: RunningApp) -> None:
    response = app.get(f"//elsewhere.test/Explore?turn=3&token={app.token}&question=a%26b")
    assert response.status == 303
    assert response.headers["Location"] == "/elsewhere.test/Explore?turn=3&question=a%26b"
    cookie = response.headers["Set-Cookie"]
    assert cookie.startswith(app.cookie["Cookie"])
    assert {"HttpOnly", "SameSite=lax"} <= set(cookie.split("; "))


def test_what_a_browser_is_started_with_opens_the_app_once(app: RunningApp) -> None:
    """Other users can read the command line of a process."""
    parts = urlsplit(app.opened)
    assert parts.netloc == app.netloc
    assert parse_qs(parts.query)["token"] != [app.token]
    assert [app.get(f"/?{parts.query}").status for _ in range(2)] == [303, 403]


@pytest.mark.parametrize("host", ["evil.test", "127.0.0.1.evil.test", "localhost@evil.test", ""])
def test_another_host_name_is_refused(app: RunningApp, host: str) -> None:
    assert app.get("/", Host=host, **app.cookie).status == 403
    assert app.get(STREAM, Host=host, Origin=f"http://{host}", **UPGRADE, **app.cookie).status == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "LOCALHOST", "gate.test", "[::1]"])
def test_host_names_of_this_machine_and_those_given_are_allowed(app: RunningApp, host: str) -> None:
    assert app.get("/", Host=f"{host}:{urlsplit(app.address).port}", **app.cookie).status == 200


@pytest.mark.parametrize("origin", ["http://evil.test", "http://127.0.0.1:9", "http://localhost", "null"])
def test_another_origin_is_refused_and_nothing_is_looked_up(app: RunningApp, origin: str) -> None:
    assert app.get(STREAM, Origin=origin, **UPGRADE, **app.cookie).status == 403
    assert app.get("/", Origin=origin, **app.cookie).status == 403
    assert not app.attempts.exists(), app.attempts.read_text()


def test_a_connection_needs_its_own_origin_and_the_token(app: RunningApp) -> None:
    assert app.get(STREAM, Origin=app.address, **UPGRADE, **app.cookie).status == 101
    assert app.get(STREAM, Origin=app.address, **UPGRADE).status == 403
    assert app.get(f"{STREAM}?token={app.token}", Origin=app.address, **UPGRADE).status == 403


def test_no_response_may_be_framed(app: RunningApp) -> None:
    for response in (app.get("/"), app.get("/", **app.cookie), app.get(f"/?token={app.token}")):
        assert response.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
