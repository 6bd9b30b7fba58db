"""Explore in a real browser: a file goes in, a slider moves, a turn flips; and all of it by keyboard."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib.resources import files
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.actions import expect_no_overflow, open_page, press, query, upload, wait_until_idle

CONVERSATION = [
    ("system", "You help with a training run and with the garden."),
    ("user", "My training loss turns into NaN after 400 steps."),
    ("assistant", "A NaN in the loss often comes from a softmax over an empty row."),
    ("user", "When do I plant tomatoes?"),
    ("assistant", "After the last frost, in a sunny place."),
    ("user", "Please note that the shed is locked at night."),
    ("assistant", "Noted. " + "A long answer about nothing much. " * 60),
    ("user", "The loss is NaN again, what was the reason?"),
]


# The most rows that were seen flipping at a time: after a moment they are folded.
COUNT_FLIPPING = """() => {
    window.mostFlipping = 0;
    window.counting = setInterval(() => {
        const list = [...document.querySelectorAll('*')].find(e => e.shadowRoot?.querySelector('.scroller'));
        const flipping = list?.shadowRoot.querySelectorAll('.row.changed').length ?? 0;
        window.mostFlipping = Math.max(window.mostFlipping, flipping);
    }, 50);
}"""


@pytest.fixture(scope="module")
def conversation(window: Page) -> str:
    """The key of a conversation that was uploaded in the Library, as a person would."""
    page = window
    messages = [{"role": role, "content": text} for role, text in CONVERSATION]
    content = {"title": "NaN and tomatoes", "messages": messages}
    upload(page, {"nan.json": json.dumps(content).encode()})
    page.get_by_role("button", name="Add and open").click()
    expect(page.locator(".row").first).to_be_visible()
    return query(page)["conversation"]


@pytest.fixture
def explore(conversation: str, go_to_address: Callable[[str], Page]) -> Page:
    """Explore as it is when one comes to the conversation from another page."""
    return go_to_address(f"/Explore?conversation={conversation}&rule=expected,strictness=1")


def answer(page: Page) -> Locator:
    """What the page says is sent, and what is not."""
    return page.locator(".st-key-explore-answer")


def row(page: Page, turn: int) -> Locator:
    """The row of a turn, counted from 1 as on screen."""
    return page.locator(f'.row[data-turn="{turn - 1}"]')


def selected(page: Page) -> Locator:
    return page.locator('.row[aria-selected="true"]')


def turn_heading(page: Page, turn: int) -> Locator:
    """The title of the panel that explains a turn."""
    return page.get_by_role("heading", name=f"Turn {turn}", exact=True)


def kept(page: Page) -> int:
    """How many turns the page says are kept."""
    return int(answer(page).locator("strong").inner_text().split()[0])


def test_moving_the_slider_flips_a_turn(conversation: str, go_to_address: Callable[[str], Page]) -> None:
    page = go_to_address(f"/Explore?conversation={conversation}")  # flips are against the gate's own rule
    expect(row(page, 8)).to_be_in_viewport(ratio=0.9)
    before = kept(page)
    strip = page.locator(".scroller").bounding_box()
    page.evaluate(COUNT_FLIPPING)
    page.locator(".st-key-explore-slider").get_by_role("slider").press("End")
    expect(answer(page)).to_contain_text(re.compile(r"Changed by your rule: \d now dropped"))
    assert kept(page) < before
    fold = page.locator(".fold", has_text=f"{before - kept(page)} changed")
    expect(fold).to_be_visible()
    expect(page.locator(".row.changed")).to_have_count(0)  # after a moment they are folded
    page.evaluate("clearInterval(counting)")
    assert page.evaluate("mostFlipping") == before - kept(page), "but they flip in their places"
    assert page.locator(".scroller").bounding_box() == strip, "nothing moves"
    fold.click()
    expect(page.locator(".row .flip", has_text="↓")).to_have_count(before - kept(page))
    assert query(page)["rule"] == "max_missed,max_missed=0.5"

    open_page(page, page.url)
    assert kept(page) < before, "the address reopens the slider"
    open_page(page, page.url.replace("max_missed%3D0.5", "max_missed%3D0"))
    assert kept(page) >= before


def test_code_that_is_only_indented_is_in_a_code_font(explore: Page) -> None:
    script = files("convgate.ui.shared").joinpath("markdown.js").read_text()

    def draw(text: str) -> list[str]:
        """Return the class and text of each part that is drawn."""
        drawn = explore.evaluate(
            "text => { " + script + """
                const element = document.createElement("div")
                drawMarkdown(element, text)
                return [...element.children].map(part => `${part.className}: ${part.textContent}`)
            }""", text,
        )  # fmt: skip
        return list(drawn)

    code = "def f(n):\n    if n:\n        return 1\n\n    return 0"
    assert draw(f"Like this:\n\n{code}\n\nDoes it work?") == [
        "md-text: Like this:", f"md-code: {code}", "md-text: Does it work?"
    ]  # fmt: skip
    assert draw("1. First\n    of all\n\nThen") == ["md-item: 1. First", "md-text:     of all\n\nThen"]
    assert draw("Plain\n  words") == ["md-text: Plain\n  words"]


def test_quoted_words_are_marked_where_they_stand_alone_and_searched_ones_anywhere(explore: Page) -> None:
    script = files("convgate.ui.shared").joinpath("markdown.js").read_text()
    marked = (
        "whole => { " + script + """
            const element = document.createElement("div")
            element.textContent = "Es wird gut, sagen wir."
            markWords(element, ["Wir"], whole)
            return element.innerHTML
        }"""
    )  # fmt: skip
    assert explore.evaluate(marked, True) == "Es wird gut, sagen <mark>wir</mark>."
    assert explore.evaluate(marked, False).startswith("Es <mark>wir</mark>d")


@pytest.mark.slow
def test_one_press_of_back_undoes_another_way_to_choose(
    go_to_address: Callable[[str], Page], sample_keys: dict[str, list[str]]
) -> None:
    [key] = sample_keys["balkonkraftwerk_deutsch.md"]
    page = go_to_address(f"/Explore?conversation={key}")
    last = page.get_by_role("button", name=re.compile("^last 10 turns"))
    last.click()
    expect(page.get_by_role("button", name=re.compile("^Back to the gate"))).to_be_visible()
    assert query(page)["policy"] == "last_k"
    page.go_back()
    expect(last).to_be_visible()
    assert query(page) == {"conversation": key}


@pytest.mark.slow
def test_a_click_explains_a_turn_and_back_returns_to_the_one_before(explore: Page) -> None:
    page = explore
    main = page.get_by_test_id("stMain")
    row(page, 3).scroll_into_view_if_needed()
    place = main.evaluate("main => main.scrollTop")
    row(page, 3).locator(".text").click()
    expect(turn_heading(page, 3)).to_be_visible()
    expect(row(page, 3)).to_have_attribute("aria-selected", "true")
    expect(selected(page)).to_have_count(1)
    assert main.evaluate("main => main.scrollTop") == place, "the page stays where it is"
    assert query(page)["selected"] == "3"

    page.locator(".fold").click()
    expect(row(page, 4).locator(".reason")).to_be_visible()
    row(page, 4).click()
    expect(turn_heading(page, 4)).to_be_visible()
    page.get_by_role("tab", name="Links").click()
    expect(page.get_by_text("From the turn alone")).to_be_visible()
    page.go_back()
    expect(turn_heading(page, 3)).to_be_visible()
    page.get_by_role("tab", name="Why").click()

    wait_until_idle(page)
    top = row(page, 3).bounding_box()
    page.get_by_text("More", exact=True).click()
    expect(page.get_by_placeholder("Search", exact=True)).to_be_visible()
    assert row(page, 3).bounding_box() == top, "nothing jumps"
    page.get_by_role("button", name="View").click()
    page.get_by_text("Scores as dots").click()
    press(page, "Escape")
    chart = page.get_by_test_id("stPlotlyChart").first
    box = chart.locator(".scatterlayer .trace").first.locator("path.point").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(selected(page)).not_to_have_attribute("data-turn", "2")
    assert query(page)["selected"] != "3"

    page.get_by_placeholder("Search", exact=True).fill("tomatoes")
    expect(page.locator(".row mark")).to_have_text(["tomatoes"])
    page.get_by_role("button", name="1 found").click()
    expect(row(page, 4)).to_have_attribute("aria-selected", "true")

    page.get_by_placeholder("Search", exact=True).fill("")  # it stays in the session
    page.set_viewport_size({"width": 400, "height": 800})
    expect_no_overflow(page)
    expect(page.locator("kbd:visible")).to_have_count(0)
    tops = [
        place.first.evaluate("element => element.getBoundingClientRect().top")
        for place in (
            page.get_by_test_id("stChatInput"),
            answer(page),
            page.locator(".rows"),
            page.locator(".st-key-explore-slider"),
            page.locator(".st-key-explore-panel h3"),
        )
    ]
    assert tops == sorted(tops), "on a phone the message, what is sent, the turns, the slider, and why"
    text, reason = (selected(page).locator(name).bounding_box() for name in (".text", ".reason"))
    assert text is not None
    assert reason is not None
    assert text["y"] < reason["y"], "the text first"


@pytest.mark.slow
def test_keys_walk_the_transcript_and_go_to_another_message(explore: Page) -> None:
    page = explore
    row(page, 1).click()
    expect(turn_heading(page, 1)).to_be_visible()
    press(page, "ArrowRight")
    expect(turn_heading(page, 2)).to_be_visible()
    press(page, "d")
    expect(selected(page)).to_have_class(re.compile("dropped"))
    press(page, "k")
    expect(selected(page)).to_have_class(re.compile("kept|forced"))
    press(page, "p")
    expect(row(page, 6)).to_have_class(re.compile("current"))
    expect(row(page, 8)).to_have_class(re.compile("later"))
    press(page, "n")
    expect(row(page, 8)).to_have_class(re.compile("current"))

    row(page, 5).click()
    expect(turn_heading(page, 5)).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(turn_heading(page, 7)).to_be_visible()
    expect(row(page, 7)).to_be_focused()
    assert page.locator('.row[tabindex="0"]').count() == 1
    before = row(page, 7).locator(".text").inner_text()
    press(page, "Enter")
    expect(row(page, 7).get_by_role("button", name="less")).to_be_visible()
    expect(row(page, 7).locator(".text")).not_to_have_text(before)
    expect(row(page, 7).locator(".text")).to_have_text(CONVERSATION[6][1].strip())
    press(page, "Home")
    expect(turn_heading(page, 1)).to_be_visible()
    press(page, "m")
    expect(page.get_by_text("Nothing to decide")).to_be_visible()

    page.get_by_test_id("stChatInput").get_by_role("textbox").click()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("mkdpn")  # keys typed into a field stay there
    page.keyboard.press("Enter")
    expect(page.get_by_text("answering your question")).to_be_visible()
    assert query(page)["ask"] == "mkdpn"


def test_everything_is_above_the_fold_and_the_minimap_leads_to_a_turn(
    sample_keys: dict[str, list[str]], go_to_address: Callable[[str], Page]
) -> None:
    [key] = sample_keys["support_invoice_router_parcel.json"]
    page = go_to_address(f"/Explore?conversation={key}&rule=absolute,threshold=0.4")
    expect(row(page, 77)).to_have_class(re.compile("current"))
    expect(selected(page)).to_be_in_viewport(ratio=0.9)
    main = page.get_by_test_id("stMain")
    assert main.evaluate("main => main.scrollHeight <= main.clientHeight"), "nothing is below the fold"
    labels, chart = (
        page.locator(".st-key-answering-bar"),
        page.locator(".st-key-explore-panel .main-svg").first,
    )
    assert labels.bounding_box()["y"] + labels.bounding_box()["height"] <= chart.bounding_box()["y"]
    chart.scroll_into_view_if_needed()
    expect(chart).to_be_in_viewport(ratio=1)

    question = "\n".join(["What was wrong with the invoice?"] * 12)
    go_to_address(f"/Explore?conversation={key}&ask={quote(question)}")
    expect(page.get_by_text("answering your question")).to_be_visible()
    assert page.get_by_test_id("stChatInput").bounding_box()["height"] < 130, (
        "a long message scrolls in its field"
    )
    assert main.evaluate("main => main.scrollHeight <= main.clientHeight")
    go_to_address(f"/Explore?conversation={key}&rule=absolute,threshold=0.4")
    expect(selected(page)).to_be_in_viewport(ratio=0.9)

    box = page.locator(".minimap").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] * 39.5 / 77)
    expect(row(page, 40)).to_be_in_viewport(ratio=0.9)
    assert "selected" not in query(page), "to look is not to select"

    page.locator(".scroller").evaluate("scroller => (scroller.dataset.first = 'yes')")
    press(page, "p")
    expect(page.get_by_text("answering turn 75")).to_be_visible()
    assert page.locator(".scroller").get_attribute("data-first"), "another message does not draw it anew"
    assert page.locator(".row").count()

    fold = page.locator(".fold").first
    n_folded = int(re.match(r"\W*(\d+) turns (dropped|sent in case)", fold.inner_text())[1])
    n_rows = page.locator(".row").count()
    fold.click()
    expect(page.locator(".row")).to_have_count(n_rows + n_folded)
    fold.click()
    expect(page.locator(".row")).to_have_count(n_rows)


def test_the_best_turn_is_in_sight_when_another_question_is_asked(
    sample_keys: dict[str, list[str]], go_to_address: Callable[[str], Page]
) -> None:
    page = go_to_address(f"/Explore?conversation={sample_keys['nan_and_fibonacci.json'][0]}")
    page.set_viewport_size({"width": 1440, "height": 900})
    field = page.get_by_test_id("stChatInput").get_by_role("textbox")
    field.fill("Write a test for the Fibonacci function")
    field.press("Enter")
    expect(page.get_by_text("answering your question")).to_be_visible()
    expect(selected(page)).to_be_in_viewport(ratio=0.5)


def test_a_question_is_asked_in_the_field_of_the_message_and_read_as_sent(
    sample_keys: dict[str, list[str]], go_to_address: Callable[[str], Page]
) -> None:
    [key] = sample_keys["nan_and_fibonacci.json"]
    page = go_to_address(f"/Explore?conversation={key}&rule=absolute,threshold=0.3")
    code = row(page, 4).locator("pre")
    expect(code.first).to_contain_text("softmax")  # a fence of Markdown
    expect(row(page, 4).locator(".passage").first).to_be_visible()
    field = page.get_by_test_id("stChatInput").get_by_role("textbox")
    field.fill("What did the Fibonacci function look like?")
    field.press("Enter")
    expect(page.get_by_text("answering your question")).to_be_visible()
    expect(row(page, 6)).to_have_class(re.compile("kept"))
    expect(row(page, 5).locator(".reason")).to_contain_text("“Fibonacci”")
    expect(row(page, 5).locator("mark").last).to_have_text("Fibonacci")
    page.get_by_role("radio", name="As sent").click()
    expect(page.locator(".row.sent .text").last).to_have_text("What did the Fibonacci function look like?")
    expect(page.locator(".row.sent")).to_have_count(kept(page) + 1)
    expect(page.get_by_text(f"{kept(page) + 1} messages · OpenAI chat")).to_be_visible()
