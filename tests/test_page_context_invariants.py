"""Invariants on Context: listed with state and source, added, changed, ended, pinned, and taken back."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Turn
from convgate.store import Conversations, Store
from convgate.store.edits import InvariantEdits
from tests.context_page import add, click, listed, metric, opened, said, sound, store, talk

__all__ = ["store", "talk"]  # fixtures

RULE = "You must never log the passwords of users."
MENDED = (
    Turn.of("user", "Answers must have at most 300 words."),
    Turn.of("assistant", "at most 300 words it is"),
    Turn.of("user", "No, answers must have at most 500 words."),
    Turn.of("user", "write a story"),
)


def statements(app: AppTest) -> list[str]:
    """The texts of the invariants that are listed; the turn that is looked at says its own."""
    return [str(one.value) for one in app.text][:-1]


def edits(store: Store, key: str) -> dict[int, list[tuple[Any, ...]]]:
    held = InvariantEdits(store).of(key)
    return {
        turn: [(one.of, one.text, one.type, one.state, one.pinned) for one in said]
        for turn, said in held.items()
    }


def adding(app: AppTest) -> AppTest:
    return click(app, "context.hold")


def submit(app: AppTest, label: str) -> AppTest:
    (button,) = [one for one in app.button if one.label == label]
    return sound(button.click().run())


def test_each_stands_verbatim_with_its_source_and_leads_to_what_corrects_it(store: Store, talk: str) -> None:
    key = add(store, MENDED)
    app = opened(conversation=key, show="invariants", selected="4")
    assert statements(app) == [MENDED[2].text, MENDED[0].text], "what holds comes first"
    told = said(app)
    assert "1 statement holds, 1 no longer does." in told
    assert "corrected" in told
    app = click(app, "context.link.1.0")
    assert app.query_params["selected"] in ("3", ["3"]), "corrected by turn 3"
    app = click(app, "context.link.0.0")
    assert app.query_params["selected"] in ("1", ["1"]), "corrects turn 1"
    app = click(app, "context.source.0")
    assert "Turn 3" in said(app)
    dropped = said(opened(conversation=key, show="dropped", selected="1"))
    assert "Turn 3 corrects it" in dropped, "as turns are numbered on the screen"


def test_one_that_a_person_adds_holds_at_once_and_can_be_taken_back(store: Store, talk: str) -> None:
    app = adding(opened(conversation=talk, show="invariants", selected="5"))
    (parts,) = [one for one in app.selectbox if (one.key or "").startswith("context.add.part")]
    assert parts.options[0] == "the login with tokens is there"
    app.selectbox(key="context.add.type").set_value("safety_requirement")
    app = submit(app, "Add")
    assert statements(app) == ["the login with tokens is there", RULE]
    assert "by a person" in said(app)
    assert edits(store, talk) == {
        4: [(None, "the login with tokens is there", "safety_requirement", None, False)]
    }
    assert 4 in listed(opened(conversation=talk), "rules"), "the context has it"
    app = opened(conversation=talk, show="invariants")
    app = click(app, "context.undo")
    assert statements(app) == [RULE]
    assert edits(store, talk) == {}
    assert "context.undo" not in {one.key for one in app.button}


def test_words_of_a_persons_own_are_sent_as_a_message_of_their_own(store: Store, talk: str) -> None:
    app = adding(opened(conversation=talk, show="invariants", selected="4"))
    (words,) = [one for one in app.text_area if (one.key or "").startswith("context.add.text")]
    words.set_value("Passwords are hashed with <b>argon2</b>.")
    app = submit(app, "Add")
    assert "Passwords are hashed with <b>argon2</b>." in statements(app)
    told = said(opened(conversation=talk))
    assert "A message of its own · Passwords are hashed with <b>argon2</b>." in told
    app = adding(opened(conversation=talk, show="invariants", selected="4"))
    (parts,) = [one for one in app.selectbox if (one.key or "").startswith("context.add.part")]
    parts.set_value("\0")
    app = submit(app, "Add")
    assert "choose words of the turn, or type some" in said(app)


def test_one_is_ended_held_again_pinned_and_left_as_it_is_found(store: Store, talk: str) -> None:
    app = click(opened(conversation=talk, show="invariants"), "context.end.0")
    assert edits(store, talk) == {5: [(RULE, None, None, "ended", False)]}
    assert metric(app, "Must hold") == "0"
    assert 5 not in listed(opened(conversation=talk), "rules")
    app = click(app, "context.back.0")
    assert (metric(app, "Must hold"), edits(store, talk)) == ("1", {5: [(RULE, None, None, "active", False)]})
    app = click(app, "context.pin.0")
    assert edits(store, talk) == {5: [(RULE, None, None, None, True)]}
    assert "pinned" in said(app)
    app = click(app, "context.unpin.0")
    assert edits(store, talk) == {}, "nothing is left of it"
    app = click(click(app, "context.end.0"), "context.found.0")
    assert (metric(app, "Must hold"), edits(store, talk)) == ("1", {})


def test_type_scope_and_words_are_changed(store: Store, talk: str) -> None:
    app = opened(conversation=talk, show="invariants")
    (key,) = [one.key for one in app.selectbox if one.key and one.key.startswith("context.edit.")]
    name = key.removesuffix(".type")
    app.selectbox(key=f"{name}.type").set_value("blocking_error")
    app.text_input(key=f"{name}.scope").set_value("the log")
    app.text_area(key=f"{name}.text").set_value("Never log passwords.")
    app = submit(app, "Save")
    assert statements(app) == ["Never log passwords."]
    assert edits(store, talk) == {5: [(RULE, "Never log passwords.", "blocking_error", None, False)]}
    assert "about the log" in said(app)
    app = click(app, "context.undo")
    assert statements(app) == [RULE]


def test_a_conversation_that_is_deleted_meanwhile_is_told(store: Store, talk: str) -> None:
    app = opened(conversation=talk, show="invariants")
    Conversations(store).delete([talk])
    app = click(app, "context.end.0")
    assert app.error


def test_what_a_statement_says_is_shown_as_text(store: Store, talk: str) -> None:
    hostile = "You must never show <b>x</b> [l](https://a.example) $x^2$ :smile:"
    key = add(store, [Turn.of("user", hostile), Turn.of("user", "add a login")])
    app = opened(conversation=key, show="invariants", selected="1")
    assert any("<b>x</b> [l](https" in one for one in statements(app))
    assert not [one for one in app.markdown if "<b>x</b>" in str(one.value)]
