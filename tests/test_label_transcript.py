"""Answers that come from the transcript's own code in the browser."""

from __future__ import annotations

from typing import Any

import pytest

from tests.label_page import (
    add,
    click,
    entries,
    errors,
    given,
    held,
    opened,
    place,
    send,
    sound,
    transcript,
    trigger,
)
from tests.label_page import (
    label_page as label_page,
)

pytestmark = pytest.mark.usefixtures("label_page")


def test_an_answer_of_the_transcript_is_stored_once_however_often_it_is_sent() -> None:
    key = add()
    app = opened()
    first, second = given(app, 1, 3), given(app, 2, 3, "not_relevant")
    send(app, first, second)
    assert transcript(app)["labelling"]["stored"] == 2
    assert held(key) == {3: "not_relevant"}
    click(app, "answering.undo")
    send(app, first, second)
    assert held(key) == {3: "relevant"}, "both were stored before, and one of them was taken back"
    send(app, second, given(app, 3, 4, "unsure"), given(app, 4, 3, None))
    assert held(key) == {4: "unsure"}
    send(app, given(app, 1, 5), client="y")
    assert held(key) == {4: "unsure", 5: "relevant"}, "another list counts from 1 again"
    assert (transcript(app)["labelling"]["client"], transcript(app)["labelling"]["stored"]) == ("y", 1)
    sound(app.selectbox(key="answering.scope").set_value("before").run())
    send(app, given(app, 2, 2, "unsure", scope="before"), client="y")
    assert held(key) == {1: "unsure", 4: "unsure", 5: "relevant"}
    click(app, "answering.undo")
    assert held(key) == {4: "unsure", 5: "relevant"}


def test_an_answer_for_a_message_that_was_left_is_stored_and_leads_nowhere() -> None:
    key = add()
    app = opened()
    late = given(app, 1, 3)
    sound(app.number_input(key="explore.turn").set_value(4).run())
    send(app, late)
    assert held(key) == {3: "relevant"}
    assert place(app) == (3, 2)
    fresh = opened("Bo")
    send(fresh, late | {"situation": "elsewhere 7"})
    assert "no longer shown" in errors(fresh)
    assert not held(key, "Bo")


@pytest.mark.parametrize(
    "wrong",
    [
        {"value": "yes"}, {"value": 1}, {"value": ["relevant"]},
        {"turn": "3"}, {"turn": True}, {"turn": None}, {"turn": 7}, {"turn": 10**12},
        {"turn": -1, "value": None}, {"turn": 10**12, "scope": "before"},
        {"scope": "everything"}, {"scope": None}, {"situation": "elsewhere 7"}, {"situation": 7},
        {"number": "1"}, {"number": None},
    ],
)  # fmt: skip
def test_an_answer_that_makes_no_sense_is_refused_and_the_others_are_stored(wrong: dict[str, Any]) -> None:
    key = add()
    app = opened()
    send(app, given(app, 1, 3) | wrong, given(app, 2, 4, "unsure"))
    assert "not stored" in errors(app)
    assert held(key) == {4: "unsure"}
    sound(app.run())
    assert not errors(app)


@pytest.mark.parametrize(
    "value", ["x", [1], {"client": "x"}, {"client": 7, "answers": "x"}, {"answers": ["x"]}]
)
def test_what_is_no_list_of_answers_is_refused(value: object) -> None:
    add()
    app = opened()
    trigger(app, "answers", value)
    assert "not stored" in errors(app)
    assert not entries()
