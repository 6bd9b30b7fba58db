"""Storing in a browser: a rule is typed, previewed, saved, and decides after a reload."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.actions import enter, expect_no_overflow, go_to, open_page

SAMPLE = "purple_button_one_day.json"


@pytest.fixture
def storing(
    app_home: Path, sample_keys: dict[str, list[str]], go_to_address: Callable[[str], Page]
) -> Iterator[Page]:
    """Storing on a conversation, as by a link; saved rules are removed afterwards."""
    yield go_to_address(f"/Storing?conversation={sample_keys[SAMPLE][0]}&show=all")
    for path in app_home.glob("gatekeeper.yaml*"):
        path.unlink()


def editor(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Your rules, as YAML")


def open_editor(page: Page) -> None:
    page.get_by_text("Edit all rules as text (YAML)").click()
    expect(editor(page)).to_be_visible()


def test_a_rule_is_typed_previewed_saved_and_decides_after_a_reload(storing: Page, app_home: Path) -> None:
    page = storing
    open_editor(page)
    enter(editor(page), "skip_patterns:\n- pattern: '^test it")  # the closing quotation mark is missing
    expect(page.get_by_text("Line 2:")).to_be_visible()
    text = "skip_patterns:\n- pattern: '^test it'\n  reason: <b>asks</b> for a test"
    enter(editor(page), text)
    expect(page.get_by_text("Line 2:")).to_have_count(0)
    page.get_by_text("What changes", exact=True).click()
    expect(page.get_by_text(re.compile("Your changes flip 1 decision"))).to_be_visible()
    assert not (app_home / "gatekeeper.yaml").exists()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text(re.compile("Saved. Agents"))).to_be_visible()
    assert (app_home / "gatekeeper.yaml").read_text() == text

    page.get_by_text("This conversation", exact=True).click()
    page.get_by_text("Skipped 1", exact=True).click()
    row = page.locator(".exchange")
    expect(row).to_have_count(1)
    open_page(page, page.url)
    expect(row).to_have_count(1)
    expect(row.locator("mark")).to_have_text("Test it")
    expect(row.locator(".reason")).to_contain_text("Skipped: <b>asks</b> for a test")
    assert row.locator("b").count() == 1  # the outcome; what a rule says is text
    expect(page.get_by_text("Your rules: 1 skip rule.")).to_be_visible()
    open_editor(page)
    expect(editor(page)).to_have_value(text)
    page.get_by_role("button", name="Undo last save").click()
    expect(page.get_by_text("Your rules: none yet.")).to_be_visible()


@pytest.mark.slow
def test_a_draft_survives_another_page_and_fits_on_a_phone(storing: Page) -> None:
    page = storing
    open_editor(page)
    enter(editor(page), "skip_patterns: []")
    go_to(page, "/")
    go_to(page, "/Storing")
    open_editor(page)
    expect(editor(page)).to_have_value(re.compile("skip_patterns"))
    page.set_viewport_size({"width": 400, "height": 800})
    expect_no_overflow(page)
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_text("Your rules: none yet.")).to_be_visible()
