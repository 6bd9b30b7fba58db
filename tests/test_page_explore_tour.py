"""The tour of Explore: each step is over when a person did it, and it is shown once."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

from convgate.core.home import app_root
from convgate.ui.explore.message import QUESTION
from convgate.ui.explore.page import THRESHOLD
from convgate.ui.explore.tour import STEPS
from convgate.ui.shared.samples import load_samples
from tests.fakes import FakeEncoder
from tests.page_app import address, check, choose, click, go_back, open_page, page_text
from tests.page_app import encoder as encoder


def open_sample(number: int = 0) -> AppTest:
    sample = load_samples(app_root() / "sample_conversations")[number]
    return open_page("Explore", **address(click(open_page("Library"), f"sample-{sample.file}")))


def step(app: AppTest) -> int | None:
    """The number of the step that is shown, from 1."""
    shown = [number for number, text in enumerate(STEPS.values(), 1) if text in page_text(app)]
    assert len(shown) < 2
    return shown[0] if shown else None


def test_doing_what_a_step_says_leads_to_the_next(convgate_home: Path, encoder: FakeEncoder) -> None:
    app = open_sample()
    assert step(app) == 1
    assert step(check(app.run())) == 1
    check(app.chat_input(key=QUESTION).set_value("Write a test for the Fibonacci function").run())
    assert step(app) == 2
    app = go_back(app, **{**address(app), "selected": "3"})
    assert step(app) == 3
    check(app.select_slider(key=THRESHOLD).set_value("0.01").run())
    assert step(app) == 4
    assert step(choose(app, "explore.listed", "invariants")) == 4, "that is not what it asks for"
    app = choose(app, "explore.listed", "sent")
    assert step(app) is None
    assert step(open_sample()) is None


def test_a_tour_that_is_skipped_is_over(convgate_home: Path, encoder: FakeEncoder) -> None:
    app = click(open_sample(), "explore.tour.skip")
    assert step(app) is None
    assert step(open_sample()) is None


def test_other_samples_say_what_they_show(convgate_home: Path, encoder: FakeEncoder) -> None:
    assert step(open_sample(1)) is None
