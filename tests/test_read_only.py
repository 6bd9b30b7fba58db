"""Read-only mode and read-only libraries: nothing in the data directory changes."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from convgate.core.conversation import Conversation
from convgate.core.errors import ReadOnlyError
from convgate.core.home import set_read_only
from convgate.core.settings import Settings, load_settings
from convgate.embedding.cache import CACHE_FILE, CachedEncoder, empty_cache
from convgate.store import Conversations, CurrentKey, Labels, NewConversation, Store
from convgate.store.database import set_aside
from convgate.training import run as run_module
from convgate.training.data_removal import remove_for_good
from convgate.training.library import RelevanceSets
from convgate.training.process import start_training
from convgate.training.run import Runs
from convgate.ui.shared import services
from convgate.ui.storing.rules_file import read_file, rules_path, save
from convgate.versions import Versions
from tests.commands import Run
from tests.fakes import FakeEncoder
from tests.page_app import PAGES, TURNS, open_page, page_text, use_encoder
from tests.page_data import add_relevance_set, add_two_versions
from tests.processes import fork, needs_fork


@pytest.fixture
def key(convgate_home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The key of the one conversation of a library with labels, versions, a set and a training."""
    use_encoder(FakeEncoder(), monkeypatch)
    store = Store(load_settings().database)
    [added] = Conversations(store).add([NewConversation(Conversation("talk", TURNS[1:], title="Talk"))])
    key = added.key
    Labels(store).answer(CurrentKey(key, 6), {0: "relevant", 1: "not_relevant"}, by="Ada")
    store.close()
    add_relevance_set(convgate_home)
    add_two_versions(convgate_home)
    (convgate_home / run_module.FOLDER / "run-1").mkdir(parents=True)
    return key


@pytest.fixture
def read_only(key: str, monkeypatch: pytest.MonkeyPatch) -> Settings:
    monkeypatch.setenv("CONVGATE_READ_ONLY", "true")
    return load_settings()


def files(home: Path) -> dict[str, bytes | None]:
    """All that is in the folder, without the two files by which programs that use SQLite agree."""
    return {
        str(path.relative_to(home)): path.read_bytes() if path.is_file() else None
        for path in home.rglob("*")
        if not path.name.endswith(("-wal", "-shm"))
    }


@pytest.mark.parametrize("page", PAGES)
def test_pages_work_and_say_that_nothing_is_saved(read_only: Settings, key: str, page: str) -> None:
    before = files(read_only.home)

    app = open_page(page, conversation=key)

    assert not app.error, app.error[0].value
    assert page_text(app).count("nothing is saved") == 1
    assert files(read_only.home) == before


@pytest.mark.parametrize("words", [("labels",), ("monitor",), ("versions",), ("labels", "export")])
def test_commands_that_read_work(read_only: Settings, run: Run, words: tuple[str, ...]) -> None:
    before = files(read_only.home)

    code, _, errors = run(*words)

    assert code == 0, errors
    assert files(read_only.home) == before


@pytest.mark.parametrize(
    "words",
    [
        ("import", "talk.json"),
        ("labels", "trains", "Ada", "off"),
        ("versions", "activate", "first"),
        ("monitor", "--clear-baseline"),
    ],
)
def test_commands_that_write_are_refused(
    read_only: Settings, run: Run, tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "talk.json").write_text('{"messages": [{"role": "user", "content": "Hello"}]}')
    before = files(read_only.home)

    code, _, errors = run(*words)

    assert code == 1
    assert "ead-only" in errors
    assert files(read_only.home) == before


def save_rules(settings: Settings, _: Store) -> None:
    save(read_file(rules_path(settings)), b"version: 1\n")


WRITERS: dict[str, Callable[[Settings, Store], object]] = {
    "write": lambda _, store: Conversations(store).delete(["any"]),
    "wipe": lambda _, store: store.wipe(),
    "restore": lambda settings, store: store.restore_bytes((settings.database).read_bytes()),
    "set aside": lambda settings, _: set_aside(settings.database),
    "erase": lambda settings, _: services.erase_everything(settings),
    "remove for good": lambda settings, store: remove_for_good(store, settings),
    "empty the cache": lambda settings, _: empty_cache(settings.home / CACHE_FILE),
    "activate": lambda settings, _: Versions(settings.home).activate("first", who="Ada"),
    "delete a version": lambda settings, _: Versions(settings.home).delete("first", who="Ada"),
    "add a set": lambda settings, _: RelevanceSets(settings.home).add("new", b"{}"),
    "delete a set": lambda settings, _: RelevanceSets(settings.home).delete("mine"),
    "train": lambda settings, _: start_training(settings.home, "first", sets=("mine",)),
    "delete a run": lambda settings, _: Runs(settings.home).delete("run-1"),
    "rules": save_rules,
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=list(WRITERS))
def test_functions_that_write_are_refused(
    read_only: Settings, write: Callable[[Settings, Store], object]
) -> None:
    (read_only.home / CACHE_FILE).touch()
    before = files(read_only.home)

    with pytest.raises(ReadOnlyError):
        write(read_only, Store(read_only.database))

    assert files(read_only.home) == before


def test_the_embedding_cache_is_read_and_not_written(
    convgate_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = convgate_home / CACHE_FILE
    cached = CachedEncoder(FakeEncoder(), path)
    cached.encode(["known"])
    cached.close()
    before = files(convgate_home)
    monkeypatch.setenv("CONVGATE_READ_ONLY", "true")
    load_settings()

    encoder = FakeEncoder()
    cached = CachedEncoder(encoder, path)
    for _ in range(2):
        cached.encode(["known", "new"])
    cached.close()

    assert encoder.texts == ["new"], "memory takes what is new"
    assert files(convgate_home) == before


@needs_fork
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root becomes another user")
def test_another_user_can_read_a_read_only_library() -> None:
    with tempfile.TemporaryDirectory() as folder:  # others may enter its parents
        path = Path(folder, "convgate.db")
        with closing(Store(path)) as store:
            Conversations(store).add([NewConversation(Conversation("talk", TURNS[1:], title="Talk"))])
        path.chmod(0o444)
        path.parent.chmod(0o555)

        def look() -> None:
            os.setuid(65534)
            set_read_only(path.parent)
            with closing(Store(path)) as store:
                assert Conversations(store).find().total == 1

        assert fork(look).wait() == 0
        assert list(path.parent.iterdir()) == [path]
