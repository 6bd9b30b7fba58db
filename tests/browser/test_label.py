"""Labelling in a real browser, by keyboard: what the database holds afterwards is what was pressed."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from convgate.conversation import Conversation, Turn
from convgate.store import ADJUDICATED, Conversations, Labels, NewConversation, SituationKey, Store
from convgate.store.label_counts import LabelCounts
from convgate.ui.wording import counted
from tests.browser.running_app import open_page, wait_until_idle

ANSWERS = {"1": "relevant", "2": "not_relevant", "3": "unsure"}
SAID = [
    "My sourdough stays flat.",
    "How warm is your kitchen?",
    "About 19 degrees.",
    "Then let the dough rise for longer.",
    "Which rye flour is right for the starter?",
    "Any wholemeal one.",
    "My bicycle chain slips, too.",
    "Is it worn?",
    "It has 6,000 km.",
    "Then chain and cassette want changing.",
    "Back to the bread: how long should it rise?",
    "At 19 degrees about twelve hours.",
    "And in the fridge?",
    "Two days.",
    "So what do I do tomorrow?",
]

# Which turn is marked at the very moment of each key, noted before the page itself hears of it.
WATCH = """
window.pressed = []
const find = (root) => root.querySelector('.row[aria-selected="true"]')
    ?? [...root.querySelectorAll('*')].map(e => e.shadowRoot && find(e.shadowRoot)).find(Boolean)
window.addEventListener('keydown', event => {
    if (event.isTrusted && /^[0-9]$/.test(event.key)) {
        window.pressed.push([event.key, Number(find(document)?.dataset.turn ?? -1)])
    }
}, true)
"""


@pytest.fixture(scope="module")
def store(app_address: str, app_home: Path) -> Store:
    """What the running app writes into."""
    return Store(app_home / "convgate.db")


@pytest.fixture
def add(store: Store) -> Callable[..., str]:
    """Puts a conversation into the library; its key."""

    def add_talk(said: list[str], title: str) -> str:
        turns = tuple(
            Turn.of("user" if number % 2 == 0 else "assistant", f"{text} ({title})")
            for number, text in enumerate(said)
        )
        (added,) = Conversations(store).add([NewConversation(Conversation(title, turns, title=title))])
        return added.key

    return add_talk


def eventually(page: Page, read: Callable[[], Any], wanted: Any, *, patience: float = 30) -> None:
    """Reads until it is what is wanted; fails with what it was last."""
    end = time.monotonic() + patience
    while (found := read()) != wanted and time.monotonic() < end:
        page.wait_for_timeout(50)
    assert found == wanted


def tab_to(page: Page, place: Locator) -> None:
    """Moves the focus there with the Tab key alone."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if place.evaluate("element => element === document.activeElement"):
            return
    raise AssertionError("Tab does not lead there")


def choose_name(page: Page, name: str) -> None:
    """Says who labels, by keyboard."""
    tab_to(page, page.get_by_role("textbox", name="Your name, to label"))
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    expect(page.get_by_text(f"Labelling as {name}")).to_be_visible()
    wait_until_idle(page)


def marked(page: Page) -> int:
    """The 0-based turn that is asked about."""
    return int(page.locator('.row[aria-selected="true"]').get_attribute("data-turn") or -1)


def pressed(page: Page) -> dict[int, str]:
    """What was answered with the digits that were pressed since the page was loaded, by turn."""
    return {turn: ANSWERS[key] for key, turn in page.evaluate("window.pressed")}


def test_ten_turns_by_keyboard_alone(page: Page, store: Store, add: Callable[..., str]) -> None:
    key = add(SAID, "Bread and bicycle")
    add(SAID[:3], "Newer")  # where Label would open for somebody new
    labels, situation, name = Labels(store), SituationKey(key, len(SAID) - 1), "Ada Tab"
    page.add_init_script(WATCH)
    open_page(page, f"/Label?conversation={key}")
    choose_name(page, name)

    def held() -> dict[int, str]:
        return labels.of(situation).of(name)

    for digit in "12312":  # as fast as they can be sent
        page.keyboard.press(digit)
    wanted = pressed(page)
    assert list(wanted.values()) == [ANSWERS[digit] for digit in "12312"]
    eventually(page, held, dict(sorted(wanted.items())))
    wait_until_idle(page)
    here = marked(page)
    assert here not in wanted

    page.reload()
    wait_until_idle(page)
    assert marked(page) == here
    for digit in "21131":
        page.keyboard.press(digit)
    second = pressed(page)
    assert list(second.values()) == [ANSWERS[digit] for digit in "21131"]
    assert not second.keys() & wanted.keys(), "each turn is asked about once"
    wanted |= second
    eventually(page, held, dict(sorted(wanted.items())))
    wait_until_idle(page)

    *_, third, second_last, last = wanted
    for turn in (last, second_last, third):
        page.keyboard.press("z")
        expect(page.get_by_text(re.compile(rf"Taken back .*, turn {turn + 1}$"))).to_be_visible()
        wait_until_idle(page)
        assert marked(page) == turn
    page.keyboard.press("y")
    expect(page.get_by_text(re.compile(rf"Done again .*, turn {third + 1}$"))).to_be_visible()
    left = {turn: answer for turn, answer in wanted.items() if turn not in (last, second_last)}
    assert held() == dict(sorted(left.items()))

    context = page.context
    page.close()
    page = context.new_page()
    page.add_init_script(WATCH)
    open_page(page, "/Label")
    expect(page.get_by_text(f"Labelling as {name}")).to_be_visible()
    expect(page.get_by_text(f"{len(left)} of {len(SAID) - 1} turns answered")).to_be_visible()
    assert marked(page) not in left
    page.keyboard.press("1")
    eventually(page, held, dict(sorted((left | pressed(page)).items())))
    assert len(held()) == len(left) + 1


def test_what_is_typed_into_a_field_answers_nothing_and_a_switch_takes_no_keys(
    page: Page, store: Store, add: Callable[..., str]
) -> None:
    key = add(SAID[:9], "Fields")
    labels, situation, name = Labels(store), SituationKey(key, 8), "Bea Field"
    open_page(page, f"/Label?conversation={key}")
    choose_name(page, name)
    page.get_by_placeholder("Search", exact=True).click()
    page.keyboard.type("12 3zyl0")
    page.keyboard.press("Enter")
    wait_until_idle(page)
    here = marked(page)
    page.get_by_role("textbox", name="Note", exact=True).click()
    page.keyboard.type("3 reasons, 1 zebra")
    page.keyboard.press("Enter")

    def notes() -> list[str]:
        return [said[name].value for said in labels.of(situation).notes.values()]

    eventually(page, notes, ["3 reasons, 1 zebra"])
    assert labels.of(situation).of(name) == {}

    wait_until_idle(page)
    page.get_by_text("First what is worth most").click()
    wait_until_idle(page)
    turn = marked(page)
    page.keyboard.press("1")
    eventually(page, lambda: labels.of(situation).of(name).get(turn), "relevant")
    wait_until_idle(page)
    page.get_by_test_id("stButtonGroup").get_by_text("Annotators").click()
    expect(page.get_by_text("Train on these").first).to_be_visible()
    wait_until_idle(page)
    turn = marked(page)
    page.keyboard.press("2")
    eventually(page, lambda: labels.of(situation).of(name).get(turn), "not_relevant")
    wait_until_idle(page)
    page.keyboard.press("z")
    eventually(page, lambda: labels.of(situation).of(name).get(turn), None)
    assert here in labels.of(situation).notes


def test_the_same_keys_answer_on_explore(page: Page, store: Store, add: Callable[..., str]) -> None:
    key = add(SAID[:9], "In place")
    labels, situation, name = Labels(store), SituationKey(key, 8), "Cy Place"
    page.add_init_script(WATCH)
    open_page(page, f"/Explore?conversation={key}&selected=3")
    choose_name(page, name)

    def held() -> dict[int, str]:
        return labels.of(situation).of(name)

    assert marked(page) == 2
    for digit in "132":
        page.keyboard.press(digit)
    wanted = pressed(page)
    assert next(iter(wanted)) == 2
    assert list(wanted.values()) == [ANSWERS[digit] for digit in "132"]
    eventually(page, held, dict(sorted(wanted.items())))
    wait_until_idle(page)
    page.keyboard.press("z")
    undone = dict(list(wanted.items())[:-1])
    eventually(page, held, dict(sorted(undone.items())))
    wait_until_idle(page)
    page.keyboard.press("y")
    eventually(page, held, dict(sorted(wanted.items())))


def test_two_disagree_in_a_queue_and_one_settles_it(
    page: Page, other_page: Page, store: Store, add: Callable[..., str]
) -> None:
    key = add(SAID[:5], "Disputed")
    labels, names = Labels(store), ("Dora Queue", "Eli Queue")
    counts = LabelCounts(store)
    before = counts.disagreements().total
    open_page(page, f"/Label?conversation={key}")
    choose_name(page, names[0])
    page.get_by_test_id("stButtonGroup").get_by_text("A queue", exact=True).click()
    if (another := page.get_by_role("button", name="New queue")).count():
        another.click()
    page.get_by_label("From", exact=True).click()
    page.get_by_role("option", name="This conversation").click()
    page.get_by_role("button", name="Make the queue").click()
    expect(page.get_by_text(re.compile(rf"{names[0]}: 0 of \d+ answered"))).to_be_visible()
    wait_until_idle(page)
    told = page.get_by_text(re.compile(rf"{names[0]}: 0 of \d+ answered")).inner_text()
    count = int(re.findall(r"\d+", told)[-1])
    address = page.url

    def answer_all(page: Page, name: str, digits: str) -> None:
        for done, digit in enumerate(digits, start=1):
            page.keyboard.press(digit)
            expect(page.get_by_text(f"{name}: {done} of {count} answered")).to_be_visible()
            wait_until_idle(page)
        expect(page.get_by_text("You have answered everything in this queue.")).to_be_visible()

    answer_all(page, names[0], "1" * count)
    open_page(other_page, address)
    choose_name(other_page, names[1])
    disputed_turn = marked(other_page)
    answer_all(other_page, names[1], "2" + "1" * (count - 1))
    assert counts.disagreements().total == before + 1

    page.get_by_test_id("stButtonGroup").get_by_text("Disagreements").click()
    expect(page.get_by_text(f"{counted(before + 1, 'disagreement')} to be settled.")).to_be_visible()
    wait_until_idle(page)
    assert marked(page) == disputed_turn
    page.keyboard.press("2")
    eventually(page, lambda: counts.disagreements().total, before)
    everything = [labels.of(SituationKey(key, turn)).answers for turn in (2, 4)]
    (disputed,) = [
        {who: one.value for who, one in said.items()}
        for answers in everything
        for said in answers.values()
        if len(said) > 2
    ]
    assert disputed == {names[0]: "relevant", names[1]: "not_relevant", ADJUDICATED: "not_relevant"}
    assert sum(len(said) for answers in everything for said in answers.values()) == 2 * count + 1
