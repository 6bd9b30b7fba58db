"""The app in a process of its own, and a Chromium that opens it; for tests and screenshots."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil
from playwright.sync_api import Browser, sync_playwright

from convgate.core.home import app_root
from convgate.messages import turn_tokens
from convgate.store import Conversations, NewConversation, Store
from convgate.transcripts import read_conversations

CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
CHROMIUM_MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"

REBOUND_NAME = "rebound.test"
"""A host name of somebody else that resolves to this machine in our Chromium."""

# Chromium on its own looks for updates and more; --no-sandbox because root, as in CI, cannot have one.
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--host-resolver-rules=MAP {REBOUND_NAME} 127.0.0.1",
]


class AppDidNotStartError(RuntimeError):
    """The app's process ended, or did not answer in time; the message has what it printed."""


@contextmanager
def running_app(
    home: Path,
    *,
    environment: Mapping[str, str] | None = None,
    options: Sequence[str] = ("--no-browser",),
    patience: float = 90,
) -> Iterator[str]:
    """Starts `convgate app` with its data in `home`; gives its address, and ends it afterwards.

    It runs in `home` too, so that nothing works only because it was started in the checkout. It asks for no
    token unless the environment says so.
    """
    home.mkdir(parents=True, exist_ok=True)
    port = free_port()
    command = [str(Path(sys.executable).with_name("convgate")), "app", "--port", str(port), *options]
    own = {"CONVGATE_HOME": str(home), "CONVGATE_APP_TOKEN": "false"}
    settings = {**os.environ, **own, **(environment or {})}
    log = home / "app.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, env=settings, cwd=home, stdout=output, stderr=subprocess.STDOUT)
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_until_it_answers(process, address, log, patience)
        yield address
    finally:
        _end(process)


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def find_chromium() -> str | None:
    """Path of the Chromium or Chrome of this system, or of the one that CONVGATE_CHROMIUM names."""
    named = os.environ.get("CONVGATE_CHROMIUM")
    candidates = (named,) if named else (*CHROMIUM_NAMES, CHROMIUM_MAC)
    return next((path for name in candidates if (path := shutil.which(name))), None)


@contextmanager
def running_chromium(executable: str) -> Iterator[Browser]:
    """A headless Chromium with a profile of its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_FLAGS)
        try:
            yield browser
        finally:
            browser.close()


def page_paths() -> list[str]:
    """Address of every page below the app's: "" for app.py, then "Explore" for pages/1_Explore.py."""
    from streamlit.source_util import page_icon_and_name, page_sort_key

    scripts = sorted((app_root() / "pages").glob("*.py"), key=page_sort_key)
    return ["", *(page_icon_and_name(script)[1] for script in scripts)]


def add_samples(home: Path) -> dict[str, list[str]]:
    """Puts every sample into the library in `home`; the keys of its conversations, by the file's name.

    The relevance set repeats the others, so it is left out.
    """
    folder = app_root() / "sample_conversations"
    files = sorted({*folder.glob("*.*")} - {*folder.glob("README.md")} - {*folder.glob("*.relevance.jsonl")})
    library = Conversations(Store(home / "convgate.db"))
    keys = {}
    for file in files:
        conversations = read_conversations(file).conversations
        added = library.add(
            NewConversation(conversation, file.name, int(turn_tokens(conversation.turns).sum()))
            for conversation in conversations
        )
        keys[file.name] = [addition.key for addition in added]
    return keys


def _wait_until_it_answers(
    process: subprocess.Popen[bytes], address: str, log: Path, patience: float
) -> None:
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if process.poll() is not None:
            raise AppDidNotStartError(f"convgate app ended with {process.returncode}:\n{_tail(log)}")
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=5) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    raise AppDidNotStartError(f"convgate app did not answer within {patience:.0f} s:\n{_tail(log)}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the command and the Streamlit server below it."""
    family = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
    for member in (process, *family):
        member.terminate()
    _, alive = psutil.wait_procs(family, timeout=10)
    for member in alive:
        member.kill()
    process.wait()


def _tail(log: Path) -> str:
    return log.read_text(encoding="utf-8", errors="replace")[-4000:]
