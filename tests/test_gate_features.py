"""Features of a message and the turns before it: what each means, and that nothing later changes them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.conversation import Situation, Turn
from convgate.gate.arrays import Floats
from convgate.gate.columns import Columns
from convgate.gate.facts import facts_of, situation_facts
from convgate.gate.features import FEATURES, NAMES, PARTS, Passages, message_features, turn_features
from convgate.gate.words import inverse_frequency
from tests.gates import any_turn, any_turns, unit_vectors

NOON = datetime(2024, 1, 1, 12)


def user(text: str = "", name: str | None = None, time: datetime | None = None) -> Turn:
    return Turn.of("user", text, name=name, timestamp=time)


def assistant(text: str = "") -> Turn:
    return Turn.of("assistant", text)


def features(
    turns: Sequence[Turn],
    message: Turn,
    *,
    cosines: Sequence[float] | None = None,
    typed: bool = False,
    width: int | None = None,
) -> dict[str, list[float]]:
    """Each feature by name: its values for the turns, oldest first."""
    angles = np.arccos(np.zeros(len(turns)) if cosines is None else np.array(cosines))
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    fact = situation_facts(Situation(message, None if typed else len(turns)))
    columns = Columns(facts_of(turn) for turn in turns)
    found = message_features(
        columns,
        vectors,
        Passages(vectors.shape[1]),
        fact,
        np.array([1, 0], dtype=np.float32),
        len(turns),
        width=width,
    )
    return dict(zip(NAMES, found.T.tolist(), strict=True))


def near(*values: float) -> object:
    return pytest.approx(list(values), abs=1e-6)


def test_every_feature_has_a_name_a_part_and_a_meaning():
    assert len(set(NAMES)) == len(FEATURES)
    assert all(feature.part in PARTS and feature.says for feature in FEATURES)
    assert set(features([user()], user())) == set(NAMES)


def test_cosine_beside_its_neighbours_and_the_best():
    found = features([user()] * 4, user(), cosines=[0.1, -0.2, 0.6, 0.3])
    assert found["cosine"] == near(0.1, -0.2, 0.6, 0.3)
    assert found["cosine_before"] == near(0, 0.1, -0.2, 0.6)
    assert found["cosine_after"] == near(-0.2, 0.6, 0.3, 0)
    assert found["cosine_near"] == near(-0.2 / 3, 0.7 / 3, 0.2 / 3, 0.4 / 3)
    assert found["cosine_below_best"] == near(-0.5, -0.8, 0, -0.3)


def test_best_of_cosines_below_zero_is_below_zero():
    assert features([user()] * 2, user(), cosines=[-0.9, -0.4])["cosine_below_best"] == near(-0.5, 0)


def test_bm25_in_tens_beside_its_neighbours_and_the_best():
    found = features([user("quokka"), user("numbat"), user("wombat quokka")], user("quokka wombat"))
    # Of 4 turns 3 have "quokka" and 2 have "wombat", the message included; lengths are 0.3 and 0.35.
    quokka, wombat = inverse_frequency("quokka", 3, 4), inverse_frequency("wombat", 2, 4)
    first, last = 2.5 / (1 + 1.5 * 0.3) * quokka / 10, 2.5 / (1 + 1.5 * 0.35) * (quokka + wombat) / 10
    assert found["bm25"] == near(first, 0, last)
    assert found["bm25_before"] == near(0, first, 0)
    assert found["bm25_after"] == near(0, last, 0)
    assert found["bm25_below_best"] == near(first - last, -last, 0)


def test_bm25_is_3_at_most():
    many = " ".join(f"rare{i}" for i in range(9))
    found = features([user("rare1"), user(many)], user(many))
    assert found["bm25"][1] == 3
    assert found["bm25"][0] < 1
    assert found["bm25_after"] == near(3, 0)
    assert found["bm25_below_best"] == near(found["bm25"][0] - 3, 0)


def test_shares_of_what_the_message_and_what_the_turn_weighs():
    found = features([user("quokka wombat"), user("wombat numbat emu")], user("wombat emu the"))
    wombat, emu = inverse_frequency("wombat", 3, 3), inverse_frequency("emu", 2, 3)
    assert found["message_share"] == near(wombat / (wombat + emu), 1)
    first = 2 * inverse_frequency("x0", 1, 1)
    second = inverse_frequency("wombat", 2, 2) + 2 * inverse_frequency("x0", 1, 2)
    assert found["turn_share"] == near(wombat / first, (wombat + emu) / second)


def test_shares_of_light_turns_and_messages_are_of_1():
    found = features([user("quokka")] * 100, user("quokka"))
    light = inverse_frequency("quokka", 101, 101)
    assert light < 1
    assert found["message_share"][0] == pytest.approx(light)
    assert inverse_frequency("quokka", 100, 100) < 1
    assert found["turn_share"][-1] == pytest.approx(light)


def test_shares_are_1_at_most():
    # The turn weighed less when it was said: many turns had the word, which is rarer by now.
    turns = [user("quokka")] * 9 + [user("numbat")] * 200
    assert features(turns, user("quokka"))["turn_share"][8] == 1


def test_words_of_nobody_and_common_words_are_not_shared():
    found = features([user("the it of"), user("")], user("the it of"))
    for name in ("bm25", "message_share", "turn_share", "bm25_below_best", "turn_mass", "mass"):
        assert found[name] == [0, 0]


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
    assert chat[name] == near(*values)


def test_message_that_names_nobody_names_no_other():
    found = features([user("bob", "Anna"), user("hi", "Bob")], user("hello all", "Anna"))
    for name in ("names_speaker", "names_other", "same_named", "last_named", "names_anyone"):
        assert found[name] == [0, 0]
    assert found["turn_names_other"] == [1, 0]


def test_naming_oneself_is_naming_nobody():
    found = features([user("anna", "Anna"), user("bob", "Bob")], user("Anna here", "Anna"))
    for name in ("names_speaker", "named_by_turn", "names_other", "turn_names_other", "names_anyone"):
        assert found[name] == [0, 0]


def test_stranger_is_nobody_whom_turns_name_or_who_spoke():
    found = features([user("dora?", "Anna"), user("anna!", "Bob")], user("hi anna", "Dora"))
    for name in ("same_speaker", "own_last", "named_by_turn", "last_naming"):
        assert found[name] == [0, 0]
    assert found["names_speaker"] == [1, 0]
    assert found["turn_names_other"] == [0, 1], "of the two that are named only Anna has spoken"


def test_speaker_who_was_named_before_their_first_turn():
    turns = [user("ask dora", "Anna"), user("dora!", "Bob"), user("hi", "Dora")]
    found = features(turns, user("yes", "Dora"))
    assert found["named_by_turn"] == [1, 1, 0]
    assert found["last_naming"] == [0, 1, 0]
    asked = features(turns, user("dora, are you there", "Anna"))
    assert asked["same_named"] == [1, 1, 0]
    assert asked["last_named"] == [0, 0, 1]


def test_all_of_many_names_are_seen_up_to_four():
    crowd = [user("hi", f"p{i}") for i in range(6)]
    found = features(crowd, user("p5 p4 p3 p2 p1", "anna"))
    assert found["names_speaker"] == [0, 1, 1, 1, 1, 0]
    assert found["names_other"] == [1, 0, 0, 0, 0, 1]
    one = features([*crowd, user("p0 p3", "bob")], user("p3 p5", "anna"))
    assert one["same_named"] == [0] * 6 + [1]
    assert features([*crowd, user("p0 p3", "bob")], user("yes", "p3"))["last_naming"] == [0] * 6 + [1]


def test_places():
    found = features([user()] * 5, user())
    assert found["age"] == near(*(math.log(ago) for ago in (5, 4, 3, 2, 1)))
    assert found["one_ago"] == [0, 0, 0, 0, 1]
    assert found["two_ago"] == [0, 0, 0, 1, 0]
    assert found["three_ago"] == [0, 0, 1, 0, 0]
    assert found["first_turn"] == [1, 0, 0, 0, 0]
    assert found["turns"] == near(*[math.log(6)] * 5)


def test_places_beyond_128_turns_count_alike():
    found = features([user()] * 200, user())
    assert found["age"][0] == found["age"][72] == pytest.approx(math.log(128))
    assert found["age"][73] == pytest.approx(math.log(127))
    assert found["turns"][0] == pytest.approx(math.log(129))


def test_window_leaves_the_first_turn_and_all_that_is_older_out():
    turns = [user("quokka quokka", "Anna"), user("hi", "Bob"), user("quokka", "Cy")]
    found = features(turns, user("quokka", "Anna"), cosines=[0.9, 0.1, 0.2], width=2)
    assert found["cosine"] == near(0.1, 0.2)
    assert found["cosine_below_best"] == near(-0.1, 0)
    assert found["cosine_before"] == near(0, 0.1)
    assert found["bm25_below_best"][1] == 0
    assert found["first_turn"] == [0, 0]
    assert found["turns"] == near(math.log(4), math.log(4))
    assert found["speakers"] == near(math.log(3), math.log(3))
    assert found["age"] == near(math.log(2), 0)
    whole = features(turns, user("quokka", "Anna"), cosines=[0.9, 0.1, 0.2])
    assert found["bm25"] == near(*whole["bm25"][1:])


def test_gap_is_in_minutes_and_none_when_a_time_is_missing():
    times = [NOON - timedelta(days=1), NOON - timedelta(minutes=2), None, NOON + timedelta(hours=1)]
    found = features([user(time=time) for time in times], user(time=NOON))
    assert found["gap"] == near(math.log(1441), math.log(3), 0, 0)
    assert found["no_time"] == [0, 0, 1, 0]
    untimed = features([user(time=time) for time in times], user())
    assert untimed["gap"] == [0] * 4
    assert untimed["no_time"] == [1] * 4


def test_times_with_a_zone_and_without_are_mixed_as_if_in_utc():
    tokyo = datetime(2024, 1, 1, 20, 59, tzinfo=timezone(timedelta(hours=9)))
    found = features([user(time=tokyo), user(time=NOON)], user(time=NOON.replace(tzinfo=UTC)))
    assert found["gap"] == near(math.log(2), 0)
    assert found["no_time"] == [0, 0]


def test_centuries_fit_into_a_gap():
    found = features([user(time=datetime.min)], user(time=datetime.max))
    assert found["gap"] == near(math.log1p((datetime.max - datetime.min) / timedelta(minutes=1)))


def test_turn_alone():
    found = features([user("is it that, quokka?"), assistant("call f() now"), user()], user())
    assert found["turn_question"] == [1, 0, 0]
    assert found["turn_assistant"] == [0, 1, 0]
    assert found["turn_length"] == near(math.log(5), math.log(4), 0)
    assert found["turn_code"] == [0, 1, 0]
    assert found["turn_pointing"] == [2, 0, 0]
    assert found["turn_mass"][0] == pytest.approx(math.log1p(inverse_frequency("quokka", 1, 1)))
    assert found["turn_mass"][2] == 0


def test_message_alone():
    turns = [user("quokka"), assistant(), assistant(), user()]
    found = features(turns, user("is it the quokka or that other one, or another, or { https://a.example?"))
    plain = features(turns, assistant("yes"), typed=True)
    for name in ("question", "code", "pointing", "comparing", "leaning"):
        assert plain[name][0] == 0
    assert (found["question"][0], found["assistant"][0], found["code"][0], found["typed"][0]) == (1, 0, 1, 0)
    assert (plain["assistant"][0], plain["typed"][0]) == (1, 1)
    assert found["length"][0] == pytest.approx(math.log(15))
    assert plain["length"][0] == pytest.approx(math.log(2))
    assert (found["pointing"][0], found["comparing"][0]) == (3, 2)
    assert found["names_anyone"][0] == 0
    assert found["assistant_share"][0] == 0.5
    assert found["speakers"][0] == pytest.approx(math.log(3))
    for feature in FEATURES:
        if feature.part == "message":
            assert len(set(found[feature.name])) == 1, "the same for all turns"


def test_mass_of_the_message_and_how_much_it_leans():
    found = features([user("quokka")], user("it is that quokka"))
    mass = inverse_frequency("quokka", 2, 2)
    assert found["mass"] == near(math.log1p(mass))
    assert found["leaning"] == near(2 / mass)
    assert features([user("hi")], user("it? that? this?"))["leaning"] == near(3), "of 1 at least"


def test_speakers_and_assistants_are_counted_over_the_last_64_turns():
    turns = [user("hi", f"p{i}") for i in range(10)] + [assistant()] * 48 + [user("hi", "anna")] * 12
    found = features(turns, user())
    assert found["speakers"][0] == pytest.approx(math.log(1 + 2 + 4))
    assert found["assistant_share"][0] == 48 / 64
    assert features(turns, user(), width=16)["assistant_share"][0] == 4 / 16
    assert features(turns, user(), width=16)["speakers"][0] == pytest.approx(math.log(3))


def test_a_turn_counts_by_its_best_passage():
    vectors = np.eye(3, dtype=np.float32)[:2]
    passages = Passages(3)
    passages.append(0, np.eye(3, dtype=np.float32)[[0, 2]])
    columns = Columns([facts_of(user("a")), facts_of(user("b"))])
    message = np.array([0.0, 0.6, 0.8], dtype=np.float32)
    found = message_features(columns, vectors, passages, facts_of(user("c")), message, 2)
    values = dict(zip(NAMES, found.T.tolist(), strict=True))
    assert values["cosine"] == near(0, 0.6)
    assert values["passage"] == near(0.8, 0.6)
    assert values["passage_below_best"] == near(0, -0.2)
    assert values["passage_before"] == near(0, 0.8)
    assert values["passage_after"] == near(0.6, 0)


def test_no_turns_have_no_features():
    columns, vectors = Columns(), np.zeros((0, 2), dtype=np.float32)
    message = facts_of(user("hi anna", "Anna", NOON))
    assert message_features(
        columns, vectors, Passages(vectors.shape[1]), message, np.ones(2, np.float32), 0
    ).shape == (0, len(NAMES))
    assert turn_features(columns, vectors, Passages(vectors.shape[1]), 0, 0, width=3).shape == (
        0,
        3,
        len(NAMES),
    )


def test_first_turn_of_all_has_nothing_before_it():
    rows = turn_features(
        Columns([facts_of(user("hi"))]),
        np.ones((1, 1), np.float32),
        Passages(1),
        0,
        1,
        width=3,
    )
    assert rows.shape == (1, 3, len(NAMES))
    assert not rows.any()


@pytest.mark.parametrize(
    "turns",
    [
        [user("x" * 100_000), user("word " * 20_000), user("?" * 100_000)],
        [user("\N{ZERO WIDTH SPACE}", "\N{ZERO WIDTH SPACE}"), user("\ud800", "\ud800"), user("\0", "\0")],
        [user("(.* [a-z]+", "(.*"), user("\\d", "\\d"), user("$^", "$^")],
        [user("anna " * 500, "Anna"), user(" ".join(f"p{i}" for i in range(5_000)), "Bob")],
    ],
)
def test_turns_of_any_text_have_finite_features(turns: list[Turn]):
    vectors = unit_vectors(len(turns), dimension=3)
    columns = Columns(facts_of(turn) for turn in turns)
    assert np.isfinite(
        turn_features(columns, vectors, Passages(vectors.shape[1]), 0, len(turns), width=4)
    ).all()
    found = message_features(
        columns, vectors, Passages(vectors.shape[1]), facts_of(turns[-1]), vectors[0], len(turns)
    )
    assert found.dtype == np.float32
    assert np.isfinite(found).all()


def test_5000_turns_of_one_speaker():
    turns = [user(f"word{i % 7} quokka", "Anna") for i in range(5_000)]
    found = features(turns, user("quokka word3", "Anna"))
    assert sum(found["last_of_speaker"]) == sum(found["own_last"]) == 1
    assert found["own_last"][-1] == 1
    assert set(found["same_speaker"]) == {1}
    assert found["speakers"][0] == pytest.approx(math.log(2))
    assert [place for place, value in enumerate(found["bm25"]) if value > 0.2] == list(range(3, 5_000, 7))


def as_columns(turns: Sequence[Turn]) -> tuple[Columns, Floats]:
    return Columns(facts_of(turn) for turn in turns), unit_vectors(len(turns), seed=5, dimension=3)


@given(turns=any_turns(), width=st.integers(1, 16))
def test_rows_of_turns_are_the_features_of_messages_on_what_was_before_alone(turns: list[Turn], width: int):
    columns, vectors = as_columns(turns)
    rows = turn_features(columns, vectors, Passages(vectors.shape[1]), 0, len(turns), width=width)
    for j, turn in enumerate(turns):
        before, count = Columns(facts_of(turn) for turn in turns[:j]), min(j, width)
        alone = message_features(
            before, vectors[:j], Passages(vectors.shape[1]), facts_of(turn), vectors[j], j, width=width
        )
        assert alone.shape == (count, len(NAMES))
        different = np.abs(rows[j, :count] - alone[::-1]).max(axis=0, initial=0) > 1e-5
        assert not different.any(), [name for name, differs in zip(NAMES, different, strict=True) if differs]
        assert not rows[j, count:].any()


@given(turns=any_turns(), message=any_turn(), typed=st.booleans(), data=st.data())
def test_features_of_a_message_do_not_depend_on_later_turns(
    turns: list[Turn], message: Turn, typed: bool, data: st.DataObject
):
    columns, vectors = as_columns(turns)
    n = data.draw(st.integers(0, len(turns)))
    width = data.draw(st.none() | st.integers(1, 16))
    fact = situation_facts(Situation(message, None if typed else n))
    vector = np.array([0.6, 0, 0.8], dtype=np.float32)
    among = message_features(columns, vectors, Passages(vectors.shape[1]), fact, vector, n, width=width)
    before = Columns(facts_of(turn) for turn in turns[:n])
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
    assert block == pytest.approx(rows[start:stop], abs=1e-5)


@given(turns=any_turns(), message=any_turn(), width=st.integers(1, 16))
def test_pair_with_a_turn_in_a_window_differs_only_in_what_is_beside_the_window(
    turns: list[Turn], message: Turn, width: int
):
    columns, vectors = as_columns(turns)
    fact, vector, n = facts_of(message), np.array([0.6, 0, 0.8], dtype=np.float32), len(turns)
    whole = message_features(columns, vectors, Passages(vectors.shape[1]), fact, vector, n)
    window = message_features(columns, vectors, Passages(vectors.shape[1]), fact, vector, n, width=width)
    of_the_window = {"cosine_before", "cosine_near", "bm25_before", "cosine_below_best", "bm25_below_best"}
    of_the_window |= {"passage_before", "passage_below_best", "cosine_last"}
    for column, name in enumerate(NAMES):
        if name not in of_the_window | {"speakers", "assistant_share"}:
            expected = whole[n - len(window) :, column]
            assert window[:, column] == pytest.approx(expected, abs=1e-6), name


def test_new_words_are_those_that_no_earlier_turn_has():
    turns = [user("the heron index is slow"), user("why?")]
    told = features(turns, user("the heron index"))["new_words"][0]
    unknown = features(turns, user("the tallow index"))["new_words"][0]
    assert told == 0
    assert unknown > 1
