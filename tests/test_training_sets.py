"""What a gate is trained on: files and their licences, what is replayed, and what a new gate is made from."""

from __future__ import annotations

import hashlib
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import convgate
from convgate.conversation import Conversation
from convgate.errors import GateError, TrainingError, TranscriptError
from convgate.gate.full import FullTiers
from convgate.training.corpora.recognise import CORPORA
from convgate.training.epochs import TrainingSettings
from convgate.training.run import Run
from convgate.training.sets import REPLAY_PREFIX, REPLAYS, Plan, count_replay, read_files, read_replays
from convgate.training.sets import make_set as make_training_set
from convgate.training.train import train_version
from convgate.training.trainer import Trainer
from convgate.transcripts.relevance_sets import RelevanceSet, write_relevance_set
from convgate.versions import Versions
from tests.planted import QUICK, planted, planted_file, small_encoder, small_gate, with_cases
from tests.talks import a_talk
from tests.test_training_split import episodes
from tests.test_training_version import Heard
from tools.pretraining import sets as pretraining
from tools.pretraining.sets import (
    PretrainingPlan,
    pretraining_sets,
    replayed_scenarios,
    weave_conversations,
    written_talks,
)

TEXTS = Path(convgate.__file__).parent / "training" / "texts"


def written(folder: Path, sets: RelevanceSet, name: str) -> Path:
    path = folder / f"{name}.jsonl"
    write_relevance_set(sets, path)
    return path


def renamed(sets: RelevanceSet, ids: str) -> RelevanceSet:
    """The set with conversations called `ids` and a number."""
    names = {id: f"{ids}{number}" for number, id in enumerate(sets.conversations)}
    return RelevanceSet(
        sets.name,
        {names[id]: replace(talk, id=names[id]) for id, talk in sets.conversations.items()},
        tuple(replace(case, conversation=names[case.conversation]) for case in sets.cases),
    )


def talks(count: int) -> dict[str, Conversation]:
    some = [a_talk(f"mtrag-{number}") for number in range(count)]
    return {talk.id: Conversation(talk.id, talk.turns, format="relevance-set") for talk in some}


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes few conversations of each kind."""
    for name, count in (("WOVEN", 8), ("SCENARIOS", 6), ("HISTORIES", 2), ("LONG_DIALOGUES", 2)):
        monkeypatch.setattr(pretraining, name, count)


# Files


def test_a_users_file_has_no_licence_and_its_digest_is_the_files(tmp_path: Path) -> None:
    file = planted_file(tmp_path)
    (one,) = read_files([file])
    assert one.cases.cases == planted().cases
    source = one.source
    assert (source.name, source.conversations, source.cases) == ("own", 8, 48)
    assert source.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert (source.licence, source.attribution) == ("", "")


@pytest.mark.parametrize(
    ("ids", "corpus"),
    [
        ("irc-2004-12-25.train-", "irc"),
        ("cast2020-", "cast"),
        ("tiage-train-", "tiage"),
        ("mtrag-", "mtrag"),
        ("cast-iron-pan-", None),
    ],
)
def test_a_corpus_is_known_by_its_conversations_whatever_the_file_is_called(
    tmp_path: Path, ids: str, corpus: str | None
) -> None:
    (one,) = read_files([written(tmp_path, renamed(planted(), ids), "locomo")])
    known = (CORPORA[corpus].licence, CORPORA[corpus].cite) if corpus else ("", "")
    assert (one.source.licence, one.source.attribution) == known


def test_a_file_of_two_corpora_names_both_and_what_is_woven_keeps_its_licence(tmp_path: Path) -> None:
    woven = weave_conversations(RelevanceSet("talks", talks(5), ()), count=3, seed=0)
    parts = [renamed(planted("b"), "tiage-"), woven]
    files = [written(tmp_path, part, part.name) for part in parts]
    both = tmp_path / "both.jsonl"
    both.write_text("".join(file.read_text() for file in files))
    (one,) = read_files([both])
    assert set(one.source.licence.split(" AND ")) == {"MIT", "Apache-2.0"}
    assert set(one.source.attribution.split("; ")) == {CORPORA["tiage"].cite, CORPORA["mtrag"].cite}


@pytest.mark.parametrize("cases", [True, False])
def test_what_may_not_be_trained_on_is_refused_under_any_name(tmp_path: Path, cases: bool) -> None:
    forbidden = renamed(planted("other", conversations=1), "locomo-conv-")
    parts = [planted(), forbidden if cases else with_cases(forbidden)]
    files = [written(tmp_path, part, f"part{number}") for number, part in enumerate(parts)]
    mine = tmp_path / "mine.jsonl"
    mine.write_text("".join(file.read_text() for file in files))
    with pytest.raises(TrainingError, match=r"mine\.jsonl: .*CC-BY-NC-4\.0"):
        read_files([mine])


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(TrainingError, match="own"):
        read_files([planted_file(tmp_path), written(tmp_path / "a", with_cases(planted()), "own")])


@pytest.mark.parametrize(
    "line",
    [
        {"conversation": "own-0", "turn": 4, "relevant": [4]},
        {"conversation": "own-0", "turn": 99, "relevant": []},
        {"conversation": "elsewhere", "turn": 1, "relevant": []},
    ],
)
def test_a_bad_case_is_told_with_its_line(tmp_path: Path, line: dict[str, object]) -> None:
    file = written(tmp_path, with_cases(planted()), "own")
    file.write_text(file.read_text() + json.dumps({"type": "case", "id": "odd", **line}) + "\n")
    with pytest.raises(TranscriptError, match="line 9"):
        read_files([file])


# Replay


def test_replayed_texts_come_by_name(tmp_path: Path) -> None:
    for replay in REPLAYS:
        (one,) = read_replays([replay.name])
        assert one.cases.name == f"{REPLAY_PREFIX}{replay.name}"
        assert one.source.licence == "MIT"
        assert count_replay(replay.name) == (len(one.cases.conversations), len(one.cases.cases))
        assert any(case.relevant for case in one.cases.cases)
    with pytest.raises(TrainingError, match="tales"):
        read_replays(["tales"])
    taken = Plan((planted_file(tmp_path, "replay-sequences"),), QUICK, replay=("sequences",))
    with pytest.raises(TrainingError, match="replay-sequences"):
        taken.read_sets(Heard())


def test_the_packed_scenarios_are_those_that_the_tools_make() -> None:
    (packed,) = read_replays(["scenarios"])
    assert packed.source.sha256 == make_training_set(replayed_scenarios()).source.sha256


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


@pytest.mark.usefixtures("little")
def test_a_seed_fixes_what_is_made_and_topics_that_measure_are_not_in_it(tmp_path: Path) -> None:
    file = planted_file(tmp_path)
    first, again, other = (pretraining_sets([file], seed=seed) for seed in (0, 0, 1))
    assert [each.source for each in first] == [each.source for each in again]
    same = {a.source.name for a, b in zip(first, other, strict=True) if a.source.sha256 == b.source.sha256}
    made = {"woven-topics", "scenarios-topics", "asked-again", "long-dialogues"}
    made |= {"short-subjects", "long-chats", "lengthened-answers"}
    assert {each.source.name for each in first} - same == made
    used = {
        turn.metadata["source"]
        for each in first
        for talk in each.cases.conversations.values()
        for turn in talk.turns
        if "source" in turn.metadata
    }
    training, held_out = ({talk.id for talk in written_talks(split)} for split in ("train", "test"))
    assert used <= training
    assert held_out
    assert not training & held_out


@pytest.mark.usefixtures("little")
def test_talks_of_the_files_are_woven_when_they_are_enough_and_keep_their_licence(tmp_path: Path) -> None:
    few = written(tmp_path, RelevanceSet("few", talks(3), ()), "few")
    enough = written(tmp_path, RelevanceSet("enough", talks(4), ()), "enough")
    names = {each.cases.name for each in pretraining_sets([few], seed=0)}
    assert not {"woven-talks", "scenarios-talks", "few"} & names
    made = {each.cases.name: each for each in pretraining_sets([enough], seed=0)}
    assert "enough" not in made
    for name in ("woven-talks", "scenarios-talks", "asked-again"):
        assert made[name].source.licence == "Apache-2.0 AND MIT", name
    assert made["woven-topics"].source.licence == "MIT"
    with pytest.raises(TrainingError, match="woven-topics"):
        pretraining_sets([planted_file(tmp_path, "woven-topics")], seed=0)


def test_from_scratch_a_gate_measures_what_it_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = [planted("own", conversations=30), planted("words", signal="word", conversations=30)]
    sets = [make_training_set(each) for each in made]
    monkeypatch.setattr(pretraining, "pretraining_sets", lambda files, *, seed, skip_bad: sets)
    versions, settings = Versions(tmp_path / "home"), replace(QUICK, epochs=1, episodes=8, cases=4)

    def train(preset: str) -> str:
        outcome = train_version(
            PretrainingPlan((), settings, preset=preset),
            encoder=small_encoder(),
            versions=versions,
            run=Run(tmp_path / preset),
            listener=Heard(),
            name=preset,
        )
        assert outcome.verdict is None
        assert outcome.version.card.parent is None
        return outcome.version.name

    gate = versions.get(train("full")).load()
    assert isinstance(gate.tiers, FullTiers)
    assert not torch.equal(gate.tiers.whitening.W, torch.eye(16))
    assert gate.tiers.standardise.usual.abs().sum() > 0
    assert versions.get(train("reference")).config.preset == "reference"
    with pytest.raises(GateError, match="huge"):
        train("huge")
