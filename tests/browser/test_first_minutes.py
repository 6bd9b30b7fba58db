"""The first minutes of a newcomer in a browser: a sample, the tour, an own export, a reason."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.actions import new_page, open_page, press
from tests.browser.running_app import running_app

CHAT = [
    ("user", "My dog Bruno is allergic to chicken. What can I feed him?"),
    ("assistant", "Lamb or salmon with rice is gentle, as long as no chicken fat is in it."),
    ("user", "Which planet has the most moons?"),
    ("assistant", "Saturn, with 274 that are confirmed."),
    ("user", "How do I sharpen a kitchen knife?"),
    ("assistant", "Draw it over a whetstone at 15 degrees, ten times on each side."),
    ("user", "Is there a snack for Bruno that has no chicken?"),
]


def chatgpt_export(title: str, turns: list[tuple[str, str]]) -> bytes:
    """Return a `conversations.json` as ChatGPT writes it, with one conversation."""
    mapping: dict[str, object] = {"root": {"id": "root", "message": None, "parent": None, "children": ["0"]}}
    for at, (role, text) in enumerate(turns):
        message = {
            "id": str(at),
            "author": {"role": role},
            "create_time": 1_760_000_000.0 + 60 * at,
            "content": {"content_type": "text", "parts": [text]},
        }
        children = [str(at + 1)] if at + 1 < len(turns) else []
        parent = str(at - 1) if at else "root"
        mapping[str(at)] = {"id": str(at), "message": message, "parent": parent, "children": children}
    conversation = {"title": title, "mapping": mapping, "current_node": str(len(turns) - 1)}
    return json.dumps([conversation]).encode()


@pytest.fixture
def newcomer(chromium: Browser, tmp_path: Path) -> Iterator[Page]:
    """A window of an app that nobody has used before."""
    with running_app(tmp_path / "home") as address:
        context = chromium.new_context(base_url=address, viewport={"width": 1440, "height": 900})
        yield new_page(context)
        context.close()


def test_from_the_first_page_to_a_reason_in_an_own_chat(newcomer: Page) -> None:
    page = newcomer
    open_page(page, "/")
    page.locator('[class*="st-key-sample"]').get_by_role("button").first.click()
    expect(page).to_have_url(re.compile("/Explore"))
    tour = page.locator(".st-key-explore-tour")
    expect(tour).to_contain_text("1 of 4")
    question = page.get_by_test_id("stChatInputTextArea")
    question.fill("Write a test for the Fibonacci function")
    question.press("Enter")
    expect(tour).to_contain_text("2 of 4")
    kept = page.locator(".row", has_text="ibonacci").first
    expect(kept).to_be_visible()
    kept.click()
    expect(tour).to_contain_text("3 of 4")
    page.locator(".st-key-explore-slider").get_by_role("slider").press("ArrowRight")
    expect(tour).to_contain_text("4 of 4")
    page.get_by_test_id("stButtonGroup").get_by_text(re.compile("^As sent")).click()
    expect(tour).to_have_count(0)

    page.get_by_role("link", name="Library").click()
    page.get_by_text("Add conversations").click()
    export = chatgpt_export("Bruno", CHAT)
    page.locator("input[type=file]").first.set_input_files(
        {"name": "conversations.json", "mimeType": "", "buffer": export}
    )
    page.get_by_role("button", name="Add and open").click()
    expect(page.locator(".row")).not_to_have_count(0)
    expect(tour).to_have_count(0)
    page.locator('.row[data-turn="0"]').click()
    reason = page.get_by_text(re.compile("Bruno.*Score"))
    expect(reason.first).to_be_visible()
    page.reload()
    expect(reason.first).to_be_visible()
    here = page.url
    press(page, "p")
    expect(page).not_to_have_url(here)
    page.go_back()
    expect(reason.first).to_be_visible()
