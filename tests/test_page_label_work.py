"""Queues, disagreements, agreement and annotators on the page Label."""

from __future__ import annotations

import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Turn
from convgate.labels.gold import gold_counts
from convgate.labels.weekly_agreement import draw_calibration
from convgate.store import ADJUDICATED, CurrentKey, Labels
from convgate.store.queues import NewItem, Queues
from tests.label_page import (
    add_answers,
    add_queue,
    all_entries,
    answer,
    answer_event,
    answers_of,
    error_text,
    labels,
    open_label,
    opened,
    position,
    progress_text,
    send_answers,
    shown_answers,
)
from tests.label_page import label_page as label_page
from tests.page_app import (
    HOSTILE,
    TURNS,
    add_conversation,
    address,
    app_store,
    check,
    click,
    page_text,
    turn_table,
)
from tests.test_label_weekly_agreement import judge, pause

pytestmark = pytest.mark.usefixtures("label_page")


def keys(app: AppTest) -> set[str]:
    return {str(one.key) for one in app.button}


def choose_work(app: AppTest, mode: str) -> AppTest:
    return check(app.button_group(key="label.work").set_value(mode).run())


# Queues


def test_a_queue_is_made_worked_through_left_and_resumed() -> None:
    add_conversation()
    add_conversation(*TURNS[:6], title="Second")
    app = choose_work(open_label(), "queue")
    (queue_number,) = Queues(app_store()).names()
    assert progress_text(app) == "Ada, 0 of 18 turns"

    seen = set()
    for number in range(4):
        item = Queues(app_store()).next_item(queue_number, "Ada")
        assert item is not None
        seen.add((opened(app), position(app)))
        before = opened(app), position(app)[0]
        assert "Asked because" in page_text(app)
        assert item.reason not in page_text(app), "scores and decisions are hidden"
        answer(app, "relevant")
        assert progress_text(app) == f"Ada, {number + 1} of 18 turns"
        is_elsewhere = (opened(app), position(app)[0]) != before
        assert not app.toast, "a toast would lie over the turns at nearly each answer"
        assert ("; next: " in page_text(app)) == is_elsewhere
    assert len(seen) == 4

    here = opened(app), position(app)
    again = open_label(queue=str(queue_number))
    assert (opened(again), position(again)) == here
    assert again.query_params["queue"] == str(queue_number)
    assert progress_text(again) == "Ada, 4 of 18 turns"
    assert progress_text(open_label("Bo", queue=str(queue_number))) == "Bo, 0 of 18 turns"
    while "18 of 18" not in progress_text(app):
        answer(app, "unsure")
    assert "All suggested turns have an answer" in page_text(app)
    assert not keys(app) & {"answering.relevant", "answering.later"}
    assert not [row for row in turn_table(app)["rows"] if row.get("open")]
    before = all_entries()
    send_answers(app, answer_event(app, 1, 6))
    assert "not stored" in error_text(app)
    assert all_entries() == before
    click(app, "answering.undo")
    assert progress_text(app) == "Ada, 17 of 18 turns"
    choose_work(app, "conversation")
    assert "queue" not in app.query_params
    assert "answering.relevant" in keys(app)


def test_later_moves_the_message_to_the_end_of_the_queue_and_can_be_undone() -> None:
    key, other = add_conversation(), add_conversation(*TURNS[:6], title="Second")
    items = [NewItem(CurrentKey(key, 7), turn, "audit", "A.") for turn in (6, 2)]
    items.append(NewItem(CurrentKey(other, 5), 1, "audit", "B."))
    number = Queues(app_store()).add("Mine", items, by="Ada", seed=1)
    app = open_label(conversation=key, queue=str(number))
    assert position(app) == (7, 6)
    click(app, "answering.later")
    assert (opened(app), position(app)) == (other, (5, 1))
    click(app, "answering.undo")
    assert (opened(app), position(app)) == (key, (7, 6))
    click(app, "answering.redo")
    check(app.selectbox(key="explore.conversation").set_value(other).run())
    choose_work(app, "queue")
    answer(app, "unsure")
    assert (opened(app), position(app)) == (key, (7, 6)), "later means last"
    answer(app, "unsure")
    assert position(app) == (7, 2)
    answer(app, "unsure")
    assert progress_text(app) == "Ada, 3 of 3 turns"
    assert "answering.later" not in keys(choose_work(app, "conversation")), "only queues have it"


def test_while_labelling_pauses_only_calibrations_and_disagreements_are_answered() -> None:
    key = pause(app_store())
    number = add_queue(key, 79, [40, 41])
    judge(app_store(), key, dict.fromkeys(range(39), "relevant"))
    calibrating = draw_calibration(app_store(), "Cy", week="2026-W47")
    before = all_entries()
    for query in ({"conversation": key}, {"queue": str(number)}):
        app = open_label("Cy", **query)
        assert "labelling pauses" in page_text(app)
        assert not keys(app) & {"answering.relevant"}
    click(app, "label.queue.new")
    assert len(Queues(app_store()).names()) == 4, "no queue is made"
    assert all_entries() == before
    app = answer(open_label("Cy", queue=str(calibrating)), "relevant")
    assert "labelling pauses" not in page_text(app)
    assert progress_text(app) == "Cy, 1 of 20 turns"
    app = choose_work(app, "adjudicate")
    answer(app, "relevant")
    assert len(all_entries()) == len(before) + 2


def test_opened_for_the_first_time_it_shows_the_turns_that_are_suggested() -> None:
    key = add_conversation()
    add_conversation(*TURNS[:6], title="Newer")
    number = add_queue(key, 7, [2, 5])
    app = open_label("Cy")
    assert (address(app), opened(app)) == ({"queue": str(number)}, key)
    assert position(app) == (7, 2)
    assert "Asked because it is drawn at random" in page_text(app)


def test_queues_of_one_name_are_distinguished() -> None:
    key = add_conversation()
    first, second = add_queue(key, 7, [6, 5]), add_queue(key, 5, [1, 2])
    app = choose_work(open_label(conversation=key), "queue")
    assert (app.query_params["queue"], position(app)) == (str(second), (5, 1))
    box = app.selectbox(key="label.queue")
    assert len(set(box.options)) == 2
    check(box.set_value(first).run())
    assert (app.query_params["queue"], position(app)) == (str(first), (7, 6))
    gone = open_label(conversation=key, queue="99")
    assert error_text(gone)
    click(gone, "label.queue.new")
    assert gone.query_params["queue"] == str(second + 1)
    choose_work(gone, "conversation")
    assert "queue" not in gone.query_params
    assert turn_table(gone)["labelling"]["enabled"]


def test_without_turns_to_ask_about_no_queue_is_made() -> None:
    key = add_conversation(*TURNS[:3])
    add_answers(key, 1, Ada={0: "relevant"})
    add_answers(key, 2, Ada={0: "relevant", 1: "relevant"})
    assert "No turns are left" in page_text(choose_work(open_label(conversation=key), "queue"))
    assert not Queues(app_store()).names()


# Disagreements


def add_disagreement() -> tuple[str, str]:
    """Two conversations: in the first, annotators disagree about two turns of one message."""
    key, other = add_conversation(), add_conversation(*TURNS[:6], title="Other")
    add_answers(other, 5, Ada={3: "relevant"}, Bo={3: "not_relevant"})
    add_answers(
        key,
        Ada={1: "relevant", 2: "relevant", 5: "unsure"},
        Bo={1: "not_relevant", 2: "not_relevant", 5: "relevant"},
    )
    return key, other


def listed(app: AppTest) -> list[str]:
    """The disagreements in the menu, without who said what."""
    options = app.selectbox(key="label.disagreement").options
    return [re.sub("[\u2066-\u2069]", "", one).partition(":")[0] for one in options]


def test_disagreements_are_adjudicated_one_after_the_other_and_all_answers_are_kept() -> None:
    key, other = add_disagreement()
    before = all_entries()
    app = open_label("Cy", conversation=other, turn="6")
    assert "3 disagreements to adjudicate" in page_text(app)
    click(app, "answering.scope_rest")
    choose_work(app, "adjudicate")
    assert turn_table(app)["labelling"]["scope"] == "turn", "turns are adjudicated one by one"
    assert listed(app) == [
        "Talk · message 8 · turn 2",
        "Talk · message 8 · turn 3",
        "Other · message 6 · turn 4",
    ]
    assert (opened(app), position(app)) == (key, (7, 1))
    rows = {row["turn"]: row for row in turn_table(app)["rows"]}
    assert rows[1]["theirs"] == [["Ada", "relevant"], ["Bo", "not_relevant"]]

    answer(app, "not_relevant")
    assert position(app) == (7, 2)
    assert shown_answers(app) == {1: "not_relevant"}
    send_answers(app, answer_event(app, 1, 2, "relevant"))
    assert (opened(app), position(app)) == (other, (5, 3))
    assert labels().of(CurrentKey(key, 7)).of(ADJUDICATED) == {1: "not_relevant", 2: "relevant"}
    assert [one for one in all_entries() if one.annotator != ADJUDICATED] == before
    assert not answers_of(key, "Cy")
    click(app, "answering.undo")
    assert (opened(app), position(app)) == (key, (7, 2))
    assert listed(app) == ["Talk · message 8 · turn 3", "Other · message 6 · turn 4"]
    click(app, "answering.redo")
    choose_work(choose_work(app, "conversation"), "adjudicate")
    answer(app, "unsure")
    assert "answering.relevant" not in keys(app)
    assert "No disagreement is left to adjudicate." in page_text(app)
    click(app, "label.back")
    assert "answering.relevant" in keys(app)


def test_a_disagreement_is_chosen_from_the_menu() -> None:
    key, other = add_disagreement()
    app = open_label(None, conversation=key, adjudicate="1")
    box = app.selectbox(key="label.disagreement")
    check(box.select(box.options[2]).run())
    assert (opened(app), position(app)) == (other, (5, 3))


# Agreement and annotators


def test_agreement_is_shown() -> None:
    key = add_conversation(*[Turn.of("user", f"turn {number} about nan") for number in range(30)])
    ada: dict[int, Any] = {turn: "relevant" if turn % 2 else "not_relevant" for turn in range(24)}
    add_answers(key, 29, Ada=ada, **{HOSTILE: ada | {0: "relevant", 2: "relevant"}}, Cy=ada)
    app = open_label(conversation=key, show="annotators")
    assert "Ada, Cy: kappa 1.00" in page_text(app)
    assert not [one for one in app.markdown if HOSTILE in one.value]
    assert page_text(app).count("kappa 0.83") == 2
    assert "alpha" in page_text(app)


def test_annotators_are_switched_on_and_off_for_gold_labels() -> None:
    key = add_conversation()
    add_answers(key, Bo={1: "relevant"}, **{HOSTILE: {2: "unsure"}})
    app = open_label(conversation=key, show="annotators")
    assert "Bo** · person · 1 answer on 1 message" in app.toggle(key="label.trains.Bo").label

    def relevant() -> int:
        return gold_counts(app_store()).relevant

    assert relevant() == 1
    check(app.toggle(key="label.trains.Bo").set_value(False).run())
    assert relevant() == 0
    assert not open_label(conversation=key, show="annotators").toggle(key="label.trains.Bo").value
    Labels(app_store()).set_trains("Bo", trains=True)
    assert check(app.run()).toggle(key="label.trains.Bo").value, "another window switched it back"
    check(app.button_group(key="explore.show").set_value("files").run())
    assert app.query_params["show"] == "files"
