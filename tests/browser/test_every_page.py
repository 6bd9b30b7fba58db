"""Every page opens in a browser without an error and without a request to another host."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.actions import go_to, open_page
from tests.browser.running_app import page_paths

ALIKE = {"", "Train", "Versions", "Experiments", "Monitor"}  # with a conversation in the address and without
BACKGROUND = {"light": "rgb(255, 255, 255)", "dark": "rgb(16, 20, 24)"}


def test_pages_are_opened_and_follow_one_another_in_the_theme_of_the_system(
    page: Page, sample_keys: dict[str, list[str]]
) -> None:
    """In one window: to load the app anew takes longer than all of its pages."""
    [conversation] = sample_keys["nan_and_fibonacci.json"]
    page.emulate_media(color_scheme="light")
    open_page(page, f"/?conversation={conversation}")
    expect_sound(page, "light")
    page.emulate_media(color_scheme="dark")
    for path in page_paths():
        go_to(page, f"/{path}")  # without a conversation, Explore and Label choose one
        expect_sound(page, "dark")
    assert set(page_paths()) > ALIKE
    for path in page_paths():
        if path not in ALIKE:
            go_to(page, f"/{path}?conversation={conversation}")
            expect_sound(page, "dark")


def expect_sound(page: Page, scheme: str) -> None:
    expect(page.get_by_test_id("stMainBlockContainer")).not_to_be_empty()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", BACKGROUND[scheme])
