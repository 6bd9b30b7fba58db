"""Features of a message and its history: their values, and that later turns do not change them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.conversation import Turn
from convgate.gate.arrays import Floats
from convgate.gate.columns import Columns, inverse_frequency
from convgate.gate.facts import Cues, TurnFacts, facts_of
from convgate.gate.features import NAMES, Passages, message_features, turn_features
from tests.gates import any_turn, any_turns, unit_vectors


def user(text: str = "", name: str | None = None) -> Turn:
    return Turn.of("user", text, name=name)


def assistant(text: str = "") -> Turn:
    return Turn.of("assistant", text)


def features(
    turns: Sequence[Turn],
    message: Turn,
    *,
    cosines: Sequence[float] | None = None,
    typed: bool = False,
    width: int = 16,
) -> dict[str, list[float]]:
    """Each feature by name: its values for the turns, oldest first."""
    angles = np.arccos(np.zeros(len(turns)) if cosines is None else np.array(cosines))
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    fact = with_cues(message, typed=typed)
    columns = Columns(with_cues(turn) for turn in turns)
    values = message_features(
        columns,
        vectors,
        Passages(vectors.shape[1]),
        fact,
        np.array([1, 0], dtype=np.float32),
        len(turns),
        width=width,
    )
    return dict(zip(NAMES, values.tolist(), strict=True))


def with_cues(turn: Turn, *, typed: bool = False) -> TurnFacts:
    """Facts with cues that depend on the turn."""
    logits = np.random.default_rng(list(turn.text.encode())).normal(size=5)
    return replace(facts_of(turn, typed=typed), cues=Cues(*logits.tolist()))


def approximately(*values: float) -> object:
    return pytest.approx(list(values), abs=1e-6)


def test_cosine_beside_its_neighbours_and_the_best():
    columns = features([user()] * 4, user(), cosines=[0.1, -0.2, 0.6, 0.3])
    assert columns["cosine"] == approximately(0.1, -0.2, 0.6, 0.3)
    assert columns["cosine_before"] == approximately(0, 0.1, -0.2, 0.6)
    assert columns["cosine_after"] == approximately(-0.2, 0.6, 0.3, 0)
    assert columns["cosine_near"] == approximately(-0.2 / 3, 0.7 / 3, 0.2 / 3, 0.4 / 3)
    assert columns["cosine_below_best"] == approximately(-0.5, -0.8, 0, -0.3)


def test_bm25_in_tens_beside_its_neighbours_and_the_best():
    columns = features([user("quokka"), user("numbat"), user("wombat quokka")], user("quokka wombat"))
    # Of 4 turns 3 have "quokka" and 2 have "wombat", the message included; lengths are 0.3 and 0.35.
    quokka, wombat = inverse_frequency("quokka", 3, 4), inverse_frequency("wombat", 2, 4)
    first, last = 2.5 / (1 + 1.5 * 0.3) * quokka / 10, 2.5 / (1 + 1.5 * 0.35) * (quokka + wombat) / 10
    assert columns["bm25"] == approximately(first, 0, last)
    assert columns["bm25_before"] == approximately(0, first, 0)
    assert columns["bm25_after"] == approximately(0, last, 0)
    assert columns["bm25_below_best"] == approximately(first - last, -last, 0)


@pytest.fixture
def chat() -> dict[str, list[float]]:
    turns = [
        user("hi", "Anna"),
        user("anna: quokka?", "Bob"),
        user("bob, wombat", "Anna"),
        assistant("right"),
        user("so", "Bob"),
        user("Anna, Bob", "Cy"),
    ]
    return features(turns, user("bob: and this?", "ANNA"))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("same_speaker", [1, 0, 1, 0, 0, 0]),
        ("last_of_speaker", [0, 0, 1, 1, 1, 1]),
        ("own_last", [0, 0, 1, 0, 0, 0]),
        ("names_speaker", [0, 1, 0, 0, 1, 0]),
        ("named_by_turn", [0, 1, 0, 0, 0, 1]),
        ("names_other", [1, 0, 1, 1, 0, 1]),
        ("turn_names_other", [0, 0, 1, 0, 0, 0]),
        ("same_named", [0, 0, 1, 0, 0, 1]),
        ("last_named", [0, 0, 0, 0, 1, 0]),
        ("last_naming", [0, 0, 0, 0, 0, 1]),
        ("names_anyone", [1] * 6),
        ("speakers", [math.log(5)] * 6),
    ],
)
def test_who_speaks_and_who_is_named(chat: dict[str, list[float]], name: str, values: list[float]):
    assert chat[name] == approximately(*values)


def test_places():
    columns = features([user()] * 5, user())
    assert columns["age"] == approximately(*(math.log(ago) for ago in (5, 4, 3, 2, 1)))
    assert columns["one_ago"] == [0, 0, 0, 0, 1]
    assert columns["two_ago"] == [0, 0, 0, 1, 0]
    assert columns["three_ago"] == [0, 0, 1, 0, 0]
    assert columns["first_turn"] == [1, 0, 0, 0, 0]
    assert columns["turns"] == approximately(*[math.log(6)] * 5)


def test_a_turn_before_the_beginning_of_a_later_subject_says_so():
    turns = [user("a"), assistant("b"), user("c"), assistant("d"), user("e"), assistant("f")]
    begins = [2.0, 0.0, 3.0, 0.0, -4.0, 0.0]
    facts = [replace(facts_of(turn), cues=Cues(begins=cue)) for turn, cue in zip(turns, begins, strict=True)]
    vectors = unit_vectors(len(turns), seed=1, dimension=3)
    columns = message_features(
        Columns(facts), vectors, Passages(3), facts_of(user("g")), vectors[0], len(turns), width=16
    )
    by_name = dict(zip(NAMES, columns.tolist(), strict=True))
    assert by_name["begun_since"] == [3, 3, 0, 0, 0, 0]
    assert by_name["turn_needs"] == [0] * 6


def as_columns(turns: Sequence[Turn]) -> tuple[Columns, Floats]:
    return Columns(with_cues(turn) for turn in turns), unit_vectors(len(turns), seed=5, dimension=3)


@given(turns=any_turns(), width=st.integers(1, 16))
def test_rows_of_turns_are_the_features_of_messages_on_what_was_before_alone(turns: list[Turn], width: int):
    columns, vectors = as_columns(turns)
    rows = turn_features(columns, vectors, Passages(vectors.shape[1]), 0, len(turns), width=width)
    for j, turn in enumerate(turns):
        before, count = Columns(with_cues(turn) for turn in turns[:j]), min(j, width)
        alone = message_features(
            before, vectors[:j], Passages(vectors.shape[1]), with_cues(turn), vectors[j], j, width=width
        )
        assert alone.shape == (len(NAMES), count)
        different = np.abs(rows[:, j, width - count :] - alone).max(axis=1, initial=0) > 1e-5
        assert not different.any(), [name for name, differs in zip(NAMES, different, strict=True) if differs]
        assert not rows[:, j, : width - count].any()


@given(turns=any_turns(), message=any_turn(), typed=st.booleans(), data=st.data())
def test_features_of_a_message_do_not_depend_on_later_turns(
    turns: list[Turn], message: Turn, typed: bool, data: st.DataObject
):
    columns, vectors = as_columns(turns)
    n = data.draw(st.integers(0, len(turns)))
    width = data.draw(st.integers(1, 16))
    fact = with_cues(message, typed=typed)
    vector = np.array([0.6, 0, 0.8], dtype=np.float32)
    among = message_features(columns, vectors, Passages(vectors.shape[1]), fact, vector, n, width=width)
    before = Columns(with_cues(turn) for turn in turns[:n])
    assert np.array_equal(
        among, message_features(before, vectors[:n], Passages(vectors.shape[1]), fact, vector, n, width=width)
    )
    assert np.isfinite(among).all()


@given(turns=any_turns(), width=st.integers(1, 16), data=st.data())
def test_rows_are_the_same_in_blocks_of_any_size(turns: list[Turn], width: int, data: st.DataObject):
    columns, vectors = as_columns(turns)
    rows = turn_features(columns, vectors, Passages(vectors.shape[1]), 0, len(turns), width=width)
    start = data.draw(st.integers(0, len(turns)))
    stop = data.draw(st.integers(start, len(turns)))
    block = turn_features(columns, vectors, Passages(vectors.shape[1]), start, stop, width=width)
    assert block == pytest.approx(rows[:, start:stop], abs=1e-5)


@given(turns=any_turns(), message=any_turn(), width=st.integers(1, 16))
def test_pair_with_a_turn_in_a_window_differs_only_in_what_is_beside_the_window(
    turns: list[Turn], message: Turn, width: int
):
    columns, vectors = as_columns(turns)
    fact, vector, n = with_cues(message), np.array([0.6, 0, 0.8], dtype=np.float32), len(turns)
    whole = message_features(columns, vectors, Passages(vectors.shape[1]), fact, vector, n, width=n)
    window = message_features(columns, vectors, Passages(vectors.shape[1]), fact, vector, n, width=width)
    of_the_window = {"cosine_before", "cosine_near", "bm25_before", "cosine_below_best", "bm25_below_best"}
    of_the_window |= {"passage_before", "passage_below_best", "cosine_last"}
    for column, name in enumerate(NAMES):
        if name not in of_the_window | {"speakers", "assistant_share"}:
            expected = whole[column, n - window.shape[1] :]
            assert window[column] == pytest.approx(expected, abs=1e-6), name
