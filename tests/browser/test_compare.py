"""Compare in a real browser: four policies, a click in the table, the measurement."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.actions import go_to, query


@pytest.fixture
def compare(sample_keys: dict[str, list[str]], go_to_address: Callable[[str], Page]) -> Page:
    """Compare on a sample, with two policies that need no encoder."""
    [conversation] = sample_keys["nan_and_fibonacci.json"]
    return go_to_address(
        f"/Compare?conversation={conversation}&show=conversation&policies=everything,last_k(k=3)"
    )


def test_policies_are_added_by_choice_and_by_text_and_a_click_opens_a_turn(compare: Page) -> None:
    page = compare
    menu, options = page.get_by_role("combobox", name=re.compile("Policies")), page.get_by_text("Options")
    for text, name in {"BM25": "BM25", "last_k(k=5)": "Last 5 turns"}.items():
        if not menu.is_visible():
            options.click()
        menu.click()
        page.keyboard.type(text)
        expect(page.get_by_role("option").first).to_have_text(re.compile(re.escape(text)))
        page.keyboard.press("Enter")
        page.keyboard.press("Escape")
        expect(page.get_by_role("row", name=re.compile(f"^{re.escape(name)}")).last).to_be_visible()
    policies = "everything, last_k(k=3), bm25, last_k(k=5)"
    assert query(page)["policies"] == policies

    page.reload()
    expect(page.get_by_role("row", name=re.compile("^BM25")).last).to_be_visible()
    table = page.get_by_test_id("stDataFrame")
    table.click(position={"x": 100, "y": 35 * 2 + 17})  # the text in the second row, as "everything" decides
    expect(page.get_by_role("heading", name="Explore")).to_be_visible()
    assert query(page).items() >= {"policy": "everything", "selected": "2"}.items()
    page.go_back()
    expect(page.get_by_role("row", name=re.compile("^BM25")).last).to_be_visible()
    assert query(page).items() >= {"show": "conversation", "policies": policies}.items()


def test_a_click_on_a_chat_shows_it_side_by_side(compare: Page) -> None:
    page = compare
    page.get_by_role("radio", name="All my chats").click()
    expect(page.get_by_text("Click a row to see its turns side by side.")).to_be_visible()
    page.get_by_test_id("stDataFrame").click(position={"x": 100, "y": 35 + 17})
    expect(page.get_by_role("row", name=re.compile("^Last 3 turns")).last).to_be_visible()
    assert query(page)["show"] == "conversation"


@pytest.mark.slow
def test_the_same_policies_on_the_labelled_samples(compare: Page) -> None:
    page = compare
    page.get_by_role("radio", name="Labelled turns").click()
    page.get_by_text("All figures").click()
    expect(page.get_by_role("row", name=re.compile("^Everything 100%"))).to_be_visible()
    go_to(page, f"/Compare?{urlsplit(page.url).query}")
    expect(page.get_by_role("row", name=re.compile(r"^Last 3 turns")).first).to_be_visible()


@pytest.mark.slow
def test_the_button_that_asks_for_a_bill_is_gone_while_it_is_computed(
    go_to_address: Callable[[str], Page],
) -> None:
    page = go_to_address("/Compare?data=samples&show=bill&bill=0&policies=last_k(k=3),bm25")
    page.get_by_role("button", name=re.compile("^Compute the bill")).click()
    page.wait_for_function("document.querySelector('[data-testid=stProgress]')")
    texts = page.evaluate(
        "[...document.querySelectorAll('[data-testid=stMain] button')].map(b => b.innerText)"
    )
    assert any("Stop" in text for text in texts)
    assert not any("Compute" in text for text in texts)
    page.get_by_text("All figures, prices and pauses").click()
    expect(page.get_by_role("row", name=re.compile("^BM25")).first).to_be_visible()
