"""Pages of other sites in the same browser cannot use the app."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.actions import new_page, open_page
from tests.browser.running_app import REBOUND_NAME, running_app

pytestmark = pytest.mark.slow

OTHER_SITE = """<!doctype html><title>other site</title><iframe src="{app}"></iframe><script>
const socket = new WebSocket("{app}/_stcore/stream".replace("http", "ws"));
const opened = new Promise(done => {{
    socket.onopen = () => done(true);
    socket.onclose = () => done(false);
}});
const read = fetch("{app}/", {{credentials: "include"}}).then(() => true, () => false);
</script>"""


@pytest.fixture
def other_site(app_address: str) -> Iterator[str]:
    """Address of a server on another port of this machine, whose page attacks the app."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(OTHER_SITE.format(app=app_address).encode())

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_page_on_another_port_cannot_frame_read_or_drive_the_app(
    chromium: Browser, app_address: str, other_site: str
) -> None:
    page = new_page(chromium.new_context())
    open_page(page, app_address)  # so that the browser has all cookies
    page.goto(other_site)
    assert page.evaluate("Promise.all([opened, read])") == [False, False]
    framed = next(frame for frame in page.frames if frame != page.main_frame)
    assert framed.locator('[data-testid="stApp"]').count() == 0
    page.context.close()


def test_a_name_that_resolves_to_this_machine_does_not_open_the_app(
    chromium: Browser, app_address: str
) -> None:
    page = chromium.new_page()
    response = page.goto(f"http://{REBOUND_NAME}:{urlsplit(app_address).port}/")
    assert response is not None
    assert response.status == 403
    expect(page.get_by_text(REBOUND_NAME)).to_be_visible()
    assert page.locator('[data-testid="stApp"]').count() == 0
    page.context.close()


def test_the_printed_address_opens_the_app_and_reload_and_deep_links_work(
    chromium: Browser, tmp_path: Path
) -> None:
    with running_app(tmp_path / "home", environment={"CONVGATE_APP_TOKEN": "true"}) as address:
        log = (tmp_path / "home" / "app.log").read_text()
        printed = next(word for word in log.split() if word.startswith(address))
        page = new_page(chromium.new_context())
        page.goto(address)
        page.get_by_label("Token").fill(printed.partition("token=")[2])
        page.get_by_role("button", name="Open").click()
        expect(page.get_by_role("heading", name="Library")).to_be_visible()
        assert page.url == f"{address}/"
        page.reload()
        expect(page.get_by_role("heading", name="Library")).to_be_visible()
        open_page(page, f"{address}/Versions")
        expect(page.get_by_role("heading", name="Versions")).to_be_visible()
        stranger = chromium.new_context().new_page()
        stranger.goto(f"{address}/Versions")
        expect(stranger.get_by_label("Token")).to_be_visible()
        stranger.context.close()
        page.context.close()
