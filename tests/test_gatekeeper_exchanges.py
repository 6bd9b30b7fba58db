"""A conversation as exchanges of a user's message and its answer."""

from __future__ import annotations

from convgate.conversation import Conversation, Turn
from convgate.gatekeeper.exchange import TAIL, exchanges_of


def talk(*turns: tuple[str, str]) -> Conversation:
    return Conversation("talk", tuple(Turn.of(role, text) for role, text in turns))


def test_an_exchange_is_a_users_turn_with_all_that_answers_it():
    placed = exchanges_of(
        talk(
            ("system", "Be brief."),
            ("user", "Which tests fail?"),
            ("assistant", "I'll look."),
            ("tool", "2 failed"),
            ("developer", "Be kind."),
            ("assistant", "Two of them."),
            ("user", "Fix them"),
        )
    )
    assert [(one.user_turn, one.turns) for one in placed] == [(1, (1, 2, 3, 5)), (6, (6,))]
    first, last = (one.exchange for one in placed)
    assert (first.user, first.assistant, first.previous) == (
        "Which tests fail?",
        "I'll look.\nTwo of them.",
        (),
    )
    assert (last.user, last.assistant) == ("Fix them", "")
    assert [turn.text for turn in last.previous] == [
        "Which tests fail?",
        "I'll look.",
        "2 failed",
        "Two of them.",
    ]


def test_what_precedes_the_first_users_turn_is_in_no_exchange_but_is_known():
    (placed,) = exchanges_of(talk(("assistant", "What is your name?"), ("user", "Karen")))
    assert placed.turns == (1,)
    assert [turn.text for turn in placed.exchange.previous] == ["What is your name?"]


def test_people_among_themselves_are_exchanges_of_one_turn_each():
    placed = exchanges_of(talk(("Ada", "Which one?"), ("Bo", "The blue one"), ("Ada", "Fine")))
    assert [(one.turns, one.exchange.assistant) for one in placed] == [((0,), ""), ((1,), ""), ((2,), "")]
    assert [turn.text for turn in placed[1].exchange.previous] == ["Which one?"]


def test_each_turn_but_instructions_stands_in_one_exchange_and_what_is_before_stays_short():
    roles = ["user", "assistant", "tool", "assistant", "user", "user", "system", "assistant"] * 10
    placed = exchanges_of(talk(*((role, f"{at}") for at, role in enumerate(roles))))
    inside = [index for one in placed for index in one.turns]
    assert inside == [at for at, role in enumerate(roles) if role != "system"]
    assert {len(one.exchange.previous) for one in placed[5:]} == {TAIL}
