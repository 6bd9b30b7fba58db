"""What a gate is trained on: files and their licences, what is woven of them, and the written texts."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from convgate.conversation import Conversation
from convgate.errors import TranscriptError
from convgate.training import recipe
from convgate.training.corpora.registry import CORPORA
from convgate.training.errors import TrainingError
from convgate.training.recipe import pretraining_sets, read_sets
from convgate.training.texts import written_talks
from convgate.training.weaving import weave
from convgate.transcripts.relevance_sets import RelevanceSet, write_relevance_set
from tests.planted import planted, planted_file, with_cases
from tests.talks import a_talk


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


@pytest.fixture
def little(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes few conversations of each kind."""
    for name, count in (("WOVEN", 8), ("SCENARIOS", 6), ("HISTORIES", 2), ("LONG_DIALOGUES", 2)):
        monkeypatch.setattr(recipe, name, count)


# Files


def test_a_file_of_ones_own_has_no_licence_and_its_digest_is_the_files(tmp_path: Path) -> None:
    file = planted_file(tmp_path)
    (one,), talks = read_sets([file])
    assert talks == []
    assert one.cases.cases == planted().cases
    source = one.source
    assert (source.name, source.conversations, source.cases) == ("own", 8, 48)
    assert source.sha256 == hashlib.sha256(file.read_bytes()).hexdigest()
    assert (source.licence, source.attribution) == ("", "")


@pytest.mark.parametrize(
    ("ids", "corpus"),
    [("irc-2004-12-25.train-", "irc"), ("cast2020-", "cast"), ("tiage-train-", "tiage"), ("mtrag-", "mtrag")],
)
def test_a_corpus_is_known_by_its_conversations_whatever_the_file_is_called(
    tmp_path: Path, ids: str, corpus: str
) -> None:
    (one,), _ = read_sets([written(tmp_path, renamed(planted(), ids), "whatever")])
    assert (one.source.licence, one.source.attribution) == (CORPORA[corpus].licence, CORPORA[corpus].cite)


@pytest.mark.parametrize("name", ["irc", "mix.train", "castle", "locomo", "cast-iron", "tiage"])
def test_a_file_that_is_only_called_like_a_corpus_has_no_licence(tmp_path: Path, name: str) -> None:
    (one,), _ = read_sets([written(tmp_path, renamed(planted(), "cast-iron-pan-"), name)])
    assert (one.source.licence, one.source.attribution) == ("", "")


def test_what_was_woven_of_a_corpus_has_its_licence(tmp_path: Path) -> None:
    woven = weave([a_talk(f"mtrag-{number}") for number in range(5)], count=3, seed=0, name="mix")
    (one,), _ = read_sets([written(tmp_path, woven, "mix")])
    assert (one.source.licence, one.source.attribution) == ("Apache-2.0", "Rosenthal et al. (MTRAG-UN)")


def test_a_file_of_two_corpora_names_both(tmp_path: Path) -> None:
    parts = [renamed(planted(name), ids) for name, ids in (("a", "irc-"), ("b", "tiage-"))]
    files = [written(tmp_path, part, part.name) for part in parts]
    both = tmp_path / "both.jsonl"
    both.write_text("".join(file.read_text() for file in files))
    (one,), _ = read_sets([both])
    assert one.source.licence == "CC-BY-4.0 AND MIT"
    assert one.source.attribution == "Kummerfeld et al. 2019; Xie et al. 2021"


@pytest.mark.parametrize("cases", [True, False])
def test_what_may_not_be_trained_on_is_refused_under_any_name(tmp_path: Path, cases: bool) -> None:
    forbidden = renamed(planted("other", conversations=1), "locomo-conv-")
    parts = [planted(), forbidden if cases else with_cases(forbidden)]
    files = [written(tmp_path, part, f"part{number}") for number, part in enumerate(parts)]
    mine = tmp_path / "mine.jsonl"
    mine.write_text("".join(file.read_text() for file in files))
    with pytest.raises(TrainingError, match=r"mine\.jsonl: .*CC-BY-NC-4\.0; for measuring only"):
        read_sets([mine])


def test_conversations_without_cases_are_talks_to_weave(tmp_path: Path) -> None:
    sets, talks = read_sets([written(tmp_path, with_cases(planted()), "talks"), planted_file(tmp_path)])
    assert [one.cases.name for one in sets] == ["own"]
    assert [talk.id for talk in talks] == [f"own-{number}" for number in range(8)]


def test_two_files_of_one_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    for bare in (True, False):
        sets = with_cases(planted()) if bare else planted()
        files = [planted_file(tmp_path), written(tmp_path / "a", sets, "own")]
        with pytest.raises(TrainingError, match="two files are called own"):
            read_sets(files)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ({"conversation": "own-0", "turn": 4, "relevant": [4]}, r"line 9.*4 is not in the history"),
        ({"conversation": "own-0", "turn": 99, "relevant": []}, r"line 9.*turn 99"),
        ({"conversation": "elsewhere", "turn": 1, "relevant": []}, r"line 9.*no readable conversation"),
    ],
)
def test_a_bad_case_is_told_with_its_line(tmp_path: Path, line: dict[str, object], told: str) -> None:
    file = written(tmp_path, with_cases(planted()), "own")
    file.write_text(file.read_text() + json.dumps({"type": "case", "id": "odd", **line}) + "\n")
    with pytest.raises(TranscriptError, match=told):
        read_sets([file])


def test_an_empty_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(TranscriptError, match=r"empty\.jsonl"):
        read_sets([tmp_path / "empty.jsonl"])


# From scratch


@pytest.mark.usefixtures("little")
def test_a_seed_fixes_what_is_made(tmp_path: Path) -> None:
    file = planted_file(tmp_path)
    first, again, other = ([one.source for one in pretraining_sets([file], seed=seed)] for seed in (0, 0, 1))
    assert first == again
    same = [a.name for a, b in zip(first, other, strict=True) if a.sha256 == b.sha256]
    assert same == [
        "own",
        "chats.train",
        "personal",
        "dialogues.families",
        "dialogues.friends",
        "dialogues.pursuits",
        "sequences",
    ]


@pytest.mark.usefixtures("little")
def test_topics_that_measure_are_not_trained_on() -> None:
    made = pretraining_sets([], seed=0)
    assert [one.cases.name for one in made] == [
        *("woven-topics", "scenarios-topics", "asked-again", "long-dialogues"),
        *("chats.train", "short-subjects", "long-chats", "personal", "lengthened-answers"),
        *("dialogues.families", "dialogues.friends", "dialogues.pursuits", "sequences"),
    ]
    used = {
        turn.metadata["source"]
        for one in made
        for talk in one.cases.conversations.values()
        for turn in talk.turns
        if "source" in turn.metadata
    }
    training = {talk.id for talk in written_talks("train")}
    assert used <= training < {talk.id for talk in written_talks()}
    assert all(one.source.licence == "MIT" for one in made)


@pytest.mark.usefixtures("little")
def test_talks_of_the_files_are_woven_when_they_are_enough_and_keep_their_licence(tmp_path: Path) -> None:
    talks = [a_talk(f"mtrag-{number}") for number in range(4)]
    known = {talk.id: Conversation(talk.id, talk.turns, format="relevance-set") for talk in talks}
    enough = written(tmp_path, RelevanceSet("enough", known, ()), "enough")
    few = written(tmp_path, RelevanceSet("few", dict(list(known.items())[:3]), ()), "few")
    made = {one.cases.name: one for one in pretraining_sets([few], seed=0)}
    assert not {"woven-talks", "scenarios-talks", "few"} & made.keys()
    made = {one.cases.name: one for one in pretraining_sets([enough], seed=0)}
    assert "enough" not in made
    for name in ("woven-talks", "scenarios-talks", "asked-again"):
        assert made[name].source.licence == "Apache-2.0 AND MIT", name
    sources = {
        turn.metadata["source"]
        for talk in made["woven-talks"].cases.conversations.values()
        for turn in talk.turns
    }
    assert sources == known.keys()
    assert made["woven-topics"].source.licence == "MIT"


@pytest.mark.usefixtures("little")
def test_a_file_cannot_have_the_name_of_a_set_that_is_made(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="woven-topics is a set that convgate makes itself"):
        pretraining_sets([planted_file(tmp_path, "woven-topics")], seed=0)
