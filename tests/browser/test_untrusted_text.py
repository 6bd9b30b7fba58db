"""Text of a transcript is never rendered, in a browser."""

from __future__ import annotations

import json

from playwright.sync_api import Dialog, Locator, Page, expect

from tests.browser.actions import upload

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


def test_a_hostile_transcript_is_text_in_preview_list_errors_and_explore(page: Page) -> None:
    dialogs: list[str] = []

    def refuse(dialog: Dialog) -> None:
        dialogs.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", refuse)
    page.goto("/")
    name = HOSTILE.replace("/", "")[:90]
    messages = [{"role": "user", "content": text} for text in (HOSTILE, "Go on.")]
    conversation = {"title": HOSTILE, "messages": messages}
    upload(page, {"hostile.json": json.dumps(conversation).encode(), f"{name}.json": b"{"})
    preview = page.get_by_test_id("stText").filter(has_text="Ignore all previous")
    expect(preview).to_have_count(1)
    expect_text_alone(preview)
    expect(page.get_by_test_id("stAlertContentError")).to_contain_text("not valid JSON")
    expect_text_alone(page.get_by_test_id("stAlertContentError"), text=name)

    page.get_by_role("button", name="Add to the library").click()
    outcome = page.get_by_test_id("stAlertContentSuccess")
    expect(outcome).to_contain_text("Added")
    expect_text_alone(outcome)
    added, listed = page.get_by_test_id("stPageLink").filter(has_text="onerror").all()
    expect_text_alone(added, text=HOSTILE[:30])
    expect_text_alone(listed, text=HOSTILE[:110])

    listed.click()
    row = page.locator('.row[data-turn="0"]')
    row.click()
    expect(page.get_by_role("heading", name="Turn 1", exact=True)).to_be_visible()
    drawn = HOSTILE.replace("**", "").replace("`", "")  # Markdown is drawn, and nothing of it can be followed
    text = row.locator(".text")
    assert drawn in text.inner_text()
    assert text.locator("code, strong").all_inner_texts() == ["fat", "code"]
    assert text.locator("a, img, del, b, script").count() == 0
    expect(page.get_by_test_id("stChatInputTextArea")).to_have_value("Go on.")
    passage = page.locator(".st-key-explore-panel").get_by_test_id("stText")
    assert passage.inner_text().replace("\u2060", "") in HOSTILE
    assert passage.locator(ALIVE).count() == 0
    page.get_by_role("tab", name="Words").click()
    expect_text_alone(page.locator(".turn-words"))
    page.goto(f"{page.url}&policy=bm25")  # without a best passage, the whole turn
    expect_text_alone(passage)
    assert dialogs == []
