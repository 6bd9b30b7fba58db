"""Experiments in a browser: rating by keyboard, without a sign of the arm, and a replay."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, WebSocket, expect

from convgate.core.settings import Settings
from convgate.experiments.arms import Arm, Experiment, create_experiment
from convgate.store import Store
from convgate.store.experiments import Experiments
from tests.browser.actions import choose_name, open_page, press, wait_for_value
from tests.experiments import add_trials, new_experiment

NAME = "Ada Queue"
ARMS = ("xylophone", "quagga")


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
    press(page, *"y5")
    wait_for_value(page, stored, [first])
    expect(page.get_by_text("Answer of 1.")).to_be_visible()
    press(page, *"nfasa2")
    wait_for_value(page, stored, [first, second])
    expect(page.get_by_text("Answer of 2.")).to_be_visible()
    press(page, "z")
    wait_for_value(page, stored, [first])
    expect(page.get_by_text("Answer of 1.")).to_be_visible()
    press(page, "2")
    wait_for_value(page, stored, [first, second])
    expect(page.get_by_text("Answer of 2.")).to_be_visible()
    press(page, *"ug0")
    wait_for_value(page, stored, [first, second, third])
    expect(page.get_by_text("No answer needs your rating.")).to_be_visible()
    expect(page.get_by_text("3 answers rated, 0 to rate")).to_be_visible()
    sent = b"".join(frame if isinstance(frame, bytes) else frame.encode() for frame in received)
    assert b"Answer of 2." in sent
    assert not re.search("|".join(ARMS).encode(), sent)
    assert not re.search("|".join(ARMS), page.url)


def test_a_replay_of_the_samples_is_shown_and_kept_by_its_address(
    go_to_address: Callable[[str], Page],
) -> None:
    page = go_to_address("/Experiments?on=replay&data=samples&control=last_k(k=1)&arms=bm25; alone:bm25")
    figures, export = page.get_by_text("All figures"), page.get_by_role("button", name="Export CSV table")
    figures.click()
    expect(export).to_be_visible()
    with page.expect_download() as download:
        export.click()
    assert "BM25: search by words (alone),matched," in download.value.path().read_text()
    page.reload()
    figures.click()
    expect(page.get_by_role("row", name=re.compile(r"^BM25.* \(alone\) as the control"))).to_be_visible()
    page.get_by_text("Options", exact=True).click()
    page.get_by_role("button", name="Free", exact=True).click()
    expect(page.get_by_role("row", name=re.compile(r"^BM25.* \(alone\) free"))).to_be_visible()
