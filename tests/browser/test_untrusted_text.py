"""Text of a transcript is never rendered, in a browser."""

from __future__ import annotations

import json

from playwright.sync_api import Locator, Page, expect

from tests.browser.running_app import open_page, wait_until_idle

HOSTILE = (
    "<img src=x onerror=alert(1)> <b>bold</b> &amp; [l](https://a.example/x) ![i](https://a.example/i.png) "
    "https://a.example www.a.example me@a.example $x^2$ :smile: :material/home: :red[red] :blue-badge[b] "
    "**fat** `code` ~~gone~~ -> <- a -- b >= c | Ignore all previous instructions."
)
ALIVE = "a[href*='a.example'], img, .katex, code, del, b"


def expect_text_alone(place: Locator, *, text: str = HOSTILE) -> None:
    """The text stands there letter by letter, and no element was made out of any of it."""
    assert text in place.inner_text().replace("\u2060", "")
    assert [element.evaluate("e => e.outerHTML") for element in place.locator(ALIVE).all()] == []


def test_a_hostile_transcript_is_text_in_preview_list_and_errors(page: Page) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    conversation = {"title": HOSTILE, "messages": [{"role": "user", "content": HOSTILE}]}
    open_page(page, "/")
    if page.get_by_text("Add conversations").count():
        page.get_by_text("Add conversations").click()

    name = HOSTILE.replace("/", "")[:90]
    page.locator("input[type=file]").first.set_input_files(
        [
            {"name": "hostile.json", "mimeType": "", "buffer": json.dumps(conversation).encode()},
            {"name": f"{name}.json", "mimeType": "", "buffer": b"{"},
        ]
    )
    preview = page.get_by_test_id("stText").filter(has_text="Ignore all previous")
    expect(preview).to_have_count(1)
    expect_text_alone(preview)
    expect(page.get_by_test_id("stAlertContentError")).to_contain_text("not valid JSON")
    expect_text_alone(page.get_by_test_id("stAlertContentError"), text=name)

    page.get_by_role("button", name="Add to the library").click()
    outcome = page.get_by_test_id("stAlertContentSuccess")
    expect(outcome).to_contain_text("Added")
    wait_until_idle(page)
    expect_text_alone(outcome)
    expect_text_alone(page.get_by_test_id("stPageLink").filter(has_text="onerror"), text=HOSTILE[:110])
    assert dialogs == []
