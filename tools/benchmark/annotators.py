"""Annotators who label at the same time: the time until an answer is stored, and whether each is, once.

python -m tools.benchmark.annotators --annotators 20 --minutes 10

Starts the app with the samples and a queue in a temporary home. Each annotator is a WebSocket client that
speaks Streamlit's protocol, with a session and a cookie of its own: it reads the question, waits as a person
does, presses a button, and waits until the page says that the answer is stored. Afterwards the database is
compared with what the annotators were told.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.request import HTTPCookieProcessor, build_opener

import numpy as np
import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin, Subprotocol

from convgate.store import Conversations, CurrentKey, Labels, Store
from convgate.store.queues import NewItem, Queues
from convgate.ui.shared.annotator import COOKIE
from tests.browser.running_app import add_samples, running_app

_VALUES = ("relevant", "not_relevant", "unsure")
_THINKING = (1.0, 3.0)  # seconds before a click
_UNDO, _SKIP = 0.04, 0.03  # shares of the clicks
_ANSWER_SECONDS = 60.0  # without an answer for so long, an annotator reports an error and leaves
_NEWEST = 6  # turns before each message that the queue asks about
_ASKS = re.compile(r"Does turn ([\d,]+) matter")
_WHERE = re.compile(r"^Message ([\d,]+) · (.*)")
_SAVED = re.compile(r":material/check: (Saved|Undone) [\d:]+(?:, turn ([\d,]+))?")

Place = tuple[str, int, int]  # conversation, message and turn, counted from 0


@dataclass
class Page:
    """What one run of the page sent."""

    buttons: dict[str, str] = field(default_factory=dict)  # ids of enabled ones, by key
    saved: tuple[str, str] | None = None  # what the page says about the last action: its kind and turn
    saved_after: float = 0.0  # seconds from the click to these words
    progress: str = ""
    title: str = ""  # of the conversation, without its signs
    message: int = -1  # the current one, counted from 0
    asks: int = -1  # about this turn, counted from 0
    problems: list[str] = field(default_factory=list)


class Annotator:
    """A client of the app, and what it was told."""

    def __init__(self, name: str, queue: int, seed: int, keys: Mapping[str, str]) -> None:
        """keys: of the conversations, by their titles without signs."""
        self.name, self._keys = name, keys
        self.labels: dict[Place, str] = {}
        self.actions: Counter[str] = Counter()  # confirmed ones
        self.seconds: list[float] = []  # from a click to "Saved", for each answer
        self.errors: list[str] = []
        self.read_back = ""
        self._query = f"queue={queue}"
        self._random = random.Random(seed)
        self._undo: list[tuple[Place | None, str | None]] = []  # what an undo gives a place back

    async def work(self, address: str, cookies: str, end: float) -> None:
        """Label until the end (of `time.monotonic`), then open the page anew and read the progress."""
        try:
            async with self._connect(address, cookies) as socket:
                page = await self._run(socket, None)
                while time.monotonic() < end and "answering.relevant" in page.buttons:
                    await asyncio.sleep(self._random.uniform(*_THINKING))
                    page = await self._act(socket, page)
            async with self._connect(address, cookies) as socket:
                self.read_back = (await self._run(socket, None)).progress
        except (WebSocketException, OSError, TimeoutError, KeyError, ValueError) as error:
            self.errors.append(f"{type(error).__name__}: {error}")

    def _connect(self, address: str, cookies: str) -> connect:
        return connect(
            f"{address.replace('http', 'ws', 1)}/_stcore/stream",
            origin=Origin(address),
            additional_headers={"Cookie": f"{cookies}; {COOKIE}={self.name}"},
            subprotocols=[Subprotocol("streamlit")],
            max_size=None,
        )

    async def _act(self, socket: ClientConnection, page: Page) -> Page:
        """Press a button, and keep what the page confirms."""
        place: Place = self._keys[page.title], page.message, page.asks
        chance = self._random.random()
        if chance < _UNDO and self._undo and "answering.undo" in page.buttons:
            kind, button, says = "undo", "undo", "Undone"
        elif chance < _UNDO + _SKIP and "answering.later" in page.buttons:
            kind, button, says = "skip", "later", "Saved"
        else:
            kind, button, says = "answer", self._random.choice(_VALUES), "Saved"
        page = await self._run(socket, page.buttons[f"answering.{button}"])
        self.errors += page.problems
        if page.saved is None or page.saved[0] != says:
            self.errors.append(f"{kind} at {place} was not confirmed: {page.saved}")
            return page
        self.actions[kind] += 1
        if kind == "undo":
            undone, before = self._undo.pop()
            if undone is not None:
                self._set(undone, before)
        elif kind == "skip":
            self._undo.append((None, None))
        else:
            if page.saved[1] != f"{place[2] + 1:,}":
                self.errors.append(f"answered turn {place[2] + 1}, stored for {page.saved[1]}")
            self._undo.append((place, self.labels.get(place)))
            self._set(place, button)
            self.seconds.append(page.saved_after)
        return page

    def _set(self, place: Place, value: str | None) -> None:
        if value is None:
            del self.labels[place]
        else:
            self.labels[place] = value

    async def _run(self, socket: ClientConnection, button: str | None) -> Page:
        """Have the page run, after a click on a button, and return what it draws."""
        message, sent = BackMsg(), time.monotonic()
        message.rerun_script.query_string = self._query
        message.rerun_script.page_name = "Label"
        if button is not None:
            message.rerun_script.widget_states.widgets.add(id=button, trigger_value=True)
        await socket.send(message.SerializeToString())
        page = Page()
        async with asyncio.timeout(_ANSWER_SECONDS):
            while True:
                data = await socket.recv(decode=False)
                received = ForwardMsg.FromString(data)
                kind = received.WhichOneof("type")
                if kind == "new_session":
                    page = Page()
                elif kind == "delta":
                    _read_element(received, page, sent)
                elif (
                    kind == "script_finished" and received.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY
                ):
                    return page


def _read_element(message: ForwardMsg, page: Page, sent: float) -> None:
    element = message.delta.new_element
    kind = element.WhichOneof("type")
    if kind == "button" and not element.button.disabled:
        page.buttons[element.button.id.rpartition("-")[2]] = element.button.id
    elif kind == "progress":
        page.progress = element.progress.text
    elif kind == "markdown" and (where := _WHERE.search(element.markdown.body)):
        page.title, page.message = _bare(where[2]), int(where[1].replace(",", "")) - 1
    elif kind == "heading" and (asked := _ASKS.match(element.heading.body)):
        page.asks = int(asked[1].replace(",", "")) - 1
    elif kind == "exception":
        page.problems.append(f"{element.exception.type}: {element.exception.message}")
    elif kind == "alert" and element.alert.format == element.alert.ERROR:
        page.problems.append(element.alert.body)
    elif kind == "markdown" and (saved := _SAVED.match(element.markdown.body)):
        page.saved, page.saved_after = (saved[1], saved[2] or ""), time.monotonic() - sent


def _bare(title: str) -> str:
    """Return the beginning of a title, which the page may cut, without signs, which it may escape."""
    return re.sub(r"[\W_]", "", title)[:40]


def _fill_home(home: Path) -> tuple[int, dict[str, str]]:
    """Add the samples and a queue about every message of theirs; return its number, and keys by title."""
    add_samples(home)
    store = Store(home / "convgate.db")
    items, keys = [], {}
    for row in Conversations(store).find(per_page=200).rows:
        conversation = Conversations(store).get(row.key).conversation
        keys[_bare(row.title)] = row.key
        for message in conversation.answerable():
            turns = range(max(0, message - _NEWEST), message)
            items += [NewItem(CurrentKey(row.key, message), turn, "audit", "Random.") for turn in turns]
    number = Queues(store).add("Benchmark", items, by="benchmark", seed=0)
    store.close()
    return number, keys


def _open_cookies(address: str, log: str) -> str:
    """Return the cookies of a browser that opened the address that the app printed."""
    jar = CookieJar()
    token = re.search(r"token=(\S+)", log)
    build_opener(HTTPCookieProcessor(jar)).open(f"{address}/?token={token[1] if token else ''}").close()
    return "; ".join(f"{cookie.name}={cookie.value}" for cookie in jar)


def compare(home: Path, annotators: list[Annotator]) -> dict[str, int]:
    """Return how many rows of the database differ from what the annotators were told."""
    labels = {(each.name, *place): value for each in annotators for place, value in each.labels.items()}
    store = Store(home / "convgate.db")
    stored = {
        (entry.annotator, entry.current.conversation, entry.current.turn or 0, entry.turn): entry.value
        for entry in Labels(store).entries()
    }
    store.close()
    with closing(sqlite3.connect(home / "convgate.db")) as db:
        rows = db.execute(
            "SELECT name, label_actions.kind = 'undo', count(*) FROM label_actions"
            " JOIN annotators ON annotators.number = annotator GROUP BY 1, 2"
        ).fetchall()
    actions = Counter({(name, bool(undo)): count for name, undo, count in rows})
    confirmed = Counter(
        {
            (each.name, undo): each.actions["undo"] if undo else each.actions["answer"] + each.actions["skip"]
            for each in annotators
            for undo in (True, False)
        }
    )
    return {
        "lost": sum(stored.get(place) != value for place, value in labels.items()),
        "not_given": sum(place not in labels for place in stored),
        "lost_actions": (confirmed - actions).total(),
        "doubled_actions": (actions - confirmed).total(),
        "read_back_wrong": sum(f", {len(each.labels):,} of " not in each.read_back for each in annotators),
    }


async def _label_together(address: str, cookies: str, annotators: list[Annotator], seconds: float) -> None:
    end = time.monotonic() + seconds
    await asyncio.gather(*(each.work(address, cookies, end) for each in annotators))


def measure(n_annotators: int, minutes: float) -> dict[str, object]:
    """Return counts, times in seconds, errors, and differences to the database."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        queue, keys = _fill_home(home)
        annotators = [Annotator(f"annotator-{n:02}", queue, n, keys) for n in range(n_annotators)]
        with running_app(home, environment={"CONVGATE_APP_TOKEN": "true"}) as address:
            cookies = _open_cookies(address, (home / "app.log").read_text())
            before = _server_cpu_seconds()
            asyncio.run(_label_together(address, cookies, annotators, 60 * minutes))
            cpu_seconds = _server_cpu_seconds() - before
        seconds = [value for each in annotators for value in each.seconds]
        errors = [f"{each.name}: {error}" for each in annotators for error in each.errors]
        actions = sum((each.actions for each in annotators), Counter[str]())
        return {
            "annotators": n_annotators,
            "minutes": minutes,
            "actions": dict(actions),
            "stored_seconds": _describe(seconds),
            "server_cpu_seconds": round(cpu_seconds, 1),
            "differences": compare(home, annotators),
            "n_errors": len(errors),
            "errors": errors[:20],
        }


def _server_cpu_seconds() -> float:
    return sum(sum(child.cpu_times()[:2]) for child in psutil.Process().children(recursive=True))


def _describe(seconds: list[float]) -> dict[str, float]:
    if not seconds:
        return {}
    p50, p95 = np.percentile(seconds, (50, 95))
    return {"p50": round(float(p50), 3), "p95": round(float(p95), 3), "max": round(max(seconds), 3)}


def main() -> None:
    """Print the result as JSON."""
    parser = argparse.ArgumentParser(description="Measure annotators who label at the same time.")
    parser.add_argument("--annotators", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=10.0)
    arguments = parser.parse_args()
    print(json.dumps(measure(arguments.annotators, arguments.minutes), indent=2))


if __name__ == "__main__":
    main()
