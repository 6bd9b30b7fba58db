"""Concurrent and killed writers of labels: nothing is lost, doubled or half stored."""

from __future__ import annotations

import json
import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

import convgate
from convgate.cli import main as cli
from convgate.core.settings import load_settings
from convgate.labels.exchange import keep_labels, read_labels
from convgate.labels.gold import gold_counts
from convgate.store import Conversations, CurrentKey, Labels, Store
from tests.label_files import labels_of

MESSAGES = [{"role": "user" if i % 2 == 0 else "assistant", "content": f"talk {i}"} for i in range(40)]


# From Python 3.12 on; the children call nothing that another thread could hold.
pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")

# A process of its own, with everything imported already: the tests are about its files and its end.
FORKED = multiprocessing.get_context("fork")


def open_store() -> Store:
    """The library; not before other processes were started, for a connection is no use in two of them."""
    return Store(load_settings().database)


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """A relevance set: one conversation, 780 answers."""
    lines: list[object] = [{"type": "conversation", "id": "t", "messages": MESSAGES}]
    lines += [
        {"type": "case", "id": f"c{turn}", "conversation": "t", "turn": turn, "relevant": [turn - 1]}
        for turn in range(1, 40)
    ]
    file = tmp_path / "labels.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))
    return file


def import_half(labels: Path, progress: Connection) -> None:
    store = open_store()
    labels_import = read_labels(labels_of(labels.read_bytes()), store, annotator="Ada")
    with store.write() as db:
        db.execute("PRAGMA cache_size = 5")  # pages: so that a part of it is in the file already
        saved = keep_labels(store, labels_import, by="Ada")
        progress.send((saved.changed, db.execute("SELECT count(*) FROM labels").fetchone()[0]))
        threading.Event().wait()


def test_a_process_killed_in_the_middle_of_an_import_leaves_nothing_of_it(labels: Path) -> None:
    here, there = FORKED.Pipe()
    killed = FORKED.Process(target=import_half, args=(labels, there))
    killed.start()
    try:
        assert here.poll(60)
        assert here.recv() == (780, 780), "it was in the middle of it"
    finally:
        killed.kill()
        killed.join()
        here.close()
        there.close()
    assert killed.exitcode == -signal.SIGKILL
    store = open_store()
    assert list(Labels(store).entries()) == []
    assert (Labels(store).annotators(), Conversations(store).find().total) == ([], 0)
    assert (
        keep_labels(
            store, read_labels(labels_of(labels.read_bytes()), store, annotator="Ada"), by="Ada"
        ).changed
        == 780
    )


def import_by_command(labels: Path) -> None:
    sys.argv = ["convgate", "labels", "import", str(labels), "--annotator", "Ada"]
    cli.main()


def send_feedback(source: str) -> None:
    conversation = [{"role": "assistant" if i % 2 else "user", "content": f"live {i}"} for i in range(20)]
    for turns in range(2, 20):
        convgate.feedback(conversation[:turns], 0, relevant=True, at=turns - 1, source=source)


def test_concurrent_imports_and_feedback_store_each_label_once(labels: Path) -> None:
    work: list[tuple[Callable[..., None], object]] = [
        (import_by_command, labels),
        (import_by_command, labels),
    ]
    work += [(send_feedback, "one"), (send_feedback, "two")]
    processes = [FORKED.Process(target=target, args=(sender,)) for target, sender in work]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0, 0, 0]
    store = open_store()
    assert Conversations(store).find().total == 2
    by_name = {one.name: one.answers for one in Labels(store).annotators()}
    assert by_name == {"Ada": 780, "one": 18, "two": 18}
    with store.read() as db:
        assert db.execute("SELECT count(*) FROM label_log").fetchone() == (780 + 36,), "each was stored once"
    assert gold_counts(store).messages == 39 + 18


def test_two_annotators_label_the_same_turns_in_two_threads(labels: Path) -> None:
    store = open_store()
    labels_import = read_labels(labels_of(labels.read_bytes()), store, annotator="Cy")
    keep_labels(store, labels_import, by="Cy")
    (conversation,) = labels_import.conversations
    place, both = CurrentKey(conversation.key, 39), threading.Barrier(2)

    def label(who: str) -> None:
        both.wait()
        for turn in range(39):
            Labels(store).answer(place, {turn: "relevant" if who == "Ada" else "unsure"}, by=who)
            if turn % 5 == 0:
                Labels(store).undo(who)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(label, ["Ada", "Bo"]))
    left = [turn for turn in range(39) if turn % 5]
    assert Labels(store).of(place).of("Ada") == dict.fromkeys(left, "relevant")
    assert Labels(store).of(place).of("Bo") == dict.fromkeys(left, "unsure")
