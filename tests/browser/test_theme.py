"""A theme that the system changes while the page is open changes the figures."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from convgate.figures.palette import DARK, LIGHT
from tests.browser.actions import open_page
from tests.browser.test_every_page import expect_sound


@pytest.mark.slow
def test_explore_is_opened_in_the_theme_of_the_system_and_figures_follow_it(
    page: Page, sample_keys: dict[str, list[str]]
) -> None:
    [conversation] = sample_keys["nan_and_fibonacci.json"]
    page.emulate_media(color_scheme="light")
    open_page(page, f"/Explore?conversation={conversation}")
    expect_sound(page, "light")
    number = page.get_by_test_id("stPlotlyChart").first.locator(".xtick text").first
    expect(number).to_have_css("fill", as_css(LIGHT.muted))
    page.emulate_media(color_scheme="dark")
    expect(number).to_have_css("fill", as_css(DARK.muted))
    expect_sound(page, "dark")


def as_css(colour: str) -> str:
    """
    >>> as_css("#0072B2")
    'rgb(0, 114, 178)'
    """
    return f"rgb({', '.join(str(int(colour[at : at + 2], 16)) for at in (1, 3, 5))})"
