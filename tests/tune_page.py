"""Tune on a small library: what its tests share."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Conversation, Turn
from convgate.core.home import app_root
from convgate.core.settings import load_settings
from convgate.store import Answer, Conversations, CurrentKey, Labels, NewConversation, Store
from convgate.ui import services
from convgate.versions.card import Draft
from convgate.versions.catalog import Versions
from tests.fakes import FakeEncoder
from tests.gates import trained_gate

TUNE = "pages/3_Tune.py"
WORDS = ["lake", "house", "boat", "bread", "tea", "rain", "router", "invoice", "parcel", "late"]
HOSTILE = "<b>x</b> [l](https://a.example) $x^2$ :smile:"


def talk(number: int, turns: int = 13, *, titled: bool = True) -> Conversation:
    random = np.random.default_rng(number)
    texts = [" ".join(random.choice(WORDS, 4)) for _ in range(turns)]
    said = [Turn.of("user" if i % 2 == 0 else "assistant", text) for i, text in enumerate(texts)]
    said[1] = Turn.of("assistant", f"{HOSTILE} {texts[1]}")
    title = f"Talk *{number}*" if titled else None
    return Conversation(f"talk-{number}", tuple(said), title=title, format="openai")


def labelled_library(home: Path, encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four labelled conversations, a version in use, and another one."""
    monkeypatch.setattr(services, "encoder", lambda *_: encoder)
    monkeypatch.setattr(services, "warm_up", lambda: None)
    monkeypatch.setattr("getpass.getuser", lambda: "grace")
    added = Conversations(store()).add([NewConversation(talk(number)) for number in range(4)])
    for number, one in enumerate(added):
        random = np.random.default_rng(number)
        for message in (8, 12):
            answers: dict[int, Answer | None] = {
                turn: "relevant" if random.random() < 0.4 else "not_relevant" for turn in range(message)
            }
            Labels(store()).answer(CurrentKey(one.key, message), answers, by="Ada")
    versions = Versions(home)
    versions.add(
        trained_gate(seed=5),
        Draft(threshold_rule="anchored", threshold_parameters={"anchor": 0.45, "threshold": 0.44}),
        name="used",
    )
    versions.add(trained_gate(seed=4), Draft(note="another"), name="other")
    versions.activate("used", who="Ada")
    return home


def open_page(path: str = TUNE, **query: str) -> AppTest:
    """A page of the app by its address, in a new session."""
    app = AppTest.from_file(str(app_root() / "app.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    return sound(app.switch_page(path).run())


def sound(app: AppTest) -> AppTest:
    assert not app.exception, app.exception[0].value
    return app


def click(app: AppTest, key: str) -> AppTest:
    return sound(app.button(key=key).click().run())


def slide(app: AppTest, key: str, value: object) -> AppTest:
    return sound(app.slider(key=key).set_value(value).run())


def choose(app: AppTest, key: str, value: object) -> AppTest:
    return sound(app.button_group(key=key).set_value(value).run())


def turn_to(app: AppTest, page: int) -> AppTest:
    (pages,) = app.get("pagination")
    return sound(pages.set_value(page).run())  # type: ignore[union-attr]


def said(app: AppTest) -> str:
    told = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error]
    return "\n".join(str(element.value) for element in told).replace("\\", "").replace("\u2060", "")


def table(app: AppTest) -> dict[str, list[str]]:
    """The metrics by row: cells of the version's own settings and of the new ones."""
    (text,) = [str(item.value) for item in app.markdown if str(item.value).startswith("|  | Version")]
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in text.splitlines()[2:]]
    return {row[0]: row[1:] for row in rows}


def number(app: AppTest, row: str, column: int = 1) -> float:
    """The value of a row of the table, without its interval: of the new settings, or of the version's own."""
    return float(table(app)[row][column].split()[0])


def flips(app: AppTest) -> tuple[int, int, int]:
    """How many decisions flip, how many are fixed, how many broken."""
    counts = re.search(r"\*\*(\d+) decisions?\*\*.*\*\*(\d+) fixed\*\*.*\*\*(\d+) broken", said(app))
    return (int(counts[1]), int(counts[2]), int(counts[3])) if counts else (0, 0, 0)


def listed(app: AppTest) -> list[dict[str, str]]:
    """The links into Explore, with their queries."""
    return [
        {"label": link.proto.label, "query": link.proto.query_string}
        for link in app.get("page_link")
        if "for message" in link.proto.label
    ]


def store() -> Store:
    return Store(load_settings().database)


def key_of(number: int) -> str:
    return Conversations(store()).find(sort="title", descending=False).rows[number].key
