"""Rules in a real browser: a rule is typed, what it changes is seen, it is saved, and it decides then on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.running_app import go_to, open_page, wait_until_idle

ASKS_BEFORE_LEAVING = "() => !dispatchEvent(new Event('beforeunload', {cancelable: true}))"
SAMPLE = "purple_button_one_day.json"


@pytest.fixture
def rules(
    app_home: Path, sample_keys: dict[str, list[str]], come_to: Callable[[str], Page]
) -> Iterator[Page]:
    """Rules on a conversation, as by a link; the rules that are saved are gone afterwards."""
    yield come_to(f"/Rules?conversation={sample_keys[SAMPLE][0]}")
    for name in ("gatekeeper.yaml", "gatekeeper-former.json"):
        (app_home / name).unlink(missing_ok=True)


def editor(page: Page) -> Locator:
    return page.get_by_label("Your rules, as YAML")


def metric(page: Page, label: str) -> Locator:
    return page.get_by_test_id("stMetric").filter(has_text=label).get_by_test_id("stMetricValue")


def test_a_rule_is_typed_looked_at_saved_by_key_and_decides_after_a_reload(
    rules: Page, app_home: Path
) -> None:
    page = rules
    expect(page.get_by_text("You have no rules of your own yet.")).to_be_visible()
    editor(page).click()
    page.keyboard.type("skip_patterns:\n- pattern: '^test it")
    expect(page.get_by_role("button", name="Line 2")).to_be_visible()  # a quotation mark is missing
    expect(editor(page)).to_be_focused()
    page.keyboard.type("'\nreason: <b>asks</b> for a test")
    expect(page.get_by_text(re.compile("What changes in the library: 1 exchange"))).to_be_visible()
    expect(editor(page)).to_be_focused()
    expect(page.get_by_role("button", name="Line 2")).to_have_count(0)
    assert not (app_home / "gatekeeper.yaml").exists()
    page.keyboard.press("Control+s")
    expect(page.get_by_text(re.compile("^Saved. Agents"))).to_be_visible()
    text = (app_home / "gatekeeper.yaml").read_text()
    assert text == "skip_patterns:\n- pattern: '^test it'\n  reason: <b>asks</b> for a test", (
        "lines are indented"
    )

    page.get_by_text("Skipped 1", exact=True).click()
    row = page.locator(".exchange")
    expect(row).to_have_count(1)
    expect(row.locator("mark")).to_have_text("Test it")
    wait_until_idle(page)
    assert parse_qs(urlsplit(page.url).query)["show"] == ["skipped"]
    open_page(page, page.url)
    expect(row).to_have_count(1)
    expect(row.locator(".reason")).to_contain_text("Skipped: <b>asks</b> for a test")
    assert row.locator("b").count() == 1  # the outcome; what a rule says is text
    assert editor(page).input_value() == text

    page.get_by_text("All 7", exact=True).click()
    expect(row).to_have_count(7)
    wait_until_idle(page)
    page.go_back()
    expect(row).to_have_count(1)
    page.get_by_role("button", name="Undo last save").click()
    expect(metric(page, "Skipped")).to_have_text("0")


def test_a_draft_outlives_another_page_and_on_a_phone_nothing_is_cut_off(rules: Page) -> None:
    page = rules
    page.get_by_role("button", name="Skip such").first.click()
    expect(editor(page)).to_have_value(re.compile("The shop''s checkout"))
    wait_until_idle(page)
    assert page.evaluate(ASKS_BEFORE_LEAVING)
    go_to(page, "/")
    assert not page.evaluate(ASKS_BEFORE_LEAVING)
    go_to(page, "/Rules")
    expect(editor(page)).to_have_value(re.compile("The shop''s checkout"))
    page.set_viewport_size({"width": 400, "height": 800})
    wait_until_idle(page)
    assert page.get_by_test_id("stMain").evaluate("main => main.scrollWidth <= main.clientWidth")
    assert page.locator(".exchange").first.bounding_box()["y"] < editor(page).bounding_box()["y"]  # type: ignore[index]
    page.get_by_role("button", name="Discard").click()
    expect(editor(page)).to_have_value("")
