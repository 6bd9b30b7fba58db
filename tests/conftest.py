"""Fixtures of every test: no network, a data directory of its own, one torch thread."""

from __future__ import annotations

import functools
import gc
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

# Before anything loads torch or a tokenizer: the workers of pytest-xdist already use every core.
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
os.environ["STREAMLIT_BROWSER_GATHER_USAGE_STATS"] = "false"

import hypothesis
import pytest

from tests.commands import Run, runner
from tests.fakes import FakeEncoder
from tests.network_guard import loopback_only
from tests.stores import Template

if TYPE_CHECKING:
    from convgate.store import Store
    from convgate.versions import Versions
    from tests.session_agents import Clock

CHECKOUT = Path(__file__).resolve().parent.parent
GUARD = CHECKOUT / "tests" / "network_guard"
NUMBERS = itertools.count()

loopback_only.install()

MEMORY = Path("/dev/shm")  # a file system in memory, on Linux
ROOM = 4 * 2**30  # bytes; all tests together write about a tenth of it


def in_memory() -> bool:
    """Return whether temporary files can be in memory, which is faster than a disk."""
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK | os.X_OK):
        return False
    return shutil.disk_usage(MEMORY).free >= ROOM and not os.statvfs(MEMORY).f_flag & os.ST_NOEXEC


if in_memory():
    os.environ["TMPDIR"] = str(MEMORY)
    tempfile.tempdir = None  # looked for anew: pytest has asked before

# How long an example takes depends on what else the machine does. CI looks at more of them.
hypothesis.settings.register_profile("convgate", deadline=None, max_examples=10)
hypothesis.settings.register_profile("thorough", deadline=None, max_examples=100)
hypothesis.settings.load_profile("convgate")

collect_ignore = ["network_guard/sitecustomize.py"]  # Python itself loads it, by this name


def pytest_collection_finish() -> None:
    """Exempt imported modules from garbage collection, which takes a tenth of the time otherwise."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


@pytest.fixture
def report_figure(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Prints a sentence with a measured figure at the end of the run."""
    return lambda sentence: record_property("figure", sentence)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the figures that tests measured."""
    for report in terminalreporter.stats.get("passed", []):
        for name, sentence in report.user_properties:
            if name == "figure" and report.when == "call":
                terminalreporter.write_line(f"measured: {sentence}")


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for this test alone; pytest's own lists all earlier folders to number it."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    path = tmp_path_factory.getbasetemp() / f"{next(NUMBERS)}_{name}"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture(autouse=True)
def no_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fails a test that connects to another host, itself or in a Python process that it started."""
    log = tmp_path / "network-attempts.log"  # made by an attempt alone
    monkeypatch.setenv(loopback_only.LOG_VARIABLE, str(log))
    monkeypatch.setenv("PYTHONPATH", str(GUARD))
    loopback_only.ATTEMPTS.clear()
    yield
    attempts = log.read_text() if log.exists() else ""
    assert not attempts, f"network use:\n{attempts}"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `convgate WORDS…` in this process: (exit code, standard output, standard error)."""
    return runner(monkeypatch, capsys)


@pytest.fixture(autouse=True)
def convgate_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data directory for this test alone; it does not exist yet."""
    for name in [name for name in os.environ if name.startswith("CONVGATE_")]:
        if name not in {loopback_only.LOG_VARIABLE, "CONVGATE_CHROMIUM"}:  # a person's own settings
            monkeypatch.delenv(name)
    home = tmp_path / "convgate-home"
    monkeypatch.setenv("CONVGATE_HOME", str(home))
    return home


@pytest.fixture(autouse=True)
def no_shipped_weights(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hides the shipped version, which refuses fake encoders, unless the test is marked `shipped`."""
    if "shipped" not in request.keywords:
        monkeypatch.setattr("convgate.versions.catalog.PACKAGED", tmp_path / "no-weights")


@pytest.fixture(scope="session", autouse=True)
def scan_components_once() -> Iterator[None]:
    """Reads the metadata of all installed packages for Streamlit once; each `AppTest` does, for 0.3 s."""
    if "streamlit" not in sys.modules:  # none of the tests that were collected has an app
        yield
        return
    from streamlit.components.v2 import manifest_scanner

    with pytest.MonkeyPatch.context() as patch:
        once = functools.cache(manifest_scanner.scan_component_manifests)
        patch.setattr(manifest_scanner, "scan_component_manifests", once)
        yield


@pytest.fixture(scope="session", autouse=True)
def copied_databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Copies each new database from a template instead of migrating it."""
    from convgate.store import database

    template, make_private = Template(tmp_path_factory.mktemp("template")), database.make_private

    def copied(path: Path) -> None:
        template.put(path)
        make_private(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "make_private", copied)
        yield


@pytest.fixture
def fake_encoder() -> FakeEncoder:
    """An encoder without a model that records its calls."""
    return FakeEncoder()


@pytest.fixture
def fake_default_encoder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts an encoder without a model in the place of the settings' own."""
    monkeypatch.setattr("convgate.policies.build.default_encoder", lambda *args, **options: FakeEncoder())


@pytest.fixture
def load_without_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets `convgate.load` take modes and invariants from single words."""
    from convgate.selection import load as module
    from tests.selectors import FirstWordClassifier, WordJudge

    monkeypatch.setattr(module, "load_classifier", lambda settings: FirstWordClassifier())
    monkeypatch.setattr(module, "load_judge", lambda settings: WordJudge())


@pytest.fixture
def clock() -> Clock:
    """A clock that a test sets."""
    from tests.session_agents import Clock

    return Clock()


@pytest.fixture
def store(convgate_home: Path) -> Iterator[Store]:
    """The library of this test's data directory, empty."""
    from convgate.store import Store

    store = Store(convgate_home / "convgate.db")
    yield store
    store.close()


@pytest.fixture
def versions(tmp_path: Path) -> Versions:
    """An empty catalog of versions."""
    from convgate.versions import Versions

    return Versions(tmp_path / "home")


@pytest.fixture
def frequent_thread_switches() -> Iterator[None]:
    """Switches threads as often as possible."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of convgate, built without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [
            *(sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-index"),
            *("--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(CHECKOUT)),
        ],
        check=True,
    )
    return next(folder.glob("convgate-*.whl"))
