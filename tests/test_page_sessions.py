"""Sessions: the boundaries of a conversation, edited by a person, under changed rules."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import TextInput

from convgate.core.app_files import app_root
from convgate.core.conversation import Conversation, Turn
from convgate.core.settings import load_settings
from convgate.store import Conversations, NewConversation, Store
from convgate.store.edits import MovedBoundaries
from convgate.transcripts import read_conversations

SESSIONS, EXPLORE = "pages/8_Sessions.py", "pages/1_Explore.py"
DAY = "sample_conversations/purple_button_one_day.json"


@pytest.fixture
def store(convgate_home: object) -> Store:
    return Store(load_settings().database)


@pytest.fixture
def day(store: Store) -> str:
    """The sample day in the library: turns 1, 7 and 13 matter."""
    (talk,) = read_conversations(app_root() / DAY)
    return Conversations(store).add([NewConversation(talk)])[0].key


def add(store: Store, said: Sequence[Turn]) -> str:
    return Conversations(store).add([NewConversation(Conversation("talk", tuple(said)))])[0].key


def opened(file: str = SESSIONS, **query: str) -> AppTest:
    app = AppTest.from_file(str(app_root() / "app.py"), default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    return sound(app.switch_page(file).run())


def sound(app: AppTest) -> AppTest:
    assert not app.exception, app.exception[0].value
    return app


def click(app: AppTest, key: str) -> AppTest:
    return sound(app.button(key=key).click().run())


def texts(app: AppTest) -> str:
    elements = [
        *app.markdown,
        *app.caption,
        *app.info,
        *app.warning,
        *app.error,
        *app.success,
        *app.subheader,
    ]
    values = "\n".join(str(element.value) for element in elements)
    return values.replace("\\", "").replace("\u2060", "")


def boundaries(app: AppTest) -> dict[int, str]:
    """What begins with which turn, by the table."""
    table = app.dataframe[0].value
    return dict(zip(table["turn"], table["begins"], strict=True))


def metric(app: AppTest, label: str) -> str:
    return next(str(metric.value) for metric in app.metric if metric.label == label)


def edits(store: Store, key: str) -> dict[int, tuple[str, str]]:
    return {turn: (edit.kind, edit.note) for turn, edit in MovedBoundaries(store).of(key).items()}


def choose(app: AppTest, kind: str) -> AppTest:
    return sound(app.button_group(key="sessions.kind").set_value(kind).run())


def note_of(app: AppTest) -> TextInput:
    (note,) = [field for field in app.text_input if (field.key or "").startswith("sessions.note")]
    return note


def test_a_conversation_shows_what_begins_where_and_why(day: str) -> None:
    app = opened(conversation=day)
    assert boundaries(app) == {1: "session", 7: "conversation", 13: "nothing"}
    assert list(app.dataframe[0].value["messages"]) == [6, 7, 0]
    assert app.dataframe[0].value["time"][0] == "Thu 05 Mar 2026, 09:00"
    assert (metric(app, "Sessions"), metric(app, "Conversations")) == ("1", "2")
    assert "Turn 7" in texts(app), "where the last conversation begins is selected first"
    assert "The workflow reached COMPLETE at turn 6, which closed the conversation before." in texts(app)
    app.session_state["sessions.boundaries"] = {
        "selection": {"rows": [], "columns": [], "cells": [(2, "turn")]}
    }
    assert app.query_params["conversation"] in (day, [day])


def test_a_moved_boundary_changes_what_the_policy_keeps_and_is_undone(store: Store, day: str) -> None:
    def kept() -> str:
        return metric(opened(EXPLORE, conversation=day, turn="13", policy="session"), "Kept")

    before = kept()
    app = opened(conversation=day, selected="7")
    sound(app.number_input(key="sessions.move").set_value(11).run())
    assert edits(store, day) == {6: ("none", ""), 10: ("conversation", "")}
    assert boundaries(app) == {1: "session", 7: "nothing", 11: "conversation", 13: "nothing"}
    assert app.query_params["selected"] in ("11", ["11"]), "the selection moves along"
    assert "By the rules: nothing begins." in texts(app)
    assert (before, kept()) == ("6", "2")
    click(app, "sessions.undo")
    assert edits(store, day) == {}
    assert kept() == before


def test_a_boundary_is_added_with_a_note_and_removed(store: Store, day: str) -> None:
    app = opened(conversation=day, selected="9")
    sound(note_of(app).set_value("another <b>matter</b>").run())
    assert edits(store, day) == {}, "a note is saved with a kind"
    choose(app, "session")
    assert edits(store, day) == {8: ("session", "another <b>matter</b>")}
    assert metric(app, "Sessions") == "2"
    assert "A person began a new session here: another <b>matter</b>" in texts(app)
    sound(note_of(app).set_value("the sign-in").run())
    assert edits(store, day) == {8: ("session", "the sign-in")}
    sound(note_of(app).set_value("").run())
    choose(app, "none")
    assert edits(store, day) == {}, "the same as the rules"
    for _ in range(4):
        click(app, "sessions.undo")
    assert "sessions.undo" not in {button.key for button in app.button}


def test_the_first_message_cannot_be_edited(day: str) -> None:
    app = opened(conversation=day, selected="1")
    assert "sessions.kind" not in {group.key for group in app.button_group}


def test_changed_rules_show_their_effect_and_how_to_save_them(store: Store, day: str) -> None:
    app = opened(conversation=day)
    assert "Changed rules" not in texts(app)
    sound(app.toggle(key="sessions.override").set_value(False).run())
    assert boundaries(app) == {1: "session", 7: "conversation", 13: "session"}
    assert "3 conversations in 2 sessions. Saved rules: 2 conversations in 1 session." in texts(app)
    assert "Different at 1 turn: 13." in texts(app)
    assert app.code[0].value == "session_continue_overrides_gap = false"
    sound(app.select_slider(key="sessions.gap").set_value(1800.0).run())
    assert "session_idle_gap = 1800.0" in app.code[0].value
    assert app.query_params["gap"] in ("1800", ["1800"])
    sound(app.select_slider(key="sessions.gap").set_value(math.inf).run())
    assert "session_idle_gap = inf" in app.code[0].value
    sound(app.toggle(key="sessions.complete").set_value(False).run())
    assert boundaries(app) == {1: "session"}
    click(app, "sessions.reset")
    assert not app.code
    assert set(app.query_params) <= {"conversation"}
    assert edits(store, day) == {}


def test_an_address_restores_the_view_and_names_what_is_wrong(day: str) -> None:
    app = opened(conversation=day, selected="5", gap="off", override="0", axis="turns")
    assert ("Turn 5" in texts(app), app.select_slider(key="sessions.gap").value) == (True, math.inf)
    app = opened(conversation=day, selected="99", gap="soon")
    assert len(app.warning) == 2
    assert boundaries(app) == {1: "session", 7: "conversation", 13: "nothing"}


def test_without_times_commands_still_count(store: Store) -> None:
    turns = [Turn.of("user", "Hi"), Turn.of("assistant", "Hello"), Turn.of("user", "New topic: tea")]
    app = opened(conversation=add(store, turns))
    assert boundaries(app) == {1: "session", 3: "conversation"}
    assert "Most messages have no time" in texts(app)
    assert "sessions.axis" not in {group.key for group in app.button_group}


def test_an_edit_of_a_conversation_that_was_deleted_meanwhile_is_an_error(store: Store, day: str) -> None:
    app = opened(conversation=day)
    Conversations(store).delete([day])
    choose(app, "session")
    assert edits(store, day) == {}
    assert app.error


def test_text_of_a_transcript_is_shown_as_text(store: Store) -> None:
    hostile = "<b>x</b> [l](https://a.example) $x^2$ :smile:"
    turns = [Turn.of("user", hostile), Turn.of("user", f"new topic {hostile}")]
    app = opened(conversation=add(store, turns))
    assert [element.value for element in app.text] == [f"new topic {hostile}"]
    assert "<b>x</b>" not in "".join(element.value for element in app.markdown)


def test_explore_and_compare_number_turns_in_reasons_as_on_the_screen(day: str) -> None:
    reason = "which began at turn 7: the workflow reached COMPLETE at turn 6"
    assert reason in texts(opened(EXPLORE, conversation=day, turn="13", selected="1", policy="session"))
    pages = {"policies": "session, everything", "turn": "13", "selected": "1"}
    assert reason in texts(opened("pages/6_Compare.py", conversation=day, **pages))
