"""Invariants on the page Context: listed, added, ended, pinned and undone."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Turn
from convgate.store import Conversations, Store
from convgate.store.edits import InvariantEdits
from tests.context_page import key, open_context, turns_in_state
from tests.page_app import add_conversation, address, check, click, metric, page_text

__all__ = ["key"]  # fixtures

RULE = "You must never log the passwords of users."
CORRECTED = (
    Turn.of("user", "Answers must have at most 300 words."),
    Turn.of("assistant", "at most 300 words it is"),
    Turn.of("user", "No, answers must have at most 500 words."),
    Turn.of("user", "write a story"),
)


def statements(app: AppTest) -> list[str]:
    """The texts of the listed invariants; the last text is the selected turn's own."""
    return [str(one.value) for one in app.text][:-1]


def edits(store: Store, key: str) -> dict[int, list[tuple[Any, ...]]]:
    by_turn = InvariantEdits(store).of(key)
    return {
        turn: [(one.of, one.text, one.type, one.state, one.pinned) for one in edits]
        for turn, edits in by_turn.items()
    }


def add_invariant(app: AppTest, type: str, text: str | None = None) -> AppTest:
    """Submit the form that adds one."""
    (key,) = [box.key for box in app.selectbox if box.key and box.key.startswith("context.add.")]
    app.selectbox(key=key).set_value(type)
    if text is not None:
        app.text_area(key=f"{key.removesuffix('.type')}.text").set_value(text)
    (button,) = [one for one in app.button if one.label == "Add"]
    return check(button.click().run())


def test_active_invariants_come_first_and_link_to_their_turn(store: Store, key: str) -> None:
    key = add_conversation(*CORRECTED)
    app = open_context(conversation=key, show="invariants", selected="4")
    assert statements(app) == [CORRECTED[2].text, CORRECTED[0].text]
    assert "1 active of 2 invariants." in page_text(app)
    assert "corrected" in page_text(app)
    app = click(app, "context.source.0")
    assert address(app)["selected"] == "3"
    dropped = page_text(open_context(conversation=key, show="dropped", selected="1"))
    assert "Turn 3 corrects it" in dropped, "as turns are numbered on the screen"


def test_an_added_invariant_is_sent_and_undone(store: Store, key: str) -> None:
    app = open_context(conversation=key, show="invariants", selected="5")
    app = add_invariant(app, "safety_requirement")
    assert statements(app) == ["the login with tokens is there", RULE]
    assert "by a person" in page_text(app)
    assert edits(store, key) == {
        4: [(None, "the login with tokens is there", "safety_requirement", None, False)]
    }
    assert 4 in turns_in_state(open_context(conversation=key), "kept")
    app = click(open_context(conversation=key, show="invariants"), "context.undo_last")
    assert "Undone." in page_text(app)
    assert statements(app) == [RULE]
    assert edits(store, key) == {}
    assert "context.undo_last" not in {one.key for one in app.button}


def test_words_of_a_persons_own_are_sent_as_a_message(store: Store, key: str) -> None:
    app = open_context(conversation=key, show="invariants", selected="4")
    app = add_invariant(app, "hard_constraint", "Passwords are hashed with <b>argon2</b>.")
    assert "Passwords are hashed with <b>argon2</b>." in statements(app)
    assert "argon2" in open_context(conversation=key, show="messages").code[0].value
    app = add_invariant(app, "hard_constraint", " ")
    assert app.error


def test_an_invariant_is_ended_restored_pinned_and_unpinned(store: Store, key: str) -> None:
    app = click(open_context(conversation=key, show="invariants"), "context.end.0")
    assert edits(store, key) == {5: [(RULE, None, None, "ended", False)]}
    assert metric(app, "Invariants") == "0"
    app = click(app, "context.restore.0")
    assert (metric(app, "Invariants"), edits(store, key)) == (
        "1", {5: [(RULE, None, None, "active", False)]},
    )  # fmt: skip
    app = click(app, "context.pin.0")
    assert edits(store, key) == {5: [(RULE, None, None, None, True)]}
    assert "pinned" in page_text(app)
    click(app, "context.unpin.0")
    assert edits(store, key) == {}, "nothing is left of it"


def test_a_conversation_deleted_meanwhile_is_an_error(store: Store, key: str) -> None:
    app = open_context(conversation=key, show="invariants")
    Conversations(store).delete([key])
    assert click(app, "context.end.0").error
