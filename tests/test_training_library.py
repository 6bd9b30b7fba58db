"""The person's relevance sets: what is kept, what is refused, and that a list reads nothing twice."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from convgate.errors import TranscriptError
from convgate.training import library
from convgate.training.library import SAMPLES, RelevanceSets
from convgate.transcripts.relevance_sets import read_relevance_set
from tests.planted import planted_file

TALK: dict[str, object] = {
    "type": "conversation",
    "id": "talk",
    "messages": [{"role": "user", "content": "a"}] * 4,
}


def lines(*cases: dict[str, object], talk: dict[str, object] = TALK) -> bytes:
    about = [{"type": "case", "conversation": talk["id"], "turn": 3, **case} for case in cases]
    return "\n".join(json.dumps(line) for line in (talk, *about)).encode()


GOOD = lines({"id": "1", "relevant": [0]}, {"id": "2", "relevant": [], "judged": [1]})


@pytest.fixture
def sets(convgate_home: Path) -> RelevanceSets:
    return RelevanceSets(convgate_home)


def kept(sets: RelevanceSets) -> list[str]:
    return sorted(path.name for path in sets.folder.iterdir() if path.name != ".lock")


def test_a_set_is_kept_as_it_came_and_read_by_its_name(sets: RelevanceSets) -> None:
    info = sets.add("mine", GOOD)
    assert (info.name, info.conversations, info.cases, info.judged, info.relevant) == ("mine", 1, 2, 4, 1)
    assert (info.licence, info.may_train, info.is_own, info.problem) == ("", True, True, "")
    assert sets.path("mine").read_bytes() == GOOD
    assert sets.read("mine").name == "mine"
    assert sets.names() == ["mine", SAMPLES]


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (lines({"id": "1", "relevant": [9]}), r"^mine\.jsonl, line 2, field 'relevant\[0\]': 9 is not in"),
        (b"{", r"^mine\.jsonl, line 1: not valid JSON"),
        (b"", r"mine\.jsonl"),
        (lines(), r"^mine\.jsonl: it holds no cases"),
    ],
)
def test_what_cannot_be_read_is_not_kept(sets: RelevanceSets, content: bytes, complaint: str) -> None:
    with pytest.raises(TranscriptError, match=complaint):
        sets.add("mine", content)
    assert kept(sets) == []


def test_a_set_is_never_overwritten_unless_told(sets: RelevanceSets) -> None:
    sets.add("mine", GOOD)
    other = lines({"id": "1", "relevant": []})
    with pytest.raises(TranscriptError, match="there is a relevance set 'mine' already"):
        sets.add("mine", other)
    assert sets.path("mine").read_bytes() == GOOD
    with pytest.raises(TranscriptError, match="line 1"):
        sets.add("mine", b"{", replace=True)
    assert sets.path("mine").read_bytes() == GOOD
    assert sets.add("mine", other, replace=True).cases == 1
    assert kept(sets) == ["mine.jsonl"]


@pytest.mark.parametrize("name", ["../out", "", "Mine", "a/b", "con", SAMPLES, "x" * 65, ".hidden"])
def test_a_name_never_leads_out_of_the_folder(sets: RelevanceSets, name: str) -> None:
    with pytest.raises(TranscriptError, match="cannot name a relevance set"):
        sets.add(name, GOOD)
    assert not sets.folder.exists()
    if name != SAMPLES:
        with pytest.raises(TranscriptError, match="there is no relevance set"):
            sets.path(name)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("Labels of Ada.jsonl", "labels-of-ada"),
        ("samples.jsonl", "samples-2"),
        ("mine.jsonl", "mine-2"),
        ("§§§.jsonl", "set"),
        ("con.json", "set"),
        (f"{'x' * 80}.jsonl", "x" * 60),
    ],
)
def test_an_upload_gets_a_free_name(sets: RelevanceSets, file: str, name: str) -> None:
    sets.add("mine", GOOD)
    assert sets.free_name(file) == name
    sets.add(name, GOOD)


def test_a_deleted_set_is_gone_and_the_samples_stay(sets: RelevanceSets) -> None:
    sets.add("mine", GOOD)
    sets.delete("mine")
    assert sets.names() == [SAMPLES]
    with pytest.raises(TranscriptError, match="there is no relevance set 'mine'"):
        sets.delete("mine")
    with pytest.raises(TranscriptError, match="'samples' comes with convgate and stays"):
        sets.delete(SAMPLES)
    assert sets.info(SAMPLES).cases == len(read_relevance_set(sets.path(SAMPLES)).cases) > 0
    assert (sets.info(SAMPLES).licence, sets.info(SAMPLES).is_own) == ("MIT", False)


def test_a_list_reads_each_file_once_and_again_when_it_changed(
    sets: RelevanceSets, monkeypatch: pytest.MonkeyPatch
) -> None:
    sets.add("mine", GOOD)
    reads = []

    def counting(path: Path) -> object:
        reads.append(path.name)
        return read_relevance_set(path)

    sets.infos()
    monkeypatch.setattr(library, "read_relevance_set", counting)
    sets.infos()
    assert reads == []
    file = sets.path("mine")
    file.write_bytes(lines({"id": "1", "relevant": [0]}))
    os.utime(file, ns=(1, 1))
    assert next(info.cases for info in sets.infos()) == 1
    assert reads == ["mine.jsonl"]


def test_a_file_that_went_bad_is_listed_with_its_problem(sets: RelevanceSets, tmp_path: Path) -> None:
    sets.add("mine", GOOD)
    sets.path("mine").write_bytes(b"{")
    (sets.folder / "Not A Name.jsonl").write_bytes(GOOD)
    mine, _ = sets.infos()
    assert mine.problem.startswith("mine.jsonl, line 1: not valid JSON")
    assert (mine.cases, mine.may_train) == (0, False)


def test_licences_are_those_of_the_corpora_that_are_in_it(sets: RelevanceSets) -> None:
    irc = sets.add("a", lines({"id": "1", "relevant": [0]}, talk={**TALK, "id": "irc-1"}))
    assert (irc.licence, irc.attribution, irc.may_train) == ("CC-BY-4.0", "Kummerfeld et al. 2019", True)
    locomo = sets.add("b", lines({"id": "1", "relevant": [0]}, talk={**TALK, "id": "locomo-1"}))
    assert not locomo.may_train
    assert "for measuring only" in locomo.terms


def test_a_full_disk_keeps_what_was_there(sets: RelevanceSets, monkeypatch: pytest.MonkeyPatch) -> None:
    sets.add("mine", GOOD)

    def refuse(path: Path, content: bytes, *, private: bool) -> None:
        path.write_bytes(content[:5])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(library, "write_whole", refuse)
    with pytest.raises(TranscriptError, match="the set 'two' cannot be kept: No space left on device"):
        sets.add("two", GOOD)
    assert kept(sets) == ["mine.jsonl"]


def test_a_set_made_by_a_command_can_be_put_there_by_hand(sets: RelevanceSets) -> None:
    sets.folder.mkdir(parents=True)
    planted_file(sets.folder, "own")
    assert sets.info("own").cases == 48


def test_the_folder_of_a_set_is_synchronised_after_each_change(
    sets: RelevanceSets, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders: list[Path] = []
    monkeypatch.setattr(library, "sync_folder", folders.append)

    sets.add("mine", GOOD)
    sets.leave_out("mine", ["other"])

    assert folders == [sets.folder, sets.folder]
