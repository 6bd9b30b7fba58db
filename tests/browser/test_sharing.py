"""Errors and sharing in a real browser: from an error to its decision, whose link and file open again."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Browser, Page, expect

from tests.browser.actions import open_page, query


def test_an_error_opens_its_decision_which_is_shared_by_link_and_file(
    page: Page, chromium: Browser, tmp_path: Path
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_page(page, "/Errors?data=samples")
    page.get_by_test_id("stMain").get_by_role("link", name="Explore").first.click()
    expect(page.get_by_role("heading", name="Explore")).to_be_visible()
    decision = query(page)
    assert {"conversation", "turn", "selected"} <= decision.keys()

    link = page.get_by_role("button", name="Copy link")
    expect(link).to_have_attribute("title", re.compile("in this app alone.*“Download as a page”"))
    link.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as a page").click()
    download.value.save_as(file := tmp_path / "decisions.html")
    open_page(page, page.evaluate("navigator.clipboard.readText()"))
    assert query(page) == decision

    reader = chromium.new_page()  # its requests are of a file
    messages: list[str] = []
    reader.on("console", lambda message: messages.append(message.text))
    reader.on("request", lambda request: messages.append(request.url))
    reader.goto(file.as_uri())
    assert messages == [file.as_uri()], "no script, nothing loaded, and the policy allows the style"
    dropped = reader.locator(".dropped").first
    text = dropped.locator("div")
    expect(text).to_be_hidden()
    dropped.locator("summary").click()
    expect(text).to_be_visible()
    reader.close()
