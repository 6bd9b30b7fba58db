"""Every page, in a real browser: it comes up, without an error, and asks nobody else for anything."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.running_app import open_page, page_paths, wait_until_idle

BACKGROUND = {"light": "rgb(255, 255, 255)", "dark": "rgb(16, 20, 24)"}


@pytest.mark.parametrize("path", page_paths())
def test_a_page_comes_up_without_an_error_in_the_theme_of_the_system(
    page: Page, path: str, sample_keys: dict[str, list[str]]
) -> None:
    page.emulate_media(color_scheme="light")
    [conversation] = sample_keys["nan_and_fibonacci.json"]
    open_page(page, f"/{path}?conversation={conversation}")
    expect_sound(page, "light")
    page.emulate_media(color_scheme="dark")  # the app follows at once, and draws its charts anew
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", BACKGROUND["dark"])
    wait_until_idle(page)
    expect_sound(page, "dark")


def expect_sound(page: Page, scheme: str) -> None:
    expect(page.get_by_test_id("stMainBlockContainer")).not_to_be_empty()
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", BACKGROUND[scheme])


@pytest.mark.parametrize("path", page_paths())
def test_a_page_that_is_opened_with_nothing_chosen_says_what_to_do(page: Page, path: str) -> None:
    open_page(page, f"/{path}")
    expect(page.get_by_test_id("stMainBlockContainer")).not_to_be_empty()
    expect(page.get_by_test_id("stException")).to_have_count(0)
