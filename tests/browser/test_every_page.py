"""Every page, in a real browser: it comes up, without an error, and asks nobody else for anything."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.running_app import open_page, page_paths


@pytest.mark.parametrize("path", page_paths())
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_comes_up_without_an_error(page: Page, path: str, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    open_page(page, f"/{path}")
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.get_by_test_id("stMainBlockContainer")).not_to_be_empty()


def test_the_theme_follows_the_system(page: Page) -> None:
    shades = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        open_page(page, "/")
        shades[scheme] = page.get_by_test_id("stApp").evaluate("app => getComputedStyle(app).backgroundColor")
    assert shades == {"light": "rgb(255, 255, 255)", "dark": "rgb(16, 20, 24)"}
