"""Sessions in a real browser: a boundary of the sample day is moved, survives a reload, and is undone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from convgate.store import Store
from convgate.store.edits import MovedBoundaries
from tests.browser.running_app import wait_until_idle


@pytest.mark.slow
def test_a_moved_boundary_is_there_after_a_reload_and_undone(
    go_to_address: Callable[[str], Page], app_home: Path, sample_keys: dict[str, list[str]]
) -> None:
    [day] = sample_keys["purple_button_one_day.json"]
    edits = MovedBoundaries(Store(app_home / "convgate.db"))
    edits.change(day, dict.fromkeys(edits.of(day)))  # what a failed run left
    page = go_to_address(f"/Sessions?conversation={day}&selected=7")
    wait_until_idle(page)
    move = page.get_by_label("Move the boundary to turn")
    move.fill("8")
    move.press("Enter")
    expect(page.get_by_role("heading", name="Turn 8", exact=True)).to_be_visible()
    wait_until_idle(page)

    page.reload()
    wait_until_idle(page)
    expect(page.get_by_role("heading", name="Turn 8", exact=True)).to_be_visible()
    badge = page.locator(".stMarkdownBadge").filter(has_text="Edited")
    expect(badge).to_be_visible()
    mark = (
        page.get_by_test_id("stPlotlyChart").locator(".scatterlayer .trace path.point").first.bounding_box()
    )
    assert mark is not None
    page.mouse.click(mark["x"] + mark["width"] / 2, mark["y"] + mark["height"] / 2)
    expect(page.get_by_role("heading", name="Turn 8", exact=True)).not_to_be_visible()
    wait_until_idle(page)

    page.keyboard.press("z")
    expect(page.get_by_role("heading", name="Turn 8", exact=True)).to_be_visible()
    expect(badge).to_have_count(0)
