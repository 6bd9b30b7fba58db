"""Every page, in a real browser: it comes up, without an error, and asks nobody else for anything."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.running_app import go_to, open_page, page_paths

BACKGROUND = {"light": "rgb(255, 255, 255)", "dark": "rgb(16, 20, 24)"}


@pytest.mark.parametrize("path", ["", "Explore"])
def test_a_link_to_a_conversation_is_opened_in_the_light_theme_of_the_system(
    page: Page, path: str, sample_keys: dict[str, list[str]]
) -> None:
    [conversation] = sample_keys["nan_and_fibonacci.json"]
    page.emulate_media(color_scheme="light")
    open_page(page, f"/{path}?conversation={conversation}")
    expect_sound(page, "light")


@pytest.mark.parametrize("chosen", [False, True], ids=["nothing chosen", "a conversation chosen"])
def test_pages_follow_one_another_in_the_dark_theme_of_the_system(
    page: Page, chosen: bool, sample_keys: dict[str, list[str]]
) -> None:
    [conversation] = sample_keys["nan_and_fibonacci.json"]
    about = f"?conversation={conversation}" if chosen else ""
    page.emulate_media(color_scheme="dark")
    open_page(page, "/")
    for path in page_paths():
        go_to(page, f"/{path}{about}")
        expect_sound(page, "dark")  # without one, Explore and Label choose a conversation by themselves


def expect_sound(page: Page, scheme: str) -> None:
    expect(page.get_by_test_id("stMainBlockContainer")).not_to_be_empty()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", BACKGROUND[scheme])
