"""Which messages can be labelled on Label, and which turns have nothing to be answered."""

from __future__ import annotations

import pytest

from tests.label_page import (
    HOSTILE,
    add,
    answer,
    click,
    given,
    held,
    mine,
    opened,
    place,
    said,
    send,
    sound,
)
from tests.label_page import (
    label_page as label_page,
)

pytestmark = pytest.mark.usefixtures("label_page")


def test_a_question_that_nobody_asked_can_be_labelled() -> None:
    key = add()
    app = opened(conversation=key, ask=HOSTILE)
    assert place(app) == (-1, 7)
    assert "matter to the question?" in said(app)
    answer(app, "relevant")
    send(app, given(app, 1, 0, "unsure"))
    assert held(key, turn=None, question=HOSTILE) == {7: "relevant", 0: "unsure"}
    assert not held(key)
    again = opened()
    assert again.query_params["ask"] == HOSTILE, "labelling goes on at the question"
    assert mine(again) == {7: "relevant", 0: "unsure"}


def test_there_is_nothing_to_answer_before_the_first_turn_after_the_message_and_at_it() -> None:
    key = add()
    app = opened(conversation=key, turn="1")
    assert "nothing before it to label" in said(app)
    app = opened(conversation=key, turn="4", selected="4")
    assert "This is the message that is answered" in said(app)
    app = opened(conversation=key, turn="4", selected="6")
    assert "comes after the message" in said(app)
    assert not [one for one in app.button if one.key == "answering.relevant"]
    click(app, "explore.older")
    click(app, "explore.older")
    assert "This is the message that is answered" in said(app)
    click(app, "explore.older")
    assert "Does turn 3 matter to message 4?" in said(app)
    answered = opened(conversation=key, turn="4")
    answer(answered, "relevant")
    sound(answered.number_input(key="explore.turn").set_value(1).run())
    click(answered, "answering.undo")
    assert place(answered) == (3, 2), "undo is within reach everywhere"
