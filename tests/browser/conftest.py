"""One app and one Chromium for all browser tests, with shared data."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, TimeoutError, ViewportSize, expect

from tests.browser.running_app import (
    add_samples,
    find_chromium,
    go_to,
    open_page,
    running_app,
    running_chromium,
    wait_until_idle,
)
from tests.conftest import GUARD
from tests.network_guard.loopback_only import LOG_VARIABLE

FOLDER = Path(__file__).parent
PATIENCE = 30_000  # ms; a busy machine is slow
SIZE: ViewportSize = {"width": 1440, "height": 900}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All in one worker, so that one app serves them.

    One that fails is run twice more: on a busy machine a click is lost while a page is still being drawn.
    """
    for item in items:
        if item.path.is_relative_to(FOLDER):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))
            item.add_marker(pytest.mark.flaky(reruns=2))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    executable = find_chromium()
    if executable is None:
        missing = "no Chromium or Chrome was found; install one, or name it in CONVGATE_CHROMIUM"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    expect.set_options(timeout=PATIENCE)
    with running_chromium(executable) as browser:
        yield browser


@pytest.fixture(scope="session")
def app_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The data directory of the running app."""
    return tmp_path_factory.mktemp("app") / "home"


@pytest.fixture(scope="session")
def sample_keys(app_home: Path) -> dict[str, list[str]]:
    """Every sample is in the library: the keys of its conversations, by the sample's file name."""
    return add_samples(app_home)


@pytest.fixture(scope="session")
def app_address(chromium: Browser, app_home: Path, sample_keys: dict[str, list[str]]) -> Iterator[str]:
    """Address of the real app, with the samples in its library; it may open no connection."""
    attempts = app_home.parent / "network.log"
    guarded = {"PYTHONPATH": str(GUARD), LOG_VARIABLE: str(attempts)}
    with running_app(app_home, environment=guarded) as address:
        yield address
    assert not attempts.exists(), f"the app used the network:\n{attempts.read_text()}"


@pytest.fixture(scope="session")
def window(chromium: Browser, app_address: str) -> Iterator[Page]:
    """One window for most tests here: loading the app anew takes longer than what they look at.

    Its session has what other tests left in it, as that of somebody who was on other pages before.
    """
    context = new_browser(chromium, app_address)
    page = context.new_page()
    open_page(page, "/")
    yield page
    context.close()


@pytest.fixture
def go_to_address(
    window: Page, no_foreign_requests: Callable[[BrowserContext], None]
) -> Iterator[Callable[[str], Page]]:
    """Goes to an address in the window for all tests, as one does from another page."""
    no_foreign_requests(window.context)

    def come(address: str) -> Page:
        try:
            wait_until_idle(window, timeout=PATIENCE, frames=0)  # of the test before
        except TimeoutError:  # a run was lost on the way: no other test is to wait for it
            open_page(window, "/Versions")
        go_to(window, "/Versions", frames=0)
        expect(window.get_by_role("heading", name="Versions", level=1)).to_be_visible()
        go_to(window, address)
        return window

    yield come
    window.set_viewport_size(SIZE)


@pytest.fixture(scope="session")
def known_browser(chromium: Browser, app_address: str) -> Iterator[BrowserContext]:
    """A browser that keeps the app's scripts from one test to the next, which halves the time of a page."""
    context = new_browser(chromium, app_address)
    yield context
    context.close()


@pytest.fixture
def no_foreign_requests(app_address: str) -> Iterator[Callable[[BrowserContext], None]]:
    """Watches a browser; the test fails when one of its pages asks another machine."""
    asked: list[str] = []
    watched: list[BrowserContext] = []

    def note(request: Request) -> None:
        if is_foreign(request.url, app_address):
            asked.append(request.url)

    def watch(context: BrowserContext) -> None:
        context.on("request", note)
        watched.append(context)

    yield watch
    for context in watched:
        context.remove_listener("request", note)
    assert not asked, f"the page asked other machines: {asked}"


@pytest.fixture
def page(
    known_browser: BrowserContext, no_foreign_requests: Callable[[BrowserContext], None]
) -> Iterator[Page]:
    """A page in a browser that has no cookies."""
    known_browser.clear_cookies()
    no_foreign_requests(known_browser)
    yield known_browser.new_page()
    for page in known_browser.pages:
        page.close()


@pytest.fixture
def other_page(
    chromium: Browser, app_address: str, no_foreign_requests: Callable[[BrowserContext], None]
) -> Iterator[Page]:
    """A page in somebody else's browser."""
    context = new_browser(chromium, app_address)
    no_foreign_requests(context)
    yield context.new_page()
    context.close()


def new_browser(chromium: Browser, address: str) -> BrowserContext:
    """A browser that has never been anywhere."""
    context = chromium.new_context(
        base_url=address,
        viewport=SIZE,
        reduced_motion="reduce",  # a third of the work goes into drawing what moves, without a graphics card
    )
    context.set_default_timeout(PATIENCE)
    return context


def is_foreign(url: str, address: str) -> bool:
    """Whether an address is neither the app's own nor made up by the browser itself."""
    parts = urlsplit(url)
    return parts.scheme in {"http", "https", "ws", "wss"} and parts.netloc != urlsplit(address).netloc
