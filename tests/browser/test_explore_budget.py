"""Explore with a budget in a browser: it is set, stepped through, given an invariant, reloaded."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.actions import enter, press

ADDED = "Passwords are hashed with argon2"


@pytest.mark.slow
def test_a_budget_is_set_stepped_through_and_given_an_invariant(
    go_to_address: Callable[[str], Page], sample_keys: dict[str, list[str]]
) -> None:
    [conversation] = sample_keys["login_jwt_ldap.json"]
    page = go_to_address(f"/Explore?conversation={conversation}")
    expect(page.get_by_text("answering turn 24")).to_be_visible()
    answer = page.locator(".st-key-explore-answer")
    expect(answer).not_to_contain_text("budget")
    page.get_by_text("How turns are chosen").click()
    budget = page.get_by_role("spinbutton", name="Budget (tokens)")
    enter(budget, "200")
    expect(answer).to_contain_text("The budget of 200 tokens drops")
    page.get_by_role("button", name="Mode: Task").click()
    expect(page.get_by_text("Mode: TASK with")).to_be_visible()
    press(page, "Escape")
    page.get_by_role("radio", name="Dropped").click()  # where each is to be read
    expect(page.locator(".row .outcome", has_text="dropped, no room").first).to_be_visible()
    press(page, "p")
    expect(page.get_by_text("answering turn 22")).to_be_visible()

    page.get_by_role("radio", name="Must hold").click()
    page.get_by_role("button", name="Add from turn").click()
    enter(page.get_by_label("Text", exact=True), ADDED)
    page.get_by_role("button", name="Add", exact=True).click()
    card = page.locator("[class*='st-key-explore-invariant-']").filter(has_text=ADDED)
    expect(card.get_by_text("by a person")).to_be_visible()

    page.reload()
    expect(page.get_by_text("answering turn 22")).to_be_visible()
    expect(answer).to_contain_text("The budget of 200 tokens drops")
    expect(card.get_by_text(ADDED, exact=True)).to_be_visible()
    card.get_by_role("button", name="Remove").click()
    expect(card).to_have_count(0)
    expect(page.get_by_role("button", name="Undo the last change")).to_be_visible()
    press(page, "z")
    expect(card.get_by_text(ADDED, exact=True)).to_be_visible()
