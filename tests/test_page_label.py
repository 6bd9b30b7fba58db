"""Every control, key and text of Label."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from convgate.app_files import app_root
from convgate.conversation import Turn
from convgate.store import SituationKey
from convgate.ui.navigation import EXPLORE
from tests.label_page import (
    HOSTILE,
    TALK,
    add,
    entries,
    labels,
    opened,
    progress,
    queue,
    said,
    say,
    sound,
    transcript,
)
from tests.label_page import (
    label_page as label_page,
)

pytestmark = pytest.mark.usefixtures("label_page")


def test_every_control_is_read() -> None:
    """A control that is added must be tested here or above: moving it has to change what the page shows."""
    key, other = add(), add(*TALK[:4], title="Other")
    say(key, Bo={1: "relevant"})
    new: dict[str, Any] = {
        "label.worth": True, "explore.search": "loss", "answering.scope": "rest", "explore.turn": 6,
        "explore.question": "fibonacci", "explore.compare": "last_k", "explore.policy": "bm25",
        "explore.pairs": True, "note": "Because", "label.work": "settle", "label.show": "people",
        "explore.conversation": other,
    }  # fmt: skip

    def controls(app: AppTest) -> dict[str, Any]:
        kinds = (app.slider, app.selectbox, app.number_input, app.toggle, app.text_input, app.button_group)
        found = {str(widget.key): widget for kind in kinds for widget in kind}
        return {"note" if name.startswith("label.note.") else name: one for name, one in found.items()}

    app = opened(conversation=key)
    assert set(controls(app)) == set(new)
    for name, value in new.items():
        before, old = shown(app), controls(app)[name].value
        sound(controls(app)[name].set_value(value).run())
        assert shown(app) != before, f"{name} changed nothing"
        if name not in ("note", "label.work", "label.show", "explore.conversation"):
            sound(controls(app)[name].set_value(old).run())
            assert shown(app) == before, f"{name} left something behind"


def shown(app: AppTest) -> list[object]:
    """What the page shows, without the controls themselves."""
    data = transcript(app)
    return [data["rows"], data["labelling"], data["terms"], said(app), progress(app), entries()]


def test_keys_are_shown_and_no_two_buttons_share_one() -> None:
    key = add()
    app = opened(conversation=key, queue=str(queue(key, 7, [6, 5])), compare="last_k")
    sound(app.text_input(key="explore.search").set_value("loss").run())
    shortcuts = {one.key: one.proto.shortcut for one in app.button if one.proto.shortcut}
    assert sorted(shortcuts.values()) == sorted({*"kdfxspn0123zyblm", "left", "right"})
    sound(app.switch_page(EXPLORE).run())
    theirs = {one.key: one.proto.shortcut for one in app.button if one.proto.shortcut}
    assert {name for name in theirs if name in shortcuts and theirs[name] != shortcuts[name]} == set()
    assert len(set(theirs) & set(shortcuts)) > 10


def test_what_transcripts_titles_and_people_say_is_text_everywhere() -> None:
    half = "nan \ud800 batch"
    turns = [Turn.of("user", f"{HOSTILE} {half}", name=HOSTILE), Turn.of("assistant", " \n ")]
    key = add(*turns, Turn.of("user", HOSTILE), title=HOSTILE)
    labels().note(SituationKey(key, 2), 0, HOSTILE, by="Bo")
    say(key, 2, Bo={0: "relevant", 1: "relevant"}, **{HOSTILE: {0: "not_relevant"}})
    number = str(queue(key, 2, [0, 1], name=HOSTILE, by=HOSTILE))
    for query in (
        {"show": "people"},
        {"queue": number},
        {"settle": "1"},
        {"ask": HOSTILE},
        {"selected": "2"},
    ):
        address: dict[str, Any] = {"conversation": key, "selected": "1", **query}
        app = opened(HOSTILE.replace(" ", "%20"), **address)
        told = [
            *app.markdown,
            *app.caption,
            *app.info,
            *app.warning,
            *app.error,
            *app.subheader,
            *app.success,
        ]
        assert not [one.value for one in told if HOSTILE in str(one.value)]
        assert transcript(app)["rows"][2]["text"] == HOSTILE


def test_from_explore_the_controls_show_the_same_message() -> None:
    other = add(title="Other")
    key = add(*[Turn.of("user", f"turn {number} about nan") for number in range(9)])
    assert other != key
    app = AppTest.from_file(str(app_root() / "app.py"), default_timeout=60).run()
    app.query_params["conversation"] = key
    app.query_params["turn"] = "6"
    sound(app.switch_page(EXPLORE).run())
    app.query_params.clear()
    sound(app.switch_page("pages/2_Label.py").run())
    assert app.number_input(key="explore.turn").value == 6
    assert app.selectbox(key="explore.conversation").value == key
