"""Label as a person uses it: answers are stored, lead on, and can be taken back, whatever comes between."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.components.v2.bidi_component.main import _make_trigger_id
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from convgate.app_files import app_root
from convgate.conversation import Conversation, Turn
from convgate.labels.scopes import SCOPES
from convgate.settings import load_settings
from convgate.store import Conversations, Entry, Labels, NewConversation, SituationKey, Store
from convgate.ui import services
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
    assert transcript(app)["labelling"]["ask"] == []


def test_the_newest_come_first_when_nothing_is_worth_more() -> None:
    key = add(*[Turn.of("user", f"turn {number} about nan") for number in range(30)])
    app = opened(conversation=key, selected="12")
    asked = transcript(app)["labelling"]["ask"]
    assert len(asked) == 29
    assert asked[10:] == sorted(asked[10:], reverse=True)
    answer(app, "relevant")
    assert place(app)[1] == asked[0]
    sound(app.toggle(key="label.worth").set_value(False).run())
    assert transcript(app)["labelling"]["ask"] == [turn for turn in range(28, -1, -1) if turn != 11]
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
    assert len(everything) == 1 + 1 + 2 + 1 + 3
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
    wanted = {"before": {0, 3, 4}, "rest": {0, 3, 4, 5, 6}, "above": kept - {1, 2}}
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
        assert app.selectbox(key="answering.scope").label == f"An answer is for {turn} turns"


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
    assert app.button(key="answering.prefill").label.endswith("all 6 without an answer")
    click(app, "answering.prefill")
    kept = {
        turn: "relevant" if state in ("kept", "forced") else "not_relevant" for turn, state in states.items()
    }
    assert held(key) == {**kept, 1: "unsure"}
    assert "6 answers" in saved(app)
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
