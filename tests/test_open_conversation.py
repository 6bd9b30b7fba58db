"""One conversation and one current message stay open on all pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.fakes import FakeEncoder
from tests.page_app import PAGES, TURNS, add_conversation, check, choose, open_page, use_encoder


@pytest.fixture
def keys(convgate_home: Path, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """The keys of two conversations, the newer one last."""
    use_encoder(fake_encoder, monkeypatch)
    return add_conversation(title="Older"), add_conversation(*TURNS[:6], title="Newer")


def go(app: AppTest, page: str, *, keep_address: bool = False) -> AppTest:
    """Go there by the sidebar, which leads to the bare address; on Compare, to the open conversation."""
    if not keep_address:
        app.query_params.clear()
    app = check(app.switch_page(PAGES[page]).run())
    return choose(app, "compare.show", "conversation") if page == "Compare" else app


def open_conversation(app: AppTest) -> tuple[str, str | None]:
    """The conversation and the message of the address."""
    return app.query_params["conversation"], app.query_params.get("turn")


@pytest.mark.parametrize("page", ["Explore", "Label", "Compare", "Storing", "Sessions"])
def test_what_is_open_on_explore_is_open_on_every_page_and_after_a_reload(
    keys: tuple[str, str], page: str
) -> None:
    older, _ = keys
    app = go(open_page("Explore", conversation=older, turn="4"), page)
    assert app.query_params["conversation"] == older
    menus = [menu.value for menu in app.selectbox if str(menu.key).endswith(".conversation")]
    assert menus == [older]
    app = open_page(page, **app.query_params)
    app = go(app, "Explore")
    assert app.query_params["conversation"] == older
    if page != "Storing":
        assert open_conversation(app) == (older, "4")


@pytest.mark.parametrize("page", ["Compare", "Sessions", "Storing", "Label"])
def test_what_is_chosen_elsewhere_is_open_on_explore(keys: tuple[str, str], page: str) -> None:
    older, newer = keys
    app = go(open_page("Explore", conversation=older, turn="4"), page)
    (menu,) = [menu for menu in app.selectbox if str(menu.key).endswith(".conversation")]
    menu.set_value(newer).run()
    assert open_conversation(go(app, "Explore")) == (newer, None)


def test_the_current_message_goes_along_in_both_directions(keys: tuple[str, str]) -> None:
    older, _ = keys
    app = go(open_page("Explore", conversation=older, turn="4", selected="2"), "Compare")
    assert open_conversation(app) == (older, "4")
    app.number_input(key="compare.turn").set_value(6).run()
    app = go(app, "Explore")
    assert open_conversation(app) == (older, "6")
    assert "selected" not in app.query_params, "it was a turn before another message"
    app.chat_input(key="explore.asked").set_value("and now?").run()
    assert go(app, "Compare").query_params["ask"] == "and now?"


def test_a_link_and_the_way_back_open_what_they_name(keys: tuple[str, str]) -> None:
    older, newer = keys
    app = open_page("Explore", conversation=older, turn="4")
    app = go(app, "Versions")
    app.query_params.clear()
    app.query_params["conversation"] = newer
    app = go(app, "Compare", keep_address=True)
    assert open_conversation(app) == (newer, None)
    app.query_params.clear()
    app.query_params["conversation"] = older
    app.query_params["turn"] = "4"  # as the browser's way back has it
    assert open_conversation(go(app, "Explore", keep_address=True)) == (older, "4")
    assert open_conversation(go(app, "Compare")) == (older, "4")


def test_pages_without_a_message_keep_what_is_open(keys: tuple[str, str]) -> None:
    older, _ = keys
    app = open_page("Explore", conversation=older, turn="4")
    for page in ("Tune", "Train", "Versions", "Library"):
        app = go(app, page)
    assert open_conversation(go(app, "Label")) == (older, "4")


def test_a_link_to_the_open_conversation_shows_it_as_it_is_shown_first(keys: tuple[str, str]) -> None:
    older, _ = keys
    app = open_page("Explore", conversation=older, turn="4", selected="2", list="dropped", ask="and now?")
    app = go(app, "Library")
    assert "ask" not in app.query_params, "only pages that show a question have it in their address"
    app.query_params.clear()
    app.query_params["conversation"] = older
    app = go(app, "Explore", keep_address=True)
    assert {*app.query_params} == {"conversation"}


def test_the_way_back_from_label_shows_what_explore_showed(keys: tuple[str, str]) -> None:
    older, _ = keys
    shown = {"conversation": older, "selected": "2", "list": "dropped", "ask": "and now?"}
    app = go(open_page("Explore", **shown), "Label")
    app.query_params.clear()
    for name, value in shown.items():
        app.query_params[name] = value
    app = go(app, "Explore", keep_address=True)
    assert {name: app.query_params[name] for name in shown} == shown
