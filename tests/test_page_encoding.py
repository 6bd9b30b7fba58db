"""A conversation that takes long to encode, on Explore and Context."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Turn
from convgate.embedding.base import Embeddings, Progress
from convgate.ui.explore.encoding import NEWEST
from tests.fakes import FakeEncoder
from tests.page_app import (
    add_conversation,
    click,
    click_in_fragment,
    open_page,
    page_text,
    stated,
    turn_table,
    use_encoder,
    use_word_modes,
)

N_TURNS = 601
LAST = N_TURNS - 1  # the current message


class SteppedEncoder(FakeEncoder):
    """In the background it encodes as many batches as a test allows."""

    def __init__(self) -> None:
        super().__init__()
        self.allowed = threading.Semaphore(0)
        self.in_background: list[str] = []

    def encode_passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> list[Embeddings]:
        if threading.current_thread().name == "convgate-encoding" and progress is not None:
            while not self.allowed.acquire(timeout=0.01):
                progress(0, len(texts))
            self.in_background += texts
        return super().encode_passages(texts, progress=progress)


@pytest.fixture
def encoder(convgate_home: Path, monkeypatch: pytest.MonkeyPatch) -> SteppedEncoder:
    encoder = SteppedEncoder()
    use_encoder(encoder, monkeypatch)
    use_word_modes(monkeypatch)
    return encoder


@pytest.fixture
def key(encoder: SteppedEncoder) -> str:
    turns = [Turn.of("assistant" if index % 2 else "user", f"text number {index}") for index in range(LAST)]
    turns[3] = Turn.of("assistant", "the loss is nan")
    return add_conversation(*turns, Turn.of("user", "the loss is nan"))


def progress(app: AppTest) -> str:
    """Return the line about what is encoded."""
    return "\n".join(element.proto.text for element in app.get("progress"))


def run_until(app: AppTest, is_true: Callable[[AppTest], bool]) -> AppTest:
    """Return the page, drawn as often as its fragment does, when that is true."""
    end = time.monotonic() + 60
    while not is_true(app):
        assert time.monotonic() < end, progress(app)
        time.sleep(0.02)
        app.run()
    return app


def is_whole(app: AppTest) -> bool:
    return f"All {LAST} earlier turns are read." in page_text(app)


def outcomes(app: AppTest) -> dict[int, str]:
    return {row["turn"]: row["outcome"] for row in turn_table(app)["rows"]}


def test_explore_shows_the_newest_turns_and_then_all(key: str, encoder: SteppedEncoder) -> None:
    app = open_page("Explore", conversation=key)
    part = f"Scores, threshold and decisions are of the newest {NEWEST} turns."
    assert progress(app) == f"Reading older turns: 0 of {LAST}. {part}"
    assert f"of the newest {NEWEST} earlier turns" in page_text(app)
    shown, selected = outcomes(app), turn_table(app)["selected"]
    assert {shown[turn] for turn in shown if turn < LAST - NEWEST} == {"older"}
    newest = {shown[turn] for turn in shown if LAST - NEWEST <= turn < LAST}
    assert newest <= {"likely needed", "in case", "dropped, low score"}
    encoder.allowed.release(2)
    run_until(app, lambda app: progress(app).startswith(f"Reading older turns: 64 of {LAST}."))
    assert encoder.in_background == [f"text number {turn}" for turn in range(599, 535, -1)], "newest first"
    encoder.allowed.release(100)
    run_until(app, is_whole)
    assert not progress(app)
    assert stated(app, "Of") == str(LAST)
    assert turn_table(app)["selected"] == selected, "nothing moves"
    assert "older" not in outcomes(app).values()
    again = open_page("Explore", conversation=key)
    scores = {row["turn"]: float(row["score"]) for row in turn_table(again)["rows"] if row["score"]}
    assert scores[turn_table(again)["selected"]] == max(scores.values()), "the best one is in sight"
    assert stated(again, "Kept") == stated(app, "Kept")


def test_cancel_stops_reading_until_a_person_asks_for_all(key: str, encoder: SteppedEncoder) -> None:
    app = click_in_fragment(open_page("Explore", conversation=key), "encoding.cancel")
    assert progress(app).startswith(f"Read: 0 of {LAST}.")
    encoder.allowed.release(100)
    app = open_page("Explore", conversation=key)
    assert progress(app).startswith(f"Read: 0 of {LAST}."), "a reload starts nothing"
    run_until(click(app, "encoding.start"), is_whole)


def test_a_reload_finds_the_reading_again(key: str, encoder: SteppedEncoder) -> None:
    run_until(open_page("Explore", conversation=key), lambda app: "Reading" in progress(app))
    encoder.allowed.release(1)
    run_until(open_page("Explore", conversation=key), lambda app: f"32 of {LAST}" in progress(app))
    encoder.allowed.release(100)
    app = open_page("Explore", conversation=key)
    run_until(app, lambda app: "older" not in outcomes(app).values())
    assert not progress(app), "all is read"


def test_what_is_in_the_cache_is_shown_whole_at_once(key: str, encoder: SteppedEncoder) -> None:
    encoder.allowed.release(100)
    run_until(open_page("Explore", conversation=key), lambda app: not progress(app))
    app = open_page("Explore", conversation=key)
    assert not progress(app)
    assert "older" not in outcomes(app).values()


def test_a_message_near_the_beginning_needs_no_older_turns(key: str) -> None:
    app = open_page("Explore", conversation=key, turn="60")
    assert not progress(app)
    assert stated(app, "Of") == str(60 - 1)


def test_a_budget_waits_for_all_turns(key: str, encoder: SteppedEncoder) -> None:
    app = open_page("Explore", conversation=key, budget="8000")
    part = "The selection is shown when all are read."
    assert progress(app) == f"Reading older turns: 0 of {LAST}. {part}"
    assert "The model gets" not in page_text(app)
    encoder.allowed.release(100)
    run_until(app, is_whole)
    assert stated(app, "Of") == str(LAST)
