"""Label as a person uses it: answers are stored, lead on, and can be taken back, whatever comes between."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from convgate.app_files import app_root
from convgate.conversation import Conversation, Turn
from convgate.labels.agreement import Pause, Week
from convgate.labels.exchange import keep_labels, read_labels, write_labels
from convgate.labels.scopes import SCOPES
from convgate.settings import load_settings
from convgate.store import ADJUDICATED, Conversations, Entry, Labels, NewConversation, SituationKey, Store
from convgate.store.queues import NewItem, Queues
from convgate.ui import services
from convgate.ui.label.settling import PER_PAGE
from convgate.ui.navigation import EXPLORE
from convgate.ui.wording import counted
from tests.fakes import FakeEncoder

LABEL = "pages/2_Label.py"
HOSTILE = "<b>x</b> [l](https://a.example) $x^2$ :smile: Ignore all"  # as long as a name may be

TALK = (
    Turn.of("system", "You are a careful assistant."),
    Turn.of("user", "my loss is nan when the batch is empty"),
    Turn.of("assistant", "the mean of an empty batch is nan so the loss is nan"),
    Turn.of("user", "write a fibonacci function"),
    Turn.of("assistant", "def fibonacci of n returns n if n is small"),
    Turn.of("user", "is the loss still nan"),
    Turn.of("assistant", "check the batch before the mean"),
    Turn.of("user", "the loss is nan again with an empty batch"),
)

COOKIES: dict[str, str] = {}
"""Those of the browser."""


@pytest.fixture(autouse=True)
def encoder(convgate_home: Path, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> FakeEncoder:
    """What the page encodes with."""
    monkeypatch.setattr(services, "encoder", lambda *_: fake_encoder)
    monkeypatch.setattr(services, "warm_up", lambda: None)
    monkeypatch.setattr("streamlit.runtime.context.ContextProxy.cookies", COOKIES)
    return fake_encoder


def add(*turns: Turn, title: str = "Talk") -> str:
    talk = Conversation(title, turns or TALK, title=title, format="openai")
    (added,) = Conversations(store()).add([NewConversation(talk)])
    return added.key


def store() -> Store:
    return Store(load_settings().database)


def labels() -> Labels:
    return Labels(store())


def opened(by: str | None = "Ada", /, **query: str) -> AppTest:
    """The page in a new browser that knows who labels, at an address."""
    app = AppTest.from_file(str(app_root() / "app.py"), default_timeout=60)
    COOKIES.clear()
    if by is not None:
        COOKIES["convgate-annotator"] = by
    app.run()
    for name, value in query.items():
        app.query_params[name] = value
    return sound(app.switch_page(LABEL).run())


def sound(app: AppTest) -> AppTest:
    assert not app.exception, app.exception[0].value
    return app


def click(app: AppTest, key: str) -> AppTest:
    return sound(app.button(key=key).click().run())


def transcript(app: AppTest) -> dict[str, Any]:
    (component,) = [one for one in app.get("bidi_component") if "transcript" in one.proto.component_name]
    data: dict[str, Any] = json.loads(component.proto.json)
    return data


def trigger(app: AppTest, event: str, value: object, **words: str) -> AppTest:
    """What the transcript's own code sends from the browser; words: what menus send with it, by their ids."""
    (component,) = [one for one in app.get("bidi_component") if "transcript" in one.proto.component_name]
    states = app._tree.get_widget_states()
    for widget in states.widgets:
        if widget.id in words:
            widget.string_value = words[widget.id]
    told = json.dumps([{"event": event, "value": value}])
    states.widgets.append(
        WidgetState(id=_make_trigger_id(component.proto.id, "events"), json_trigger_value=told)
    )
    return sound(app._run(states))


def answer(app: AppTest, value: str) -> AppTest:
    return click(app, f"answering.{value}")


def send(app: AppTest, *answers: dict[str, Any], client: str = "x") -> AppTest:
    return trigger(app, "answers", {"client": client, "answers": list(answers)})


def given(
    app: AppTest, number: int, turn: int, value: str | None = "relevant", **more: Any
) -> dict[str, Any]:
    """An answer as the transcript sends it."""
    situation = transcript(app)["labelling"]["situation"]
    return {
        "number": number, "situation": situation, "turn": turn, "value": value, "scope": "turn", **more
    }  # fmt: skip


def said(app: AppTest) -> str:
    told = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error, *app.success, *app.subheader]
    shown = "\n".join(str(element.value) for element in told)
    return shown.replace("\\", "").replace("\u2060", "")


def errors(app: AppTest) -> str:
    return "\n".join(str(element.value) for element in app.error).replace("\\", "").replace("\u2060", "")


def held(key: str, by: str = "Ada", turn: int | None = 7, question: str = "") -> dict[int, str]:
    """What somebody says of a message, by turn."""
    return labels().of(SituationKey(key, turn, question)).of(by)


def mine(app: AppTest) -> dict[int, str]:
    """The answers that the rows show."""
    return {row["turn"]: row["mine"] for row in transcript(app)["rows"] if row["mine"]}


def place(app: AppTest) -> tuple[int, int | None]:
    """The message and the turn that are shown, from 0."""
    data = transcript(app)
    return data["current"], data["selected"]


def say(key: str, turn: int = 7, /, **answers: dict[int, Any]) -> None:
    """Answers of several people about a message."""
    for by, said_by in answers.items():
        labels().answer(SituationKey(key, turn), said_by, by=by)


def progress(app: AppTest) -> str:
    return "\n".join(one.proto.text for one in app.get("progress"))


def saved(app: AppTest) -> str:
    """The line about what was stored last."""
    return "\n".join(one.value for one in app.caption if one.value.startswith(":material/check:"))


def note(app: AppTest) -> Any:
    (field,) = [one for one in app.text_input if str(one.key).startswith("label.note.")]
    return field


def entries() -> list[Entry]:
    """All that holds, without when it was said."""
    return sorted((replace(one, at=None) for one in labels().entries()), key=repr)


# Who labels


def test_without_a_name_nothing_can_be_answered_until_one_is_chosen() -> None:
    key = add()
    app = opened(None)
    assert "Choose a name on the left to label" in said(app)
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


# Answers


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
    told = app.selectbox(key="answering.scope").label
    answer(app, "relevant")
    got = {turn for turn, value in held(key).items() if value == "relevant"}
    assert told == f"An answer is for {counted(len(got), 'turn')}"
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
        assert app.selectbox(key="answering.scope").label == f"An answer is for {turn - 1} turns"
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
    assert app.button(key="answering.prefill").disabled
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


# Answers from the transcript


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


# Places


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


def test_an_empty_library_takes_labels_with_their_conversations() -> None:
    app = opened()
    assert "no conversation yet" in said(app)
    other = Store(load_settings().home / "other.db")
    (added,) = Conversations(other).add([NewConversation(Conversation("Talk", TALK, title="Talk"))])
    Labels(other).answer(SituationKey(added.key, 7), {1: "relevant"}, by="Bo")
    sound(app.button_group(key="label.show").set_value("files").run())
    sound(app.file_uploader[0].upload("labels.jsonl", write_labels(other, "relevance-set")).run())
    assert "1 conversation, 1 of them new here" in said(app)
    click(app, "label.import.keep")
    assert held(added.key, "Bo") == {1: "relevant"}
    assert place(app) == (7, 6)


def test_a_conversation_that_is_deleted_meanwhile_is_told() -> None:
    key, other = add(), add(*TALK[:4], title="Other")
    app = opened(conversation=key)
    answer(app, "relevant")
    sound(app.selectbox(key="explore.conversation").set_value(other).run())
    answer(app, "relevant")
    click(app, "answering.undo")
    Conversations(store()).delete([key])
    click(app, "answering.undo")
    assert "has no conversation" in errors(app)
    sound(app.selectbox(key="explore.conversation").set_value(other).run())
    assert place(app) == (3, 2)
    Conversations(store()).delete([other])
    answer(app, "relevant")
    assert "has no conversation" in errors(app)
    assert not entries()
    assert "no conversation yet" in said(opened()), "labelling goes on where there is something"


# Faults


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """Has another program write to the library until the test is over."""
    monkeypatch.setattr(services, "Store", partial(Store, busy_timeout=0.05))
    connections: list[sqlite3.Connection] = []

    def start() -> None:
        connections.append(sqlite3.connect(load_settings().database))
        connections[0].execute("BEGIN IMMEDIATE")

    yield start
    for connection in connections:
        connection.close()


def test_while_another_program_writes_nothing_is_lost_in_silence(busy: Callable[[], None]) -> None:
    key = add()
    say(key, Bo={1: "relevant"})
    app = opened(conversation=key, show="people")
    answer(app, "relevant")
    before = entries()
    busy()
    acts: list[Callable[[], AppTest]] = [
        lambda: answer(app, "unsure"),
        lambda: send(app, given(app, 1, 3)),
        lambda: click(app, "answering.undo"),
        lambda: click(app, "answering.prefill"),
        lambda: sound(note(app).set_value("Because").run()),
        lambda: sound(app.toggle(key="label.trains.Bo").set_value(False).run()),
    ]
    for act in acts:
        act()
        assert "in use by another program" in errors(app)
        assert place(app) == (7, 5)
        assert entries() == before
    assert note(app).value == "Because", "what was typed can be stored later"
    assert app.toggle(key="label.trains.Bo").value
    assert mine(app) == {6: "relevant"}


def test_while_another_program_writes_queues_and_imports_are_as_before(busy: Callable[[], None]) -> None:
    key = add()
    number = queue(key, 7, [6, 5])
    app = opened(conversation=key, queue=str(number), show="files")
    content = b"conversation,message,turn,annotator,answer\n" + f"{key},7,3,Bo,relevant\n".encode()
    sound(app.file_uploader[0].upload("more.csv", content).run())
    busy()
    for button in ("label.later", "label.queue.delete", "label.import.keep"):
        click(app, button)
        assert "in use by another program" in errors(app), button
    assert not entries()
    assert [one.number for one in Queues(store()).all()] == [number]
    assert app.query_params["queue"] == str(number)


def queue(key: str, turn: int, turns: list[int], name: str = "Mine", by: str = "Ada") -> int:
    items = [NewItem(SituationKey(key, turn), one, "audit", f"Reason {one}.") for one in turns]
    return Queues(store()).add(name, items, by=by, seed=1).number


# Queues


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
    assert "drawn by lot to begin with: 10" in said(app)

    seen = []
    for number in range(4):
        item = Queues(store()).next_item(made.number, "Ada")
        assert item is not None
        shown = app.query_params["conversation"], *place(app)
        seen.append(shown)
        assert item.reason in said(app)
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
    assert app.button(key="label.later").disabled


def test_later_puts_the_message_at_the_end_and_can_be_undone() -> None:
    key, other = add(), add(*TALK[:6], title="Second")
    items = [NewItem(SituationKey(key, 7), turn, "audit", "A.") for turn in (6, 2)]
    items.append(NewItem(SituationKey(other, 5), 1, "audit", "B."))
    number = Queues(store()).add("Mine", items, by="Ada", seed=1).number
    app = opened(conversation=key, queue=str(number))
    assert place(app) == (7, 6)
    click(app, "label.later")
    assert (app.query_params["conversation"], place(app)) == (other, (5, 1))
    assert "0 of 3 answered, 2 for later" in progress(app)
    click(app, "answering.undo")
    assert (app.query_params["conversation"], place(app)) == (key, (7, 6))
    assert "later" not in progress(app)
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
    assert "choose yours on the left" in said(nobody)
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


# Disagreements


def disagree() -> tuple[str, str]:
    """Two conversations: in the first, people disagree about three turns of one message."""
    key, other = add(), add(*TALK[:6], title=HOSTILE)
    say(other, 5, Ada={3: "relevant"}, Bo={3: "not_relevant"})
    say(
        key,
        Ada={1: "relevant", 2: "relevant", 5: "unsure"},
        Bo={1: "not_relevant", 2: "not_relevant", 5: "relevant"},
    )
    return key, other


def listed(app: AppTest) -> list[tuple[str, int, int]]:
    """The disagreements in the list."""
    (table,) = [one.value for one in app.dataframe if "message" in one.value.columns]
    rows = table.to_dict("records")
    return [(row["conversation"], int(row["message"]), row["turn"]) for row in rows]


def test_disagreements_are_settled_one_after_the_other_and_what_people_said_is_kept() -> None:
    key, other = disagree()
    before = entries()
    app = opened("Cy", conversation=other, turn="2")
    assert "3 disagreements to be settled" in said(app)
    sound(app.selectbox(key="answering.scope").set_value("rest").run())
    sound(app.button_group(key="label.work").set_value("settle").run())
    assert transcript(app)["labelling"]["scope"] == "turn", "turns are settled one by one"
    assert listed(app) == [("Talk", 8, 2), ("Talk", 8, 3), (HOSTILE, 6, 4)]
    assert (app.query_params["conversation"], place(app)) == (key, (7, 1))
    assert "Settle: does turn 2 matter" in said(app)
    assert "Ada ✓ relevant, Bo ✕ not relevant" in said(app)
    assert not [one for one in app.button if one.key == "answering.prefill"]
    assert transcript(app)["rows"][1]["theirs"] == [["Ada", "relevant"], ["Bo", "not_relevant"]]
    assert not transcript(app)["rows"][6]["theirs"]

    answer(app, "not_relevant")
    assert place(app) == (7, 2)
    assert mine(app) == {1: "not_relevant"}
    send(app, given(app, 1, 2, "relevant"))
    assert (app.query_params["conversation"], place(app)) == (other, (5, 3))
    assert labels().of(SituationKey(key, 7)).of(ADJUDICATED) == {1: "not_relevant", 2: "relevant"}
    assert [one for one in entries() if one.annotator != ADJUDICATED] == before
    assert not held(key, "Cy")
    click(app, "answering.undo")
    assert (app.query_params["conversation"], place(app)) == (key, (7, 2))
    assert listed(app) == [("Talk", 8, 3), (HOSTILE, 6, 4)]
    click(app, "answering.redo")
    sound(app.toggle(key="label.disagreements.settled").set_value(True).run())
    assert sorted(listed(app)) == [("Talk", 8, 2), ("Talk", 8, 3)]
    assert "2 disagreements settled" in said(app)
    app.session_state["label.disagreements"] = {"selection": {"rows": [0]}}
    sound(app.toggle(key="label.disagreements.settled").set_value(False).run())
    sound(app.button_group(key="label.work").set_value("conversation").run())
    sound(app.button_group(key="label.work").set_value("settle").run())
    answer(app, "unsure")
    assert "Nobody disagrees" in said(app)
    assert "to be settled" not in said(app).replace("Nobody disagrees", "")


def test_pages_of_disagreements_end_where_they_end() -> None:
    key = add(*[Turn.of("user", f"turn {number} about nan") for number in range(30)])
    turns = range(PER_PAGE + 1)
    say(key, 29, Ada=dict.fromkeys(turns, "relevant"), Bo=dict.fromkeys(turns, "not_relevant"))
    labels().answer(SituationKey(key, 28), dict.fromkeys(turns, "relevant"), by="Ada")
    labels().answer(SituationKey(key, 28), dict.fromkeys(range(PER_PAGE), "not_relevant"), by="Bo")
    app = opened(conversation=key, settle="1")
    assert len(listed(app)) == PER_PAGE
    app.session_state["label.disagreements.page"] = 3
    sound(app.run())
    assert len(listed(app)) == 1
    labels().adjudicate(SituationKey(key, 29), {0: "relevant"}, by="Ada")
    sound(app.run())
    assert len(listed(app)) == PER_PAGE
    assert app.session_state["label.disagreements.page"] == 2


def test_a_row_of_the_list_leads_to_its_turn_and_without_a_name_nothing_is_settled() -> None:
    key, other = disagree()
    app = opened(None, conversation=key, settle="1")
    assert "To settle one, choose your name" in said(app)
    assert not transcript(app)["labelling"]["enabled"]
    assert len(listed(app)) == 3
    (table,) = [one for one in app.dataframe if one.proto.id]
    states = app._tree.get_widget_states()
    chosen = json.dumps({"selection": {"rows": [2], "columns": [], "cells": []}})
    states.widgets.append(WidgetState(id=table.proto.id, string_value=chosen))
    sound(app._run(states))
    assert (app.query_params["conversation"], place(app)) == (other, (5, 3))


# Agreement, people, files


def test_a_pause_stops_answering_but_not_settling(monkeypatch: pytest.MonkeyPatch) -> None:
    key, _ = disagree()
    week = Week(date(2026, 11, 2), 0.2, 30)
    pause = Pause(("Ada", "Bo"), (week, replace(week, monday=date(2026, 11, 9))), datetime.now(UTC), 3)
    monkeypatch.setattr("convgate.ui.explore.answers.labelling_pause", lambda *_: pause)
    app = opened(conversation=key)
    assert "Settle 17 more of the turns" in said(app)
    assert app.button(key="answering.relevant").disabled
    send(app, given(app, 1, 3))
    assert "not stored" in errors(app)
    assert 3 not in held(key)
    sound(app.button_group(key="label.work").set_value("settle").run())
    answer(app, "relevant")
    assert labels().of(SituationKey(key, 7)).of(ADJUDICATED) == {1: "relevant"}


def test_agreement_is_told_in_words_and_numbers() -> None:
    key = add(*[Turn.of("user", f"turn {number} about nan") for number in range(30)])
    app = opened(conversation=key, show="agreement")
    assert "Agreement needs two people" in said(app)
    ada: dict[int, Any] = {turn: "relevant" if turn % 2 else "not_relevant" for turn in range(24)}
    say(key, 29, Ada=ada, **{HOSTILE: ada | {0: "relevant", 2: "relevant"}}, Cy=ada)
    sound(app.run())
    assert "Ada and Cy agree well: kappa 1.00" in said(app)
    assert "alpha" in said(app)
    assert not [one for one in app.markdown if HOSTILE in one.value]
    (table,) = [one.value for one in app.dataframe if "who" in one.value.columns]
    assert sorted(table["who"]) == [f"{HOSTILE} and Ada", f"{HOSTILE} and Cy", "Ada and Cy"]
    assert sorted(table["alike"]) == [22, 22, 24]


def test_who_is_trained_on_is_a_switch_and_changes_what_counts() -> None:
    key = add()
    say(key, Bo={1: "relevant"}, **{HOSTILE: {2: "unsure"}})
    app = opened(conversation=key, show="people")
    assert "**Bo** · person · 1 answer on 1 message · 1 in the last 14 days" in said(app)
    assert not [one for one in app.markdown if HOSTILE in one.value]
    with store().read() as db:
        assert db.execute("SELECT count(*) FROM gold WHERE answer = 'relevant'").fetchone() == (1,)
    sound(app.toggle(key="label.trains.Bo").set_value(False).run())
    with store().read() as db:
        assert db.execute("SELECT count(*) FROM gold WHERE answer = 'relevant'").fetchone() == (0,)
    assert not opened(conversation=key, show="people").toggle(key="label.trains.Bo").value
    Labels(store()).set_trains("Bo", trains=True)
    assert sound(app.run()).toggle(key="label.trains.Bo").value, "somebody else switched it back"
    sound(app.button_group(key="label.show").set_value("agreement").run())
    assert app.query_params["show"] == "agreement"


def test_a_file_is_looked_at_before_it_is_imported_and_taken_back_as_one() -> None:
    key, other = add(), add(*TALK[:6])
    say(key, Ada={1: "relevant"})
    app = opened(conversation=key, show="files")
    rows = [f"{key},7,{turn},{by},{what}" for turn, by, what in ((1, "Ada", "unsure"), (2, "Bo", "relevant"))]
    table = "conversation,message,turn,annotator,answer\n" + "\n".join(rows)
    before = entries()
    sound(app.file_uploader[0].upload(f"{HOSTILE[:9]}.csv", table.encode()).run())
    assert "2 labels in 1 conversation, 0 of them new here. By: Ada 1, Bo 1." in said(app)
    assert "1 differ from what the same person says here now" in said(app)
    assert entries() == before
    click(app, "label.import.keep")
    assert "Imported 2 labels" in said(app)
    assert (held(key), held(key, "Bo")) == ({1: "unsure"}, {2: "relevant"})
    assert not app.file_uploader[0].value
    click(app, "answering.undo")
    assert entries() == before

    bad = table + f"\n{key},7,99,Bo,relevant\n{key},7,3,Bo,{HOSTILE}"
    sound(app.file_uploader[0].upload("bad.csv", bad.encode()).run())
    assert "2 rows cannot be read" in errors(app)
    assert "turn 99 is no earlier turn" in said(app)
    assert "line 4" in said(app)
    assert not [one for one in app.markdown if HOSTILE in one.value]
    sound(app.toggle(key="label.import.skip").set_value(True).run())
    assert app.button(key="label.import.keep").label == "Import 2 labels"

    lists = json.dumps({"current_turn": 5, "relevant_turns": [1]})
    sound(app.file_uploader[0].upload("peer.jsonl", lists.encode()).run())
    assert "conversation" in errors(app)
    box = app.selectbox(key="label.import.about")
    assert len(set(box.options)) == 2, "conversations of one title are told apart"
    sound(box.set_value(other).run())
    sound(app.text_input(key="label.import.whose").set_value("adjudicated").run())
    assert "choose another name" in errors(app)
    sound(app.text_input(key="label.import.whose").set_value("Cy").run())
    click(app, "label.import.keep")
    assert held(other, "Cy", turn=5)[1] == "relevant"
    assert "Choose a name on the left first" in said(opened(None, conversation=key, show="files"))


def test_exports_are_files_that_are_read_back_without_loss(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files: dict[str, Callable[[], bytes]] = {}

    def drawn(label: str, data: Callable[[], bytes], *, file_name: str, **_: object) -> bool:
        files[file_name] = data
        return False

    key = add()
    say(key, Ada={1: "relevant", 2: "unsure"}, Bo={1: "not_relevant"})
    labels().note(SituationKey(key, 7), 1, HOSTILE, by="Ada")
    monkeypatch.setattr("streamlit.download_button", drawn)
    opened(conversation=key, show="files")
    assert {name for name in files if name.startswith("labels")} == {"labels.jsonl", "labels.csv"}
    for name in ("labels.jsonl", "labels.csv"):
        other = Store(tmp_path / f"{name}.db")
        Conversations(other).add([NewConversation(Conversation("Talk", TALK, title="Talk", format="openai"))])
        keep_labels(other, read_labels(files[name](), name, other), by="Ada")
        assert sorted((replace(one, at=None) for one in Labels(other).entries()), key=repr) == entries()


# Every control, key and text


def test_every_control_is_read() -> None:
    """A control that is added must be tested here or above: moving it has to change what the page shows."""
    key, other = add(), add(*TALK[:4], title="Other")
    say(key, Bo={1: "relevant"})
    new: dict[str, Any] = {
        "label.work": "settle", "label.worth": False, "explore.search": "loss", "answering.scope": "rest",
        "label.show": "people", "explore.conversation": other, "explore.turn": 6,
        "explore.question": "fibonacci", "explore.compare": "last_k", "explore.policy": "bm25",
        "explore.pairs": True, "note": "Because",
    }  # fmt: skip

    def controls(app: AppTest) -> dict[str, Any]:
        kinds = (app.slider, app.selectbox, app.number_input, app.toggle, app.text_input, app.button_group)
        found = {str(widget.key): widget for kind in kinds for widget in kind}
        return {"note" if name.startswith("label.note.") else name: one for name, one in found.items()}

    asked = [Turn.of("user", f"turn {number} about nan") for number in range(16)]
    assert set(controls(opened(conversation=key))) == set(new)
    long = add(*asked, title="Long")
    for name, value in new.items():
        app = opened(conversation=long if name == "label.worth" else key, selected="3")
        before = shown(app)
        sound(controls(app)[name].set_value(value).run())
        assert shown(app) != before, f"{name} changed nothing"


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
        app = opened(HOSTILE.replace(" ", "%20"), **{"conversation": key, "selected": "1", **query})
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
