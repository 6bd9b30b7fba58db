"""Monitor in a real browser: a simulation trips and recovers; a baseline is set and outlives a reload."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from playwright.sync_api import Page, expect

from convgate.store import Store
from tests.browser.running_app import wait_until_idle
from tests.monitor_page import USUAL, log


def test_a_simulation_trips_and_recovers_and_a_baseline_is_kept(
    come_to: Callable[[str], Page], app_home: Path
) -> None:
    page = come_to("/Monitor")
    expect(page.get_by_text("No request is logged yet")).to_be_visible()
    page = come_to("/Monitor?on=simulation&from=own&rate=240&minutes=60&step=19")
    expect(page.get_by_text("Nothing has tripped:")).to_be_visible()
    page.get_by_role("slider", name="Minutes since it began").focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("step=20"))
    page.get_by_role("button", name="Watch it").click()
    expect(page.get_by_text("Drift has tripped: every request is built as GENERAL")).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Watch it")).to_be_visible()
    page.get_by_role("slider", name="Minutes since it began").focus()
    page.keyboard.press("End")
    expect(page.get_by_text("All is well again:")).to_be_visible()

    log(Store(app_home / "convgate.db"), USUAL, end=datetime.now(UTC) - timedelta(seconds=1))
    page.get_by_role("radio", name="Your requests").click()
    page.get_by_role("radio", name="7 days").click()
    expect(page).to_have_url(re.compile("period=7d"))
    page.get_by_role("button", name="Set it from this period").click()
    page.get_by_role("button", name="Set the baseline").click()
    expect(page.get_by_text("300 requests are the baseline now.")).to_be_visible()
    wait_until_idle(page)
    page.reload()
    wait_until_idle(page)
    expect(page.get_by_text("nats from the baseline, limit 0.1")).to_be_visible()
