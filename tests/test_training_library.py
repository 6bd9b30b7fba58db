"""Stored relevance sets: adding, replacing, refusing, removing."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TrainingError, TranscriptError
from convgate.core.settings import load_settings
from convgate.embedding.cache import CACHE_FILE, CachedEncoder, content_hash
from convgate.store import Conversations, CurrentKey, Labels, NewConversation, Store
from convgate.training import library
from convgate.training.data_removal import Copies, find_copies, remove_for_good
from convgate.training.library import SAMPLES, RelevanceSets
from convgate.training.process import resume_training
from convgate.training.records import Ended, RunRequest, Status
from convgate.training.run import DATA, LOG, Run, Runs
from convgate.transcripts.cases import Case, RelevanceSet
from convgate.transcripts.relevance_sets import write_relevance_set
from tests.fakes import FakeEncoder
from tests.planted_sets import write_record
from tests.processes import fork, needs_fork

CONVERSATION: dict[str, object] = {
    "type": "conversation",
    "id": "talk",
    "messages": [{"role": "user", "content": "a"}] * 4,
}


def lines(*cases: dict[str, object], conversation: dict[str, object] = CONVERSATION) -> bytes:
    about = [{"type": "case", "conversation": conversation["id"], "turn": 3, **case} for case in cases]
    return "\n".join(json.dumps(line) for line in (conversation, *about)).encode()


GOOD = lines({"id": "1", "relevant": [0]}, {"id": "2", "relevant": [], "judged": [1]})


@pytest.fixture
def sets(convgate_home: Path) -> RelevanceSets:
    return RelevanceSets(convgate_home)


def set_files(sets: RelevanceSets) -> list[str]:
    return sorted(path.name for path in sets.folder.iterdir() if path.name != ".lock")


def test_a_set_is_kept_as_it_came_and_read_by_its_name(sets: RelevanceSets) -> None:
    info = sets.add("mine", GOOD)
    assert (info.name, info.conversations, info.cases, info.judged, info.relevant) == ("mine", 1, 2, 4, 1)
    assert (info.licence, info.may_train, info.problem) == ("", True, "")
    assert sets.path("mine").read_bytes() == GOOD
    assert sets.read("mine").name == "mine"
    assert sets.names() == ["mine", SAMPLES]


def test_a_set_is_not_overwritten(sets: RelevanceSets) -> None:
    sets.add("mine", GOOD)
    with pytest.raises(TranscriptError, match="mine"):
        sets.add("mine", lines({"id": "1", "relevant": []}))
    with pytest.raises(TranscriptError, match="line 1"):
        sets.add("other", b"{")
    assert sets.path("mine").read_bytes() == GOOD
    assert set_files(sets) == ["mine.jsonl"]


@pytest.mark.parametrize("name", ["../out", "", "Mine", "a/b", "con", SAMPLES, "x" * 65, ".hidden"])
def test_a_name_never_leads_out_of_the_folder(sets: RelevanceSets, name: str) -> None:
    with pytest.raises(TranscriptError, match="name"):
        sets.add(name, GOOD)
    assert not sets.folder.exists()
    if name != SAMPLES:
        with pytest.raises(TranscriptError):
            sets.path(name)


def test_licences_are_those_of_the_corpora_that_are_in_it(sets: RelevanceSets) -> None:
    irc = sets.add("a", lines({"id": "1", "relevant": [0]}, conversation={**CONVERSATION, "id": "irc-1"}))
    assert (irc.licence, irc.attribution, irc.may_train) == ("CC-BY-4.0", "Kummerfeld et al. 2019", True)
    locomo = sets.add(
        "b", lines({"id": "1", "relevant": [0]}, conversation={**CONVERSATION, "id": "locomo-1"})
    )
    assert not locomo.may_train


def test_a_full_disk_keeps_what_was_there(sets: RelevanceSets, monkeypatch: pytest.MonkeyPatch) -> None:
    sets.add("mine", GOOD)

    def refuse(path: Path, content: bytes, *, private: bool) -> None:
        path.write_bytes(content[:5])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(library, "write_whole", refuse)
    with pytest.raises(TranscriptError, match="No space left on device"):
        sets.add("two", GOOD)
    assert set_files(sets) == ["mine.jsonl"]


# Removing for good

WORD, OTHER = "zebrafish", "albatross"  # of the conversation that is removed, and of no other
IDS = {WORD: "first", OTHER: "second"}


def conversation(word: str) -> Conversation:
    texts = [f"Where does a {word} sleep?", f"A {word} sleeps in the reeds.", "Oh."]
    return Conversation(IDS[word], tuple(Turn.of("user", text) for text in texts))


def relevance_set(name: str, *conversations: Conversation) -> RelevanceSet:
    cases = tuple(Case(f"{each.id}-1", each.id, 1, None, frozenset({0})) for each in conversations)
    return RelevanceSet(name, {each.id: each for each in conversations}, cases)


def files_with(home: Path, word: str) -> list[str]:
    """The files in the data folder that have the word."""
    files = [path for path in home.rglob("*") if path.is_file()]
    return [str(path.relative_to(home)) for path in files if word.encode() in path.read_bytes().lower()]


def add_run(home: Path, id: str, *conversations: Conversation, state: Ended = "done") -> Run:
    """A training that learned from them, with a log that quotes them."""
    run = Run(home / "runs" / id)
    (run.folder / DATA).mkdir(parents=True)
    file = run.folder / DATA / "my-labels.jsonl"
    write_relevance_set(relevance_set("my-labels", *conversations), file)
    run.write_request(RunRequest(("train", str(file)), "first", ("my-labels",)))
    run.write_status(Status(ended=state, result={"version": "second"}))
    write_record(run, epochs=2)
    (run.folder / LOG).write_text("".join(f"bad line: {each.turns[0].text}\n" for each in conversations))
    return run


@pytest.fixture
def store(convgate_home: Path) -> Store:
    """The library: one of two conversations is deleted."""
    store = Store(load_settings().database)
    removed, kept = Conversations(store).add(NewConversation(conversation(word)) for word in (WORD, OTHER))
    for added in (removed, kept):
        Labels(store).answer(CurrentKey(added.key, 1), {0: "relevant"}, by="Ada")
    Conversations(store).delete([removed.key])
    return store


def test_erased_text_is_nowhere_in_the_data_folder(
    convgate_home: Path, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = convgate_home
    monkeypatch.setenv("CONVGATE_GATEKEEPER_DEBUG_LOG", str(home / "debug.jsonl"))
    for name in ("debug.jsonl", "debug.jsonl.1"):
        (home / name).write_text(WORD)
    stopped = add_run(home, "stopped", conversation(WORD), conversation(OTHER), state="stopped")
    other = add_run(home, "other", conversation(OTHER), state="stopped")
    sets = RelevanceSets(home)
    beginning = replace(conversation(WORD), id="begun", turns=conversation(WORD).turns[:2])
    for name, conversations in {
        "mixed": (beginning, conversation(OTHER)),
        "alone": (conversation(WORD),),
    }.items():
        write_relevance_set(relevance_set(name, *conversations), tmp_path / "given.jsonl")
        sets.add(name, (tmp_path / "given.jsonl").read_bytes())
    left = sets.folder / ".0123456789abcdef.partial"
    left.mkdir()
    (left / "killed.jsonl").write_text(WORD)
    cache = CachedEncoder(FakeEncoder(8), home / CACHE_FILE)
    part = f"Where does a {WORD}"  # a turn with a word hidden, which is encoded too
    cache.encode([part, *(turn.scored_text for word in (WORD, OTHER) for turn in conversation(word).turns)])
    copies = find_copies(home, Conversations(store).deleted())
    assert (set(copies.runs), copies.sets) == ({"stopped"}, ("alone", "mixed"))
    untouched = {path: path.read_bytes() for path in other.folder.rglob("*") if path.is_file()}

    removal = remove_for_good(store, load_settings())

    assert (removal.conversations, removal.copies) == (1, copies)
    assert files_with(home, WORD) == []
    for file in home.glob(f"{CACHE_FILE}*"):
        assert content_hash(part) not in file.read_bytes()
    assert find_copies(home, Conversations(store).deleted()) == Copies()
    assert sets.names()[:1] == ["mixed"]
    assert list(sets.read("mixed").conversations) == [IDS[OTHER]]
    assert {path: path.read_bytes() for path in untouched} == untouched
    run = Runs(home).get("stopped")
    assert (run.can_resume, run.epochs) == (False, 2)
    with pytest.raises(TrainingError):
        resume_training(home, "stopped")
    assert stopped.folder.exists()
    assert Runs(home).get("other").can_resume
    assert len(Conversations(store).keys()) == 1


def test_a_copy_in_a_set_with_a_bad_line_is_removed_with_the_line(convgate_home: Path, store: Store) -> None:
    sets = RelevanceSets(convgate_home)
    sets.folder.mkdir()
    file = sets.folder / "mixed.jsonl"
    write_relevance_set(relevance_set("mixed", conversation(WORD), conversation(OTHER)), file)
    file.write_bytes(file.read_bytes() + f'{{"type": "conversation", "id": "{WORD}"}}\n'.encode())
    add_run(convgate_home, "one", conversation(WORD))

    remove_for_good(store, load_settings())

    assert files_with(convgate_home, WORD) == []
    assert list(sets.read("mixed").conversations) == [IDS[OTHER]]


def test_nothing_is_removed_while_a_training_uses_a_copy(convgate_home: Path, store: Store) -> None:
    run = add_run(convgate_home, "one", conversation(WORD))
    run.write_status(Status("Epoch 1"))
    before = files_with(convgate_home, WORD)
    with run.lock(), pytest.raises(TrainingError, match="one"):
        remove_for_good(store, load_settings())
    assert files_with(convgate_home, WORD) == before
    assert len(Conversations(store).keys(deleted=True)) == 1


@needs_fork
@pytest.mark.parametrize("moment", [1, 2])
def test_after_a_kill_in_the_middle_the_rest_is_removed(
    convgate_home: Path, store: Store, tmp_path: Path, moment: int
) -> None:
    add_run(convgate_home, "one", conversation(WORD))
    add_run(convgate_home, "two", conversation(WORD))

    def remove_and_die() -> None:
        original, calls = Path.unlink, []

        def unlink(self: Path, missing_ok: bool = False) -> None:
            calls.append(self)
            if len(calls) == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            original(self, missing_ok=missing_ok)

        Path.unlink = unlink
        remove_for_good(store, load_settings())

    assert fork(remove_and_die, output=tmp_path / "said.txt").wait() == -signal.SIGKILL
    assert len(Conversations(store).keys(deleted=True)) == 1
    remove_for_good(store, load_settings())
    assert files_with(convgate_home, WORD) == []
