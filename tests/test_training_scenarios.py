"""Training scenarios: what each kind means, of written and of real talks, and what the splits keep apart."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.conversation import Conversation, Turn
from convgate.errors import TrainingError
from convgate.transcripts.relevance_sets import Case
from tests.talks import a_talk, places_in_talk, talks
from tools.pretraining.scenarios import WEIGHTS, scenarios
from tools.pretraining.sets import unrelated_questions, written_sets, written_talks
from tools.pretraining.talks import SPLITS, Split, Talk, split_of

SEEDS = st.integers(0, 2**32)
UNRELATED = ("Who painted the ceiling?", "Why is the sky blue?")


def of_kind(kind: str, *, count: int = 40, seed: int = 0) -> list[tuple[Case, tuple[Turn, ...], Turn]]:
    """Cases with history and current message, over talks of many sorts."""
    material = [
        a_talk("bread", 9, domain="home", pair="dough", returns=3),
        a_talk("pizza", 7, domain="home", pair="dough", returns=3),
        a_talk("git", 8, domain="work"),
        a_talk("tax", 6, returns=1),
        a_talk("bikes", 10, domain="work", leaning=[2, 5]),
    ]
    made = scenarios(material, UNRELATED, count=count, seed=seed, weights={kind: 1})
    assert len(made.cases) == count
    found = []
    for case in made.cases:
        assert case.tags == (kind,)
        *history, current = made.conversations[case.conversation].turns
        found.append((case, tuple(history), current))
    return found


def sources(turns: tuple[Turn, ...]) -> list[str]:
    return [turn.metadata["source"] for turn in turns]


def runs(turns: tuple[Turn, ...]) -> list[str]:
    """The talks in their order, one that goes on named once."""
    named = sources(turns)
    return named[:1] + [after for before, after in pairwise(named) if before != after]


# What holds for every scenario


@given(talks(), SEEDS)
def test_every_scenario_is_a_user_s_message_after_turns_in_order(material: list[Talk], seed: int) -> None:
    made = scenarios(material, UNRELATED, count=12, seed=seed)
    by_id = {talk.id: talk for talk in material}
    assert len(made.cases) == len(made.conversations) == 12
    for case in made.cases:
        turns = made.conversations[case.conversation].turns
        assert case.turn == len(turns) - 1
        assert [turn.role for turn in turns] == ["user", "assistant"] * (case.turn // 2) + ["user"]
        texts = [turn.text for turn in turns]
        assert len(set(texts)) == len(texts)
        source = turns[-1].metadata.get("source")
        assert case.relevant == {i for i in range(case.turn) if sources(turns[:-1])[i] == source}
        for talk in by_id.values():
            places = places_in_talk(turns[:-1], talk)
            assert places == list(range(places[0], places[0] + len(places))) if places else True
            assert len(places) <= 12


def test_each_conversation_has_an_id_with_its_kind_and_number() -> None:
    made = scenarios([a_talk("a"), a_talk("b")], count=30, seed=3, weights={"followup": 1, "new_task": 1})
    for number, (id, case) in enumerate(zip(made.conversations, made.cases, strict=True)):
        assert id == case.conversation == f"scenarios-{case.tags[0]}-{number}"
        assert case.id == f"{id}-{case.turn}"


@given(talks(), SEEDS)
def test_a_seed_fixes_every_scenario_whatever_the_count(material: list[Talk], seed: int) -> None:
    made = scenarios(material, UNRELATED, count=8, seed=seed)
    assert scenarios(material, UNRELATED, count=8, seed=seed) == made
    fewer = scenarios(material, UNRELATED, count=5, seed=seed)
    assert fewer.cases == made.cases[:5]
    assert list(fewer.conversations.values()) == list(made.conversations.values())[:5]
    assert scenarios(material, UNRELATED, count=8, seed=seed + 1) != made


def test_names_times_and_ids_of_the_talk_are_left_behind() -> None:
    turns = [
        Turn.of(role, f"{role} {n}", id=f"{role}{n}", name="Ada", timestamp=datetime(2024, 1, 1))
        for n in range(4)
        for role in ("user", "assistant")
    ]
    made = scenarios([Talk("a", tuple(turns))], count=5, seed=0, weights={"followup": 1})
    for turn in (turn for conversation in made.conversations.values() for turn in conversation.turns):
        assert (turn.id, turn.name, turn.timestamp) == (None, None, None)
        assert turn.metadata == {"source": "a"}


# What each kind means


@given(SEEDS)
def test_followup_goes_on_with_the_only_topic(seed: int) -> None:
    for case, history, current in of_kind("followup", seed=seed):
        assert case.relevant == set(range(len(history)))
        assert {*sources(history), current.metadata["source"]} == {current.metadata["source"]}
        words = history[-2].text.split()
        assert current.text.startswith(f"{words[0]} question {int(words[2]) + 1}")


@given(SEEDS)
def test_new_task_opens_a_talk_that_the_history_does_not_have(seed: int) -> None:
    for case, history, current in of_kind("new_task", seed=seed):
        assert case.relevant == frozenset()
        assert current.text.startswith(f"{current.metadata['source']} question 0")
        assert current.metadata["source"] not in sources(history)
        assert 1 <= len(runs(history)) <= 3


@given(SEEDS)
def test_reference_old_comes_back_over_one_to_three_other_talks(seed: int) -> None:
    for case, history, current in of_kind("reference_old", seed=seed):
        first, *others = runs(history)
        assert current.metadata["source"] == first
        assert 1 <= len(others) <= 3
        assert first not in others
        assert case.relevant == set(range(sources(history).count(first)))


@given(SEEDS)
def test_mixed_goes_on_with_a_topic_that_another_one_parts(seed: int) -> None:
    for case, history, current in of_kind("mixed", seed=seed):
        named, own = sources(history), current.metadata["source"]
        assert case.relevant == {index for index, source in enumerate(named) if source == own}
        assert set(named[min(case.relevant) : max(case.relevant)]) > {own}
        assert 2 <= len(set(named)) <= 3


@given(SEEDS)
def test_subtopic_switch_opens_a_talk_after_one_that_is_near_to_it(seed: int) -> None:
    near = {"bread": "pizza", "pizza": "bread", "git": "bikes", "bikes": "git"}
    for case, history, current in of_kind("subtopic_switch", seed=seed):
        new = current.metadata["source"]
        assert case.relevant == frozenset()
        assert current.text.startswith(f"{new} question 0")
        assert sources(history)[-1] == near[new]
        assert new not in sources(history)
        assert 1 <= len(runs(history)) <= 3


@given(SEEDS)
def test_nothing_relevant_asks_about_none_of_the_talks(seed: int) -> None:
    for case, history, current in of_kind("nothing_relevant", seed=seed):
        assert case.relevant == frozenset()
        assert current.text in UNRELATED
        assert 1 <= len(runs(history)) <= 3


def test_a_real_talk_comes_back_with_its_next_question_that_stands_alone() -> None:
    material = [a_talk("bikes", 10, leaning=[2, 3, 5]), a_talk("git", 2, leaning=[0, 1])]
    made = scenarios(material, count=100, seed=0, weights={"reference_old": 1, "mixed": 1})
    came = set()
    for case in made.cases:
        *history, current = made.conversations[case.conversation].turns
        assert current.metadata["source"] == "bikes"
        (following,) = places_in_talk([current], material[0])
        assert places_in_talk(history, material[0])[-1] == following - 1
        came.add(following // 2)
    assert came == {1, 4, 6, 7, 8, 9}


def test_kinds_come_by_their_weights() -> None:
    material = [a_talk("a", domain="x", returns=1), a_talk("b", domain="x")]
    made = scenarios(material, UNRELATED, count=4_000, seed=0)
    tags = [case.tags[0] for case in made.cases]
    for kind, weight in WEIGHTS.items():
        assert tags.count(kind) / len(tags) == pytest.approx(weight / 11, abs=0.025)
    alone = scenarios(material, count=50, seed=0, weights={"mixed": 1, "nothing_relevant": 0})
    assert {case.tags[0] for case in alone.cases} == {"mixed"}


# What cannot be made


@pytest.mark.parametrize(
    ("kind", "material", "missing"),
    [
        ("followup", [a_talk("a", 1), a_talk("b", 1)], "a talk of two exchanges"),
        ("new_task", [a_talk("a")], "two talks"),
        ("reference_old", [a_talk("a", returns=2)], "two talks"),
        ("reference_old", [a_talk("a", 2, leaning=[1]), a_talk("b", 1)], "returns or with a later question"),
        ("mixed", [a_talk("a")], "two talks"),
        ("mixed", [a_talk("a", 2), a_talk("b", 1, returns=1)], "after two exchanges"),
        ("subtopic_switch", [a_talk("a"), a_talk("b", domain="x"), a_talk("c", pair="y")], "of one domain"),
        ("nothing_relevant", [a_talk("a")], "unrelated questions"),
        ("nothing_relevant", [Talk("a", (Turn.of("user", "Anyone?"),))], "a talk"),
    ],
)
def test_a_kind_that_the_talks_cannot_give_says_what_is_missing(
    kind: str, material: list[Talk], missing: str
) -> None:
    with pytest.raises(TrainingError, match=f"'{kind}' without .*{missing}"):
        scenarios(material, count=1, seed=0, weights={kind: 1})


# Talks


def test_a_talk_has_the_fields_that_its_conversation_came_with() -> None:
    fields = {"domain": "cooking", "pair": "dough", "returns": ["The bread again"]}
    talk = Talk.of(Conversation("bread", a_talk("x", 2).turns, metadata=fields))
    assert (talk.id, talk.domain, talk.pair, talk.returns) == (
        "bread",
        "cooking",
        "dough",
        ("The bread again",),
    )
    bare = Talk.of(Conversation("bread", ()))
    assert (bare.domain, bare.pair, bare.returns, bare.exchanges) == (None, None, (), ())


def test_exchanges_are_answered_questions_without_instructions_and_greetings() -> None:
    spoken = [
        ("system", "Be brief."),
        ("assistant", "Welcome!"),
        ("user", "One moment"),
        ("user", "What is tea?"),
        ("system", "Be kind."),
        ("assistant", "Let me look."),
        ("tool", "a drink"),
        ("assistant", "A drink."),
        ("user", "Hot?"),
        ("assistant", "Mostly."),
        ("user", "thanks"),
    ]
    talk = Talk("tea", tuple(Turn.of(role, text) for role, text in spoken))
    assert [[turn.text for turn in exchange] for exchange in talk.exchanges] == [
        ["One moment", "What is tea?", "Let me look.", "a drink", "A drink."],
        ["Hot?", "Mostly."],
    ]


# Splits


def test_topics_are_split_by_their_names_alone() -> None:
    for_good = {"sourdough": "train", "puppy": "train", "tides": "dev", "opera": "test"}
    assert {name: split_of(name) for name in for_good} == for_good
    keys = [split_of(f"topic {number}") for number in range(20_000)]
    for split, share in zip(SPLITS, (0.70, 0.15, 0.15), strict=True):
        assert keys.count(split) / len(keys) == pytest.approx(share, abs=0.01)


@given(st.text(min_size=1))
def test_both_of_a_pair_are_in_one_split(pair: str) -> None:
    assert a_talk("one", pair=pair).split == a_talk("another", pair=pair).split == split_of(pair)
    assert a_talk(pair).split == split_of(pair)


# The texts that are packed


def test_no_written_topic_and_no_question_is_in_two_splits() -> None:
    topics = [{talk.pair or talk.id for talk in written_talks(split)} for split in SPLITS]
    questions = [set(unrelated_questions(split)) for split in SPLITS]
    for parts, everything in (
        (topics, {talk.pair or talk.id for split in SPLITS for talk in written_talks(split)}),
        (questions, {text for split in SPLITS for text in unrelated_questions(split)}),
    ):
        assert set.union(*parts) == everything
        assert sum(map(len, parts)) == len(everything)


def test_there_are_as_many_written_texts_as_training_asks_for() -> None:
    material = [talk for split in SPLITS for talk in written_talks(split)]
    assert len({talk.id for talk in material}) == len(material)
    assert sum(talk.pair is None for talk in material) >= 40
    assert all(len(talk.turns) >= 12 and talk.domain and talk.returns for talk in material)
    pairs = [talk.pair for talk in material if talk.pair]
    assert len(pairs) == 2 * len(set(pairs)) >= 24
    assert sum(len(unrelated_questions(split)) for split in SPLITS) >= 60
    assert sum(len(texts.cases) for texts in written_sets()) > 1_000


@pytest.mark.parametrize("split", SPLITS)
def test_every_kind_can_be_made_of_every_split(split: Split) -> None:
    made = scenarios(written_talks(split), unrelated_questions(split), count=200, seed=0)
    assert {case.tags[0] for case in made.cases} == set(WEIGHTS)
