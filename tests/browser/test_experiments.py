"""Experiments in a browser: rating by keyboard, without a sign of the arm, and a replay."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from playwright.sync_api import Page, WebSocket, expect

from convgate.core.settings import Settings
from convgate.experiments.arms import Arm, Experiment, create_experiment
from convgate.store import Store
from convgate.store.experiments import Experiments
from tests.browser.running_app import awaited_run, open_page, wait_until_idle
from tests.browser.test_label import choose_name, wait_for_value
from tests.experiments import add_trials, new_experiment

NAME = "Ada Queue"
ARMS = ("xylophone", "quagga")
_counts = count(1)


@pytest.fixture
def experiment(app_address: str, app_home: Path) -> Iterator[tuple[Store, Experiment]]:
    """Three answers of two arms to rate."""
    store = Store(app_home / "convgate.db")
    control, candidate = (Arm(name, Settings()) for name in ARMS)
    made = replace(new_experiment(), name="by keyboard", arms=(control, candidate))
    create_experiment(store, made)
    for arm in (*ARMS, ARMS[0]):
        add_trials(store, made, arm, 1, answer=f"Answer of {len(Experiments(store).trials(made.name))}.")
    yield store, made
    Experiments(store).delete(made.name)


def test_answers_are_rated_by_keyboard_without_a_sign_of_the_arm(
    page: Page, experiment: tuple[Store, Experiment]
) -> None:
    store, made = experiment
    received: list[str | bytes] = []

    def note(frame: str | bytes) -> None:
        received.append(frame)

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", note)

    page.on("websocket", listen)

    def stored() -> list[tuple[bool | None, tuple[str, ...] | None, int | None]]:
        ratings = Experiments(store).ratings(made.name).values()
        return [(each.completed, each.errors, each.focus) for of_trial in ratings for each in of_trial]

    open_page(page, f"/Experiments?experiment={made.name}&rate=1")
    choose_name(page, NAME)
    first, third = (True, (), 5), (None, None, None)
    second = (False, ("forgotten_constraint", "hallucination"), 2)
    expect(page.get_by_text("Answer of 0.")).to_be_visible()
    press(page, "y5")
    wait_for_value(page, stored, [first])
    expect(page.get_by_text("Answer of 1.")).to_be_visible()
    press(page, "nfasa2")
    wait_for_value(page, stored, [first, second])
    expect(page.get_by_text("Answer of 2.")).to_be_visible()
    press(page, "z")
    wait_for_value(page, stored, [first])
    expect(page.get_by_text("Answer of 1.")).to_be_visible()
    press(page, "2")
    wait_for_value(page, stored, [first, second])
    expect(page.get_by_text("Answer of 2.")).to_be_visible()
    press(page, "ug0")
    wait_for_value(page, stored, [first, second, third])
    expect(page.get_by_text("No answer needs your rating.")).to_be_visible()
    expect(page.get_by_text("3 answers rated, 0 to rate")).to_be_visible()
    sent = b"".join(frame if isinstance(frame, bytes) else frame.encode() for frame in received)
    assert b"Answer of 2." in sent
    assert not re.search("|".join(ARMS).encode(), sent)
    assert not re.search("|".join(ARMS), page.url)


def test_a_replay_is_started_and_kept_by_its_address(go_to_address: Callable[[str], Page]) -> None:
    control = f"last_k(k={next(_counts)})"  # another one in a rerun, for the app keeps results
    page = go_to_address(f"/Experiments?on=replay&data=samples&control={control}&arms=bm25; context:bm25")
    page.get_by_role("button", name=re.compile("Replay .* messages")).click()
    export = page.get_by_role("button", name="Export CSV table")
    expect(export).to_be_visible()
    wait_until_idle(page)
    with page.expect_download() as download:
        export.click()
    assert "Context with BM25,matched," in download.value.path().read_text()
    page.reload()
    expect(page.get_by_role("row", name=re.compile("^Context with BM25 as the control"))).to_be_visible()
    wait_until_idle(page)
    page.get_by_role("button", name="Free", exact=True).click()
    expect(page.get_by_role("button", name=re.compile("Replay .* messages"))).to_be_visible()


def press(page: Page, keys: str) -> None:
    """Press keys one after the other, each when the page shows the result of the one before."""
    for key in keys:
        with awaited_run(page):
            page.keyboard.press(key)
        wait_until_idle(page, frames=0)
