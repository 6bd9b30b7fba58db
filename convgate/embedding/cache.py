"""The persistent cache of embeddings: an encoder in front of an encoder.

    memory (bounded)  →  SQLite file (shared between processes)  →  the wrapped encoder

Only texts that neither layer holds reach the wrapped encoder. The file can be rebuilt at any time, so a
file that cannot be read or written costs speed, never an answer: the cache then works in memory alone
and says so once in the log.
"""

from __future__ import annotations

import hashlib
import json
import logging
import sqlite3
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np

from convgate.core.bundled_encoder import BUNDLED_MODEL
from convgate.core.errors import StoreError
from convgate.core.extras import needs_extra
from convgate.core.home import check_writable, is_read_only, make_home, make_private
from convgate.embedding.base import ChunkCount, Embeddings, Encoder, EncoderIdentity, Progress
from convgate.embedding.bundled import OUTPUTS, BundledEncoder, Output
from convgate.embedding.chunks import text_vectors
from convgate.embedding.spans import unmark_spans

log = logging.getLogger(__name__)

CACHE_FILE = "embeddings.sqlite"
PACKAGED_VECTORS = Path(__file__).with_name("sample_vectors.npz")
PACKAGED_STATES = Path(__file__).with_name("sample_states.npz")
PACKAGED_STATEMENTS = Path(__file__).with_name("sample_statements.npz")
"""Vectors of the sample conversations and of what their users state, so that they open at once."""

_BUSY_SECONDS = 10.0
_WRITE_EVERY = 512  # texts encoded between two writes: what an interruption can lose
_SCHEMA = (
    "create table if not exists encoders (id integer primary key, identity text unique)",
    "create table if not exists vectors (encoder integer references encoders(id), content blob,"
    " vector blob not null, primary key (encoder, content))",
)


def default_encoder(
    name: str = BUNDLED_MODEL, *, home: Path | None = None, device: str = "cpu", dtype: str = "auto"
) -> Encoder:
    """Return the named encoder (a sentence-transformers model, or its folder) with its cache in `home`.

    `home` None keeps vectors in memory only. The bundled model runs in float32 on the processor and is loaded
    when a text first needs it. For any other model or device, and for `dtype` "bfloat16", torch loads the
    model at once; `dtype` "auto" is then the faster of float32 and bfloat16 on the device. Raises
    EncoderError when a model cannot be loaded.
    """
    encoder: Encoder
    if name == BUNDLED_MODEL and device == "cpu" and dtype != "bfloat16":
        encoder = BundledEncoder()
    else:
        with needs_extra("train", f"the encoder {name} on {device}"):
            from convgate.embedding.sentence_transformer import SentenceTransformerEncoder

        encoder = SentenceTransformerEncoder.load(name, device=device, dtype=dtype)
    path = home / CACHE_FILE if home else None
    return CachedEncoder(encoder, path, packaged=PACKAGED_VECTORS)


class CachedEncoder:
    """An encoder that remembers; same interface, same vectors, same order, duplicates kept.

    `path` is the SQLite file, or None for memory alone. `memory` is how many vectors of passages stay in
    memory (50,000 of 384 dimensions are 77 MB). `packaged` is a file of `write_vectors`, which is
    copied into a new SQLite file.
    """

    def __init__(
        self, encoder: Encoder, path: Path | None, *, memory: int = 50_000, packaged: Path | None = None
    ) -> None:
        self._encoder = encoder
        self._dimension = encoder.identity.dimension
        self._memory: OrderedDict[bytes, Embeddings] = OrderedDict()
        self._capacity, self._rows = memory, 0
        self._count_chunks = lru_cache(maxsize=20_000)(encoder.count_chunks)
        self._lock = threading.RLock()
        self._path = path
        self._is_read_only = path is not None and is_read_only(path)
        self._db: sqlite3.Connection | None = None
        self._encoder_id = 0
        if path is not None:
            self._open(path, packaged)

    @property
    def identity(self) -> EncoderIdentity:
        """The identity of the encoder behind the cache."""
        return self._encoder.identity

    @cached_property
    def states(self) -> CachedEncoder:
        """The encoder of the bundled model's states, with its cache in the same file."""
        return CachedEncoder(BundledEncoder("states"), self._path, packaged=PACKAGED_STATES)

    def count_chunks(self, text: str) -> ChunkCount:
        """Count the chunks that the text is split into, once for each text."""
        return self._count_chunks(text)

    def split_passages(self, text: str) -> list[str]:
        """Return the passages of a text, in order."""
        return self._encoder.split_passages(text)

    def close(self) -> None:
        """Close the file; the encoder goes on in memory."""
        with self._lock:
            if self._db is not None:
                self._db.close()
                self._db = None

    def encode(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Return (len(texts), d) float32 as the wrapped encoder gives; only texts not yet known reach it."""
        return text_vectors(self.encode_passages(texts, progress=progress), self._dimension)

    def encode_passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> list[Embeddings]:
        """Return for each text the (p, d) vectors of its passages; only texts not yet known are encoded."""
        keys = [content_hash(text) for text in texts]
        with self._lock:
            vectors = {key: self._memory[key] for key in keys if key in self._memory}
            for key in vectors:
                self._memory.move_to_end(key)
            vectors |= self._from_disk({key for key in keys if key not in vectors})
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in vectors}
        if missing:
            vectors |= self._from_encoder(missing, progress)
        return [vectors[key] for key in keys]

    def missing(self, texts: Sequence[str]) -> list[str]:
        """Return the distinct texts that are not in the cache; those on disk are read into memory."""
        distinct = dict(zip(map(content_hash, texts), texts, strict=True))
        with self._lock:
            unread = [key for key in distinct if key not in self._memory]
            known = self._from_disk(unread)
        return [distinct[key] for key in unread if key not in known]

    def add(self, texts: Sequence[str], passages: Sequence[Embeddings]) -> None:
        """Add for each text the (p, d) vectors of its passages."""
        vectors = dict(zip(map(content_hash, texts), passages, strict=True))
        with self._lock:
            self._remember(vectors)
            self._write(vectors)

    @property
    def bundled_output(self) -> Output | None:
        """What the bundled model gives; None when another model is behind the cache."""
        return self._encoder.output if isinstance(self._encoder, BundledEncoder) else None

    def _from_disk(self, keys: Iterable[bytes]) -> dict[bytes, Embeddings]:
        if self._db is None:
            return {}
        vectors = {}
        query = "select vector from vectors where encoder = ? and content = ?"
        try:
            for key in keys:
                row = self._db.execute(query, (self._encoder_id, key)).fetchone()
                if row is not None and (decoded := self._decode(row[0])) is not None:
                    vectors[key] = decoded
        except sqlite3.Error as error:
            self._give_up("read", error)
        self._remember(vectors)
        return vectors

    def _decode(self, blob: bytes) -> Embeddings | None:
        """Return the stored vectors; None when the row is damaged, so that its text is encoded again."""
        if not blob or len(blob) % (4 * self._dimension):
            return None
        vectors = np.frombuffer(blob, dtype="<f4").astype(np.float32).reshape(-1, self._dimension)
        return vectors if np.isfinite(vectors).all() else None

    def _from_encoder(self, missing: dict[bytes, str], progress: Progress | None) -> dict[bytes, Embeddings]:
        # Longest first across the whole lot, so that batches of similar length survive the slicing.
        keys = sorted(missing, key=lambda key: -len(missing[key]))
        encoded: dict[bytes, Embeddings] = {}
        for start in range(0, len(keys), _WRITE_EVERY):
            batch = keys[start : start + _WRITE_EVERY]

            def report(done: int, _: int, start: int = start) -> None:
                if progress:
                    progress(start + done, len(keys))

            texts = [missing[key] for key in batch]
            vectors = self._encoder.encode_passages(texts, progress=report)
            self.add(texts, vectors)
            encoded |= zip(batch, vectors, strict=True)
        return encoded

    def _remember(self, vectors: dict[bytes, Embeddings]) -> None:
        # Copies: a row that is a view would keep its whole batch alive after its neighbours are evicted.
        for key, rows in vectors.items():
            kept = rows.copy()
            kept.setflags(write=False)
            self._rows += len(kept) - len(self._memory.pop(key, ()))
            self._memory[key] = kept
        while self._rows > self._capacity:
            self._rows -= len(self._memory.popitem(last=False)[1])

    def _write(self, vectors: dict[bytes, Embeddings]) -> None:
        if self._db is None or self._is_read_only:
            return
        rows = [(self._encoder_id, key, vector.astype("<f4").tobytes()) for key, vector in vectors.items()]
        try:
            with self._db:
                self._db.executemany("insert or replace into vectors values (?, ?, ?)", rows)
        except sqlite3.Error as error:
            self._give_up("write", error)

    def _open(self, path: Path, packaged: Path | None) -> None:
        identity = json.dumps(asdict(self._encoder.identity), sort_keys=True)
        if self._is_read_only and not path.exists():
            return
        try:
            if not self._is_read_only:
                make_home(path.parent)
                make_private(path)
            mode = "ro" if self._is_read_only else "rw"
            address = f"{path.resolve().as_uri()}?mode={mode}"
            db = sqlite3.connect(address, uri=True, timeout=_BUSY_SECONDS, check_same_thread=False)
            self._db = db
            if not self._is_read_only:
                with suppress(sqlite3.OperationalError):  # another program that starts is doing the same
                    db.execute("pragma journal_mode = wal")
                db.execute("pragma synchronous = normal")
                with db:
                    db.execute("begin immediate")
                    for statement in _SCHEMA:
                        db.execute(statement)
                    db.execute("insert or ignore into encoders (identity) values (?)", (identity,))
            row = db.execute("select id from encoders where identity = ?", (identity,)).fetchone()
            self._encoder_id = row[0] if row else 0
            query = "select 1 from vectors where encoder = ? limit 1"
            is_empty = db.execute(query, (self._encoder_id,)).fetchone() is None
            if packaged is not None and is_empty and not self._is_read_only:
                self._write(read_vectors(packaged, self._encoder.identity))
        except (sqlite3.Error, OSError) as error:
            self._give_up("open", error)

    def _give_up(self, action: str, error: Exception) -> None:
        log.warning(
            "The embedding cache %s cannot be used (%s failed: %s). Embeddings are kept in memory only until"
            " the program ends; the file holds nothing that cannot be computed again and may be deleted.",
            self._path,
            action,
            error,
        )
        self.close()


def encode_together(*wanted: tuple[Encoder, Sequence[str]], progress: Progress | None = None) -> None:
    """Encode texts so that the cache of each encoder has those that are wanted of it.

    Of encoders with the bundled model one pass gives all that is wanted of a text.
    """
    caches: dict[Output, list[CachedEncoder]] = defaultdict(list)
    todo: dict[str, dict[Output, str]] = {}  # of each text what is wanted, and its spans with it
    for encoder, texts in wanted:
        if not isinstance(encoder, CachedEncoder) or (output := encoder.bundled_output) is None:
            encoder.encode_passages(texts, progress=progress)
            continue
        caches[output].append(encoder)
        for text in encoder.missing(texts):
            plain = unmark_spans(text)[0] if output == "span states" else text
            todo.setdefault(plain, {})[output] = text
    if not todo:
        return
    from convgate.embedding.minilm import load_minilm

    longest_first = sorted(todo, key=len, reverse=True)
    for start in range(0, len(todo), _WRITE_EVERY):
        batch = longest_first[start : start + _WRITE_EVERY]
        some = [[todo[text][output] for text in batch if output in todo[text]] for output in OUTPUTS]
        for output, texts, vectors in zip(OUTPUTS, some, load_minilm().encode(*some), strict=True):
            for cache in caches[output] if texts else ():
                cache.add(texts, vectors)
        if progress:
            progress(start + len(batch), len(todo))


def empty_cache(path: Path) -> None:
    """Remove all vectors from the cache file, if there is one. Raises StoreError when it cannot."""
    if not path.exists():
        return
    check_writable(path)
    try:
        with closing(sqlite3.connect(path, timeout=_BUSY_SECONDS)) as db:
            db.execute("pragma secure_delete = on")
            with db:
                db.execute("delete from vectors")
            db.execute("pragma wal_checkpoint(truncate)").fetchall()
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be changed ({error}); stop convgate and delete it") from error


def content_hash(text: str) -> bytes:
    """Return 16 bytes that stand for the text in the cache.

    >>> content_hash("hello").hex()
    '46fb7408d4f285228f4af516ea25851b'
    """
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def write_vectors(path: Path, identity: EncoderIdentity, vectors: Mapping[bytes, Embeddings]) -> None:
    """Write the (p, d) vectors of the passages of each text, by its content hash, as float16."""
    np.savez_compressed(
        path,
        encoder=np.array([identity.model, identity.revision, identity.chunking, identity.prefix]),
        hashes=np.frombuffer(b"".join(vectors), np.uint8).reshape(-1, 16),
        n_passages=np.array([len(rows) for rows in vectors.values()]),
        vectors=np.concatenate(list(vectors.values())).astype(np.float16),
    )


def read_vectors(path: Path, identity: EncoderIdentity) -> dict[bytes, Embeddings]:
    """Return the (p, d) float32 vectors by content hash; empty when another encoder made them.

    Raises OSError when the file cannot be read.
    """
    with np.load(path) as arrays:
        encoder = [identity.model, identity.revision, identity.chunking, identity.prefix]
        if arrays["encoder"].tolist() != encoder:
            return {}
        ends = np.cumsum(arrays["n_passages"])[:-1]
        parts = np.split(arrays["vectors"].astype(np.float32), ends)
        return {hash.tobytes(): rows for hash, rows in zip(arrays["hashes"], parts, strict=True)}
