"""Who labels: a name is chosen once in a browser, and kept there until it is to be forgotten."""

from __future__ import annotations

import json

import pytest

from convgate.store import Conversations, Entry, SituationKey
from tests.label_page import (
    HOSTILE,
    LABEL,
    add,
    answer,
    click,
    errors,
    given,
    held,
    labels,
    mine,
    opened,
    said,
    say,
    send,
    sound,
    store,
    transcript,
)
from tests.label_page import (
    label_page as label_page,
)

pytestmark = pytest.mark.usefixtures("label_page")


def test_without_a_name_nothing_can_be_answered_until_one_is_chosen() -> None:
    key = add()
    app = opened(None)
    assert "Choose a name to label" in said(app)
    answers = [one for one in app.button if str(one.key).startswith("answering.")]
    assert answers
    assert all(one.disabled for one in answers)
    assert not transcript(app)["labelling"]["enabled"]
    send(app, given(app, 1, 3))
    assert "Choose a name first" in errors(app)
    assert not held(key)

    sound(app.text_input(key="annotator.typed").set_value("  Ada ").run())
    assert "Labelling as **Ada**" in said(app)
    assert "Choose a name" not in said(app)
    assert transcript(app)["labelling"]["enabled"]
    answer(app, "relevant")
    assert held(key) == {6: "relevant"}


def test_what_is_erased_leaves_the_session_and_the_name_is_forgotten_when_asked() -> None:
    key = add()
    app = opened(selected="7")
    answer(app, "relevant")
    for page in ("app.py", LABEL):  # once removed for good, once with everything
        sound(app.switch_page("app.py").run())
        if page == LABEL:
            app.text_input(key="library.erase.word").set_value("erase")
            sound(next(one for one in app.button if one.label == "Erase everything").click().run())
        else:
            Conversations(store()).delete([key])
            sound(app.run())
            click(app, "library.remove")
            click(app, "library.purge")
        assert "empty batch" not in repr(app.session_state._state.filtered_state)
        app.query_params.clear()
        if page != LABEL:
            add()
            answer(sound(app.switch_page(LABEL).run()), "unsure")
            assert "empty batch" in repr(app.session_state._state.filtered_state)
    assert app.button(key="annotator.forget").label == "Forget my name in this browser (Ada)"
    click(app, "annotator.forget")
    (cookie,) = [one for one in app.get("bidi_component") if "annotator" in one.proto.component_name]
    assert json.loads(cookie.proto.json) == {"cookie": "convgate-annotator", "name": "", "seconds": 0}
    sound(app.switch_page(LABEL).run())
    assert "Labelling as" not in said(app)


@pytest.mark.parametrize(
    "cookie", ["", "%20", "adjudicated", "Adjudicated", "a%0Ab", "x" * 61, "%00", "%20Ada"]
)
def test_a_cookie_that_is_no_name_is_as_if_there_were_none(cookie: str) -> None:
    add()
    app = opened(cookie)
    assert app.text_input(key="annotator.typed").value in (None, "")
    assert not transcript(app)["labelling"]["enabled"]


def test_names_that_cannot_be_are_refused_with_the_reason() -> None:
    key = add()
    labels().record(
        [Entry(SituationKey(key, 7), 1, "helper", "relevant", kind="agent")],
        by="helper", kind="feedback", by_kind="agent",
    )  # fmt: skip
    app = opened(None)
    assert not [one for one in app.button if str(one.key).startswith("annotator.as.")], (
        "an agent is no person"
    )
    for name, why in (
        ("adjudicated", "what was adjudicated"),
        ("a\nb", "on one line"),
        ("helper", "is an agent"),
    ):
        sound(app.text_input(key="annotator.typed").set_value(name).run())
        assert why in errors(app), name
        assert not transcript(app)["labelling"]["enabled"]
    sound(app.run())
    assert not errors(app)


def test_somebody_else_goes_on_in_the_same_browser() -> None:
    key = add()
    say(key, Bo={1: "relevant"}, **{HOSTILE: {1: "unsure"}})
    app = opened()
    click(app, "annotator.change")
    offered = [one for one in app.button if str(one.key).startswith("annotator.as.")]
    assert [one.key for one in offered] == [f"annotator.as.{HOSTILE}", "annotator.as.Bo"]
    assert HOSTILE not in offered[0].label
    click(app, "annotator.start")
    assert "Labelling as **Ada**" in said(app), "nothing was typed, so it is still the same person"
    click(app, "annotator.change")
    click(app, "annotator.as.Bo")
    assert "Labelling as **Bo**" in said(app)
    assert mine(app) == {1: "relevant"}
    answer(app, "unsure")
    assert held(key, "Bo") == {1: "relevant", 6: "unsure"}
    assert not held(key, "Ada")
