"""Sessions in a real browser: a boundary of the sample day is set, survives a reload, and is undone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.actions import press


@pytest.mark.slow
def test_a_boundary_is_there_after_a_reload_and_undone(
    go_to_address: Callable[[str], Page], sample_keys: dict[str, list[str]]
) -> None:
    [day] = sample_keys["purple_button_one_day.json"]
    page = go_to_address(f"/Sessions?conversation={day}&selected=8")
    page.get_by_role("radio", name="Session", exact=True).click()
    expect(page.get_by_role("heading", name="Turn 8", exact=True)).to_be_visible()
    expect(page.locator(".row[data-turn='7']")).to_be_visible()
    assert page.locator(".fold[aria-expanded=false] + .row").count() == 0, "what is folded is not shown"

    page.reload()
    expect(page.get_by_role("heading", name="Turn 8", exact=True)).to_be_visible()
    badge = page.locator(".stMarkdownBadge").filter(has_text="Edited")
    expect(badge).to_be_visible()
    page.locator(".row[data-turn='8']").click()
    expect(page.get_by_role("heading", name="Turn 9", exact=True)).to_be_visible()

    first = page.locator(".fold").first
    expect(first).to_have_attribute("aria-expanded", "false")
    first.click()
    expect(page.locator(".row[data-turn='0']")).to_be_visible()
    press(page, "z")
    expect(page.get_by_role("heading", name="Turn 8", exact=True)).to_be_visible()
    expect(badge).to_have_count(0)
