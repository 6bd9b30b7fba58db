"""Labelling in a browser by keyboard: the database holds the answers that were pressed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from convgate.core.conversation import Conversation, Turn
from convgate.core.text import pluralize
from convgate.store import ADJUDICATED, Conversations, CurrentKey, Labels, NewConversation, Store
from convgate.store.queues import NewItem, Queues
from tests.browser.actions import (
    choose_name,
    new_page,
    open_page,
    press,
    wait_for_value,
    wait_until_idle,
)

ASKED = [(4, 3), (4, 1), (2, 1), (2, 0)]  # messages of a queue, and the turns that it asks about
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


def current_turn(page: Page) -> int:
    """The 0-based turn that is asked about."""
    return int(page.locator('.row[aria-selected="true"]').get_attribute("data-turn") or -1)


def stored_answers(labels: Labels, current: CurrentKey, name: str) -> dict[int, str]:
    """What somebody answered, by turn, in the order in which it was stored."""
    entries = [
        entry
        for entry in labels.entries(current.conversation)
        if entry.current == current and entry.annotator == name
    ]
    return {entry.turn: entry.value or "" for entry in sorted(entries, key=lambda entry: entry.at or "")}


def press_digits(page: Page, read: Callable[[], dict[int, str]], digits: str) -> dict[int, str]:
    """Presses the digits as fast as they can be sent; what is stored then, which is just that.

    The first is for the turn that is marked, each further one for a turn that has no answer yet.
    """
    before, first = read(), current_turn(page)
    assert first not in before
    for digit in digits:
        page.keyboard.press(digit)
    wait_for_value(page, lambda: list(read().values()), [*before.values(), *(ANSWERS[one] for one in digits)])
    stored = read()
    assert list(stored)[len(before)] == first
    assert {turn: stored[turn] for turn in before} == before
    wait_for_value(page, lambda: current_turn(page) in stored, False)
    return stored


def test_ten_turns_by_keyboard_alone(page: Page, store: Store, add: Callable[..., str]) -> None:
    key = add(SAID, "Bread and bicycle")
    add(SAID[:3], "Newer")  # where Label would open for somebody new
    labels, current, name = Labels(store), CurrentKey(key, len(SAID) - 1), "Ada Tab"
    open_page(page, f"/Label?conversation={key}")
    choose_name(page, name)

    def held() -> dict[int, str]:
        return stored_answers(labels, current, name)

    press_digits(page, held, "12312")
    here = current_turn(page)
    context = page.context
    page.close()
    page = new_page(context)
    open_page(page, "/Label")
    expect(page.get_by_text(f"Labelling as {name}")).to_be_visible()
    expect(page.get_by_text(f"{name}, 5 of {len(SAID) - 1}")).to_be_visible()
    assert current_turn(page) == here
    wanted = press_digits(page, held, "2113")
    wanted = press_digits(page, held, "1")
    assert len(wanted) == 10

    *_, third, second, last = wanted
    for turn in (last, second, third):
        press(page, "z")
        expect(page.get_by_text(re.compile(rf"Undone .*, turn {turn + 1}$"))).to_be_visible()
        assert current_turn(page) == turn
    press(page, "y")
    expect(page.get_by_text(re.compile(rf"Redone .*, turn {third + 1}$"))).to_be_visible()
    left = {turn: answer for turn, answer in wanted.items() if turn not in (last, second)}
    assert held() == left

    expect(page.get_by_text(f"{name}, {len(left)} of {len(SAID) - 1}")).to_be_visible()


@pytest.mark.parametrize(("width", "height", "least"), [(1440, 900, 300), (1280, 720, 160), (400, 800, 160)])
def test_turns_and_answers_fill_the_window_and_stay_where_they_are(
    page: Page, add: Callable[..., str], width: int, height: int, least: int
) -> None:
    page.set_viewport_size({"width": width, "height": height})
    said = [text * (1 + 30 * (number % 2)) for number, text in enumerate(SAID)]
    open_page(page, f"/Label?conversation={add(said, f'Window of {width}')}")
    turns, answers = page.locator(".scroller"), page.get_by_role("button", name=re.compile("^. not relevant"))

    def places() -> tuple[float, float, float]:
        wait_until_idle(page)
        boxes = turns.bounding_box(), answers.bounding_box()
        assert boxes[0]
        assert boxes[1]
        return boxes[0]["y"], boxes[0]["height"], boxes[1]["y"] + boxes[1]["height"]

    top, length, end = places()
    assert length >= least
    tops = page.locator(".row").evaluate_all("rows => rows.map(row => row.getBoundingClientRect().top)")
    assert tops == sorted(tops), "each turn among its neighbours"
    assert end <= height
    assert top + length <= end
    press(page, "1")
    expect(page.get_by_text(re.compile("Saved"))).to_be_visible()
    press(page, "2")
    assert places() == pytest.approx((top, length, end), abs=1)


@pytest.mark.slow
def test_what_is_typed_into_a_field_answers_nothing_and_a_switch_takes_no_keys(
    go_to_address: Callable[[str], Page], store: Store, add: Callable[..., str]
) -> None:
    key = add(SAID[:9], "Fields")
    labels, current, name = Labels(store), CurrentKey(key, 8), "Bea Field"
    page = go_to_address(f"/Label?conversation={key}")
    choose_name(page, name)
    field = page.get_by_test_id("stSidebar").get_by_role("textbox").last
    field.click()
    page.keyboard.type("3 reasons, 1 zebra")
    expect(field).to_have_value("3 reasons, 1 zebra")
    field.fill("")
    assert labels.of(current).of(name) == {}

    page.get_by_text("Show the gate's decision").click()
    turn = current_turn(page)
    press(page, "1")
    wait_for_value(page, lambda: labels.of(current).of(name).get(turn), "relevant")
    page.get_by_test_id("stButtonGroup").get_by_text("Annotators").click()
    expect(page.get_by_text("Train on").first).to_be_visible()
    turn = current_turn(page)
    press(page, "2")
    wait_for_value(page, lambda: labels.of(current).of(name).get(turn), "not_relevant")
    press(page, "z")
    wait_for_value(page, lambda: labels.of(current).of(name).get(turn), None)


@pytest.mark.slow
def test_the_same_keys_answer_on_explore(
    go_to_address: Callable[[str], Page], store: Store, add: Callable[..., str]
) -> None:
    key = add(SAID[:9], "In place")
    labels, current, name = Labels(store), CurrentKey(key, 8), "Cy Place"
    page = go_to_address(f"/Explore?conversation={key}&selected=3")
    choose_name(page, name)

    def held() -> dict[int, str]:
        return stored_answers(labels, current, name)

    assert current_turn(page) == 2
    wanted = press_digits(page, held, "132")
    press(page, "z")
    wait_for_value(page, held, dict(list(wanted.items())[:-1]))
    press(page, "y")
    wait_for_value(page, held, wanted)


@pytest.mark.slow
def test_two_disagree_in_a_queue_and_one_adjudicates(
    go_to_address: Callable[[str], Page], other_page: Page, store: Store, add: Callable[..., str]
) -> None:
    key = add(SAID[:5], "Disputed")
    labels, names = Labels(store), ("Dora Queue", "Eli Queue")
    before = len(labels.disagreements())
    items = [NewItem(CurrentKey(key, message), turn, "audit", "Random.") for message, turn in ASKED]
    queue, count = Queues(store).add("Disputed", items, by=names[0], seed=1), len(ASKED)
    page = go_to_address(f"/Label?queue={queue}")
    choose_name(page, names[0])
    expect(page.get_by_text(f"{names[0]}, 0 of {count}")).to_be_visible()
    address = page.url

    def answer_all(page: Page, name: str, digits: str) -> None:
        for done, digit in enumerate(digits, start=1):
            press(page, digit)
            expect(page.get_by_text(f"{name}, {done} of {count}")).to_be_visible()
        expect(page.get_by_text("All suggested turns have an answer of yours.")).to_be_visible()

    answer_all(page, names[0], "1" * count)
    open_page(other_page, address)
    choose_name(other_page, names[1])
    disputed_turn = current_turn(other_page)
    answer_all(other_page, names[1], "2" + "1" * (count - 1))
    assert len(labels.disagreements()) == before + 1

    page.get_by_test_id("stButtonGroup").get_by_text("Disagreements").click()
    expect(page.get_by_text(f"{pluralize(before + 1, 'disagreement')} to adjudicate")).to_be_visible()
    assert current_turn(page) == disputed_turn
    press(page, "2")
    wait_for_value(page, lambda: len(labels.disagreements()), before)
    everything = [labels.of(CurrentKey(key, turn)).answers for turn in (2, 4)]
    (disputed,) = [dict(said) for answers in everything for said in answers.values() if len(said) > 2]
    assert disputed == {names[0]: "relevant", names[1]: "not_relevant", ADJUDICATED: "not_relevant"}
    assert sum(len(said) for answers in everything for said in answers.values()) == 2 * count + 1
