"""The facts of a conversation as columns: speakers, names, shared words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.conversation import Turn
from convgate.gate.columns import NEVER, NOBODY, STRANGER, Columns, inverse_frequency
from convgate.gate.facts import TurnFacts, facts_of
from tests.gates import any_turns

COMMON = "the"  # says nothing, for it is everywhere


def turn_facts(name: str | None, text: str) -> TurnFacts:
    return facts_of(Turn.of("user", text, name=name))


def make_columns(*turns: tuple[str | None, str]) -> Columns:
    return Columns(turn_facts(name, text) for name, text in turns)


@pytest.mark.parametrize("name", ["c++", "k1l|away", "a.*b", "[x]^$", "🦊", "日本語", "x-y-z", "Zoë", "a_b"])
def test_names_of_any_signs_are_found_before_and_after_they_speak(name: str):
    columns = make_columns(
        ("anna", f"ask {name}, he knows"), (name, "hi"), ("anna", f"@{name.upper()} hi"), ("anna", "hi")
    )
    assert columns.names.first(4)[:, 0].tolist() == [1, NOBODY, 1, NOBODY]


def test_message_knows_only_who_spoke_before_it():
    columns = make_columns(("anna", "hi"), ("bob", "hi"), ("cy", "hi"))
    at = {n: columns.message(turn_facts("bob", "anna? cy? bob?"), n)[0] for n in range(4)}
    assert [present.speaker.tolist() for present in at.values()] == [[STRANGER], [STRANGER], [1], [1]]
    assert [present.names[0].tolist() for present in at.values()] == [
        [STRANGER] * 4,
        [0, STRANGER, STRANGER, STRANGER],
        [0, STRANGER, STRANGER, STRANGER],
        [0, 2, STRANGER, STRANGER],
    ]
    assert [present.index.tolist() for present in at.values()] == [[0], [1], [2], [3]]


def bm25(message: TurnFacts, turn: TurnFacts, weights: dict[str, float]) -> float:
    length = 0.25 + 0.75 * sum(turn.stems.values()) / 15
    return sum(
        weights[stem] * count * 2.5 / (count + 1.5 * length)
        for stem, count in turn.stems.items()
        if stem in message.stems
    )


def test_bm25_has_the_values_of_its_formula():
    turns = ["quokka quokka wombat", "wombat", "numbat " * 30 + "quokka", f"{COMMON} {COMMON}", ""]
    columns, message = (
        make_columns(*((None, text) for text in turns)),
        turn_facts(None, f"quokka wombat {COMMON} emu"),
    )
    _, *stems = columns.message(message, 5)
    scores, plain = columns.match_stems(0, 5, *stems)
    # Of 6 turns 3 have "quokka" and 3 have "wombat", the message included.
    weight = inverse_frequency("quokka", 3, 6)
    weighed = {"quokka": weight, "wombat": weight, COMMON: 0.0}
    assert scores == pytest.approx([bm25(message, turn_facts(None, text), weighed) for text in turns])
    # Three words are a length of 0.25 + 0.75 · 3/15 = 0.4.
    assert scores[0] == pytest.approx(weight * (2 * 2.5 / (2 + 0.6) + 2.5 / (1 + 0.6)))
    assert plain == pytest.approx([2 * weight, weight, weight, 0, 0])
    some = columns.match_stems(1, 4, *stems)
    assert [part.tolist() for part in some] == [scores[1:4].tolist(), plain[1:4].tolist()]


@given(turns=any_turns(), data=st.data())
def test_what_rows_share_is_what_messages_share(turns: list[Turn], data: st.DataObject):
    facts = [facts_of(turn) for turn in turns]
    columns, stop = Columns(facts), len(turns)
    start = data.draw(st.integers(0, stop))
    width = data.draw(st.integers(1, 16))
    rows = columns.match_stems_of_rows(start, stop, width)
    assert rows.shape == (2, stop - start, width)
    for j in range(start, stop):
        _, *stems = columns.message(facts[j], j)
        alone = columns.match_stems(max(0, j - width), j, *stems)
        expected = np.zeros((2, width))
        expected[:, max(0, width - j) :] = alone
        assert rows[:, j - start] == pytest.approx(expected, abs=1e-5)


@given(turns=any_turns(), data=st.data())
def test_columns_of_the_first_turns_are_those_made_of_them(turns: list[Turn], data: st.DataObject):
    facts = [facts_of(turn) for turn in turns]
    n = data.draw(st.integers(0, len(turns)))
    whole, part = Columns(facts), Columns(facts[:n])
    for name in ("speaker", "mass", "form"):
        assert np.array_equal(getattr(whole, name).first(n), getattr(part, name).first(n), equal_nan=True)
    for name in ("next_turn", "naming_since"):
        first = getattr(whole, name).first(n)
        assert np.array_equal(np.where(first < n, first, NEVER), getattr(part, name).first(n))
    names, spoke = whole.names.first(n), len(part.first_turn)
    assert np.array_equal(np.where(names < spoke, names, NOBODY), part.names.first(n))
    naming = whole.next_naming.first(n)
    assert np.array_equal(np.where((names < spoke) & (naming < n), naming, NEVER), part.next_naming.first(n))
