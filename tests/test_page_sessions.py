"""The page Sessions: boundaries, edits, changed rules, stored sessions."""

from __future__ import annotations

import math
import re
from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Turn
from convgate.core.home import app_root
from convgate.sessions import SessionManager
from convgate.store import Conversations, NewConversation, Store
from convgate.store.edits import MovedBoundaries
from convgate.store.sessions import Sessions
from convgate.transcripts import read_conversations
from convgate.ui.shared.text import literal
from tests.fakes import FakeEncoder
from tests.page_app import (
    TURNS,
    add_conversation,
    address,
    check,
    choose,
    click,
    open_page,
    page_text,
    stated,
    turn_table,
    use_encoder,
    use_word_modes,
)

open_sessions = partial(open_page, "Sessions")
DAY = "sample_conversations/purple_button_one_day.json"


@pytest.fixture(autouse=True)
def words(fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing slow is loaded."""
    use_encoder(fake_encoder, monkeypatch)
    monkeypatch.setattr("convgate.ui.sessions.strip.find_subject_changes", lambda *_, **__: {})
    use_word_modes(monkeypatch)


@pytest.fixture
def day(store: Store) -> str:
    """The sample day in the library: turns 1, 7 and 13 matter."""
    (conversation,) = read_conversations(app_root() / DAY)
    return Conversations(store).add([NewConversation(conversation)])[0].key


def parts(app: AppTest) -> dict[int, str]:
    """Why each part begins, by its first turn from 1."""
    return {fold["first"] + 1: fold["note"].split(" · ")[-1] for fold in turn_table(app)["folds"]}


def boundaries(app: AppTest) -> dict[int, str]:
    """What begins with which turn, from 1; suggestions begin nothing, and the first turn a session."""
    found = {turn: re.match("new (session|conversation): ", note) for turn, note in parts(app).items()}
    return {1: "session"} | {turn: match[1] for turn, match in found.items() if match}


def edits(store: Store, key: str) -> dict[int, str]:
    return {turn: edit.kind for turn, edit in MovedBoundaries(store).of(key).items()}


def choose_kind(app: AppTest, kind: str) -> AppTest:
    return choose(app, "sessions.kind", kind)


def test_a_conversation_shows_what_begins_where_and_why(day: str) -> None:
    app = open_sessions(conversation=day)
    assert boundaries(app) == {1: "session", 7: "conversation"}
    assert "##### For the last message, Session sends turns 7 to 12, and leaves out 6 others" in page_text(
        app
    )
    first, second = turn_table(app)["folds"]
    assert (first["state"], second["state"]) == ("dropped", "kept")
    assert first["label"].startswith("“")
    assert re.fullmatch(r"Turns 1–6 · Session sends 0 of 6, the default \d", first["note"])
    begun = "new conversation: the workflow reached COMPLETE at turn 6"
    assert re.fullmatch(rf"Turns 7–\d+ · Session sends 6 of 6, the default \d · {begun}", second["note"])
    assert "Turn 7" in page_text(app), "where the last conversation begins is selected first"
    assert "The workflow reached COMPLETE at turn 6, which closed the conversation before." in page_text(app)
    assert address(app)["conversation"] == day


def test_a_moved_boundary_changes_what_the_policy_keeps_and_is_undone(store: Store, day: str) -> None:
    def kept() -> str:
        return stated(open_page("Explore", conversation=day, turn="13", policy="session"), "Kept")

    before = kept()
    choose_kind(open_sessions(conversation=day, selected="7"), "none")
    app = choose_kind(open_sessions(conversation=day, selected="11"), "conversation")
    assert edits(store, day) == {6: "none", 10: "conversation"}
    assert boundaries(app) == {1: "session", 11: "conversation"}
    assert "By the rules: nothing begins." in page_text(app)
    assert (before, kept()) == ("6", "2")
    click(click(app, "sessions.undo_last"), "sessions.undo_last")
    assert edits(store, day) == {}
    assert kept() == before


def test_a_boundary_is_added_and_removed(store: Store, day: str) -> None:
    app = choose_kind(open_sessions(conversation=day, selected="9"), "session")
    assert edits(store, day) == {8: "session"}
    assert boundaries(app) == {1: "session", 7: "conversation", 9: "session"}
    assert "A person began a new session here" in page_text(app)
    choose_kind(app, "none")
    assert edits(store, day) == {}, "the same as the rules"
    click(app, "sessions.undo_last")
    assert edits(store, day) == {8: "session"}
    click(app, "sessions.undo_last")
    assert "sessions.undo_last" not in {button.key for button in app.button}


def test_the_first_message_cannot_be_edited(day: str) -> None:
    app = open_sessions(conversation=day, selected="1")
    assert "sessions.kind" not in {group.key for group in app.button_group}


def test_changed_rules_show_their_boundaries_and_how_to_save_them(store: Store, day: str) -> None:
    app = open_sessions(conversation=day)
    check(app.toggle(key="sessions.override").set_value(False).run())
    assert boundaries(app) == {1: "session", 7: "conversation", 13: "session"}
    assert app.code[0].value == "[session]\ncontinue_overrides_gap = false"
    check(app.select_slider(key="sessions.gap").set_value(1800.0).run())
    assert "idle_gap_seconds = 1800.0" in app.code[0].value
    assert address(app)["gap"] == "1800"
    check(app.select_slider(key="sessions.gap").set_value(math.inf).run())
    assert "idle_gap_seconds = inf" in app.code[0].value
    check(app.toggle(key="sessions.complete").set_value(False).run())
    assert boundaries(app) == {1: "session"}
    assert "so Session sends all 12 earlier turns" in page_text(app)
    click(app, "sessions.reset")
    assert not app.code
    assert set(address(app)) <= {"conversation"}
    assert edits(store, day) == {}


def test_an_address_restores_the_view_and_names_what_is_wrong(day: str) -> None:
    app = open_sessions(conversation=day, selected="5", gap="off", override="0")
    assert ("Turn 5" in page_text(app), app.select_slider(key="sessions.gap").value) == (True, math.inf)
    app = open_sessions(conversation=day, selected="99", gap="soon")
    assert len(app.warning) == 2
    assert boundaries(app) == {1: "session", 7: "conversation"}


def test_without_times_commands_still_count(store: Store) -> None:
    turns = [Turn.of("user", "Hi"), Turn.of("assistant", "Hello"), Turn.of("user", "New topic: tea")]
    app = open_sessions(conversation=add_conversation(*turns))
    assert boundaries(app) == {1: "session", 3: "conversation"}
    assert "sessions.gap" not in {slider.key for slider in app.select_slider}, "there is nothing to measure"
    assert "sessions.complete" not in {toggle.key for toggle in app.toggle}
    assert not app.expander[:1] or app.expander[0].label != "Over time", "a chart would show nothing"


@pytest.fixture
def changing(monkeypatch: pytest.MonkeyPatch) -> str:
    """A conversation of which the subject may change at turns 4 and 6."""
    monkeypatch.setattr("convgate.ui.sessions.strip.find_subject_changes", lambda *_, **__: {3: 0.83, 5: 0.4})
    return add_conversation(*TURNS)


def test_a_change_of_subject_is_suggested_with_its_reason_and_begins_a_conversation_on_request(
    store: Store, changing: str
) -> None:
    app = open_sessions(conversation=changing, selected="4")
    assert parts(app)[4] == "perhaps a new subject, 83% sure"
    assert f"**{literal('Perhaps a new subject, 83% sure.')}**" in [one.value for one in app.markdown], (
        "beside the turn, too"
    )
    assert "The subject may change at turns 4 and 6." in page_text(app)
    assert boundaries(app) == {1: "session"}
    app = click(app, "sessions.accept")
    assert edits(store, changing) == {3: "conversation", 5: "conversation"}
    assert boundaries(app) == {1: "session", 4: "conversation", 6: "conversation"}
    assert "Session sends turns 6 to 7" in page_text(app)
    click(app, "sessions.undo_last")
    assert edits(store, changing) == {}, "one step"


def test_a_correction_is_no_change_of_subject(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("convgate.ui.sessions.strip.find_subject_changes", lambda *_, **__: {2: 0.8, 4: 0.9})
    texts = (
        "We plan a trip. Total budget is 3200 euros including flights.",
        "Fine.",
        "Actually, my wife got less holiday: budget is now 2600 euros and only 8 days.",
        "Understood.",
        "How do I mute a channel?",
    )
    turns = [Turn.of("assistant" if n % 2 else "user", text) for n, text in enumerate(texts)]
    app = open_sessions(conversation=add_conversation(*turns))
    assert "The subject may change at turn 5." in page_text(app)


def test_a_turn_that_somebody_edited_is_not_suggested(store: Store, changing: str) -> None:
    app = choose_kind(open_sessions(conversation=changing, selected="4"), "session")
    assert "The subject may change at turn 6." in page_text(app)
    assert boundaries(app) == {1: "session", 4: "session"}


def test_an_edit_of_a_conversation_that_was_deleted_meanwhile_is_an_error(store: Store, day: str) -> None:
    app = open_sessions(conversation=day)
    Conversations(store).delete([day])
    choose_kind(app, "session")
    assert edits(store, day) == {}
    assert app.error


def test_text_of_a_transcript_is_shown_as_text(store: Store) -> None:
    hostile = "<b>x</b> [l](https://a.example) $x^2$ :smile:"
    turns = [Turn.of("user", hostile), Turn.of("user", f"new topic {hostile}")]
    app = open_sessions(conversation=add_conversation(*turns))
    assert [element.value for element in app.text] == [f"new topic {hostile}"]
    assert "<b>x</b>" not in "".join(element.value for element in app.markdown)


def test_explore_numbers_turns_in_reasons_as_on_the_screen(day: str) -> None:
    reason = "which began at turn 7: the workflow reached COMPLETE at turn 6"
    assert reason in page_text(
        open_page("Explore", conversation=day, turn="13", selected="1", policy="session")
    )


def test_an_empty_library_shows_the_boundaries_of_a_sample(store: Store) -> None:
    app = open_sessions(selected="7")
    assert "this is a sample: A day with a purple button" in page_text(app)
    assert boundaries(app) == {1: "session", 7: "conversation"}
    assert "Turn 7" in page_text(app)
    assert "sessions.kind" not in app.session_state, "a sample cannot be edited"
    assert "turn 99" in page_text(open_sessions(selected="99"))


def test_a_stored_session_of_an_agent_is_listed_and_deleted(store: Store) -> None:
    for workspace in ("lab", "shop"):
        SessionManager(store, workspace=workspace).detect("hello")
    SessionManager(store, workspace="lab").end("The lab is closed.")
    app = open_sessions()
    table = app.dataframe[-1].value
    assert list(table["workspace"]) == ["shop", "lab"]
    assert [end == "active" for end in table["end"]] == [True, False]
    assert list(table["conversations"]) == [1, 1]
    app.session_state["sessions.stored"] = {"selection": {"rows": [], "columns": [], "cells": [[1, "end"]]}}
    click(check(app.run()), "sessions.delete")
    assert [session.workspace for session in Sessions(store).recent()] == ["shop"]
