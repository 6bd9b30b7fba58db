"""Answering on Label: answers are stored, lead on, and can be taken back."""

from __future__ import annotations

import pytest

from convgate.conversation import Turn
from convgate.labels.scopes import SCOPES
from convgate.store import SituationKey
from convgate.ui.answering import CALLED, MARKS
from convgate.ui.wording import counted
from tests.label_page import (
    HOSTILE,
    add,
    answer,
    click,
    entries,
    given,
    held,
    labels,
    mine,
    note,
    opened,
    place,
    progress,
    said,
    saved,
    say,
    send,
    sound,
    transcript,
    trigger,
)
from tests.label_page import (
    label_page as label_page,
)

pytestmark = pytest.mark.usefixtures("label_page")


def test_each_answer_is_stored_shown_and_leads_to_the_next_turn() -> None:
    key = add()
    app = opened()
    assert place(app) == (7, 6)
    assert "0 of 7 turns answered" in progress(app)
    for turn, value in ((6, "relevant"), (5, "not_relevant"), (4, "unsure")):
        answer(app, value)
        assert held(key)[turn] == mine(app)[turn] == value
        assert place(app) == (7, turn - 1)
        assert f"turn {turn + 1}" in saved(app)
    assert "3 of 7 turns answered, 1 relevant" in progress(app)
    held_now = labels().of(SituationKey(key, 7)).answers[6]["Ada"]
    assert held_now.version == "untrained"

    trigger(app, "asked", {"what": "select", "turn": 5})
    assert app.button(key="answering.not_relevant").proto.type == "primary"
    click(app, "answering.none")
    assert held(key) == {6: "relevant", 4: "unsure"}
    assert place(app) == (7, 5), "taking back does not lead on"
    assert app.button(key="answering.none").disabled
    trigger(app, "asked", {"what": "select", "turn": 6})
    answer(app, "relevant")
    assert "0 answers" not in saved(app)


def test_answering_leads_to_the_turns_that_are_left_and_then_stays() -> None:
    key = add()
    say(key, Ada=dict.fromkeys([0, 1, 2, 4, 6], "relevant"))
    app = opened(conversation=key, selected="6")
    answer(app, "unsure")
    assert place(app) == (7, 3)
    answer(app, "unsure")
    assert place(app) == (7, 3)
    assert len(held(key)) == 7
    assert "All 7 turns are answered." in said(app)
    assert not [one for one in app.button if one.key == "answering.prefill"], "for all 0"
    click(app, "label.next_message")
    assert place(app)[0] == 5, "the nearest one before that has no answer"
    assert "are answered" not in said(app)
    for message in (5, 3, 1):
        say(key, message, Ada=dict.fromkeys(range(message), "unsure"))
    sound(app.run())
    assert "All 5 turns are answered. Choose another message or conversation" in said(app)
    assert not [one for one in app.button if one.key == "label.next_message"]


def test_the_newest_come_first_when_nothing_is_worth_more() -> None:
    key = add(*[Turn.of("user", f"turn {number} about nan") for number in range(30)])
    app = opened(conversation=key, selected="12")
    answer(app, "relevant")
    sound(app.toggle(key="label.worth").set_value(False).run())
    trigger(app, "asked", {"what": "select", "turn": 20})
    answer(app, "relevant")
    assert place(app)[1] == 19, "the next older one"
    assert held(key, turn=29) == {11: "relevant", 20: "relevant"}


def test_undo_and_redo_of_everything_lead_to_where_it_happened() -> None:
    add()
    app = opened()
    answer(app, "relevant")
    sound(app.number_input(key="explore.turn").set_value(6).run())
    answer(app, "unsure")
    trigger(app, "asked", {"what": "select", "turn": 2})
    sound(app.selectbox(key="answering.scope").set_value("before").run())
    answer(app, "not_relevant")
    trigger(app, "asked", {"what": "select", "turn": 3})
    note(app).set_value("Because").run()
    assert "turn 4" in saved(app)
    sound(app.number_input(key="explore.turn").set_value(4).run())
    click(app, "answering.prefill")

    everything = entries()
    assert len(everything) == 1 + 1 + 1 + 1 + 2
    undone = []
    wheres = [(3, 2), (5, 3), (5, 1), (5, 4), (7, 6)]
    for where in wheres:
        click(app, "answering.undo")
        assert place(app) == where
        assert "Taken back" in saved(app)
        undone.append(entries())
    assert undone[-1] == []
    assert app.button(key="answering.undo").disabled
    for before, where in zip([*undone[:-1][::-1], everything], wheres[::-1], strict=True):
        click(app, "answering.redo")
        assert place(app) == where
        assert entries() == before
        assert "Done again" in saved(app)
    assert app.button(key="answering.redo").disabled


def test_after_an_undo_the_page_reopens_where_it_was_and_an_eleventh_answer_is_given() -> None:
    key = add(*[Turn.of("user", f"turn {number} about nan") for number in range(15)])
    say(key, 14, Ada=dict.fromkeys(range(6, 14), "unsure"))
    app = opened(conversation=key)
    assert place(answer(answer(app, "relevant"), "relevant")) == (14, 3), "the tenth"
    click(click(click(app, "answering.undo"), "answering.undo"), "answering.redo")
    before = held(key, turn=14)
    assert before == {**dict.fromkeys(range(6, 14), "unsure"), 5: "relevant"}

    app = opened()
    assert place(app) == (14, 4)
    assert "9 of 14 turns answered" in progress(app)
    answer(app, "not_relevant")
    assert held(key, turn=14) == {**before, 4: "not_relevant"}
    assert place(app) == (14, 3)
    assert "10 of 14 turns answered" in progress(app)
    click(app, "answering.undo")
    assert (held(key, turn=14), place(app)) == (before, (14, 4))


def test_a_turn_that_is_put_off_comes_back_at_the_end_after_a_reload_too() -> None:
    key = add()
    app = opened()
    assert [place(click(app, "answering.later")) for _ in range(2)] == [(7, 5), (7, 4)]
    assert "Put off" in saved(app)
    assert "turn 6" in saved(app)
    assert "2 turns put off" in progress(app)
    assert [row["turn"] for row in transcript(app)["rows"] if row["put_off"]] == [5, 6]
    click(app, "answering.undo")
    assert place(app) == (7, 5)
    assert "1 turn put off" in progress(app)
    assert "Taken back" in saved(app)
    click(app, "answering.redo")
    app = opened()
    for turn in (4, 3, 2, 1, 0, 6):
        assert place(app) == (7, turn)
        answer(app, "unsure")
    assert place(app) == (7, 5)
    assert "1 turn put off" in progress(app)
    assert app.button(key="answering.later").disabled, "nothing else is left"
    answer(app, "unsure")
    assert "put off" not in progress(app)
    assert len(held(key)) == 7


def test_an_answer_of_another_window_is_told_and_one_undo_brings_it_back() -> None:
    key = add()
    app, other = opened(selected="7"), opened(selected="7")
    answer(app, "relevant")
    answer(other, "not_relevant")
    assert "You answered turn 7 “relevant” in another window" in said(other)
    assert held(key) == {6: "not_relevant"}
    answer(other, "unsure")
    assert "another window" not in said(other), "told once"
    click(other, "answering.undo")
    click(other, "answering.undo")
    assert held(key) == {6: "relevant"}
    trigger(other, "asked", {"what": "select", "turn": 6})
    answer(other, "unsure")
    assert "another window" not in said(other), "it was shown"
    send(other, given(other, 1, 3), given(other, 2, 3, "unsure"))
    assert "another window" not in said(other), "both are of this one"
    send(app, given(app, 1, 3, None))
    assert "You answered turn 4 “unsure” in another window" in said(app)
    assert 3 not in held(key)


def test_a_note_is_kept_shown_and_taken_back() -> None:
    key = add()
    app = opened(conversation=key, selected="3")
    sound(note(app).set_value(f"{HOSTILE}").run())
    (kept,) = entries()
    assert (kept.what, kept.turn, kept.value) == ("note", 2, HOSTILE)
    click(app, "answering.undo")
    assert note(app).value == ""
    click(app, "answering.redo")
    assert note(app).value == kept.value
    sound(note(app).set_value("").run())
    assert not entries()
    assert note(opened(conversation=key, selected="3")).value == ""
    assert HOSTILE not in "\n".join(str(one.value) for one in app.markdown)
    assert labels().of(SituationKey(key, 7)).notes == {}


@pytest.mark.parametrize("scope", [scope for scope in SCOPES if scope != "turn"])
def test_an_answer_for_several_turns_counts_them_and_leaves_what_is_answered(scope: str) -> None:
    key = add()
    say(key, Ada={1: "unsure", 2: "not_relevant"})
    app = opened(conversation=key, selected="6", rule="absolute", threshold="0.55")
    before = held(key)
    sound(app.selectbox(key="answering.scope").set_value(scope).run())
    assert transcript(app)["labelling"]["scope"] == scope
    aimed = {row["turn"] for row in transcript(app)["rows"] if row["aimed"]}
    told = {app.button(key=f"answering.{value}").label for value in CALLED}
    answer(app, "relevant")
    got = {turn for turn, value in held(key).items() if value == "relevant"}
    assert told == {f"{MARKS[value]} {CALLED[value]} · {counted(len(got), 'turn')}" for value in CALLED}
    assert aimed == got
    assert got
    assert {turn: held(key)[turn] for turn in before} == before
    kept = {row["turn"] for row in transcript(app)["rows"] if row["state"] == "kept"}
    wanted = {"before": {3, 4}, "rest": {3, 4, 5, 6}, "above": kept - {0, 1, 2}}  # 0 is an instruction
    assert got == wanted.get(scope, got)
    assert app.selectbox(key="answering.scope").value == "turn", "the next answer is for one turn again"
    click(app, "answering.undo")
    assert held(key) == before


def test_a_browser_that_sends_the_words_of_a_menu_again_changes_nothing() -> None:
    """It sends what it was shown when somebody chose, whatever the server says since."""
    key = add()
    app = opened(conversation=key, selected="7")
    box = app.selectbox(key="answering.scope")
    words = box.options[list(SCOPES).index("before")]
    for turn in (5, 3):
        trigger(app, "asked", {"what": "select", "turn": turn}, **{box.proto.id: words})
        assert transcript(app)["labelling"]["scope"] == app.selectbox(key="answering.scope").value == "before"
        assert app.button(key="answering.unsure").label == f"? unsure · {turn - 1} turns"
    say(key, Ada={1: "relevant"}, Bo={1: "not_relevant"})
    work = app.button_group(key="label.work").options
    sound(app.run())
    assert "1 disagreement to be settled" in said(app)
    assert app.button_group(key="label.work").options == work


def test_the_key_for_several_goes_through_all_and_taking_back_is_for_one() -> None:
    key = add()
    say(key, Ada={5: "relevant", 3: "relevant"})
    app = opened(conversation=key, selected="6")
    seen = []
    for _ in SCOPES:
        seen.append(app.selectbox(key="answering.scope").value)
        click(app, "answering.next_scope")
    assert seen == list(SCOPES)
    sound(app.selectbox(key="answering.scope").set_value("rest").run())
    click(app, "answering.none")
    assert held(key) == {3: "relevant"}
    app = sound(app.selectbox(key="answering.scope").set_value("topic").run())
    sound(app.selectbox(key="explore.policy").set_value("bm25").run())
    assert "topic" not in str(app.selectbox(key="answering.scope").options), "only the gate has topics"
    assert app.selectbox(key="answering.scope").value == "turn"
    answer(app, "unsure")
    assert held(key) == {3: "relevant", 5: "unsure"}


def test_the_policys_choice_is_taken_only_when_asked() -> None:
    key = add()
    say(key, Ada={1: "unsure"})
    app = opened()
    assert held(key) == {1: "unsure"}, "nothing is filled in by itself"
    states = {row["turn"]: row["state"] for row in transcript(app)["rows"][:-1]}
    assert app.button(key="answering.prefill").label.endswith("all 5 without an answer")
    click(app, "answering.prefill")
    kept = {
        turn: "relevant" if state in ("kept", "forced") else "not_relevant"
        for turn, state in states.items()
        if turn != 0  # an instruction, which is always sent
    }
    assert held(key) == {**kept, 1: "unsure"}
    assert "5 answers" in saved(app)
    assert not [one for one in app.button if one.key == "answering.prefill"]
    click(app, "answering.undo")
    assert held(key) == {1: "unsure"}


def test_what_others_say_is_hidden_until_one_has_answered() -> None:
    key = add()
    say(key, Bo={6: "unsure", 5: "relevant"}, **{HOSTILE: {6: "relevant"}})
    labels().adjudicate(SituationKey(key, 7), {6: "not_relevant"}, by="Bo")
    app = opened()
    assert not any(row["theirs"] for row in transcript(app)["rows"])
    assert "Bo" not in said(app)
    answer(app, "relevant")
    rows = transcript(app)["rows"]
    assert not rows[5]["theirs"]
    assert rows[6]["theirs"] == [[HOSTILE, "relevant"], ["Bo", "unsure"], ["settled", "not_relevant"]]
    trigger(app, "asked", {"what": "select", "turn": 6})
    assert "Bo: ? unsure" in said(app)
    assert "settled: ✕ not relevant" in said(app)
    assert not [one for one in app.markdown if HOSTILE in one.value]
