"""Sessions: boundaries of a conversation, moved by hand, under settings that are tried."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from streamlit.testing.v1 import AppTest

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


def said(app: AppTest) -> str:
    told = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error, *app.success, *app.subheader]
    return "\n".join(str(one.value) for one in told).replace("\\", "").replace("\u2060", "")


def cards(app: AppTest) -> list[str]:
    """The extent of each conversation in the list."""
    return [
        one.value.split(" · ")[0]
        for one in app.caption
        if one.value.startswith(("turn ", "turns ")) and "message" in one.value
    ]


def metric(app: AppTest, label: str) -> str:
    return next(str(one.value) for one in app.metric if one.label == label)


def moved(store: Store, key: str) -> dict[int, tuple[str, str]]:
    return {turn: (one.kind, one.note) for turn, one in MovedBoundaries(store).of(key).items()}


def test_a_conversation_tells_what_begins_where_and_why(day: str) -> None:
    app = opened(conversation=day)
    assert cards(app) == ["turns 1–6", "turns 7–13"]
    assert (metric(app, "Sessions"), metric(app, "Conversations")) == ("1", "2")
    told = said(app)
    assert "Turn 7" in told, "where the last conversation begins is looked at first"
    assert "The workflow reached COMPLETE at turn 6, which closed the conversation before." in told
    assert 'Turn 13: "Continue" goes on with the conversation, after 2 h' in told
    assert "Thu 5 Mar 2026, 09:00–11:00" in told
    assert app.query_params["conversation"] == [day] or app.query_params["conversation"] == day


def test_a_boundary_is_moved_and_the_policy_keeps_other_turns_in_explore(store: Store, day: str) -> None:
    def kept() -> str:
        return metric(opened(EXPLORE, conversation=day, turn="13", policy="session"), "Kept")

    before = kept()
    app = click(opened(conversation=day), "sessions.6.later")
    assert moved(store, day) == {6: ("none", ""), 7: ("conversation", "")}
    assert cards(app) == ["turns 1–7", "turns 8–13"]
    assert app.query_params["selected"] in ("8", ["8"]), "it is looked at where it went"
    sound(app.number_input(key="sessions.7.at.1.12").set_value(11).run())
    assert moved(store, day) == {6: ("none", ""), 10: ("conversation", "")}
    told = said(app)
    assert "The rules alone: nothing begins." in told
    assert "A person had the conversation go on here. The rules alone: a conversation begins: The" in told
    assert (before, kept()) == ("6", "2")

    app = click(opened(conversation=day), "sessions.undo")
    assert moved(store, day) == {6: ("none", ""), 7: ("conversation", "")}
    click(app, "sessions.7.back")
    assert moved(store, day) == {}, "both ends of the move"
    assert kept() == before


def test_compare_tells_the_moved_boundary_and_counts_it(day: str) -> None:
    pages = {"policies": "session, everything", "turn": "13"}
    start = opened("pages/6_Compare.py", conversation=day, **pages)
    click(opened(conversation=day), "sessions.6.remove")
    after = opened("pages/6_Compare.py", conversation=day, **pages)
    assert "| 6 of 12 |" in said(start)
    assert "| 12 of 12 |" in said(after).split("Everything")[0]


def test_anything_begins_at_any_turn_with_a_note(store: Store, day: str) -> None:
    app = opened(conversation=day, selected="9")
    (note,) = [one for one in app.text_input if one.key and one.key.startswith("sessions.note")]
    sound(note.set_value("another <b>matter</b>").run())
    assert moved(store, day) == {}, "a note stands with what is chosen"
    click(app, "sessions.make.session")
    assert moved(store, day) == {8: ("session", "another <b>matter</b>")}
    assert metric(app, "Sessions") == "2"
    assert "A person began a new session here: another <b>matter</b>" in said(app)
    (note,) = [one for one in app.text_input if one.key and one.key.startswith("sessions.note")]
    sound(note.set_value("the sign-in").run())
    assert moved(store, day) == {8: ("session", "the sign-in")}
    click(app, "sessions.make.none")
    assert moved(store, day) == {8: ("none", "the sign-in")}, "the note says why it goes on"
    click(click(click(app, "sessions.undo"), "sessions.undo"), "sessions.undo")
    assert moved(store, day) == {}
    assert "sessions.undo" not in {one.key for one in app.button}


def test_the_first_message_cannot_be_moved(day: str) -> None:
    app = opened(conversation=day, selected="1")
    held = {one.key for one in app.button}
    assert not held & {"sessions.0.earlier", "sessions.0.remove", "sessions.make.none"}
    assert "that cannot be moved" in said(app)


def test_settings_are_tried_and_told_against_those_in_use(store: Store, day: str) -> None:
    app = opened(conversation=day)
    assert "You are trying settings" not in said(app)
    sound(app.toggle(key="sessions.override").set_value(False).run())
    assert cards(app) == ["turns 1–6", "turns 7–12", "turn 13"]
    told = said(app)
    assert "3 conversations in 2 sessions; by the settings in use 2 conversations in 1 session." in told
    assert "Turn 13: a session begins. 2 h 15 min since the last message" in told
    assert [one.value for one in app.code] == ["session_continue_overrides_gap = false"]
    assert "| The gap wins over" not in told, "what is shown is not listed as another way"

    sound(app.select_slider(key="sessions.gap").set_value(1800.0).run())
    assert "session_idle_gap = 1800.0" in app.code[0].value
    assert app.query_params["gap"] in ("1800", ["1800"])
    sound(app.toggle(key="sessions.gap_on").set_value(False).run())
    assert "session_idle_gap = inf" in app.code[0].value
    assert app.select_slider(key="sessions.gap").disabled
    sound(app.toggle(key="sessions.close").set_value(False).run())
    assert cards(app) == ["turns 1–13"]
    sound(app.text_area(key="sessions.new").set_value("authentication").run())
    assert cards(app) == ["turns 1–6", "turns 7–13"]
    assert '"Authentication" asks for a new conversation.' in said(app)
    click(app, "sessions.reset")
    assert not app.code
    assert set(app.query_params) <= {"conversation"}
    assert moved(store, day) == {}, "trying stores nothing"


def test_an_address_reopens_what_was_looked_at_and_says_what_it_cannot(day: str) -> None:
    app = opened(conversation=day, selected="5", gap="off", override="0", axis="turns")
    assert ("Turn 5" in said(app), app.toggle(key="sessions.gap_on").value) == (True, False)
    app = opened(conversation=day, selected="99", gap="soon", complete="maybe", new="continue")
    told = said(app)
    assert "names turn 99, but this conversation has 13" in told
    assert "gap=soon, which is not a number of seconds" in told
    assert "complete=maybe, which is not 0 or 1" in told
    assert "These settings cannot be tried: 'continue' is both a new and a continue command" in told
    assert cards(app) == ["turns 1–6", "turns 7–13"]


def test_without_times_commands_still_count_and_nobody_is_left_alone(store: Store) -> None:
    key = add(
        store, [Turn.of("user", "Hi"), Turn.of("assistant", "Hello"), Turn.of("user", "New topic: tea")]
    )
    app = opened(conversation=key)
    assert cards(app) == ["turns 1–2", "turn 3"]
    assert "Most messages here have no time" in said(app)
    assert not [one for one in app.button_group if one.key == "sessions.axis"]


def test_a_conversation_that_is_deleted_meanwhile_is_told(store: Store, day: str) -> None:
    app = opened(conversation=day)
    Conversations(store).delete([day])
    click(app, "sessions.6.later")
    assert moved(store, day) == {}
    assert "was deleted" in said(app) or "has no conversation" in said(app)


def test_what_a_transcript_says_is_shown_as_text(store: Store) -> None:
    hostile = "<b>x</b> [l](https://a.example) $x^2$ :smile:"
    app = opened(conversation=add(store, [Turn.of("user", hostile), Turn.of("user", f"new topic {hostile}")]))
    assert [one.value for one in app.text] == [f"new topic {hostile}"]
    assert "<b>x</b>" not in "".join(one.value for one in app.markdown)


def test_explore_and_compare_number_turns_in_reasons_as_on_the_screen(day: str) -> None:
    told = said(opened(EXPLORE, conversation=day, turn="13", selected="1", policy="session"))
    assert "which began at turn 7: the workflow reached COMPLETE at turn 6" in told
    pages = {"policies": "session, everything", "turn": "13", "selected": "1"}
    told = said(opened("pages/6_Compare.py", conversation=day, **pages))
    assert "which began at turn 7: the workflow reached COMPLETE at turn 6" in told
