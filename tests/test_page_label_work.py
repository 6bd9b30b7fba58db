"""What is worked on in Label: queues and disagreements; agreement and who is trained on."""

from __future__ import annotations

import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Turn
from convgate.labels.gold import gold_counts
from convgate.store import ADJUDICATED, CurrentKey, Labels
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
    held,
    labels,
    mine,
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


def keys(app: AppTest) -> set[str]:
    return {str(one.key) for one in app.button}


def work_on(app: AppTest, mode: str) -> AppTest:
    return sound(app.button_group(key="label.work").set_value(mode).run())


# Queues


def test_a_queue_is_made_worked_through_left_and_resumed() -> None:
    add()
    add(*TALK[:6], title="Second")
    app = work_on(opened(), "queue")
    (queue_number,) = Queues(store()).names()
    assert progress(app) == "Ada, 0 of 18"

    seen = set()
    for number in range(4):
        item = Queues(store()).next_item(queue_number, "Ada")
        assert item is not None
        seen.add((app.query_params["conversation"], place(app)))
        assert "Asked because:" in said(app)
        assert item.reason not in said(app), "scores and decisions are hidden"
        answer(app, "relevant")
        assert progress(app) == f"Ada, {number + 1} of 18"
    assert len(seen) == 4

    here = app.query_params["conversation"], place(app)
    again = opened(queue=str(queue_number))
    assert (again.query_params["conversation"], place(again)) == here
    assert again.query_params["queue"] == str(queue_number)
    assert progress(again) == "Ada, 4 of 18"
    assert progress(opened("Bo", queue=str(queue_number))) == "Bo, 0 of 18"
    while "18 of 18" not in progress(app):
        answer(app, "unsure")
    assert "All turns of this queue have an answer" in said(app)
    assert not keys(app) & {"answering.relevant", "answering.later"}
    assert not [row for row in transcript(app)["rows"] if row.get("open")]
    before = entries()
    send(app, given(app, 1, 6))
    assert "not stored" in errors(app)
    assert entries() == before
    click(app, "answering.undo")
    assert progress(app) == "Ada, 17 of 18"
    work_on(app, "conversation")
    assert "queue" not in app.query_params
    assert "answering.relevant" in keys(app)


def test_later_moves_the_message_to_the_end_of_the_queue_and_can_be_undone() -> None:
    key, other = add(), add(*TALK[:6], title="Second")
    items = [NewItem(CurrentKey(key, 7), turn, "audit", "A.") for turn in (6, 2)]
    items.append(NewItem(CurrentKey(other, 5), 1, "audit", "B."))
    number = Queues(store()).add("Mine", items, by="Ada", seed=1)
    app = opened(conversation=key, queue=str(number))
    assert place(app) == (7, 6)
    click(app, "answering.later")
    assert (app.query_params["conversation"], place(app)) == (other, (5, 1))
    click(app, "answering.undo")
    assert (app.query_params["conversation"], place(app)) == (key, (7, 6))
    click(app, "answering.redo")
    sound(app.selectbox(key="explore.conversation").set_value(other).run())
    work_on(app, "queue")
    answer(app, "unsure")
    assert (app.query_params["conversation"], place(app)) == (key, (7, 6)), "later means last"
    answer(app, "unsure")
    assert place(app) == (7, 2)
    answer(app, "unsure")
    assert progress(app) == "Ada, 3 of 3"
    assert "answering.later" not in keys(work_on(app, "conversation")), "only queues have it"


def test_queues_of_one_name_are_distinguished() -> None:
    key = add()
    first, second = queue(key, 7, [6, 5]), queue(key, 5, [1, 2])
    app = work_on(opened(conversation=key), "queue")
    assert (app.query_params["queue"], place(app)) == (str(second), (5, 1))
    box = app.selectbox(key="label.queue")
    assert len(set(box.options)) == 2
    sound(box.set_value(first).run())
    assert (app.query_params["queue"], place(app)) == (str(first), (7, 6))
    gone = opened(conversation=key, queue="99")
    assert errors(gone)
    click(gone, "label.queue.new")
    assert gone.query_params["queue"] == str(second + 1)
    work_on(gone, "conversation")
    assert "queue" not in gone.query_params
    assert transcript(gone)["labelling"]["enabled"]


def test_a_queue_needs_a_name_and_turns_to_ask_about() -> None:
    key = add(*TALK[:3])
    nobody = work_on(opened(None, conversation=key), "queue")
    assert "Choose a name" in said(nobody)
    say(key, 1, Ada={0: "relevant"})
    say(key, 2, Ada={0: "relevant", 1: "relevant"})
    assert "No turns are left" in said(work_on(opened(conversation=key), "queue"))
    assert not Queues(store()).names()


# Disagreements


def disagree() -> tuple[str, str]:
    """Two conversations: in the first, annotators disagree about two turns of one message."""
    key, other = add(), add(*TALK[:6], title="Other")
    say(other, 5, Ada={3: "relevant"}, Bo={3: "not_relevant"})
    say(
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
    key, other = disagree()
    before = entries()
    app = opened("Cy", conversation=other, turn="2")
    assert "3 disagreements to adjudicate" in said(app)
    click(app, "answering.scope_rest")
    work_on(app, "adjudicate")
    assert transcript(app)["labelling"]["scope"] == "turn", "turns are adjudicated one by one"
    assert listed(app) == [
        "Talk · message 8 · turn 2",
        "Talk · message 8 · turn 3",
        "Other · message 6 · turn 4",
    ]
    assert (app.query_params["conversation"], place(app)) == (key, (7, 1))
    rows = {row["turn"]: row for row in transcript(app)["rows"]}
    assert rows[1]["theirs"] == [["Ada", "relevant"], ["Bo", "not_relevant"]]

    answer(app, "not_relevant")
    assert place(app) == (7, 2)
    assert mine(app) == {1: "not_relevant"}
    send(app, given(app, 1, 2, "relevant"))
    assert (app.query_params["conversation"], place(app)) == (other, (5, 3))
    assert labels().of(CurrentKey(key, 7)).of(ADJUDICATED) == {1: "not_relevant", 2: "relevant"}
    assert [one for one in entries() if one.annotator != ADJUDICATED] == before
    assert not held(key, "Cy")
    click(app, "answering.undo")
    assert (app.query_params["conversation"], place(app)) == (key, (7, 2))
    assert listed(app) == ["Talk · message 8 · turn 3", "Other · message 6 · turn 4"]
    click(app, "answering.redo")
    work_on(work_on(app, "conversation"), "adjudicate")
    answer(app, "unsure")
    assert "answering.relevant" not in keys(app)


def test_a_disagreement_is_chosen_from_the_menu() -> None:
    key, other = disagree()
    app = opened(None, conversation=key, adjudicate="1")
    assert not transcript(app)["labelling"]["enabled"]
    box = app.selectbox(key="label.disagreement")
    sound(box.select(box.options[2]).run())
    assert (app.query_params["conversation"], place(app)) == (other, (5, 3))


# Agreement and annotators


def test_agreement_is_shown() -> None:
    key = add(*[Turn.of("user", f"turn {number} about nan") for number in range(30)])
    ada: dict[int, Any] = {turn: "relevant" if turn % 2 else "not_relevant" for turn in range(24)}
    say(key, 29, Ada=ada, **{HOSTILE: ada | {0: "relevant", 2: "relevant"}}, Cy=ada)
    app = opened(conversation=key, show="annotators")
    assert "Ada, Cy: kappa 1.00" in said(app)
    assert not [one for one in app.markdown if HOSTILE in one.value]
    assert said(app).count("kappa 0.83") == 2
    assert "alpha" in said(app)


def test_who_is_trained_on_is_a_switch_and_changes_gold() -> None:
    key = add()
    say(key, Bo={1: "relevant"}, **{HOSTILE: {2: "unsure"}})
    app = opened(conversation=key, show="annotators")
    assert "Bo** · person · 1 answer on 1 message" in app.toggle(key="label.trains.Bo").label

    def relevant() -> int:
        return gold_counts(store()).relevant

    assert relevant() == 1
    sound(app.toggle(key="label.trains.Bo").set_value(False).run())
    assert relevant() == 0
    assert not opened(conversation=key, show="annotators").toggle(key="label.trains.Bo").value
    Labels(store()).set_trains("Bo", trains=True)
    assert sound(app.run()).toggle(key="label.trains.Bo").value, "another window switched it back"
    sound(app.button_group(key="explore.show").set_value("files").run())
    assert app.query_params["show"] == "files"
