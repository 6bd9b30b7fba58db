"""One app and one Chromium for all browser tests, with shared data."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, ViewportSize, expect

from tests.browser.actions import PATIENCE, go_to, new_page, open_page
from tests.browser.running_app import add_samples, find_chromium, running_app, running_chromium
from tests.conftest import GUARD
from tests.network_guard.loopback_only import LOG_VARIABLE

FOLDER = Path(__file__).parent
SIZE: ViewportSize = {"width": 1440, "height": 900}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All in one worker, so that one app serves them."""
    for item in items:
        if item.path.is_relative_to(FOLDER):
            item.add_marker(pytest.mark.browser)
            item.add_marker(pytest.mark.xdist_group("browser"))


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
    paths = [str(GUARD), *filter(None, [os.environ.get("PYTHONPATH")])]
    guarded = {"PYTHONPATH": os.pathsep.join(paths), LOG_VARIABLE: str(attempts)}
    with running_app(app_home, environment=guarded) as address:
        yield address
    assert not attempts.exists(), f"the app used the network:\n{attempts.read_text()}"


@pytest.fixture(scope="session")
def foreign_requests() -> list[str]:
    """What the pages of this test asked other machines for."""
    return []


@pytest.fixture(autouse=True)
def no_foreign_requests(foreign_requests: list[str]) -> Iterator[None]:
    """Fails a test whose pages ask another machine."""
    foreign_requests.clear()
    yield
    assert not foreign_requests


@pytest.fixture(scope="session")
def new_browser(
    chromium: Browser, app_address: str, foreign_requests: list[str]
) -> Callable[[], BrowserContext]:
    """Makes a browser that has never been anywhere."""

    def note(request: Request) -> None:
        if is_foreign(request.url, app_address):
            foreign_requests.append(request.url)

    def make() -> BrowserContext:
        context = chromium.new_context(
            base_url=app_address,
            viewport=SIZE,
            reduced_motion="reduce",  # drawing what moves is a third of the work without a graphics card
        )
        context.on("request", note)
        return context

    return make


@pytest.fixture(scope="session")
def window(new_browser: Callable[[], BrowserContext]) -> Page:
    """One window for most tests here: loading the app anew takes longer than what they look at.

    Its session has what other tests left in it, as that of somebody who was on other pages before.
    """
    page = new_page(new_browser())
    open_page(page, "/")
    return page


@pytest.fixture
def go_to_address(window: Page) -> Iterator[Callable[[str], Page]]:
    """Goes to an address in the window for all tests, as one does from another page."""

    def come(address: str) -> Page:
        go_to(window, "/Versions")
        go_to(window, address)
        return window

    yield come
    window.set_viewport_size(SIZE)


@pytest.fixture(scope="session")
def known_browser(new_browser: Callable[[], BrowserContext]) -> BrowserContext:
    """A browser that keeps the app's scripts from one test to the next, which halves the time of a page."""
    return new_browser()


@pytest.fixture
def page(known_browser: BrowserContext) -> Iterator[Page]:
    """A page in a browser that has no cookies."""
    known_browser.clear_cookies()
    yield new_page(known_browser)
    for page in known_browser.pages:
        page.close()


@pytest.fixture
def other_page(new_browser: Callable[[], BrowserContext]) -> Iterator[Page]:
    """A page in somebody else's browser."""
    page = new_page(new_browser())
    yield page
    page.context.close()


def is_foreign(url: str, address: str) -> bool:
    """Whether an address is neither the app's own nor made up by the browser itself."""
    parts = urlsplit(url)
    return parts.scheme in {"http", "https", "ws", "wss"} and parts.netloc != urlsplit(address).netloc
