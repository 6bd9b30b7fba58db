"""On which side of a split a conversation is, and that it stays there as it grows and travels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.conversation import Conversation, Turn
from convgate.evaluation.counted_once import Overlap, counted_once
from convgate.labels.exchange import keep_labels, read_labels, write_labels
from convgate.labels.gold import gold_set
from convgate.store import Conversations, Labels, NewConversation, SituationKey, Store
from convgate.training.episodes import Episode, read_episodes
from convgate.training.split import (
    MIN_CONVERSATIONS,
    count_conversations,
    group_episodes,
    hold_out,
    make_ids_unique,
    split_episodes,
)
from convgate.transcripts import RelevanceSet, read_relevance_set
from convgate.transcripts.relevance_sets import Case, write_relevance_set
from tests.planted import planted, small_encoder, small_gate


def bare(conversation: str, said: str = "", group: str = "") -> Episode:
    """Of a conversation in which each letter is a turn."""
    nothing = np.zeros((0, 2), np.float16), np.zeros((0, 0, 0), np.float16)
    hashes = tuple(said[: turn + 1].encode() for turn in range(len(said)))
    return Episode(conversation, *nothing, (), hashes=hashes, group=group)


def ids(sets: dict[str, list[Episode]]) -> set[str]:
    return {episode.conversation for episodes in sets.values() for episode in episodes}


def episodes(name: str = "own", **how: Any) -> list[Episode]:
    return read_episodes(small_gate(), small_encoder(), planted(name, **how))


def said(name: str, turns: int) -> tuple[Turn, ...]:
    return tuple(Turn.of("user" if i % 2 == 0 else "assistant", f"{name} {i}") for i in range(turns))


def read(found: RelevanceSet) -> list[Episode]:
    return read_episodes(small_gate(preset="reference"), small_encoder(), found)


def held_names(found: RelevanceSet) -> set[str]:
    """How the conversations of a set begin that are held out."""
    _, held = hold_out({found.name: read(found)}, share=0.3)
    return {
        found.conversations[episode.conversation].turns[0].text for some in held.values() for episode in some
    }


def test_no_side_changes_when_talks_grow_or_go_into_a_file_and_another_library(tmp_path: Path) -> None:
    store, other = Store(tmp_path / "one.db"), Store(tmp_path / "other.db")
    conversations = Conversations(store)
    added = conversations.add(NewConversation(Conversation("t", said(f"talk {n}", 4))) for n in range(12))
    for one in added:
        Labels(store).answer(SituationKey(one.key, 2), {0: "relevant"}, by="Ada")
    before = held_names(gold_set(store))
    assert 1 < len(before) < 11
    for one in added:
        conversations.grow(one.key, said("more", 1))
    assert held_names(gold_set(store)) == before
    (tmp_path / "labels.jsonl").write_bytes(write_labels(store, "relevance-set"))
    assert held_names(read_relevance_set(tmp_path / "labels.jsonl")) == before
    keep_labels(other, read_labels(tmp_path / "labels.jsonl", "labels", other), by="Bo")
    assert held_names(gold_set(other)) == before


def test_a_set_that_becomes_labels_stays_where_it_was(tmp_path: Path) -> None:
    store = Store(tmp_path / "one.db")
    talks = {f"t{n}": Conversation(f"t{n}", said(f"talk {n}", 4), format="relevance-set") for n in range(12)}
    cases = tuple(Case(f"{id}-2", id, 2, None, frozenset({0})) for id in talks)
    found = RelevanceSet("theirs", talks, cases)
    write_relevance_set(found, tmp_path / "theirs.jsonl")
    keep_labels(store, read_labels(tmp_path / "theirs.jsonl", "theirs", store, annotator="they"), by="Ada")
    assert held_names(gold_set(store)) == held_names(found)


def test_a_chat_that_was_saved_again_later_is_on_one_side_and_learned_from_once(tmp_path: Path) -> None:
    store = Store(tmp_path / "one.db")
    conversations, labels = Conversations(store), Labels(store)
    for number in range(8):
        for turns in (4, 6):
            talk = Conversation("t", said(f"talk {number}", turns))
            (added,) = conversations.add([NewConversation(talk)])
            labels.answer(SituationKey(added.key, 2), {0: "relevant", 1: "not_relevant"}, by="Ada")
            if turns == 6:
                labels.answer(SituationKey(added.key, 5), {0: "relevant"}, by="Ada")
    gold = gold_set(store)
    assert len(gold.conversations) == 16
    (once,), (overlap,) = counted_once([gold])
    assert overlap == Overlap("labels", "labels", 16)
    for sets in (gold, once):
        parts = split_episodes({"labels": read(sets)}, compare=True)
        sides = [
            {gold.conversations[one.conversation].turns[0].text for one in part["labels"]}
            for part in (parts.training, parts.validation, parts.compared)
        ]
        assert all(sides)
        assert sum(map(len, sides)) == 8
    learned = [case.id for case in once.cases]
    assert len(learned) == len(set(learned)) == 16, "one earlier message and one later one of each"


SETS = st.dictionaries(
    st.sampled_from(["one", "two", "three"]),
    st.lists(st.integers(0, 30).map("talk-{}".format), min_size=1, max_size=40),
    min_size=1,
)
TIES = st.lists(st.tuples(st.text("ab", max_size=4), st.integers(0, 5)), max_size=12)


@given(TIES)
def test_what_is_tied_by_what_was_said_or_by_its_group_is_together(ties: list[tuple[str, int]]) -> None:
    episodes = [bare(f"t{n}", said, f"group {group}") for n, (said, group) in enumerate(ties)]
    names = group_episodes(episodes)
    assert len(names) == len(ties)
    together = [{place} for place in range(len(ties))]
    for _ in ties:  # by hand: whatever touches is joined, until nothing changes
        for one in range(len(ties)):
            for two in range(len(ties)):
                shorter, longer = sorted((ties[one][0], ties[two][0]), key=len)
                if (shorter and longer.startswith(shorter)) or ties[one][1] == ties[two][1]:
                    joined = together[one] | together[two]
                    for place in joined:
                        together[place] = joined
    for one in range(len(ties)):
        assert {two for two in range(len(ties)) if names[one] == names[two]} == together[one]
    name = {episode.conversation: name for episode, name in zip(episodes, names, strict=True)}
    training, held = hold_out({"all": episodes}, share=0.5)
    assert not {name[one.conversation] for one in training["all"]} & {
        name[one.conversation] for one in held["all"]
    }
    assert bool(held["all"]) == (len(set(names)) > 1)


def test_what_goes_on_in_another_set_under_the_same_id_is_on_its_side_and_what_is_different_is_not() -> None:
    def one(name: str, **talks: tuple[Turn, ...]) -> RelevanceSet:
        return RelevanceSet(name, {id: Conversation(id, turns) for id, turns in talks.items()}, ())

    first = one("first", tea=said("tea", 3), pot=said("pot", 3))
    later = one("later", tea=said("tea", 5), pot=said("another pot", 3))
    _, found = make_ids_unique([first, later])
    talks = found.conversations
    assert {id: talk.metadata.get("split_group") for id, talk in talks.items()} == {
        "later/tea": "tea",
        "later/pot": None,
    }


def test_conversations_are_counted_as_the_training_divides_them() -> None:
    def one(name: str, *talks: tuple[str, tuple[Turn, ...]]) -> RelevanceSet:
        known = {id: Conversation(id, turns) for id, turns in talks}
        return RelevanceSet(name, known, tuple(Case(f"{id}-2", id, 2, None, frozenset({0})) for id in known))

    alike = [one("one", ("1", said("a", 4)), ("2", said("b", 4))), one("two", ("1", said("c", 4)))]
    grown = one("grown", ("1", said("a", 4)), ("2", said("a", 6)), ("3", said("b", 4)))
    first = replace(one("first", ("1", said("d", 4))), cases=(Case("1-0", "1", 0, None, frozenset()),))
    for sets, count in (([], 0), (alike, 3), ([grown], 2), ([grown, *alike], 3), ([first], 0)):
        assert count_conversations(sets) == count
        if count:
            episodes = [episode for part in make_ids_unique(sets) for episode in read(part)]
            assert len(set(group_episodes(episodes))) == count


# Holding out


@given(SETS, st.sampled_from([0.05, 0.2, 0.35, 0.9]))
def test_no_conversation_is_on_both_sides(talks: dict[str, list[str]], share: float) -> None:
    sets = {name: [bare(id) for id in known] for name, known in talks.items()}
    training, validation = hold_out(sets, share=share)
    assert not ids(training) & ids(validation)
    assert ids(training)
    for name, episodes in sets.items():
        both = [*training[name], *validation[name]]
        assert sorted(map(id, both)) == sorted(map(id, episodes)), "nothing is lost or doubled"
        distinct = len({episode.conversation for episode in episodes})
        if len(sets) == 1:
            assert bool(validation[name]) == (distinct > 1)
            assert training[name]


@pytest.mark.parametrize("share", [0.2, 0.35])
@pytest.mark.parametrize("count", [2, 4, 40])
def test_a_conversation_that_two_sets_call_otherwise_is_on_one_side(count: int, share: float) -> None:
    sets = {name: [bare(f"{name}-{n}", f"{n} talk") for n in range(count)] for name in ("labels", "samples")}
    training, held = hold_out(sets, share=share)
    said = [
        {episode.hashes for episodes in part.values() for episode in episodes} for part in (training, held)
    ]
    assert said[0]
    assert said[1]
    assert not said[0] & said[1]


def test_about_the_share_is_held_out_and_ever_the_same() -> None:
    some = {"own": [bare(f"talk-{number}") for number in range(400)]}
    more = {"own": [bare(f"talk-{number}") for number in range(600)], "other": [bare("x")]}
    held = ids(hold_out(some, share=0.2)[1])
    assert len(held) / 400 == pytest.approx(0.2, abs=0.05)
    assert held == ids(hold_out(more, share=0.2)[1]) & ids(some)
    assert held < ids(hold_out(some, share=0.35)[1])


def test_what_is_held_out_twice_is_never_the_same() -> None:
    sets = {"own": [bare(f"talk-{number}") for number in range(400)]}
    rest, compared = hold_out(sets, share=0.2)
    training, validation = hold_out(rest, share=0.35)
    assert len(ids(training)) + len(ids(validation)) + len(ids(compared)) == 400
    assert len(ids(validation)) / 400 == pytest.approx(0.15, abs=0.05)


@pytest.mark.parametrize(("count", "held"), [(1, 0), (2, 1), (3, 1)])
def test_of_few_conversations_one_is_held_out_and_of_one_none(count: int, held: int) -> None:
    training, validation = hold_out({"own": [bare(f"x{n}") for n in range(count)]}, share=1e-9)
    assert (len(validation["own"]), len(training["own"])) == (held, count - held)


@pytest.mark.parametrize("count", [1, 2, MIN_CONVERSATIONS, 8])
def test_few_conversations_are_all_trained_on(count: int) -> None:
    parts = split_episodes({"own": episodes(conversations=count)}, compare=True)
    if count < MIN_CONVERSATIONS:
        assert len(parts.training["own"]) == count
        assert not parts.validation["own"]
        assert not parts.compared.get("own")
        assert parts.why_not_compared
        assert parts.fitted == {"own": parts.training["own"]}
    else:
        assert parts.compared["own"]
        assert parts.why_not_compared == ""


def test_replayed_sets_are_not_compared_on_when_there_is_something_else() -> None:
    sets = {"own": episodes(conversations=8), "replay-x": episodes("x", conversations=30)}
    parts = split_episodes(sets, replayed={"replay-x"}, compare=True)
    assert "replay-x" not in parts.compared
    assert len(parts.training["replay-x"]) + len(parts.validation["replay-x"]) == 30
    assert parts.validation["replay-x"]
    alone = split_episodes({"replay-x": sets["replay-x"]}, replayed={"replay-x"}, compare=True)
    assert alone.compared["replay-x"]
    assert alone.replayed == frozenset()
