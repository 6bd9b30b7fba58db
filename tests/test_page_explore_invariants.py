"""Invariants on the page Explore: listed, added, ended, pinned and undone."""

from __future__ import annotations

from functools import partial
from typing import Any

from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Turn
from convgate.store import Conversations, Store
from convgate.store.edits import InvariantEdits
from tests.page_app import add_conversation, address, check, click, key, open_page, page_text, sent

__all__ = ["key"]  # fixtures

open_explore = partial(open_page, "Explore")
RULE = "You must never log the passwords of users."
CORRECTED = (
    Turn.of("user", "Answers must have at most 300 words."),
    Turn.of("assistant", "at most 300 words it is"),
    Turn.of("user", "No, answers must have at most 500 words."),
    Turn.of("user", "write a story"),
)


def statements(app: AppTest) -> list[str]:
    """The texts of the listed invariants; the last text is the selected turn."""
    return [str(one.value) for one in app.text][:-1]


def edits(store: Store, key: str) -> dict[int, list[tuple[Any, ...]]]:
    by_turn = InvariantEdits(store).of(key)
    return {
        turn: [(one.of, one.text, one.type, one.state, one.pinned) for one in edits]
        for turn, edits in by_turn.items()
    }


def add_invariant(app: AppTest, type: str, text: str | None = None) -> AppTest:
    """Submit the form that adds one."""
    (key,) = [box.key for box in app.selectbox if box.key and box.key.startswith("explore.add.")]
    app.selectbox(key=key).set_value(type)
    if text is not None:
        app.text_area(key=f"{key.removesuffix('.type')}.text").set_value(text)
    (button,) = [one for one in app.button if one.label == "Add"]
    return check(button.click().run())


def test_active_invariants_come_first_and_link_to_their_turn(store: Store, key: str) -> None:
    key = add_conversation(*CORRECTED)
    app = open_explore(conversation=key, list="invariants", selected="4")
    assert statements(app) == [CORRECTED[2].text, CORRECTED[0].text]
    assert "1 of 2 invariants hold now." in page_text(app)
    assert "Must hold 1" in app.segmented_control(key="explore.listed").options
    assert "corrected by turn 3]" in page_text(app)
    app = click(app, "explore.source.0")
    assert address(app)["selected"] == "3"
    dropped = page_text(open_explore(conversation=key, budget="8000", selected="1"))
    assert "Dropped, corrected: Turn 3 corrects it" in dropped, "as turns are numbered on the screen"


def test_what_lifts_a_part_of_a_rule_is_sent_with_it_and_says_so(store: Store, key: str) -> None:
    rule, lift = "Never use emojis, and never use tables.", "emojis are ok again"
    key = add_conversation(*(Turn.of("user", text) for text in (rule, lift, "thanks", "write a story")))
    app = open_explore(conversation=key, rule="absolute,threshold=1", selected="2")
    assert f"Kept, rule: It may change a part of turn 1, which is always sent (“{rule[:-1]}”)." in page_text(
        app
    )
    assert not [one for one in app.button if one.key == "explore.always"]


def test_what_is_always_sent_is_told_from_what_may_be_dropped(store: Store, key: str) -> None:
    text = page_text(open_explore(conversation=key, rule="absolute,threshold=0", selected="6"))
    assert "Kept, rule: Safety requirement, always sent (“" in text, "although its score keeps it too"
    assert "lose at most" not in text
    assert "likely to be needed" not in text
    listed = {"conversation": key, "list": "invariants", "selected": "5"}
    app = add_invariant(open_explore(**listed, rule="absolute,threshold=1"), "blocking_error")
    assert "always sent] Sent with this message." in page_text(app)
    badge = ":gray-badge[holds, may be dropped] :gray-badge[:material/person: by a person]"
    assert f"Blocking error {badge} Not sent with this message." in page_text(app)
    app = open_explore(**listed, rule="absolute,threshold=0")
    assert f"Blocking error {badge} Sent with this message." in page_text(app)


def test_an_added_invariant_is_sent_and_undone(store: Store, key: str) -> None:
    app = open_explore(conversation=key, list="invariants", selected="5")
    app = add_invariant(app, "safety_requirement")
    assert statements(app) == ["the login with tokens is there", RULE]
    assert "by a person" in page_text(app)
    assert edits(store, key) == {
        4: [(None, "the login with tokens is there", "safety_requirement", None, False)]
    }
    assert 4 in sent(open_explore(conversation=key, rule="absolute,threshold=1"))
    app = click(open_explore(conversation=key, list="invariants"), "explore.undo_last")
    assert "Undone." in page_text(app)
    assert statements(app) == [RULE]
    assert edits(store, key) == {}
    assert "explore.undo_last" not in {one.key for one in app.button}


def test_a_turn_is_always_sent_from_its_panel_and_no_longer(store: Store, key: str) -> None:
    app = open_explore(conversation=key, rule="absolute,threshold=1", selected="5")
    assert 4 not in sent(app)
    app = click(app, "explore.always")
    assert 4 in sent(app)
    text = "the login with tokens is there"
    assert f"Kept, rule: You chose to always send it (“{text}”)." in page_text(app)
    assert app.button(key="explore.always").help == "Undo: send it only when it is needed"
    assert edits(store, key) == {4: [(None, text, "hard_constraint", None, True)]}
    assert "Turn 5 is sent with every later message." in page_text(app)
    app = click(app, "explore.undo")
    assert (edits(store, key), 4 in sent(app)) == ({}, False)
    app = click(click(app, "explore.always"), "explore.always")
    assert "Turn 5 is no longer always sent." in page_text(app)
    assert (edits(store, key), 4 in sent(app)) == ({}, False)
    app = click(app, "explore.undo")
    assert app.button(key="explore.always").label == "stop always sending"


def test_a_turn_that_was_found_to_hold_is_let_go_from_its_panel(store: Store, key: str) -> None:
    app = open_explore(conversation=key, rule="absolute,threshold=1", selected="6")
    assert 5 in sent(app)
    app = click(app, "explore.always")
    assert edits(store, key) == {5: [(RULE, None, None, "ended", False)]}
    assert 5 not in sent(app)
    app = click(app, "explore.always")
    assert 5 in sent(app)
    instruction = open_explore(conversation=key, selected="1")
    assert "explore.always" not in {button.key for button in instruction.button}, "it is always sent"


def test_words_of_a_persons_own_are_sent_as_a_message(store: Store, key: str) -> None:
    app = open_explore(conversation=key, list="invariants", selected="4")
    app = add_invariant(app, "hard_constraint", "Passwords are hashed with <b>argon2</b>.")
    assert "Passwords are hashed with <b>argon2</b>." in statements(app)
    assert "argon2" in open_explore(conversation=key, list="sent").code[0].value
    app = add_invariant(app, "hard_constraint", " ")
    assert app.error


def test_an_invariant_is_ended_restored_pinned_and_unpinned(store: Store, key: str) -> None:
    app = click(open_explore(conversation=key, list="invariants"), "explore.end.0")
    assert edits(store, key) == {5: [(RULE, None, None, "ended", False)]}
    assert "0 of 1 invariant hold now." in page_text(app)
    app = click(app, "explore.restore.0")
    assert "1 of 1 invariant hold now." in page_text(app)
    assert edits(store, key) == {5: [(RULE, None, None, "active", False)]}
    app = click(app, "explore.pin.0")
    assert edits(store, key) == {5: [(RULE, None, None, None, True)]}
    assert "pinned" in page_text(app)
    click(app, "explore.unpin.0")
    assert edits(store, key) == {}, "nothing is left of it"


def test_a_conversation_deleted_meanwhile_is_an_error(store: Store, key: str) -> None:
    app = open_explore(conversation=key, list="invariants")
    Conversations(store).delete([key])
    assert click(app, "explore.end.0").error
