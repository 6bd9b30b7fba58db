"""The page Label: answers are stored at once and can be undone; failures are reported."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Turn
from convgate.store import Conversations, CurrentKey, Entry
from convgate.store.queues import Queues
from convgate.ui.shared.answering import MARKS, NAMES
from convgate.ui.shared.navigation import EXPLORE, LABEL, TRAIN
from tests.label_files import label, labelled_set
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
    saved_text,
    send_answers,
    shown_answers,
    trigger,
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
    go_back,
    open_page,
    page_text,
    turn_table,
)
from tests.page_app import lock_database as lock_database

pytestmark = pytest.mark.usefixtures("label_page")


# Answers


def test_each_answer_is_stored_shown_and_leads_to_the_next_turn() -> None:
    key = add_conversation()
    app = open_label()
    assert position(app) == (7, 6)
    assert progress_text(app) == "Ada, 0 of 6 turns"
    for turn, value in ((6, "relevant"), (5, "not_relevant"), (4, "unsure")):
        answer(app, value)
        assert answers_of(key)[turn] == shown_answers(app)[turn] == value
        assert position(app) == (7, turn - 1)
        assert f"turn {turn + 1}" in saved_text(app)
    assert progress_text(app) == "Ada, 3 of 6 turns"
    assert {entry.version for entry in labels().entries()} == {"untrained"}

    trigger(app, "asked", {"what": "select", "turn": 5})
    assert app.button(key="answering.not_relevant").proto.type == "primary"
    click(app, "answering.none")
    assert answers_of(key) == {6: "relevant", 4: "unsure"}
    assert position(app) == (7, 5), "clearing does not lead on"
    assert app.button(key="answering.none").disabled


def test_answering_leads_to_the_turns_that_are_left_and_then_stays() -> None:
    key = add_conversation()
    add_answers(key, Ada=dict.fromkeys([0, 1, 2, 4, 6], "relevant"))
    app = open_label(conversation=key, selected="6")
    assert position(answer(app, "unsure")) == (7, 3)
    assert position(answer(app, "unsure")) == (7, 3)
    assert len(answers_of(key)) == 7
    assert "All turns before this message have an answer" in page_text(app)

    answered = answers_of(key)
    assert app.button(key="answering.relevant").disabled
    send_answers(app, answer_event(app, 1, 3))
    assert "undo (Z) or clear (0)" in error_text(app), "a key too many changes nothing"
    assert answers_of(key) == answered
    send_answers(app, answer_event(app, 2, 3, None))
    assert position(answer(app, "relevant")) == (7, 3), "what is cleared is asked again"
    assert answers_of(key) == {**answered, 3: "relevant"}


def test_instructions_and_empty_turns_are_not_counted_so_that_the_end_is_reached_and_said() -> None:
    turns = [Turn.of("system", "Be brief."), Turn.of("user", "nan"), Turn.of("assistant", " "), *TURNS[1:3]]
    key = add_conversation(*turns)
    app = open_label(conversation=key, turn="5")
    for done in range(2):
        assert progress_text(app) == f"Ada, {done} of 2 turns"
        answer(app, "relevant")
    assert progress_text(app) == "Ada, 2 of 2 turns"
    assert set(answers_of(key, turn=4)) == {1, 3}
    assert "All turns before this message have an answer" in page_text(app)
    assert app.button(key="answering.relevant").disabled


def test_a_tab_of_explore_is_not_in_the_address_of_label() -> None:
    key = add_conversation()
    app = check(open_page("Explore", conversation=key, show="Words").switch_page(LABEL).run())
    assert address(app) == {"conversation": key}


def test_the_card_shows_the_turns_around_and_hides_the_gates_decision() -> None:
    key = add_conversation(*[Turn.of("user", f"turn {number} about nan") for number in range(80)])
    app = open_label(conversation=key, selected="40")
    rows = turn_table(app)["rows"]
    assert [row["turn"] for row in rows] == list(range(9, 70))
    assert not [row for row in rows if row["score"] or row["bar"] or row["reason"]]
    assert {row["state"] for row in rows} == {"hidden"}
    check(app.toggle(key="label.gate").set_value(True).run())
    assert all(row["score"] and row["state"] in ("kept", "dropped") for row in turn_table(app)["rows"])


def test_undo_and_redo_of_everything_lead_to_where_it_happened() -> None:
    add_conversation()
    app = open_label()
    answer(app, "relevant")
    check(app.number_input(key="explore.turn").set_value(6).run())
    answer(app, "unsure")
    trigger(app, "asked", {"what": "select", "turn": 2})
    click(app, "answering.scope_rest")
    answer(app, "not_relevant")
    trigger(app, "asked", {"what": "select", "turn": 3})
    everything = all_entries()
    assert len(everything) == 1 + 1 + 3
    undone = []
    wheres = [(5, 3), (5, 4), (7, 6)]
    for where in wheres:
        click(app, "answering.undo")
        assert position(app) == where
        assert "Undone" in saved_text(app)
        undone.append(all_entries())
    assert undone[-1] == []
    assert app.button(key="answering.undo").disabled
    for before, where in zip([*undone[:-1][::-1], everything], [(7, 5), (5, 3), (5, 3)], strict=True):
        click(app, "answering.redo")
        assert position(app) == where, "as after the answer"
        assert all_entries() == before
    assert app.button(key="answering.redo").disabled


def test_an_answer_after_a_redo_is_for_the_next_turn() -> None:
    key = add_conversation()
    app = click(click(answer(open_label(), "relevant"), "answering.undo"), "answering.redo")
    answer(app, "not_relevant")
    assert answers_of(key) == {6: "relevant", 5: "not_relevant"}


def test_an_undo_in_another_conversation_goes_there_and_says_so() -> None:
    key, other = add_conversation(), add_conversation(*TURNS[:6], title="Second")
    app = answer(open_label(conversation=key), "relevant")
    click(app, "answering.undo")
    assert "another conversation" not in saved_text(app)
    click(app, "answering.redo")
    check(app.selectbox(key="explore.conversation").set_value(other).run())
    click(app, "answering.undo")
    assert (opened(app), position(app)) == (key, (7, 6))
    assert "turn 7 of another conversation, which is shown now" in saved_text(app)
    answer(app, "unsure")
    assert "another conversation" not in saved_text(app)


def test_an_answer_does_not_change_the_address() -> None:
    key = add_conversation()
    app = open_label(conversation=key)
    for value in ("relevant", "unsure"):
        assert address(answer(app, value)) == {"conversation": key}, "back leads away"


def test_after_the_last_turn_the_next_conversation_without_labels_opens() -> None:
    other, key = add_conversation(*TURNS[:6], title="Second"), add_conversation()
    add_answers(key, Ada=dict.fromkeys([0, 1, 2, 4, 5, 6], "relevant"))
    app = answer(open_label(conversation=key), "unsure")
    assert (opened(app), position(app)) == (other, (5, 4))
    click(app, "answering.undo")
    assert (opened(app), position(app)) == (key, (7, 3))
    answer(app, "unsure")
    app = open_label(conversation=key)
    assert "All turns before this message have an answer" in page_text(app)
    click(app, "label.next")
    assert (address(app), position(app)) == ({"conversation": other}, (5, 4))


def test_the_steps_count_each_answer() -> None:
    add_conversation(*TURNS[:6], title="Second")
    app = open_label(conversation=add_conversation())
    assert "Label 1 conversation to see where the gate contradicts you" in page_text(app)
    answer(app, "relevant")
    assert "Label 2 more conversations to measure whether training helps" in page_text(app)


def test_after_an_undo_the_page_reopens_where_it_was() -> None:
    key = add_conversation(*[Turn.of("user", f"turn {number} about nan") for number in range(15)])
    add_answers(key, 14, Ada=dict.fromkeys(range(6, 14), "unsure"))
    app = open_label(conversation=key)
    assert position(answer(answer(app, "relevant"), "relevant")) == (14, 3)
    click(click(click(app, "answering.undo"), "answering.undo"), "answering.redo")
    before = answers_of(key, turn=14)
    app = open_label()
    assert position(app) == (14, 4)
    assert progress_text(app) == "Ada, 9 of 14 turns"
    answer(answer(app, "relevant"), "not_relevant")
    assert answers_of(key, turn=14) == {**before, 4: "relevant", 3: "not_relevant"}


def test_without_an_address_labelling_goes_on_at_the_last_answer() -> None:
    key, other = add_conversation(), add_conversation(*TURNS[:6], title="Second")
    answer(open_label(conversation=key), "relevant")
    open_label(conversation=other, turn="4", selected="2")
    app = open_label()
    assert (opened(app), position(app)) == (key, (7, 5))


def test_an_answer_for_all_unanswered_turns_leaves_answers_and_instructions() -> None:
    key = add_conversation()
    add_answers(key, Ada={1: "unsure", 2: "not_relevant"})
    app = open_label(conversation=key, selected="6")
    other = add_conversation(*TURNS[:6], title="Second")
    click(app, "answering.scope_rest")
    aimed = {row["turn"] for row in turn_table(app)["rows"] if row["aimed"]}
    names = {app.button(key=f"answering.{value}").label for value in NAMES}
    assert names == {f"{MARKS[value]} {NAMES[value]} · 4 turns" for value in NAMES}
    answer(app, "relevant")
    assert answers_of(key) == {1: "unsure", 2: "not_relevant", **dict.fromkeys((3, 4, 5, 6), "relevant")}
    assert aimed <= {3, 4, 5, 6}
    assert (opened(app), position(app)) == (key, (7, 5)), "the result is looked at first"
    assert shown_answers(app)[5] == "relevant"
    primary = [one.key for one in app.button if one.proto.type == "primary"]
    assert primary == ["label.next", "answering.relevant"]
    click(app, "label.next")
    assert opened(app) == other
    go_back(app, conversation=key)
    assert "· " not in app.button(key="answering.unsure").label, "the next answer is for one turn again"
    click(app, "answering.undo")
    assert answers_of(key) == {1: "unsure", 2: "not_relevant"}
    click(app, "answering.scope_rest")
    trigger(app, "asked", {"what": "select", "turn": 1})
    click(app, "answering.none")
    assert answers_of(key) == {2: "not_relevant"}, "clearing is for one turn"


def test_an_answer_for_all_unanswered_turns_is_meant_for_the_message_that_is_shown() -> None:
    key = add_conversation()
    app = open_label(conversation=key)
    click(app, "answering.scope_rest")
    assert "· " in app.button(key="answering.relevant").label
    check(app.number_input(key="explore.turn").set_value(6).run())
    assert "· " not in app.button(key="answering.relevant").label
    check(app.number_input(key="explore.turn").set_value(8).run())
    assert "· " not in app.button(key="answering.relevant").label, "it ended there"


@pytest.mark.parametrize("further", [[], ["app.py"], [TRAIN, LABEL]])
def test_an_answer_for_all_unanswered_turns_ends_when_the_page_is_left(further: list[str]) -> None:
    key = add_conversation()
    app = click(open_label(conversation=key), "answering.scope_rest")
    for page in [*further, EXPLORE]:
        app.query_params.clear()
        check(app.switch_page(page).run())
    app.query_params["conversation"] = key
    check(app.run())
    assert app.button(key="answering.relevant").label == "✓ relevant"
    assert not [row for row in turn_table(app)["rows"] if row["aimed"]]
    answer(app, "relevant")
    assert len(answers_of(key)) == 1


def test_an_answer_of_the_list_is_stored_once_however_often_it_is_sent() -> None:
    key = add_conversation()
    app = open_label()
    first, second = answer_event(app, 1, 3), answer_event(app, 2, 3, "not_relevant")
    send_answers(app, first, second)
    assert turn_table(app)["labelling"]["stored"] == 2
    assert answers_of(key) == {3: "not_relevant"}
    click(app, "answering.undo")
    send_answers(app, first, second)
    assert answers_of(key) == {3: "relevant"}, "both were stored before, and one of them was undone"
    send_answers(app, second, answer_event(app, 3, 4, "unsure"), answer_event(app, 4, 3, None))
    assert answers_of(key) == {4: "unsure"}
    send_answers(app, answer_event(app, 1, 5), client="y")
    assert answers_of(key) == {4: "unsure", 5: "relevant"}, "another list counts from 1 again"
    assert (turn_table(app)["labelling"]["client"], turn_table(app)["labelling"]["stored"]) == ("y", 1)
    send_answers(app, answer_event(app, 2, 2, "unsure", scope="rest"), client="y")
    assert set(answers_of(key)) == {1, 2, 3, 4, 5, 6}


@pytest.mark.parametrize(
    "wrong",
    [
        {"value": "yes"}, {"value": 1}, {"value": ["relevant"]},
        {"turn": "3"}, {"turn": True}, {"turn": None}, {"turn": 7}, {"turn": 10**12},
        {"turn": -1, "value": None},
        {"scope": "everything"}, {"scope": None}, {"current": "elsewhere 7"}, {"current": 7},
        {"number": "1"}, {"number": None},
    ],
)  # fmt: skip
def test_an_invalid_answer_is_refused_and_the_others_are_stored(wrong: dict[str, Any]) -> None:
    key = add_conversation()
    app = open_label()
    send_answers(app, answer_event(app, 1, 3) | wrong, answer_event(app, 2, 4, "unsure"))
    assert "not stored" in error_text(app)
    assert answers_of(key) == {4: "unsure"}
    check(app.run())
    assert not error_text(app)


# Which message and turn


def test_a_typed_question_can_be_labelled() -> None:
    key = add_conversation()
    app = open_label(conversation=key, ask=HOSTILE)
    assert position(app) == (-1, 7)
    answer(app, "relevant")
    send_answers(app, answer_event(app, 1, 0, "unsure"))
    assert answers_of(key, turn=None, question=HOSTILE) == {7: "relevant", 0: "unsure"}
    again = open_label()
    assert again.query_params["ask"] == HOSTILE, "labelling goes on at the question"
    assert shown_answers(again) == {0: "unsure", 7: "relevant"}


def test_only_turns_before_the_message_can_be_answered_for() -> None:
    key = add_conversation()
    for place in ({"turn": "1"}, {"turn": "4", "selected": "4"}, {"turn": "4", "selected": "6"}):
        app = open_label(conversation=key, **place)
        assert not [one for one in app.button if one.key == "answering.relevant"]
    answered = open_label(conversation=key, turn="4")
    answer(answered, "relevant")
    check(answered.number_input(key="explore.turn").set_value(1).run())
    click(answered, "answering.undo")
    assert position(answered) == (3, 2), "undo is within reach everywhere"


def test_keys_are_shown_and_no_two_buttons_share_one() -> None:
    key = add_conversation()
    app = open_label(conversation=key, queue=str(add_queue(key, 7, [6, 5])))
    shortcuts = {one.key: one.proto.shortcut for one in app.button if one.proto.shortcut}
    assert sorted(shortcuts.values()) == sorted({*"pn0123zybl", "left", "right"})
    check(app.switch_page(EXPLORE).run())
    theirs = {one.key: one.proto.shortcut for one in app.button if one.proto.shortcut}
    assert {name for name in theirs if name in shortcuts and theirs[name] != shortcuts[name]} == set()
    assert len(set(theirs) & set(shortcuts)) > 8


def test_text_of_transcripts_titles_and_annotators_is_never_rendered() -> None:
    half = "nan \ud800 batch"
    turns = [Turn.of("user", f"{HOSTILE} {half}", name=HOSTILE), Turn.of("assistant", " \n ")]
    key = add_conversation(*turns, Turn.of("user", HOSTILE), title=HOSTILE)
    add_answers(key, 2, Bo={0: "relevant", 1: "relevant"}, **{HOSTILE: {0: "not_relevant"}})
    number = str(add_queue(key, 2, [0, 1], name=HOSTILE, by=HOSTILE))
    for query in (
        {"show": "annotators"},
        {"queue": number},
        {"adjudicate": "1"},
        {"ask": HOSTILE},
        {"selected": "2"},
    ):
        place: dict[str, Any] = {"conversation": key, "selected": "1", **query}
        app = open_label(HOSTILE.replace(" ", "%20"), **place)
        shown = [
            *app.markdown,
            *app.caption,
            *app.info,
            *app.warning,
            *app.error,
            *app.subheader,
            *app.success,
        ]
        assert not [one.value for one in shown if HOSTILE in str(one.value)]
        assert turn_table(app)["rows"][2]["text"] == HOSTILE


# Who labels


def test_the_first_answer_needs_no_name_and_another_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    key = add_conversation()
    add_answers(key, Bo={1: "relevant"})
    monkeypatch.setattr("convgate.ui.shared.annotator.login_name", lambda: "grace")
    app = open_label(None)
    assert "Labelling without a name" in page_text(app)
    assert progress_text(app) == "0 of 6 turns", "an account of the system is no name of a person"
    answer(app, "relevant")
    assert answers_of(key, "grace") == {6: "relevant"}

    click(app, "annotator.change")
    assert app.button(key="annotator.as.Bo").label == "Continue as Bo, 1 of 6"
    check(app.text_input(key="annotator.typed").set_value("  Ada ").run())
    answer(app, "relevant")
    assert answers_of(key) == {5: "relevant"}
    click(app, "annotator.change")
    click(app, "annotator.as.Bo")
    assert shown_answers(app) == {1: "relevant"}, "what Bo answered"
    monkeypatch.setattr("convgate.ui.shared.annotator.login_name", lambda: "adjudicated")
    answer(open_label(None), "relevant")
    assert answers_of(key, "me") == {6: "relevant"}, "a login that no annotator can have"


def test_what_is_erased_leaves_the_session_and_the_name_is_forgotten_when_asked() -> None:
    key = add_conversation()
    app = open_label(selected="7")
    answer(app, "relevant")
    for page in ("app.py", LABEL):  # once removed for good, once with everything
        check(app.switch_page("app.py").run())
        if page == LABEL:
            app.text_input(key="library.erase.word").set_value("erase")
            check(next(one for one in app.button if one.label == "Erase everything").click().run())
        else:
            Conversations(app_store()).delete([key])
            check(app.run())
            click(app, "library.purge")
        assert "empty batch" not in repr(app.session_state._state.filtered_state)
        app.query_params.clear()
        if page != LABEL:
            add_conversation()
            answer(check(app.switch_page(LABEL).run()), "unsure")
            assert "empty batch" in repr(app.session_state._state.filtered_state)
    click(app, "annotator.forget")
    assert "Labelling as Ada" not in page_text(check(app.switch_page(LABEL).run()))


def test_invalid_names_are_refused() -> None:
    key = add_conversation()
    labels().record(
        [Entry(CurrentKey(key, 7), 1, "helper", "relevant", kind="agent")],
        by="helper", kind="feedback", by_kind="agent",
    )  # fmt: skip
    nobody = re.findall("Labelling as .*", page_text(open_label(None)))
    for cookie in ("adjudicated", "a%0Ab", "%20Ada"):
        assert re.findall("Labelling as .*", page_text(open_label(cookie))) == nobody
    app = click(open_label(None), "annotator.change")
    assert not [one for one in app.button if str(one.key).startswith("annotator.as.")], (
        "agents are not offered"
    )
    for name in ("adjudicated", "a\nb", "helper"):
        check(app.text_input(key="annotator.typed").set_value(name).run())
        assert error_text(app), name
        assert "Labelling as" not in page_text(app)


# When something is in the way


def test_a_conversation_that_is_deleted_meanwhile_stores_nothing() -> None:
    key, other = add_conversation(), add_conversation(*TURNS[:4], title="Other")
    app = open_label(conversation=key)
    answer(app, "relevant")
    check(app.selectbox(key="explore.conversation").set_value(other).run())
    answer(app, "relevant")
    click(app, "answering.undo")
    Conversations(app_store()).delete([key])
    click(app, "answering.undo")
    assert position(app) == (3, 2), "a deleted conversation is not shown"
    Conversations(app_store()).delete([other])
    answer(app, "relevant")
    assert error_text(app)
    assert not all_entries()
    open_label()


def test_while_another_program_writes_a_failed_change_is_reported(lock_database: Callable[[], None]) -> None:
    key = add_conversation()
    add_answers(key, Bo={1: "relevant"})
    app = open_label(conversation=key, show="annotators")
    answer(app, "relevant")
    before = all_entries()
    lock_database()
    acts: list[Callable[[], AppTest]] = [
        lambda: answer(app, "unsure"),
        lambda: send_answers(app, answer_event(app, 1, 3)),
        lambda: click(app, "answering.undo"),
        lambda: check(app.toggle(key="label.trains.Bo").set_value(False).run()),
    ]
    for act in acts:
        act()
        assert error_text(app)
        assert position(app) == (7, 5)
        assert all_entries() == before
    assert app.toggle(key="label.trains.Bo").value
    assert shown_answers(app) == {6: "relevant"}


def test_while_another_program_writes_queues_and_imports_are_as_before(
    lock_database: Callable[[], None],
) -> None:
    key = add_conversation()
    number = add_queue(key, 7, [6, 5])
    app = open_label(conversation=key, queue=str(number), show="files")
    content = labelled_set(app_store(), key, 7, label("Bo", 3, "relevant"))
    check(app.file_uploader[0].upload("more.jsonl", content).run())
    lock_database()
    for button in ("answering.later", "label.import.keep"):
        click(app, button)
        assert error_text(app), button
    assert not all_entries()
    assert list(Queues(app_store()).names()) == [number]
    assert app.query_params["queue"] == str(number)
