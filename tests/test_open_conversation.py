"""One conversation and one current message are open on all pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Conversation
from convgate.core.home import app_root
from convgate.core.settings import load_settings
from convgate.store import Conversations, NewConversation, Store
from convgate.ui import services
from tests.fakes import FakeEncoder
from tests.page_talk import TALK

PAGES = {
    "explore": "pages/1_Explore.py",
    "label": "pages/2_Label.py",
    "compare": "pages/6_Compare.py",
    "rules": "pages/7_Rules.py",
    "sessions": "pages/8_Sessions.py",
    "context": "pages/9_Context.py",
}


@pytest.fixture
def talks(convgate_home: Path, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """The keys of two conversations, the newer one last."""
    monkeypatch.setattr(services, "encoder", lambda *_: fake_encoder)
    monkeypatch.setattr(services, "warm_up", lambda: None)
    library = Conversations(Store(load_settings().database))
    older, newer = (
        library.add([NewConversation(Conversation(title, turns, title=title))])[0].key
        for title, turns in (("Older", TALK), ("Newer", TALK[:6]))
    )
    return older, newer


def opened(page: str, **query: str) -> AppTest:
    """A page in a new session, by an address."""
    app = AppTest.from_file(str(app_root() / "app.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    return go(app, page, keep_address=True)


def go(app: AppTest, page: str, *, keep_address: bool = False) -> AppTest:
    """Go there by the sidebar, which leads to the bare address."""
    if not keep_address:
        app.query_params.clear()
    app.switch_page(PAGES.get(page, page)).run()
    assert not app.exception, app.exception[0].value
    return app


def shown(app: AppTest) -> tuple[str, str | None]:
    """The conversation and the message of the address."""
    return app.query_params["conversation"], app.query_params.get("turn")


@pytest.mark.parametrize("page", PAGES)
def test_what_is_open_on_explore_is_open_on_every_page_and_after_a_reload(
    talks: tuple[str, str], page: str
) -> None:
    older, _ = talks
    app = go(opened("explore", conversation=older, turn="4"), page)
    assert app.query_params["conversation"] == older
    menus = [menu.value for menu in app.selectbox if str(menu.key).endswith(".conversation")]
    assert menus == [older]
    app = opened(page, **app.query_params)
    app = go(app, "explore")
    assert app.query_params["conversation"] == older
    if page != "rules":
        assert shown(app) == (older, "4")


@pytest.mark.parametrize("page", ["compare", "context", "sessions", "rules", "label"])
def test_what_is_chosen_elsewhere_is_open_on_explore(talks: tuple[str, str], page: str) -> None:
    older, newer = talks
    app = go(opened("explore", conversation=older, turn="4"), page)
    (menu,) = [menu for menu in app.selectbox if str(menu.key).endswith(".conversation")]
    menu.set_value(newer).run()
    assert shown(go(app, "explore")) == (newer, None)


def test_the_current_message_goes_along_in_both_directions(talks: tuple[str, str]) -> None:
    older, _ = talks
    app = go(opened("explore", conversation=older, turn="4", selected="2"), "compare")
    assert shown(app) == (older, "4")
    app.number_input(key="compare.turn").set_value(6).run()
    app = go(app, "explore")
    assert shown(app) == (older, "6")
    assert "selected" not in app.query_params, "it was a turn before another message"
    app.text_input(key="explore.question").set_value("and now?").run()
    assert go(app, "context").query_params["ask"] == "and now?"


def test_a_link_and_the_way_back_open_what_they_name(talks: tuple[str, str]) -> None:
    older, newer = talks
    app = opened("explore", conversation=older, turn="4")
    app = go(app, "pages/5_Versions.py")
    app.query_params.clear()
    app.query_params["conversation"] = newer
    app = go(app, "context", keep_address=True)
    assert shown(app) == (newer, None)
    app.query_params.clear()
    app.query_params["conversation"] = older
    app.query_params["turn"] = "4"  # as the browser's way back has it
    assert shown(go(app, "explore", keep_address=True)) == (older, "4")
    assert shown(go(app, "context")) == (older, "4")


def test_pages_without_a_message_keep_what_is_open(talks: tuple[str, str]) -> None:
    older, _ = talks
    app = opened("explore", conversation=older, turn="4")
    for page in ("pages/3_Tune.py", "pages/4_Train.py", "pages/5_Versions.py", "app.py"):
        app = go(app, page)
    assert shown(go(app, "label")) == (older, "4")
