"""Queues on Label: made, worked through, left, resumed, taken away and brought back."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from convgate.store import SituationKey
from convgate.store.queues import NewItem, Queues
from tests.label_page import (
    HOSTILE,
    TALK,
    add,
    answer,
    click,
    entries,
    errors,
    given,
    opened,
    place,
    progress,
    queue,
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


def test_a_queue_is_made_worked_through_left_and_resumed() -> None:
    add()
    add(*TALK[:6], title="Second")
    app = opened()
    sound(app.button_group(key="label.work").set_value("queue").run())
    assert "A new queue" in said(app)
    assert not [one for one in app.get("bidi_component") if "transcript" in one.proto.component_name]
    app.text_input(key="label.queue.name").set_value(HOSTILE)
    app.selectbox(key="label.queue.size").set_value(10)
    sound(next(one for one in app.button if one.label == "Make the queue").click().run())
    (made,) = Queues(store()).all()
    assert (made.name, made.items, made.made_by) == (HOSTILE, 10, "Ada")
    assert not [one for one in [*app.markdown, *app.caption] if HOSTILE in one.value]
    assert "Ada: 0 of 10 answered" in progress(app)
    assert "because nothing is labelled yet: 10" in said(app)

    seen = []
    for number in range(4):
        item = Queues(store()).next_item(made.number, "Ada")
        assert item is not None
        shown = app.query_params["conversation"], *place(app)
        seen.append(shown)
        assert said(app).count(item.reason[:-1]) == 1, "what all have in common is said once"
        assert "Asked because: drawn by lot to begin with" in said(app)
        answer(app, "relevant")
        assert f"Ada: {number + 1} of 10 answered" in progress(app)
    assert len(set(seen)) == 4

    here = app.query_params["conversation"], place(app)
    for again in (opened(), opened()):
        assert (again.query_params["conversation"], place(again)) == here
        assert again.query_params["queue"] == str(made.number)
        assert "Ada: 4 of 10 answered" in progress(again)
    other = opened("Bo", queue=str(made.number))
    assert "Bo: 0 of 10 answered" in progress(other)
    assert "Others: Ada 4" in said(other)
    while "10 of 10" not in progress(app):
        answer(app, "unsure")
    assert "answered everything in this queue" in said(app)
    assert "Does turn" not in said(app)
    assert "Nothing of this queue is left to answer." in said(app)
    assert not keys(app) & {"answering.relevant", "answering.later", "label.queue.other"}
    assert not [row for row in transcript(app)["rows"] if row.get("open")]
    before = entries()
    send(app, given(app, 1, 6))
    assert "not stored" in errors(app)
    assert entries() == before
    click(app, "answering.undo")
    assert "9 of 10 answered" in progress(app)
    assert "answering.relevant" in keys(app)
    answer(app, "unsure")
    second = queue(app.query_params["conversation"], place(app)[0], [0])
    click(sound(app.run()), "label.queue.other")
    assert app.query_params["queue"] == str(second)
    answer(app, "unsure")
    click(app, "label.queue.leave")
    assert "queue" not in app.query_params
    assert "answering.relevant" in keys(app)


def keys(app: AppTest) -> set[str]:
    """The buttons that are there."""
    return {str(one.key) for one in app.button}


def test_later_puts_the_message_at_the_end_and_can_be_undone() -> None:
    key, other = add(), add(*TALK[:6], title="Second")
    items = [NewItem(SituationKey(key, 7), turn, "audit", "A.") for turn in (6, 2)]
    items.append(NewItem(SituationKey(other, 5), 1, "audit", "B."))
    number = Queues(store()).add("Mine", items, by="Ada", seed=1).number
    app = opened(conversation=key, queue=str(number))
    assert place(app) == (7, 6)
    click(app, "answering.later")
    assert (app.query_params["conversation"], place(app)) == (other, (5, 1))
    assert "0 of 3 answered · 2 turns put off" in progress(app)
    click(app, "answering.undo")
    assert (app.query_params["conversation"], place(app)) == (key, (7, 6))
    assert "put off" not in progress(app)
    click(app, "answering.redo")
    sound(app.selectbox(key="explore.conversation").set_value(other).run())
    sound(app.button_group(key="label.work").set_value("queue").run())
    answer(app, "unsure")
    assert (app.query_params["conversation"], place(app)) == (key, (7, 6)), (
        "what was left for later comes last"
    )
    answer(app, "unsure")
    assert place(app) == (7, 2)
    answer(app, "unsure")
    assert "3 of 3 answered" in progress(app)


def test_queues_of_one_name_are_told_apart_and_one_that_is_gone_is_told() -> None:
    key = add()
    first, second = queue(key, 7, [6, 5]), queue(key, 5, [1, 2])
    app = opened(conversation=key)
    sound(app.button_group(key="label.work").set_value("queue").run())
    assert (app.query_params["queue"], place(app)) == (str(second), (5, 1))
    box = app.selectbox(key="label.queue.chosen")
    assert len(set(box.options)) == 2
    sound(box.set_value(first).run())
    assert (app.query_params["queue"], place(app)) == (str(first), (7, 6))
    click(app, "label.queue.delete")
    assert app.query_params["queue"] == str(second)
    assert f"The queue {first}. Mine was deleted" in said(app)
    click(app, "label.queue.back")
    assert (app.query_params["queue"], place(app)) == (str(first), (7, 6))
    assert "was deleted" not in said(app)
    click(app, "label.queue.delete")
    gone = opened(conversation=key, queue=str(first))
    assert f"there is no queue {first}" in errors(gone)
    click(gone, "label.queue.new")
    assert "A new queue" in said(gone)
    click(gone, "label.queue.cancel")
    assert gone.query_params["queue"] == str(second)
    click(gone, "label.queue.delete")
    assert "A new queue" in said(gone), "there is none left"
    assert not [one for one in gone.button if one.key == "label.queue.cancel"]
    sound(gone.button_group(key="label.work").set_value("conversation").run())
    assert "queue" not in gone.query_params
    assert transcript(gone)["labelling"]["enabled"]


def test_a_queue_without_a_name_a_person_or_anything_to_ask() -> None:
    key = add(*TALK[:3])
    nobody = opened(None, conversation=key, queue=str(queue(key, 1, [0])))
    assert "choose yours above" in said(nobody)
    sound(nobody.button_group(key="label.work").set_value("conversation").run())
    sound(nobody.button_group(key="label.work").set_value("queue").run())
    assert "A queue belongs to somebody" in said(nobody)
    say(key, 1, Ada={0: "relevant"})
    say(key, 2, Ada={0: "relevant", 1: "relevant"})
    app = opened(conversation=key)
    sound(app.button_group(key="label.work").set_value("queue").run())
    click(app, "label.queue.new")
    app.text_input(key="label.queue.name").set_value("  ")
    sound(next(one for one in app.button if one.label == "Make the queue").click().run())
    assert "nothing left to ask" in said(app)
