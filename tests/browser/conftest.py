"""One app and one Chromium for all tests here, a fresh page for each; the app's data is shared by them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.running_app import add_samples, find_chromium, running_app, running_chromium
from tests.conftest import GUARD
from tests.network_guard.loopback_only import LOG_VARIABLE

FOLDER = Path(__file__).parent
PATIENCE = 30_000  # ms; a busy machine is slow


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
    guarded = {"PYTHONPATH": str(GUARD), LOG_VARIABLE: str(attempts)}
    with running_app(app_home, environment=guarded) as address:
        yield address
    assert not attempts.exists(), f"the app used the network:\n{attempts.read_text()}"


@pytest.fixture
def browse(chromium: Browser, app_address: str) -> Iterator[Callable[[], BrowserContext]]:
    """Browsers that have never been here; the test fails when one of them asks another machine."""
    contexts: list[BrowserContext] = []
    strangers: list[str] = []

    def open_browser() -> BrowserContext:
        context = chromium.new_context(base_url=app_address, viewport={"width": 1440, "height": 900})
        context.set_default_timeout(PATIENCE)
        context.on(
            "request",
            lambda request: strangers.append(request.url) if is_strange(request.url, app_address) else None,
        )
        contexts.append(context)
        return context

    yield open_browser
    for context in contexts:
        context.close()
    assert not strangers, f"the page asked other machines: {strangers}"


@pytest.fixture
def page(browse: Callable[[], BrowserContext]) -> Page:
    """A page in a browser that has never been here."""
    return browse().new_page()


def is_strange(url: str, address: str) -> bool:
    """Whether an address is neither the app's own nor made up by the browser itself."""
    parts = urlsplit(url)
    return parts.scheme in {"http", "https", "ws", "wss"} and parts.netloc != urlsplit(address).netloc
