"""`convgate batch` and `convgate evaluate --engine ray` with Ray itself."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

if find_spec("ray") is None:  # imported by the code that is tested alone, after what configures it
    pytest.skip("needs the extra ray", allow_module_level=True)
import psutil
from pyarrow import parquet

from convgate.batch.decisions import BatchDecider, BatchOptions
from convgate.batch.evaluation import evaluate_with_ray
from convgate.batch.inputs import list_files, read_parts
from convgate.batch.output import OutputFolder
from convgate.batch.run import run_batch, write_part
from convgate.core.errors import ConvgateError
from convgate.core.settings import load_settings
from convgate.evaluation.evaluate import evaluate
from convgate.policies.build import EncoderOnDemand, build_policy
from convgate.transcripts import read_relevance_set
from tests.conftest import GUARD
from tests.network_guard import loopback_only
from tests.test_batch import write_lines

pytestmark = [
    pytest.mark.adapters,
    pytest.mark.xdist_group("ray"),
    # Ray's own: it sets its deprecated options itself, and leaves its processes to their own end.
    pytest.mark.filterwarnings(
        "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::ResourceWarning"
    ),
]


CLOUD = ("169.254.169.254", "metadata.google.internal")
"""Where Ray asks in which cloud it runs, usage statistics or not."""


@pytest.fixture(autouse=True)
def no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails a test that connects to another host, itself or in a process of Ray."""
    log = tmp_path / "network-attempts.log"
    monkeypatch.setenv(loopback_only.LOG_VARIABLE, str(log))
    monkeypatch.setenv("PYTHONPATH", str(GUARD))
    yield
    attempts = log.read_text().splitlines() if log.exists() else []
    assert not [attempt for attempt in attempts if not attempt.endswith(CLOUD)]


def small_parts() -> BatchOptions:
    return BatchOptions(load_settings(), "gate", "untrained", part_turns=40)


def conversations_in(out: Path) -> list[str]:
    files = (out / "decisions").glob("[!_]*.parquet")
    return sorted(id for file in files for id in parquet.read_table(file)["conversation"].to_pylist())


def worker_pids(process: psutil.Process) -> list[int]:
    names = {child.pid: " ".join(child.cmdline()) for child in process.children(recursive=True)}
    return [pid for pid, name in names.items() if name.startswith("ray::MapWorker")]


def wait_for_parts(out: Path, n: int) -> None:
    while len(list((out / "decisions").glob("[!_]*.parquet"))) < n:
        time.sleep(0.02)


def test_workers_write_what_one_process_writes(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", 30)
    with path.open("a") as file:
        file.write("{broken\n")
    options = small_parts()
    summary = run_batch([str(path)], str(tmp_path / "ray"), options)
    decider, folder = BatchDecider(options), OutputFolder.open(str(tmp_path / "alone"))
    files = list_files([str(path)])
    folder.begin(options, files)
    for part in read_parts(files[0], part_turns=options.part_turns):
        write_part(part, decider, folder)
    assert (summary.parts, summary.conversations, summary.turns, summary.bad) == (4, 30, 120, 1)
    for kind in ("decisions", "bad"):
        alone = sorted((tmp_path / "alone" / kind).iterdir())
        assert [file.name for file in alone] == sorted(
            each.name for each in (tmp_path / "ray" / kind).iterdir()
        )
    for file in sorted((tmp_path / "alone" / "decisions").iterdir()):
        assert parquet.read_table(file).equals(parquet.read_table(tmp_path / "ray" / "decisions" / file.name))


def test_a_killed_worker_loses_and_doubles_nothing(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", 600)
    killed: list[int] = []

    def kill_one() -> None:
        wait_for_parts(tmp_path / "out", 3)
        killed.extend(worker_pids(psutil.Process())[:1])
        psutil.Process(killed[0]).kill()

    thread = threading.Thread(target=kill_one, daemon=True)
    thread.start()
    summary = run_batch([str(path)], str(tmp_path / "out"), small_parts())
    thread.join()
    assert killed
    assert conversations_in(tmp_path / "out") == sorted(f"c{index}" for index in range(600))
    assert (summary.conversations, summary.parts, summary.bad) == (600, 60, 0)


def test_a_killed_run_goes_on_without_its_finished_parts(tmp_path: Path) -> None:
    path, out = write_lines(tmp_path / "a.jsonl", 600), tmp_path / "out"
    program = (
        "from convgate.batch.run import run_batch; from tests.adapters.test_batch_ray import small_parts;"
        f"run_batch([{str(path)!r}], {str(out)!r}, small_parts())"
    )
    with subprocess.Popen([sys.executable, "-c", program]) as process:
        wait_for_parts(out, 3)
        for each in [*psutil.Process(process.pid).children(recursive=True), psutil.Process(process.pid)]:
            with contextlib.suppress(psutil.NoSuchProcess):
                each.kill()
    finished = {file: file.stat().st_mtime_ns for file in (out / "decisions").glob("[!_]*.parquet")}
    assert 3 <= len(finished) < 60
    summary = run_batch([str(path)], str(out), small_parts())
    assert (summary.parts, summary.parts_skipped) == (60 - len(finished), len(finished))
    assert conversations_in(out) == sorted(f"c{index}" for index in range(600))
    assert {file: file.stat().st_mtime_ns for file in finished} == finished
    assert not list(out.rglob("_*"))


def test_an_error_of_a_worker_is_the_error_of_the_run(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "a.jsonl", 2)
    settings = load_settings().updated(encoder=str(tmp_path))
    options = BatchOptions(settings, "gate", "untrained")
    with pytest.raises(ConvgateError):
        run_batch([str(path)], str(tmp_path / "out"), options)


def test_an_evaluation_with_ray_has_the_same_figures(tmp_path: Path) -> None:
    lines = []
    for number in range(12):
        turns = [
            {"role": ("user", "assistant")[index % 2], "content": f"{TOPICS[(index + number) % 7]} {index}"}
            for index in range(12)
        ]
        lines.append({"type": "conversation", "id": f"c{number}", "messages": turns})
        lines += [
            {"type": "case", "id": f"{number}-{turn}", "conversation": f"c{number}", "turn": turn}
            | {"relevant": [turn - 2], "tags": ["late"] if turn > 6 else []}
            for turn in (4, 6, 8, 10)
        ]
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    relevance_set, settings = read_relevance_set(path), load_settings()
    names = ["gate", "bm25", "last_k", "cosine"]
    encoder = EncoderOnDemand(settings)
    alone = evaluate([relevance_set], [build_policy(name, settings, encoder) for name in names])
    assert evaluate_with_ray([relevance_set], names, settings).to_json() == alone.to_json()


TOPICS = (
    "The cake sinks in the middle", "Use 180 degrees and less sugar", "My train leaves at nine",
    "Which database suits time series", "Postgres with a partition for each month", "The login fails",
    "Paint the hall white",
)  # fmt: skip
