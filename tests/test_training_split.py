"""Training data, and the side of a split on which a conversation stays."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import convgate
from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TrainingError
from convgate.evaluation.duplicates import Overlap, remove_duplicates
from convgate.labels.exchange import keep_labels, read_labels, write_labels
from convgate.labels.gold import gold_set
from convgate.store import Conversations, CurrentKey, Labels, NewConversation, Store
from convgate.training.episodes import Episode, read_episodes
from convgate.training.epochs import TrainingSettings
from convgate.training.sets import make_set as make_training_set
from convgate.training.sets import read_files, read_replays
from convgate.training.split import group_episodes, hold_out, split_episodes
from convgate.training.trainer import Trainer
from convgate.transcripts import read_relevance_set
from convgate.transcripts.cases import RelevanceSet
from convgate.transcripts.relevance_sets import write_relevance_set
from tests.label_files import labels_of
from tests.planted_sets import make_relevance_set, small_encoder, small_gate, with_cases, write_planted_set
from tools.pretraining import sets as pretraining
from tools.pretraining.sets import pretraining_sets, replayed_scenarios, written_talks


def empty_episode(conversation: str, text: str = "", group: str = "") -> Episode:
    """Of a conversation in which each letter is a turn."""
    nothing = np.zeros((0, 2), np.float16), np.zeros((0, 0, 0), np.float16)
    hashes = tuple(text[: turn + 1].encode() for turn in range(len(text)))
    return Episode(conversation, *nothing, (), hashes=hashes, group=group)


def ids(sets: dict[str, list[Episode]]) -> set[str]:
    return {episode.conversation for episodes in sets.values() for episode in episodes}


def episodes(name: str = "own", **how: Any) -> list[Episode]:
    return read_episodes(small_gate(), small_encoder(), make_relevance_set(name, **how))


def make_turns(name: str, turns: int) -> tuple[Turn, ...]:
    return tuple(Turn.of("user" if i % 2 == 0 else "assistant", f"{name} {i}") for i in range(turns))


def read(relevance_set: RelevanceSet) -> list[Episode]:
    return read_episodes(small_gate(preset="reference"), small_encoder(), relevance_set)


def held_out_names(relevance_set: RelevanceSet) -> set[str]:
    """How the conversations of a set begin that are held out."""
    _, held = hold_out({relevance_set.name: read(relevance_set)}, share=0.3)
    return {
        relevance_set.conversations[episode.conversation].turns[0].text
        for some in held.values()
        for episode in some
    }


def test_no_side_changes_when_conversations_grow_or_go_into_a_file_and_another_library(
    tmp_path: Path,
) -> None:
    store, other = Store(tmp_path / "one.db"), Store(tmp_path / "other.db")
    conversations = Conversations(store)
    added = conversations.add(
        NewConversation(Conversation("t", make_turns(f"talk {n}", 4))) for n in range(12)
    )
    for one in added:
        Labels(store).answer(CurrentKey(one.key, 2), {0: "relevant"}, by="Ada")
    before = held_out_names(gold_set(store))
    assert 1 < len(before) < 11
    for one in added:
        conversations.grow(one.key, make_turns("more", 1))
    assert held_out_names(gold_set(store)) == before
    (tmp_path / "labels.jsonl").write_bytes(write_labels(store, "relevance-set"))
    assert held_out_names(read_relevance_set(tmp_path / "labels.jsonl")) == before
    keep_labels(other, read_labels(labels_of((tmp_path / "labels.jsonl").read_bytes()), other), by="Bo")
    assert held_out_names(gold_set(other)) == before


def test_a_chat_that_was_saved_again_later_is_on_one_side_and_learned_from_once(tmp_path: Path) -> None:
    store = Store(tmp_path / "one.db")
    conversations, labels = Conversations(store), Labels(store)
    for number in range(8):
        for turns in (4, 6):
            conversation = Conversation("t", make_turns(f"talk {number}", turns))
            (added,) = conversations.add([NewConversation(conversation)])
            labels.answer(CurrentKey(added.key, 2), {0: "relevant", 1: "not_relevant"}, by="Ada")
            if turns == 6:
                labels.answer(CurrentKey(added.key, 5), {0: "relevant"}, by="Ada")
    gold = gold_set(store)
    assert len(gold.conversations) == 16
    (once,), (overlap,) = remove_duplicates([gold])
    assert overlap == Overlap("labels", "labels", 16)
    for sets in (gold, once):
        parts = split_episodes({"labels": read(sets)}, compare=True)
        for fold in (parts, *parts.folds):
            sides = [
                {gold.conversations[each.conversation].turns[0].text for each in part.get("labels", ())}
                for part in (fold.training, fold.validation, fold.compared)
            ]
            assert all(sides[:2])
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
    episodes = [empty_episode(f"t{n}", said, f"group {group}") for n, (said, group) in enumerate(ties)]
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


# Holding out


@given(SETS, st.sampled_from([0.05, 0.2, 0.35, 0.9]))
def test_no_conversation_is_on_both_sides(conversations: dict[str, list[str]], share: float) -> None:
    sets = {name: [empty_episode(id) for id in known] for name, known in conversations.items()}
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


def test_about_the_share_is_held_out_and_ever_the_same() -> None:
    some = {"own": [empty_episode(f"talk-{number}") for number in range(400)]}
    more = {"own": [empty_episode(f"talk-{number}") for number in range(600)], "other": [empty_episode("x")]}
    held = ids(hold_out(some, share=0.2)[1])
    assert len(held) / 400 == pytest.approx(0.2, abs=0.05)
    assert held == ids(hold_out(more, share=0.2)[1]) & ids(some)
    assert held < ids(hold_out(some, share=0.35)[1])


TEXTS = Path(convgate.__file__).parent / "training" / "texts"


def write_set(folder: Path, sets: RelevanceSet, name: str) -> Path:
    path = folder / f"{name}.jsonl"
    write_relevance_set(sets, path)
    return path


def rename_conversations(sets: RelevanceSet, ids: str) -> RelevanceSet:
    """The set with conversations called `ids` and a number."""
    names = {id: f"{ids}{number}" for number, id in enumerate(sets.conversations)}
    return RelevanceSet(
        sets.name,
        {names[id]: replace(conversation, id=names[id]) for id, conversation in sets.conversations.items()},
        tuple(replace(case, conversation=names[case.conversation]) for case in sets.cases),
    )


@pytest.fixture
def few_conversations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes few conversations of each kind."""
    for name, count in (("WOVEN", 8), ("SCENARIOS", 6), ("HISTORIES", 2), ("LONG_DIALOGUES", 2)):
        monkeypatch.setattr(pretraining, name, count)


# Files


@pytest.mark.parametrize("cases", [True, False])
def test_what_may_not_be_trained_on_is_refused_under_any_name(tmp_path: Path, cases: bool) -> None:
    forbidden = rename_conversations(make_relevance_set("other", conversations=1), "locomo-conv-")
    parts = [make_relevance_set(), forbidden if cases else with_cases(forbidden)]
    files = [write_set(tmp_path, part, f"part{number}") for number, part in enumerate(parts)]
    mine = tmp_path / "mine.jsonl"
    mine.write_text("".join(file.read_text() for file in files))
    with pytest.raises(TrainingError):
        read_files([mine])


# Replay


def test_the_packed_scenarios_are_those_that_the_tools_make() -> None:
    (packed,) = read_replays(["scenarios"])
    assert packed.data.sha256 == make_training_set(replayed_scenarios()).data.sha256


def test_replayed_sets_do_not_outweigh_the_labels() -> None:
    training = {"own": episodes(conversations=10), "replay-x": episodes("x", conversations=100, turns=8)}
    settings = TrainingSettings(epochs=1, episodes=300)

    def drawn(replayed: set[str], sets: dict[str, list] = training) -> tuple[int, int]:
        order = Trainer(small_gate(), sets, {}, settings, replayed=replayed)._order(np.random.default_rng(0))
        own = sum(episode.conversation.startswith("own") for episode in order)
        return own, len(order) - own

    assert drawn({"replay-x"}) == (60, 60)
    assert drawn(set()) == (60, 300)
    assert drawn({"replay-x"}, {**training, "own": training["own"][:1]}) == (6, 40)
    assert drawn({"replay-x"}, {"replay-x": training["replay-x"]}) == (0, 300), "there is nothing else"


@pytest.mark.slow
def test_the_wheel_carries_the_texts_and_no_tools(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    texts = {name for name in names if name.startswith("convgate/training/texts/")}
    assert {Path(name).name for name in texts} == {path.name for path in TEXTS.iterdir()}
    assert not [name for name in names if name.startswith("tools/")]


# From scratch


@pytest.mark.usefixtures("few_conversations")
def test_a_seed_fixes_what_is_made_and_topics_that_measure_are_not_in_it(tmp_path: Path) -> None:
    file = write_planted_set(tmp_path)
    first, again, other = (pretraining_sets([file], seed=seed) for seed in (0, 0, 1))
    assert [each.data for each in first] == [each.data for each in again]
    same = {a.data.name for a, b in zip(first, other, strict=True) if a.data.sha256 == b.data.sha256}
    names = {"woven-topics", "scenarios-topics", "asked-again", "long-dialogues"}
    names |= {"short-subjects", "long-chats", "lengthened-answers"}
    names |= {"follow-ups", "artifacts", "after-discussions"}
    assert {each.data.name for each in first} - same == names
    used = {
        turn.metadata["source"]
        for each in first
        for conversation in each.cases.conversations.values()
        for turn in conversation.turns
        if "source" in turn.metadata
    }
    training, held_out = (
        {conversation.id for conversation in written_talks(split)} for split in ("train", "test")
    )
    assert used <= training
    assert held_out
    assert not training & held_out
