"""Hundreds of damaged databases, and writers that are killed."""

from __future__ import annotations

import os
import random
import re
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import ConvgateError
from convgate.core.settings import Settings
from convgate.experiments.arms import load_experiment
from convgate.experiments.report import report as report_experiment
from convgate.experiments.trials import assign_session, next_trial, rate_trial
from convgate.guardrails.report import report
from convgate.guardrails.request import Fallback
from convgate.guardrails.rules import set_baseline
from convgate.labels.agreement import agreement
from convgate.labels.exchange import write_labels
from convgate.labels.gold import gold_counts
from convgate.rollouts.phases import PHASES
from convgate.rollouts.rollout import Rollout
from convgate.sessions import SessionManager
from convgate.store import Conversations, CurrentKey, Labels, NewConversation, Store
from convgate.store.edits import InvariantEdit, InvariantEdits, MovedBoundaries, MovedBoundary
from convgate.store.experiments import Experiments
from convgate.store.queues import NewItem, Queues
from convgate.store.requests import Requests
from convgate.store.sessions import Sessions
from tests.experiments import CONTROL, GATE, add_trials, new_experiment, rating
from tests.guardrails import logged_request
from tests.processes import fork, needs_fork
from tests.stores import real_migrations  # noqa: F401 (autouse)

pytestmark = pytest.mark.slow

DATABASES = 300


NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
MODES = ("TASK", "GENERAL")


def conversation(name: str, turns: int = 12) -> NewConversation:
    talk = tuple(
        Turn.of(("user", "assistant")[index % 2], f"{name}: message {index} about oases " * 4)
        for index in range(turns)
    )
    return NewConversation(Conversation(name, talk, title=f"Talk {name}"), f"{name}.json", tokens=100)


def request(number: int) -> dict[str, Any]:
    return logged_request(
        number, NOW - timedelta(minutes=number), MODES[number % 2],
        fallbacks=(Fallback("drift", ""),) if number % 7 == 0 else (),
        arm=("candidate", "control", None)[number % 3], session=str(number // 9),
    )  # fmt: skip


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, list[str]]:
    """A small library with something in every table: the content of its file, the keys of conversations."""
    path = tmp_path_factory.mktemp("library") / "convgate.db"
    store = Store(path)
    keys = [one.key for one in Conversations(store).add(conversation(name) for name in "abcdefgh")]
    labels, queues = Labels(store), Queues(store)
    for place, key in enumerate(keys):
        current = CurrentKey(key, 10)
        labels.answer(current, {0: "relevant", 3: "not_relevant"}, by="Ada")
        labels.answer(current, {0: "not_relevant", 3: "not_relevant"}, by="Bo")
        queues.add(f"Queue {place}", [NewItem(current, 5, "audit", "drawn")], by="Ada", seed=1)
        InvariantEdits(store).change(key, {2: [InvariantEdit(text="No network", type="hard_constraint")]})
        MovedBoundaries(store).change(key, {4: MovedBoundary("session", NOW)})
    labels.adjudicate(CurrentKey(keys[0], 10), {0: "relevant"}, by="Ada")
    Conversations(store).delete(keys[-1:])
    manager = SessionManager(store, clock=lambda: NOW)
    for hour in range(6):
        manager.detect("continue with the oases", at=NOW - timedelta(hours=3 * (6 - hour)))
        manager.add_conversation(keys[hour])
    Requests(store).add(map(request, range(200)))
    Requests(store).record_outcomes([(f"r{number}", number % 3 > 0) for number in range(60)], NOW)
    pilot = new_experiment(store)
    for arm in (CONTROL, GATE):
        assign_session(store, pilot, arm)
        for trial in add_trials(store, pilot, arm, 6):
            rate_trial(store, pilot, rating(trial, "Ada", True, "hallucination"))
    next_trial(store, replace(pilot, shared_raters=False), "Ada")
    rollout = Rollout(store, Settings(), clock=lambda: NOW - timedelta(hours=3))
    rollout.start("new weights", owners=["Ada", "Bo", "Ada", "Bo"])
    for number in range(200):
        rollout.arm(f"session {number}")
    rollout.set_item(PHASES[0].checklist[0], who="Ada")
    rollout.advance(who="Ada", reason="No error so far.")
    settings = Settings(guard={"drift_min_requests": 9})
    set_baseline(store, settings, NOW - timedelta(hours=4), NOW, NOW)
    store.check()
    store.close()
    return path.read_bytes(), keys


def flip_bits(content: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice([1, 5, 50])):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)


def zero_pages(content: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice([1, 3, 40])):
        page = 4096 * chance.randrange(len(content) // 4096)
        content[page : page + 4096] = bytes(4096)


def swap_pages(content: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice([1, 3, 40])):
        one, two = (4096 * chance.randrange(1, len(content) // 4096) for _ in range(2))
        content[one : one + 4096], content[two : two + 4096] = (
            content[two : two + 4096],
            content[one : one + 4096],
        )


def truncate(content: bytearray, chance: random.Random) -> None:
    del content[chance.randrange(1, len(content)) :]


def with_other_header(content: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice([1, 4])):
        content[chance.randrange(16, 100)] = chance.randrange(256)


def with_other_text(content: bytearray, chance: random.Random) -> None:
    """Times and JSON: whatever they say, they are rows to SQLite."""
    _overwrite(content, chance, rb'2026-\d\d-\d\dT[\d:.+]+|\[?\{"[^\0]{1,80}|\["[^\0]{1,40}')


def with_other_schema(content: bytearray, chance: random.Random) -> None:
    _overwrite(content, chance, rb"CREATE (TABLE|INDEX|UNIQUE|TRIGGER|VIEW|VIRTUAL)[^\0]{20,400}")


def _overwrite(content: bytearray, chance: random.Random, pattern: bytes) -> None:
    matches = list(re.finditer(pattern, bytes(content)))
    for match in chance.sample(matches, min(len(matches), chance.choice([1, 5, 50]))):
        content[chance.randrange(*match.span())] = chance.choice(b'\xff\x00x"9')


DAMAGE = [flip_bits, zero_pages, swap_pages, truncate, with_other_header, with_other_text, with_other_schema]


def operations(store: Store, keys: list[str]) -> dict[str, Callable[[], object]]:
    """What pages and commands do with a library, by name."""
    library, labels, queues = Conversations(store), Labels(store), Queues(store)

    def each(does: Callable[[str], object]) -> Callable[[], object]:
        return lambda: [does(key) for key in keys]

    def work_on_queues() -> None:
        for queue in queues.names():
            queues.next_item(queue, "Ada")
            queues.progress(queue, "Ada")

    def look_at_sessions() -> None:
        for session in Sessions(store).recent():
            Sessions(store).conversations(session.id)

    def label(key: str) -> None:
        labels.of(CurrentKey(key, 10))
        labels.answer(CurrentKey(key, 10), {1: "relevant"}, by="Ada")
        labels.undo("Ada")

    def boundaries(key: str) -> None:
        MovedBoundaries(store).of(key)
        MovedBoundaries(store).undo(key)

    def invariants(key: str) -> None:
        InvariantEdits(store).of(key)
        InvariantEdits(store).undo(key)

    def experiments() -> None:
        for name in Experiments(store).names():
            pilot = load_experiment(store, name)
            report_experiment(store, pilot)
            next_trial(store, pilot, "Bo")
            assign_session(store, pilot, "new")

    def rollout() -> None:
        current = Rollout(store, Settings(), clock=lambda: NOW)
        current.review()
        current.arm("session 7")
        current.arm("new")
        current.status()
        current.stop(who="Ada", reason="Odd answers.")

    return {
        "rollout": rollout,
        "list": library.find,
        "open": each(library.get),
        "search": lambda: [library.find(search=words) for words in ("oases", "me", '"message 3"')],
        "deleted": library.deleted,
        "boundaries": each(boundaries),
        "invariants": each(invariants),
        "label": each(label),
        "annotators": labels.annotators,
        "disagreements": labels.disagreements,
        "agreement": lambda: agreement(store),
        "gold": lambda: gold_counts(store),
        "export": lambda: write_labels(store, "relevance-set"),
        "queues": work_on_queues,
        "sessions": look_at_sessions,
        "detect": lambda: SessionManager(store, clock=lambda: NOW).detect("Where is the oasis?"),
        "monitor": lambda: report(store, Settings(), NOW - timedelta(days=1), NOW, NOW),
        "requests": lambda: list(Requests(store).classified(NOW - timedelta(days=1), NOW)),
        "log": lambda: Requests(store).add([request(1) | {"id": "new"}]),
        "experiments": experiments,
        "rename": each(lambda key: library.rename(key, "Other")),
        "backup": store.backup_bytes,
        "delete": each(lambda key: library.delete([key])),
        "purge": library.purge,
    }


def damaged_databases(content: bytes) -> Iterator[tuple[str, bytes]]:
    for seed in range(DATABASES):
        chance = random.Random(seed)
        does, copy = DAMAGE[seed % len(DAMAGE)], bytearray(content)
        does(copy, chance)
        yield f"{does.__name__} {seed}", bytes(copy)


def attempt(problems: Counter[str], name: str, does: Callable[[], object]) -> bool:
    """Whether it came to a result; what is raised that is no ConvgateError is a problem."""
    try:
        does()
    except (ConvgateError, sqlite3.IntegrityError):
        return False
    except Exception as error:  # noqa: BLE001 every other kind is what is looked for
        problems[f"{name}: {type(error).__name__}: {error}"[:200]] += 1
        return False
    return True


def import_one(path: Path) -> None:
    """As `convgate import` does; what it says that it stored can be read, in a whole database."""
    with closing(Store(path)) as store:
        store.check()
        new = conversation("new")
        [added] = Conversations(store).add([new])
        if Conversations(store).get(added.key).conversation != new.conversation:
            raise RuntimeError("what was imported is not what is stored")
    with closing(sqlite3.connect(path)) as connection:
        if connection.execute("PRAGMA quick_check").fetchall() != [("ok",)]:
            raise RuntimeError("an import was told of in a damaged database")


def test_a_damaged_database_gives_a_result_or_a_typed_error(
    library: tuple[bytes, list[str]], tmp_path: Path
) -> None:
    problems: Counter[str] = Counter()
    untyped: set[str] = set()
    for name, content in damaged_databases(library[0]):
        before = problems.total()
        folder = tmp_path / name
        folder.mkdir()
        path = folder / "convgate.db"
        path.write_bytes(content)
        opened: list[Store] = []
        attempt(problems, "import", lambda path=path: import_one(path))
        path.write_bytes(content)
        if attempt(problems, "open the store", lambda path=path, to=opened: to.append(Store(path))):
            with closing(opened[0]) as store:
                if not attempt(problems, "check", store.check):
                    continue
                for operation, does in operations(store, library[1]).items():
                    attempt(problems, operation, does)
        if problems.total() > before:
            untyped.add(name)
        shutil.rmtree(folder)
    listed = "\n".join(f"{count} × {problem}" for problem, count in problems.most_common())
    assert not problems, f"{len(untyped)} of {DATABASES} databases:\n{listed}"


KILLS = 100


@needs_fork
def test_acknowledged_writes_survive_every_kill(tmp_path: Path) -> None:
    path, chance = tmp_path / "convgate.db", random.Random(1)
    Store(path).close()
    keys: list[str] = []  # keys of conversations, each with one label of Ada
    for kill in range(KILLS):
        reading, writing = os.pipe()
        child = fork(lambda kill=kill, writing=writing: write_until_killed(path, writing, kill))
        os.close(writing)
        with os.fdopen(reading) as acknowledged:
            keys += [acknowledged.readline().strip() for _ in range(chance.randrange(1, 8))]
            for _ in range(chance.randrange(100_000)):  # and somewhere within what comes next
                pass
            child.kill()
            child.wait()
            keys += [line.strip() for line in acknowledged if line.endswith("\n")]
        assert_whole(path, keys)


def write_until_killed(path: Path, writing: int, kill: int) -> None:
    store, number = Store(path), 0
    while True:
        [added] = Conversations(store).add([conversation(f"{kill} {number}", turns=3)])
        Labels(store).answer(CurrentKey(added.key, 2), {0: "relevant"}, by="Ada")
        os.write(writing, f"{added.key}\n".encode())
        number += 1


def assert_whole(path: Path, confirmed: list[str]) -> None:
    with closing(Store(path)) as store:
        store.check()
        assert set(confirmed) <= Conversations(store).keys()
        labelled = {entry.current.conversation for entry in Labels(store).entries()}
        assert set(confirmed) <= labelled


@needs_fork
def test_a_restore_that_is_killed_loses_neither_library(tmp_path: Path) -> None:
    path, chance = tmp_path / "convgate.db", random.Random(1)
    with closing(Store(path)) as store:
        Conversations(store).add([conversation("in the backup", turns=100)])
        backup = store.backup_bytes()
        Conversations(store).add([conversation("since", turns=100)])
        store.restore_bytes(backup)
    both = [{"Talk in the backup"}, {"Talk in the backup", "Talk since"}]
    for _ in range(KILLS // 4):
        reading, writing = os.pipe()
        child = fork(lambda writing=writing: swap_until_killed(path, writing))
        os.close(writing)
        with os.fdopen(reading) as swaps:
            for _ in range(chance.randrange(1, 4)):
                swaps.readline()
            for _ in range(chance.randrange(1_000_000)):
                pass
            child.kill()
            child.wait()
        restored = []
        for file in (path, *tmp_path.glob("convgate-before-restore-*.db")):
            with closing(Store(file)) as store:
                store.check()
                restored.append({row.title for row in Conversations(store).find().rows})
        assert all(titles in both for titles in restored)
        assert all(titles in restored for titles in both)


def swap_until_killed(path: Path, writing: int) -> None:
    store = Store(path)
    while True:
        store.restore_bytes(store.previous.read_bytes())
        os.write(writing, b"\n")
