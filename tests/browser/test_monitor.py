"""Monitor in a browser: a baseline is kept; a rollout is stopped."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from convgate.core.settings import Settings
from convgate.rollouts.phases import PHASES
from convgate.rollouts.rollout import Rollout
from convgate.store import Store
from tests.browser.actions import enter, expect_no_overflow
from tests.guardrails import USUAL, add_requests

pytestmark = pytest.mark.slow


def test_a_baseline_is_kept(go_to_address: Callable[[str], Page], app_home: Path) -> None:
    add_requests(Store(app_home / "convgate.db"), USUAL, end=datetime.now(UTC) - timedelta(seconds=1))
    page = go_to_address("/Monitor")
    page.get_by_role("radio", name="7d").click()
    expect(page).to_have_url(re.compile("period=7d"))
    page.get_by_role("button", name="Set from this period").click()
    expect(page.get_by_text("Baseline set: 300 requests.")).to_be_visible()
    page.reload()
    page.get_by_text("What raises an alert").click()
    expect(page.get_by_text("alert above 0.1")).to_be_visible()
    page.set_viewport_size({"width": 400, "height": 800})
    expect_no_overflow(page)


@pytest.fixture
def rollout(app_home: Path) -> Iterator[Rollout]:
    """A rollout in its first phase."""
    rollout = Rollout(Store(app_home / "convgate.db"), Settings())
    rollout.start("weights", owners=["Ada"])
    yield rollout
    rollout.roll_back(who="Ada", reason="The test is over.")


def test_a_rollout_is_stopped_for_a_reason(go_to_address: Callable[[str], Page], rollout: Rollout) -> None:
    page = go_to_address("/Monitor?on=rollout")
    page.get_by_text(PHASES[0].checklist[1]).click()
    expect(page.get_by_text("2 items of the checklist to do.")).to_be_visible()
    page.get_by_role("button", name="Stop …").click()
    enter(page.get_by_label("Reason"), "Odd answers.")
    page.get_by_role("button", name="Stop", exact=True).click()
    expect(page.get_by_text("Done: stop.")).to_be_visible()
    assert rollout.status().decisions[0].reason == "Odd answers."
