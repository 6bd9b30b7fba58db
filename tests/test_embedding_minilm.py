"""The bundled encoder in onnxruntime: its vectors, its states, and both from one pass."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from convgate.core.errors import EncoderError
from convgate.core.processors import count_processors, count_threads
from convgate.embedding import minilm
from convgate.embedding.base import Embeddings, Encoder
from convgate.embedding.bundled import BundledEncoder, Output
from convgate.embedding.cache import CachedEncoder, encode_together
from convgate.embedding.chunks import Chunks, batches
from convgate.embedding.minilm import load_minilm
from convgate.embedding.spans import STATE_LAYERS, mark_spans
from tests.commands import run_python
from tests.fakes import FakeEncoder
from tests.processes import fork, needs_fork, run_threads
from tests.test_embedding_encoder import encoder as encoder
from tests.test_embedding_encoder import mixed_texts

SIMILAR = ["The dog is barking at the cat.", "xxx", "A hound barks loudly at a kitten.", "Bake a cake."]


def test_similar_texts_are_close_and_blank_text_is_a_zero_row() -> None:
    vectors = BundledEncoder().encode([*SIMILAR, " \n"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1, 1, 0], abs=1e-5)
    assert vectors[0] @ vectors[2] > vectors[0] @ vectors[3] + 0.2


@pytest.mark.parametrize("output", ["vectors", "states"])
def test_a_text_has_the_same_vector_alone_and_in_a_batch(output: Output) -> None:
    encoder, texts = BundledEncoder(output), mixed_texts(40)
    together = encoder.encode(texts)
    alone = np.concatenate([encoder.encode([text]) for text in texts[::8]])
    assert together[::8] == pytest.approx(alone, abs=1e-5)


def test_passages_add_up_to_their_text_and_those_of_states_are_the_same() -> None:
    text = "We painted the kitchen in May. It took nine days and two coats of paint. " * 12
    encoder, states = BundledEncoder(), BundledEncoder("states")
    for each in (encoder, states):
        [vectors] = each.encode_passages([text])
        assert len(vectors) == len(each.split_passages(text)) == each.count_chunks(text).total > 2
        assert np.linalg.norm(vectors, axis=1).sum() == pytest.approx(1, abs=1e-5)
    assert not np.allclose(encoder.encode([text]), states.encode([text]), atol=0.1)


def test_one_pass_gives_vectors_and_states_of_each_text_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, model = [], load_minilm()
    split = minilm.chunks.split
    monkeypatch.setattr(
        minilm.chunks, "split", lambda texts, *rest: read.extend(texts) or split(texts, *rest)
    )
    encoder = CachedEncoder(BundledEncoder(), tmp_path / "cache.sqlite")
    states = CachedEncoder(BundledEncoder("states"), tmp_path / "cache.sqlite")
    of_spans = CachedEncoder(BundledEncoder("span states"), tmp_path / "cache.sqlite")
    marked = mark_spans("both", [(0, 4)])
    encoder.encode(["known"])
    read.clear()
    reports: list[tuple[int, int]] = []
    encode_together(
        (encoder, ["both", "known", "final"]),
        (states, ["both", "state", "known"]),
        (of_spans, [marked]),
        progress=lambda *report: reports.append(report),
    )
    assert sorted(read) == ["both", "final", "known", "state"]
    assert reports == [(4, 4)]
    read.clear()
    texts, state_texts = ["both", "final", "known"], ["both", "known", "state"]
    given = encoder.encode(texts), states.encode(state_texts), of_spans.encode([marked])
    assert read == [], "both caches have them"
    assert given[0] == pytest.approx(np.concatenate(model.encode(texts)[0]), abs=1e-6)
    assert given[1] == pytest.approx(np.concatenate(model.encode((), state_texts)[1]), abs=1e-6)
    assert given[2] == pytest.approx(model.encode((), (), [marked])[2][0], abs=1e-6)


def test_a_span_has_the_mean_state_of_its_word_pieces_within_the_text() -> None:
    parts = [
        "Never put bleach in there!",
        "We painted the kitchen red, " * 12,
        "Is Tuesday at nine too early?",
    ]
    text = " ".join(parts)
    spans = [(start := text.index(part), start + len(part)) for part in parts]
    encoder, states = BundledEncoder("span states"), BundledEncoder("states")
    assert len(encoder.split_passages(text)) > 2, "the long one crosses passages"
    [rows] = encoder.encode_passages([mark_spans(text, spans)])
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 1, 1], abs=1e-5)
    assert (rows @ states.encode(parts).T).argmax(axis=1).tolist() == [0, 1, 2]
    [[alone]] = encoder.encode_passages([mark_spans(parts[2], [(0, len(parts[2]))])])
    assert alone @ rows[2] < 0.99, "it is read as part of the text"


def test_a_span_that_is_not_read_has_the_mean_of_its_text() -> None:
    text = "One more line of a long log. " * 3_000
    spans = [(0, 28), (len(text) // 3, len(text) // 3 + 28)]
    [rows] = BundledEncoder("span states").encode_passages([mark_spans(text, spans)])
    mean = BundledEncoder("states").encode([text])[0]
    assert rows @ mean == pytest.approx([1, 1], abs=0.2)


def test_another_encoder_and_the_states_are_encoded_apart() -> None:
    other = FakeEncoder()
    encoder = CachedEncoder(other, None)
    encode_together((encoder, ["a"]), (encoder.states, ["b"]))
    assert other.texts == ["a"]
    assert not encoder.states.missing(["b"])


def test_every_cache_of_an_output_gets_what_is_wanted_of_any() -> None:
    first, second = (CachedEncoder(BundledEncoder("states"), None) for _ in range(2))
    encode_together((first, ["a", "b"]), (second, ["b"]))
    assert not first.missing(["a", "b"])
    assert not second.missing(["b"])


@needs_fork
def test_a_forked_process_encodes() -> None:
    texts = mixed_texts(40)
    expected = BundledEncoder().encode(texts)
    child = fork(lambda: None if np.allclose(BundledEncoder().encode(texts), expected) else 1 / 0)
    assert child.wait() == 0


def test_threads_get_the_vectors_that_one_gets() -> None:
    texts = mixed_texts(32)
    expected = [BundledEncoder().encode([text]) for text in texts]
    for vectors in run_threads(4, lambda _: [BundledEncoder().encode([text]) for text in texts]):
        np.testing.assert_array_equal(np.concatenate(vectors), np.concatenate(expected))


@pytest.mark.parametrize(
    ("value", "threads"), [("3", 3), ("2,1", 2), ("", None), ("0", None), ("many", None)]
)
def test_threads_are_those_of_the_environment_else_the_processors(
    value: str, threads: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert count_threads() == (threads or count_processors())


def test_onnxruntime_reports_nothing(tmp_path: Path) -> None:
    code = "from convgate.embedding.bundled import BundledEncoder; BundledEncoder().encode(['hello'])"
    quiet = ("CI", "TF_BUILD", "GITHUB_ACTIONS", "ORT_DISABLE_TELEMETRY")  # it reports nothing with these
    run_python(code, HOME=str(tmp_path), XDG_CACHE_HOME=str(tmp_path), **dict.fromkeys(quiet, ""))
    assert list(tmp_path.rglob("*")) == [], "neither an id nor a queue of events"


def test_a_graph_that_cannot_be_loaded_is_an_encoder_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "graph.onnx"
    broken.write_bytes(b"no graph")
    monkeypatch.setattr(minilm, "LOWER_GRAPH", broken)
    with pytest.raises(EncoderError):
        minilm.MiniLM()


@pytest.mark.slow
@pytest.mark.xdist_group("encoder")
def test_vectors_and_identity_are_those_of_the_library(encoder: Encoder) -> None:
    texts = [*mixed_texts(48), "漢字 und Umlaute: ÄÖÜ 🙂", "x" * 300]
    bundled = BundledEncoder()
    assert bundled.identity == encoder.identity
    for text in texts:
        assert bundled.count_chunks(text) == encoder.count_chunks(text)
        assert bundled.split_passages(text) == encoder.split_passages(text)
    exact = encoder.encode(texts)
    alone = np.concatenate([bundled.encode([text]) for text in texts])
    for vectors in (bundled.encode(texts), alone):
        assert (exact * vectors).sum(axis=1).min() > 0.9999


@pytest.mark.slow
@pytest.mark.xdist_group("encoder")
def test_states_are_those_of_the_library_after_the_fourth_layer() -> None:
    from convgate.core.bundled_encoder import bundled_folder
    from convgate.embedding.sentence_transformer import SentenceTransformerEncoder, load_model

    model = load_model(str(bundled_folder()), "cpu", "float32")
    model[0].auto_model.encoder.layer = model[0].auto_model.encoder.layer[:STATE_LAYERS]
    exact = SentenceTransformerEncoder(model, name="four", revision="r").encode(mixed_texts(48))
    vectors = BundledEncoder("states").encode(mixed_texts(48))
    assert (exact * vectors).sum(axis=1).min() > 0.9999


@pytest.mark.parametrize(
    ("max_pieces", "max_padding", "expected"),
    [
        (200, None, [[0, 5, 2], [1, 4, 3]]),
        (200, 8, [[0, 5, 2], [1, 4], [3]]),  # 3 beside 12 would be padded by 9
        (50, 8, [[0], [5], [2], [1, 4], [3]]),
        (1_000, None, [[0, 5, 2, 1, 4, 3]]),
    ],
)
def test_chunks_of_like_length_are_encoded_together(
    max_pieces: int, max_padding: int | None, expected: list[list[int]]
) -> None:
    pieces = Chunks(list("abcdef"), [60, 12, 58, 3, 12, 59], [0, 6])
    assert list(batches(pieces, max_pieces, max_padding)) == expected


def test_a_batch_is_padded_as_long_as_another_would_cost_more(monkeypatch: pytest.MonkeyPatch) -> None:
    model = load_minilm()
    lower, shapes = model._lower, list[tuple[int, ...]]()

    def run(outputs: None, inputs: dict[str, Embeddings]) -> list[Embeddings]:
        shapes.append(inputs["mask"].shape)
        return list(lower.run(outputs, inputs))

    monkeypatch.setattr(model, "_threads", 1)
    monkeypatch.setattr(model, "_lower", SimpleNamespace(run=run))
    model.encode(["oak " * 40, "elm " * 20, "ash " * 20])
    model.encode(["oak " * 10, "oak " * 9])
    assert sorted(shapes) == [(1, 42), (2, 12), (2, 22)]
