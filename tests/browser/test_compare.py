"""Compare in a real browser: three policies, a click in the table, the reasons, a reload, the measurement."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.running_app import go_to, wait_until_idle


@pytest.fixture
def compare(sample_keys: dict[str, list[str]], come_to: Callable[[str], Page]) -> Page:
    """Compare on a sample, with two policies that need no encoder."""
    [conversation] = sample_keys["nan_and_fibonacci.json"]
    return come_to(f"/Compare?conversation={conversation}&policies=everything,last_k(k=3)")


def query(page: Page) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def test_a_third_policy_a_click_in_the_table_and_a_reload(compare: Page) -> None:
    page = compare
    menu = page.get_by_role("combobox", name=re.compile("Policies"))
    menu.click()
    page.get_by_role("option", name="BM25", exact=True).click()
    menu.press("Escape")
    expect(page.get_by_role("row", name=re.compile("^BM25"))).to_be_visible()
    wait_until_idle(page)
    assert query(page)["policies"] == "everything, last_k(k=3), bm25"

    go_to(page, f"{page.url}&selected=1")
    expect(page.get_by_role("heading", name="Turn 1", exact=True)).to_be_visible()
    expect(page.get_by_text("This policy keeps every turn")).to_be_visible()
    expect(page.get_by_text("Older than the last 3 turns")).to_be_visible()
    wait_until_idle(page)

    page.get_by_role("heading", name="Turn 1", exact=True).click()  # keys are for the page, not the table
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("heading", name="Turn 2", exact=True)).to_be_visible()
    wait_until_idle(page)
    page.reload()
    wait_until_idle(page)
    expect(page.get_by_role("heading", name="Turn 2", exact=True)).to_be_visible()
    expect(page.get_by_role("row", name=re.compile("^BM25"))).to_be_visible()

    page.get_by_role("link", name=re.compile("BM25")).click()
    expect(page.get_by_role("heading", name="Explore")).to_be_visible()
    wait_until_idle(page)
    assert query(page)["policy"] == "bm25"
    page.go_back()
    expect(page.get_by_role("row", name=re.compile("^BM25"))).to_be_visible()


@pytest.mark.slow
def test_the_same_policies_on_the_labelled_samples(compare: Page) -> None:
    page = compare
    page.get_by_role("button", name=re.compile("^Measure 2 policies")).click()
    expect(page.get_by_role("row", name=re.compile("^Everything 1.00"))).to_be_visible()
    wait_until_idle(page)
    assert query(page)["measure"] == "1"
    go_to(page, f"/Compare?{urlsplit(page.url).query}")
    expect(page.get_by_role("row", name=re.compile(r"^Last k turns \(k=3\)")).first).to_be_visible()
