"""Several at once, and killed in the middle: nothing is lost or doubled, and nothing is left by halves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from convgate.labels.exchange import keep_labels, read_labels
from convgate.labels.gold import gold_counts
from convgate.settings import load_settings
from convgate.store import Conversations, Labels, SituationKey, Store

MESSAGES = [{"role": "user" if i % 2 == 0 else "assistant", "content": f"talk {i}"} for i in range(40)]


@pytest.fixture
def store() -> Store:
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


def started(code: str, *words: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *map(str, words)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_a_process_killed_in_the_middle_of_an_import_leaves_nothing_of_it(store: Store, labels: Path) -> None:
    killed = started(
        """
        import sys
        from pathlib import Path
        from convgate.labels.exchange import keep_labels, read_labels
        from convgate.settings import load_settings
        from convgate.store import Store

        store = Store(load_settings().database)
        found = read_labels(Path(sys.argv[1]), "labels.jsonl", store, annotator="Ada")
        with store.write() as db:
            db.execute("PRAGMA cache_size = 5")  # pages: so that a part of it is in the file already
            saved = keep_labels(store, found, by="Ada")
            print(saved.changed, db.execute("SELECT count(*) FROM labels").fetchone()[0], flush=True)
            sys.stdin.read()
        """,
        labels,
    )
    assert killed.stdin is not None
    assert killed.stdout is not None
    try:
        assert killed.stdout.readline().split() == ["780", "780"], "it was in the middle of it"
    finally:
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
        killed.stdin.close()
        killed.stdout.close()
    assert killed.returncode == -signal.SIGKILL
    assert list(Labels(store).entries()) == []
    assert (Labels(store).annotators(), Conversations(store).find().total) == ([], 0)
    assert keep_labels(store, read_labels(labels, "again", store, annotator="Ada"), by="Ada").changed == 780


def test_processes_that_import_and_tell_at_once_double_nothing(store: Store, labels: Path) -> None:
    importing = """
        import sys
        from convgate.cli.main import main
        sys.argv = ["convgate", "labels", "import", sys.argv[1], "--annotator", "Ada"]
        main()
        """
    telling = """
        import sys, convgate
        talk = [{"role": "assistant" if i % 2 else "user", "content": f"live {i}"} for i in range(20)]
        for turns in range(2, 20):
            convgate.feedback(talk[:turns], 0, relevant=True, at=turns - 1, source=sys.argv[1])
        """
    processes = [started(importing, labels), started(importing, labels)]
    processes += [started(telling, "one"), started(telling, "two")]
    for process in processes:
        out, _ = process.communicate()
        assert process.returncode == 0, out
    assert Conversations(store).find().total == 2
    by_name = {one.name: one.answers for one in Labels(store).annotators()}
    assert by_name == {"Ada": 780, "one": 18, "two": 18}
    with store.read() as db:
        assert db.execute("SELECT count(*) FROM label_log").fetchone() == (780 + 36,), "each was stored once"
    assert gold_counts(store).situations == 39 + 18


def test_two_annotators_label_the_same_turns_in_two_threads(store: Store, labels: Path) -> None:
    found = read_labels(labels, "labels", store, annotator="Cy")
    keep_labels(store, found, by="Cy")
    (talk,) = found.conversations
    place, both = SituationKey(talk.key, 39), threading.Barrier(2)

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
