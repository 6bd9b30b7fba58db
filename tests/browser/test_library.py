"""The Library in a browser: its rows at every width."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from convgate.core.conversation import Conversation, Turn
from convgate.store import Conversations, NewConversation, Store
from tests.browser.actions import open_page, query, upload

# Whether a text of a row lies over another one.
OVERLAPS = """() => [...document.querySelectorAll('[class*="st-key-conversation-"]')].map(row => {
    const boxes = [...row.querySelectorAll('a p, [data-testid="stCaptionContainer"] p, button')]
        .map(element => element.getBoundingClientRect());
    return boxes.some((one, at) => boxes.slice(at + 1).some(other =>
        one.left < other.right && other.left < one.right
        && one.top < other.bottom && other.top < one.bottom));
})"""


@pytest.fixture
def apostrophes(app_home: Path) -> Iterator[None]:
    """A conversation whose long title has some, in the library."""
    library = Conversations(Store(app_home / "convgate.db"))
    title = "The neighbours' parcel isn't Ann's, and Ann's isn't the neighbours': " * 3
    (added,) = library.add(
        [NewConversation(Conversation("parcel", (Turn.of("user", "Whose?"),), title=title))]
    )
    yield
    library.delete([added.key])


@pytest.mark.usefixtures("apostrophes")
@pytest.mark.parametrize("width", [1440, 1000, 400])
@pytest.mark.parametrize("search", ["", "?search=project", "?search=neighbours"])  # with the place found
def test_titles_and_details_of_a_row_do_not_overlap(
    go_to_address: Callable[[str], Page], width: int, search: str
) -> None:
    page = go_to_address(f"/{search}")
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_timeout(200)
    overlaps = page.evaluate(OVERLAPS)
    assert overlaps
    assert not any(overlaps)


def test_the_library_has_an_address_of_its_name_too(page: Page) -> None:
    open_page(page, "/Library?search=project")
    expect(page.get_by_role("heading", name="Library", exact=True)).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)
    assert query(page) == {"search": "project"}


def test_on_a_phone_the_details_and_their_menu_share_a_line(go_to_address: Callable[[str], Page]) -> None:
    page = go_to_address("/")
    page.set_viewport_size({"width": 400, "height": 800})
    row = page.locator('[class*="st-key-conversation-"]').first
    details, menu = (
        place.bounding_box()
        for place in (row.get_by_test_id("stCaptionContainer").last, row.get_by_role("button"))
    )
    assert details is not None
    assert menu is not None
    assert menu["y"] < details["y"] + details["height"]


def test_what_was_added_can_be_opened_and_the_ways_to_add_are_folded(page: Page, app_home: Path) -> None:
    page.goto("/")
    upload(page, {"oasis.txt": b"User: Where is the oasis?\nAssistant: East."})
    page.get_by_role("button", name="Add to the library").click()
    expect(page.get_by_test_id("stAlertContentSuccess")).to_contain_text("Added")
    expect(page.get_by_role("tab", name="Files")).to_be_hidden()
    page.get_by_test_id("stPageLink").filter(has_text="Where is the oasis?").first.click()
    expect(page.get_by_role("heading", name="Explore")).to_be_visible()
    library = Conversations(Store(app_home / "convgate.db"))
    library.delete([row.key for row in library.find(search="oasis.txt").rows])
