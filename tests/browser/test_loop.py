"""The loop in a browser: tune on labels, train, compare, activate and undo."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Page, expect

from convgate.store import Answer, Conversations, CurrentKey, Labels, NewConversation, Store
from convgate.training.run import Run, Runs
from convgate.ui.versions.figures import FIGURES
from convgate.versions import Versions
from tests.browser.actions import PATIENCE, enter, open_page, wait_for_value
from tests.planted_sets import make_relevance_set

pytestmark = [pytest.mark.slow, pytest.mark.shipped]  # the app starts with the version that ships
EPOCHS = 6


@pytest.fixture(scope="module")
def labelled(app_address: str, app_home: Path) -> int:
    """How many turns of a few conversations in the library somebody labelled."""
    known = make_relevance_set("loop", signal="speaker", conversations=5, turns=12)
    store = Store(app_home / "convgate.db")
    keys = {}
    for id, conversation in known.conversations.items():
        (added,) = Conversations(store).add([NewConversation(conversation)])
        keys[id] = added.key
    labels, count = Labels(store), 0
    for case in known.cases:
        assert case.turn is not None
        answers: dict[int, Answer | None] = {
            turn: "relevant" if turn in case.relevant else "not_relevant" for turn in range(case.turn)
        }
        labels.answer(CurrentKey(keys[case.conversation], case.turn), answers, by="Gil Loop")
        count += len(answers)
    return count


@pytest.fixture
def versions(app_home: Path) -> Iterator[Versions]:
    """Those of the running app; what was in use before is in use again afterwards."""
    versions = Versions(app_home)
    before = versions.active
    yield versions
    if before is not None and versions.active != before:
        versions.activate(before, who="the test")


def points(page: Page) -> int:
    """How many epochs the first line of the first chart shows."""
    chart = page.get_by_test_id("stPlotlyChart").first
    return chart.locator(".scatterlayer .trace").first.locator("path.point").count()


def flips(page: Page) -> int:
    """How many decisions the page says flipped."""
    text = page.get_by_text(re.compile(r"By the labels, .* (no longer sent|sent now)\.")).inner_text()
    return sum(int(count.replace(",", "")) for count in re.findall(r"([\d,]+) (?:not )?needed", text))


def test_a_threshold_that_keeps_a_promise_becomes_a_version(
    go_to_address: Callable[[str], Page], labelled: int, versions: Versions
) -> None:
    page = go_to_address("/Tune?rule=expected,strictness=1")  # a rule that is fitted to few labels, too
    slider = page.get_by_role("slider", name=re.compile("Lose at most this share"))
    slider.press("End")
    use = page.get_by_role("button", name="Use the suggestion")
    use.click()
    expect(use).to_have_count(0)
    expect(
        page.get_by_text(re.compile(r"New: [\d,]+ of [\d,]+ messages that need a turn miss one"))
    ).to_be_visible()
    assert "lose=0.5" in page.url

    count = flips(page)
    assert count > 0
    listed = page.get_by_text(re.compile(r"(↑ sent|↓ dropped) now; by the labels"))
    assert listed.count() == min(count, 10)
    page.get_by_test_id("stButtonGroup").get_by_text("✓ Better").click()
    expect(page.get_by_text(re.compile("↓ dropped now; .* needs it"))).to_have_count(0)
    expect(page.get_by_test_id("stPageLink").filter(has_text="for message").first).to_be_visible()

    enter(page.get_by_role("textbox", name="Name", exact=True), "the-surest")
    page.get_by_role("button", name="Save as a version").click()
    expect(page.get_by_text("Version the-surest saved. It is not active yet.")).to_be_visible()
    before = versions.active
    card = versions.get("the-surest").card
    assert "lose at most 50%" in card.note
    assert card.parent is not None

    page.get_by_role("button", name="Activate it").click()
    expect(page.get_by_text("the-surest is active.")).to_be_visible()
    assert versions.active == "the-surest"
    page.locator(".st-key-tune\\.undo, .st-key-tune-undo").get_by_role("button").click()
    expect(page.get_by_text(re.compile("Undone: "))).to_be_visible()
    assert versions.active == before

    page = go_to_address("/Versions")
    page.set_viewport_size({"width": 390, "height": 800})
    expect(page.locator(".st-key-version-active")).to_be_visible()
    heads, active = (
        page.locator(f"{place} [class*='st-key-versions-cell-']:visible").evaluate_all(
            "cells => cells.map(cell => cell.getBoundingClientRect().right)"
        )
        for place in (".st-key-versions-head", ".st-key-version-active")
    )
    assert len(heads) == len(FIGURES)
    assert active == heads, "figures stand under their headings on a phone"


def test_training_on_labels_is_watched_compared_used_and_undone(
    page: Page, labelled: int, versions: Versions, app_home: Path
) -> None:
    parent = versions.active
    open_page(page, "/Train")
    page.get_by_text("Options and further data").click()
    page.get_by_test_id("stButtonGroup").get_by_text("Six scenarios").click()
    enter(page.get_by_role("spinbutton", name="Max epochs"), str(EPOCHS))
    name = page.get_by_role("textbox", name="Name", exact=True)
    enter(name, "mine")
    page.get_by_text("Activate it when it is better").click()
    expect(name).to_have_value("mine")
    page.get_by_role("button", name="Start training").click()
    expect(page).to_have_url(re.compile(r"[?&]run="))
    runs = Runs(app_home)
    (id,) = re.findall(r"[?&]run=([^&]+)", page.url)
    folder = runs.get(id).folder

    def epochs() -> int:
        run = Run(folder)
        return len(run.read_record().epochs) if run.has_record else 0

    process = training_process(id)
    wait_for_value(page, lambda: epochs() > 0 or not Run(folder).is_active, True)
    process.suspend()  # held still, so that what the page shows can be compared
    try:
        first = epochs()
        assert 0 < first < EPOCHS
        expect(page.get_by_role("heading", name="Running: mine")).to_be_visible()
        page.get_by_text("Curves and log").click()
        wait_for_value(page, lambda: points(page), first)
        page.reload()
        expect(page.get_by_role("heading", name="Running: mine")).to_be_visible()
        page.get_by_text("Curves and log").click()
        wait_for_value(page, lambda: points(page), first)
        process.resume()
        wait_for_value(page, lambda: epochs() > first, True)
        wait_for_value(page, lambda: points(page) > first, True)
    finally:
        with suppress(psutil.NoSuchProcess):  # a short training is over by now
            process.resume()
    expect(page.get_by_role("heading", name="Done: mine")).to_be_visible(timeout=2 * PATIENCE)
    expect(page.get_by_text("What changed on conversations that it did not learn from")).to_be_visible()
    assert versions.active == parent, "it was asked not to be activated by itself"

    page.get_by_role("button", name="Activate", exact=True).click()
    expect(page.get_by_text("It is the active version.")).to_be_visible()
    assert versions.active == "mine"

    open_page(page, "/Versions")
    expect(page.locator(".st-key-version-active").get_by_role("button", name="mine")).to_be_visible()
    page.locator(f".st-key-version-of-{parent}").get_by_role("link", name="Compare").click()
    expect(page).to_have_url(re.compile("/Compare.*policies="))
    expect(page.get_by_test_id("stException")).to_have_count(0)
    open_page(page, "/Versions")
    page.get_by_role("button", name=f"Roll back to {parent}").click()
    expect(page.get_by_text(f"Rolled back: {parent} is active.")).to_be_visible()
    assert versions.active == parent


def training_process(id: str) -> psutil.Process:
    """The process at work on a run."""
    (found,) = (
        process
        for process in psutil.process_iter(["cmdline"])
        if "train" in (process.info["cmdline"] or []) and any(id in word for word in process.info["cmdline"])
    )
    return found
