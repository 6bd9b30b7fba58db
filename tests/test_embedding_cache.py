"""The embedding cache: the encoder's interface, and only new texts are encoded."""

from __future__ import annotations

import logging
import multiprocessing
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from convgate.embedding import cache as cache_module
from convgate.embedding.cache import PACKAGED_VECTORS, CachedEncoder, content_hash, write_vectors
from tests.fakes import FakeEncoder


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "embeddings.sqlite"


def test_same_vectors_in_the_same_order_with_duplicates(path: Path):
    encoder, texts = FakeEncoder(), ["b", "a", "b", "c", "a"]
    cached = CachedEncoder(encoder, path)
    assert np.array_equal(cached.encode(texts), FakeEncoder().encode(texts))
    assert sorted(encoder.texts) == ["a", "b", "c"], "a duplicate is encoded once"
    assert cached.identity == encoder.identity


def test_partial_hit_encodes_only_the_new_text(path: Path):
    encoder = FakeEncoder()
    cached = CachedEncoder(encoder, path)
    cached.encode(["one", "two"])
    cached.encode(["two", "three", "one"])
    assert encoder.calls[1:] == [["three"]]


def test_vectors_outlive_the_process(path: Path):
    CachedEncoder(FakeEncoder(), path).encode(["one", "two"])
    encoder = FakeEncoder()
    vectors = CachedEncoder(encoder, path).encode(["two", "one"])
    assert encoder.calls == []
    assert np.array_equal(vectors, FakeEncoder().encode(["two", "one"]))


@pytest.mark.parametrize(
    "other", [FakeEncoder(model="other"), FakeEncoder(revision="2"), FakeEncoder(dimension=96)]
)
def test_another_encoder_never_gets_the_vectors(path: Path, other: FakeEncoder):
    CachedEncoder(FakeEncoder(), path).encode(["one"])
    vectors = CachedEncoder(other, path).encode(["one"])
    assert other.texts == ["one"]
    assert vectors.shape == (1, other.identity.dimension)


def test_memory_is_bounded_and_the_file_still_answers(path: Path):
    encoder = FakeEncoder()
    cached = CachedEncoder(encoder, path, memory=2)
    cached.encode(["a", "b", "c", "d"])
    assert len(cached._memory) == 2
    cached.encode(["a", "b", "c", "d"])
    assert len(encoder.texts) == 4


def test_interruption_keeps_what_was_written(path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cache_module, "_WRITE_EVERY", 1)

    class Stopped(FakeEncoder):
        def encode(self, texts, *, progress=None):
            if len(self.calls) == 2:
                raise KeyboardInterrupt
            return super().encode(texts, progress=progress)

    with pytest.raises(KeyboardInterrupt):
        CachedEncoder(Stopped(), path).encode(["long text", "mid", "s"])
    encoder = FakeEncoder()
    CachedEncoder(encoder, path).encode(["long text", "mid", "s"])
    assert encoder.texts == ["s"]


def test_damaged_row_is_encoded_again(path: Path):
    CachedEncoder(FakeEncoder(), path).encode(["one", "two", "three"])
    db = sqlite3.connect(path)
    db.execute("update vectors set vector = ? where content = ?", [b"123", content_hash("one")])
    nan = np.full(384, np.nan, dtype="<f4").tobytes()
    db.execute("update vectors set vector = ? where content = ?", [nan, content_hash("two")])
    db.commit()
    encoder = FakeEncoder()
    vectors = CachedEncoder(encoder, path).encode(["one", "two", "three"])
    assert sorted(encoder.texts) == ["one", "two"]
    assert np.array_equal(vectors, FakeEncoder().encode(["one", "two", "three"]))


@pytest.mark.parametrize("columns", ["", "x"])
def test_unusable_file_costs_speed_and_is_left_alone(path: Path, columns: str):
    path.parent.mkdir()
    path.write_bytes(b"" if columns else b"this is no database" * 100)
    if columns:
        with closing(sqlite3.connect(path)) as db:
            db.execute(f"create table vectors ({columns})")
    cached = CachedEncoder(FakeEncoder(), path, packaged=PACKAGED_VECTORS)
    assert np.array_equal(cached.encode(["one"]), FakeEncoder().encode(["one"]))
    assert cached._db is None
    assert columns or path.read_bytes() == b"this is no database" * 100


def test_a_full_disk_leaves_no_partial_row_and_memory_still_serves(
    path: Path, caplog: pytest.LogCaptureFixture
):
    encoder = FakeEncoder()
    cached = CachedEncoder(encoder, path)
    cached.encode(["before"])
    cached._db.execute(f"pragma max_page_count = {cached._db.execute('pragma page_count').fetchone()[0]}")
    texts = [f"text {i}" for i in range(50)]
    with caplog.at_level(logging.WARNING):
        first = cached.encode(texts)
    assert "full" in caplog.text
    assert np.array_equal(cached.encode(texts), first), "memory still answers"
    assert len(encoder.texts) == 51
    left = sqlite3.connect(path).execute("select count(*) from vectors").fetchone()[0]
    assert left == 1, "the failed write left nothing"


def _encode_many(path: Path, offset: int) -> None:
    cached = CachedEncoder(FakeEncoder(dimension=16), path)
    for i in range(60):
        cached.encode([f"text {offset + i}"])
    assert cached._db is not None


def test_two_processes_share_the_file(path: Path):
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_encode_many, args=(path, offset)) for offset in (0, 30)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0, 0]
    encoder = FakeEncoder(dimension=16)
    CachedEncoder(encoder, path).encode([f"text {i}" for i in range(90)])
    assert encoder.calls == []


def test_home_and_file_are_private(path: Path):
    CachedEncoder(FakeEncoder(), path).encode(["a secret"])
    assert path.parent.stat().st_mode & 0o077 == 0
    assert [file.name for file in path.parent.iterdir() if file.stat().st_mode & 0o077] == []


def test_packaged_vectors_are_in_a_new_file_for_the_encoder_that_made_them(path: Path, tmp_path: Path):
    packaged = tmp_path / "vectors.npz"
    maker = FakeEncoder()
    texts = ["one", "two words"]
    vectors = dict(zip(map(content_hash, texts), maker.encode_passages(texts), strict=True))
    write_vectors(packaged, maker.identity, vectors)

    encoder = FakeEncoder()
    encoded = CachedEncoder(encoder, path, packaged=packaged).encode(texts)
    assert encoder.calls == []
    assert np.allclose(encoded, FakeEncoder().encode(texts), atol=2e-3)

    other = FakeEncoder(revision="2")
    CachedEncoder(other, path.with_name("other.sqlite"), packaged=packaged).encode(texts)
    assert sorted(other.texts) == texts
