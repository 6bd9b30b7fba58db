"""Removing for good: nothing in the data folder has the text any more, and everything else is as it was."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from convgate.conversation import Conversation, Turn
from convgate.embedding.cache import CACHE_FILE, CachedEncoder, content_hash
from convgate.errors import StoreError
from convgate.settings import load_settings
from convgate.store import (
    Conversations,
    DeletedConversation,
    Labels,
    NewConversation,
    SituationKey,
    Store,
)
from convgate.store.database import Store as OneFile
from convgate.store.openings import chain
from convgate.training import run_list
from convgate.training.errors import TrainingError
from convgate.training.library import RelevanceSets
from convgate.training.progress import OUTCOME, now
from convgate.training.removal import Copies, find_copies, remove_for_good
from convgate.training.report import REPORT, ItemReport, ReportedCase, item_report
from convgate.training.request import Request
from convgate.training.run_list import DATA, EMPTIED, LOG, TrainingRuns
from convgate.training.runs import locked
from convgate.training.sought import Sought
from convgate.training.starting import go_on
from convgate.transcripts.relevance_sets import Case, RelevanceSet, write_relevance_set
from tests.fakes import FakeEncoder

WORD = "zebrafish"  # of the conversation that goes, and of no other
OTHER = "albatross"
IDS = {WORD: "first", OTHER: "second"}


def talk(word: str) -> Conversation:
    said = [
        f"Where does a {word} sleep, and for how long each night?",
        f"A {word} sleeps in the reeds.",
        "Oh.",
    ]
    return Conversation(IDS[word], tuple(Turn.of("user", text) for text in said), title=f"The {word}")


def relevance_set(name: str, *conversations: Conversation) -> RelevanceSet:
    cases = tuple(Case(f"{one.id}-2", one.id, 2, None, frozenset({1})) for one in conversations)
    return RelevanceSet(name, {one.id: one for one in conversations}, cases)


def holding(home: Path, word: str) -> list[str]:
    """The files in the data folder that have the word, in either case, or in UTF-16."""
    files = [path for path in home.rglob("*") if path.is_file()]
    return [str(path.relative_to(home)) for path in files if word.encode() in path.read_bytes().lower()]


@dataclass
class Home:
    """A data folder in which one of two conversations is deleted, and copies of both are in many places."""

    folder: Path
    store: Store
    key: str  # of the one that is deleted

    def run(self, id: str, *conversations: Conversation, state: str = "done") -> Path:
        """A training that learned from them, with a report that quotes them."""
        folder = self.folder / "runs" / id
        (folder / DATA).mkdir(parents=True)
        file = folder / DATA / "my-labels.jsonl"
        write_relevance_set(relevance_set("my-labels", *conversations), file)
        Request(("train", str(file)), "first", ("my-labels",), started=now()).write(folder)
        (folder / OUTCOME).write_text(json.dumps({"state": state, "ran": 2, "version": "second"}))
        (folder / LOG).write_text("".join(f"bad line about {one.title}\n" for one in conversations))
        cases = [ReportedCase(f"{one.id}-2", one.id, 2) for one in conversations]
        rows = [(place, 1, True, 0.2, 0.8, False, True) for place in range(len(cases))]
        known = {one.id: one for one in conversations}
        item_report(cases, rows).with_texts(known, {}).write(folder)
        return folder


@pytest.fixture
def home(convgate_home: Path) -> Home:
    store = Store(load_settings().database)
    gone, kept = Conversations(store).add(NewConversation(talk(word)) for word in (WORD, OTHER))
    for added in (gone, kept):
        Labels(store).answer(SituationKey(added.key, 2), {0: "relevant"}, by="Ada")
    Conversations(store).delete([gone.key])
    return Home(convgate_home, store, gone.key)


def test_what_is_removed_for_good_is_nowhere_in_the_data_folder(home: Home) -> None:
    both = home.run("both", talk(WORD), talk(OTHER))
    other = home.run("other", talk(OTHER))
    (both / ".0123456789abcdef.partial").write_text(f"half a report about a {WORD}")
    sets = RelevanceSets(home.folder)
    for name, conversations in {"mixed": (WORD, OTHER), "alone": (WORD,), "others": (OTHER,)}.items():
        write_relevance_set(
            relevance_set(name, *map(talk, conversations)), sets.folder.parent / "given.jsonl"
        )
        sets.add(name, (sets.folder.parent / "given.jsonl").read_bytes())
    (sets.folder.parent / "given.jsonl").unlink()
    cache = CachedEncoder(FakeEncoder(8), home.folder / CACHE_FILE)
    texts = [turn.scored_text for word in (WORD, OTHER) for turn in talk(word).turns]
    cache.encode(texts)
    untouched = {path: path.read_bytes() for path in other.rglob("*") if path.is_file()}
    before = ItemReport.read(both)
    assert len(holding(home.folder, WORD)) > 6
    found = find_copies(home.folder, Conversations(home.store).deleted())
    assert found == Copies(("both",), ("alone", "mixed"))

    gone = remove_for_good(home.store, home.folder)

    assert (gone.conversations, gone.copies) == (1, found)
    assert holding(home.folder, WORD) == []
    assert find_copies(home.folder, Conversations(home.store).deleted()) == Copies()
    assert sets.names()[:2] == ["mixed", "others"]
    assert [case.conversation for case in sets.read("mixed").cases] == [IDS[OTHER]]
    after = ItemReport.read(both)
    assert after is not None
    assert before is not None
    assert np.array_equal(after.parent_score, before.parent_score), "figures stay"
    assert after.removed == {IDS[WORD]}
    assert after.texts[IDS[OTHER]] == before.texts[IDS[OTHER]]
    assert {path: path.read_bytes() for path in untouched} == untouched
    with closing(sqlite3.connect(home.folder / CACHE_FILE)) as db:
        left = {content for (content,) in db.execute("SELECT content FROM vectors")}
    assert left == {content_hash(text) for text in texts[3:5]}, "“Oh.” is said in both"
    assert len(Conversations(home.store).keys()) == 1
    assert holding(home.folder, OTHER)


def test_copies_are_known_by_what_was_said(home: Home) -> None:
    gone = talk(WORD)
    as_before = Conversation("old", gone.turns[:2])
    grown = Conversation("new", (*gone.turns, Turn.of("user", "And a heron, where does it sleep at night?")))
    reordered = Conversation("mix", tuple(Turn.of("assistant", turn.text) for turn in gone.turns[::-1]))
    rules = Turn.of("system", "Answer in one sentence, and be kind to everybody.")
    stranger = Conversation(
        "stranger", (rules, Turn.of("user", "Oh."), Turn.of("user", "Hello, who is there?"))
    )
    deleted = Conversations(home.store).deleted()
    assert [one.keys for one in deleted] == [{home.key}]
    known = {one.id: one for one in (as_before, grown, reordered, stranger)}
    assert Sought(deleted).among(known) == {"old", "new", "mix"}
    assert Sought(deleted).among({home.key: stranger}) == {home.key}, "by its name in the library, too"


def test_an_emptied_training_cannot_go_on_and_says_so(home: Home) -> None:
    home.run("stopped", talk(WORD), state="stopped")
    assert TrainingRuns(home.folder).get("stopped").can_go_on
    remove_for_good(home.store, home.folder)
    run = TrainingRuns(home.folder).get("stopped")
    assert (run.is_emptied, run.can_go_on, run.can_finish, run.epochs) == (True, False, False, 2)
    assert "cannot go on: what it learned from was removed" in run.message
    with pytest.raises(TrainingError, match="was emptied: what it learns from was removed"):
        go_on(home.folder, "stopped")


def test_nothing_is_removed_while_a_training_is_at_work_on_a_copy(home: Home) -> None:
    folder = home.run("one", talk(WORD))
    (folder / OUTCOME).unlink()
    before = holding(home.folder, WORD)
    with (
        locked(folder),
        pytest.raises(TrainingError, match=r"the training one is at work .* nothing was removed"),
    ):
        remove_for_good(home.store, home.folder)
    assert holding(home.folder, WORD) == before
    assert Conversations(home.store).find(deleted=True).total == 1


def test_what_cannot_be_read_is_told_and_stays_unless_a_copy_is_known_there(home: Home) -> None:
    for id, word in (("copy", WORD), ("copy-2", WORD), ("line", OTHER), ("report", OTHER), ("whole", OTHER)):
        folder = home.run(id, talk(word), state="stopped")
        if id.startswith(("copy", "line")):
            with (folder / DATA / "my-labels.jsonl").open("a") as file:
                file.write('{"type": "case", "id": "q", "conversation": "gone", "turn": 1, "relevant": []}\n')
        if id in ("copy", "report"):
            (folder / REPORT).write_text("{")
    sets = home.folder / "sets"
    sets.mkdir()
    (sets / "bad.jsonl").write_text("{")
    runs = home.folder / "runs"
    others = [path for path in runs.rglob("*") if path.is_file() and "copy" not in str(path)]
    before = {path: path.read_bytes() for path in others}
    found = remove_for_good(home.store, home.folder).copies
    assert (set(found.runs), set(found.unread_runs)) == ({"copy", "copy-2"}, {"line", "report"})
    assert (found.sets, found.unread) == ((), ("bad",))
    assert holding(home.folder, WORD) == []
    assert not (runs / "copy" / REPORT).exists()
    assert {path: path.read_bytes() for path in others} == before
    assert all(TrainingRuns(home.folder).get(id).can_go_on for id in ("line", "report", "whole"))
    assert (sets / "bad.jsonl").read_text() == "{"


def test_a_damaged_conversation_goes_with_the_others_and_copies_under_its_key(home: Home) -> None:
    (kept,) = Conversations(home.store).keys()
    Conversations(home.store).delete([kept])
    with home.store.write() as db:
        db.execute(
            "UPDATE documents SET document = '{' WHERE number ="
            " (SELECT number FROM conversations WHERE key = ?)",
            [home.key],
        )
    home.run("one", replace(talk(WORD), id=home.key))
    home.run("two", talk(WORD))
    gone = remove_for_good(home.store, home.folder)
    assert (gone.conversations, gone.copies.runs, gone.copies.damaged) == (2, ("one",), 1)
    assert Conversations(home.store).find(deleted=True).total == 0


def test_each_conversation_is_looked_at_once_and_not_once_for_each_deleted_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looks = 0

    class Looked(list[bytes]):
        def __getitem__(self, place: Any) -> Any:
            nonlocal looks
            looks += 1
            return super().__getitem__(place)

    def talks(who: str) -> list[Conversation]:
        return [Conversation(f"{who}-{one}", (Turn.of("user", f"{who} said {one}"),)) for one in range(20)]

    monkeypatch.setattr("convgate.training.sought.chain", lambda turns: Looked(chain(turns)))
    sought = Sought([DeletedConversation(frozenset({one.id}), one) for one in talks("she")])
    assert sought.among({one.id: one for one in talks("he")}) == set()
    assert 20 <= looks <= 60


class KilledError(Exception):
    """The process ends here."""


@pytest.mark.parametrize(
    ("where", "name"),
    [
        ("convgate.training.run_list.shutil", "rmtree"),
        ("convgate.training.removal.ItemReport", "write"),
        ("convgate.training.removal.RelevanceSets", "leave_out"),
        ("convgate.training.removal", "forget"),
        ("convgate.training.removal.Conversations", "purge"),
    ],
)
def test_after_a_kill_in_the_middle_the_same_removes_the_rest(
    home: Home, monkeypatch: pytest.MonkeyPatch, where: str, name: str
) -> None:
    home.run("one", talk(WORD), talk(OTHER))
    sets = RelevanceSets(home.folder)
    write_relevance_set(relevance_set("mixed", talk(WORD), talk(OTHER)), home.folder / "given.jsonl")
    sets.add("mixed", (home.folder / "given.jsonl").read_bytes())
    (home.folder / "given.jsonl").unlink()

    def killed(*words: object, **named: object) -> None:
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(f"{where}.{name}", killed)
        with pytest.raises(KilledError):
            remove_for_good(home.store, home.folder)
    assert Conversations(home.store).find(deleted=True).total == 1
    remove_for_good(home.store, home.folder)
    assert holding(home.folder, WORD) == []
    report = ItemReport.read(home.folder / "runs" / "one")
    assert report is not None
    assert report.texts.keys() == {IDS[OTHER]}


def test_traces_that_another_program_holds_on_to_are_told(home: Home) -> None:
    Conversations(home.store).rename(next(iter(Conversations(home.store).keys())), "Another")
    impatient = OneFile(home.store.path, busy_timeout=0.05)
    with closing(sqlite3.connect(home.store.path)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM documents").fetchall()
        with pytest.raises(StoreError, match=r"another program uses the database .* until every program"):
            Conversations(impatient).purge()
    assert Conversations(home.store).find(deleted=True).total == 0
    impatient.close()
    home.store.close()
    assert holding(home.folder, WORD) == []


# What a kill leaves of a run that is being deleted, or a set that is being added


@pytest.mark.parametrize("step", ["rename", "rmtree"])
def test_a_run_whose_deletion_was_cut_short_is_whole_or_swept(
    home: Home, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    folder = home.run("one", talk(WORD))
    listed = TrainingRuns(home.folder)

    def killed(path: Path, *words: object, **named: object) -> None:
        if step == "rmtree":
            (path / OUTCOME).unlink()  # it got so far
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(*{"rename": (Path, "rename"), "rmtree": (run_list.shutil, "rmtree")}[step], killed)
        with pytest.raises(KilledError):
            listed.delete("one")
    if step == "rename":
        assert listed.get("one").state == "done"
        assert (folder / REPORT).exists()
        return
    assert listed.all() == []
    assert len(list(listed.folder.iterdir())) == 1
    listed.sweep()
    assert list(listed.folder.iterdir()) == []


def test_a_run_whose_files_stay_is_off_the_list_and_they_are_named(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.run("one", talk(WORD))
    listed = TrainingRuns(home.folder)
    with monkeypatch.context() as patch:
        patch.setattr(run_list.shutil, "rmtree", lambda *words, **named: None)
        with pytest.raises(TrainingError, match=r"off the list, but not all of its files .*\.deleted"):
            listed.delete("one")
    listed.sweep()
    assert list(listed.folder.iterdir()) == []


def test_an_emptied_run_that_a_kill_left_half_is_emptied_at_the_start(home: Home) -> None:
    folder = home.run("one", talk(WORD))
    (folder / EMPTIED).touch()
    other = home.run("two", talk(WORD))
    TrainingRuns(home.folder).sweep()
    assert not (folder / DATA).exists()
    assert not (folder / LOG).exists()
    assert (other / DATA).exists()


def test_a_run_that_was_not_yet_whole_is_listed_and_can_be_deleted(home: Home) -> None:
    (home.folder / "runs" / "half" / DATA).mkdir(parents=True)
    (home.folder / "runs" / "half" / DATA / "my-labels.jsonl").write_text(f'{{"half": "{WORD}')
    (run,) = TrainingRuns(home.folder).all()
    assert (run.state, run.can_go_on) == ("interrupted", False)
    TrainingRuns(home.folder).delete("half")
    assert holding(home.folder / "runs", WORD) == []


@pytest.mark.parametrize("step", ["write_whole", "read_relevance_set"])
def test_a_set_that_was_being_added_when_a_kill_came_is_swept(
    home: Home, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    sets = RelevanceSets(home.folder)
    write_relevance_set(relevance_set("one", talk(WORD)), home.folder / "given.jsonl")
    content = (home.folder / "given.jsonl").read_bytes()
    (home.folder / "given.jsonl").unlink()
    real: Callable[..., object] = getattr(__import__("convgate.training.library", fromlist=[step]), step)

    def killed(*words: object, **named: object) -> None:
        real(*words, **named)
        raise KilledError

    with monkeypatch.context() as patch:
        patch.setattr(f"convgate.training.library.{step}", killed)
        patch.setattr("convgate.training.library.shutil.rmtree", lambda *words, **named: None)
        with pytest.raises(KilledError):
            sets.add("one", content)
    assert len(holding(home.folder / "sets", WORD)) == 1
    assert "one" not in sets.names()
    sets.sweep()
    assert holding(home.folder / "sets", WORD) == []
    assert sets.add("one", content).cases == 1


def test_where_there_is_nothing_to_sweep_nothing_is_made(tmp_path: Path) -> None:
    TrainingRuns(tmp_path).sweep()
    RelevanceSets(tmp_path).sweep()
    shutil.rmtree(tmp_path / "nowhere", ignore_errors=True)
    assert list(tmp_path.iterdir()) == []
