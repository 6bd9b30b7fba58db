"""The real encoder, with the bundled weights."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from convgate import bundled
from convgate.embedding.base import check_embeddings
from convgate.errors import EncoderError

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("encoder")]


@pytest.fixture(scope="module")
def encoder():
    from convgate.embedding.sentence_transformer import SentenceTransformerEncoder

    return SentenceTransformerEncoder.load()


def test_identity_names_the_weights(encoder):
    identity = encoder.identity
    assert identity.model == "all-MiniLM-L6-v2"
    assert identity.revision == bundled.BUNDLED_SHA256
    assert (identity.dimension, identity.dtype) == (384, "float32")
    assert "254-piece" in identity.chunking


def test_meaning_is_close_and_rows_are_unit_vectors_in_order(encoder):
    texts = ["The dog is barking at the cat.", "xxx", "A hound barks loudly at a kitten.", "Bake a cake."]
    vectors = encoder.encode(texts)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(4), abs=1e-5)
    assert vectors[0] @ vectors[2] > vectors[0] @ vectors[3] + 0.2
    assert np.allclose(vectors[3], encoder.encode(["Bake a cake."])[0], atol=1e-5)


def test_blank_text_is_a_zero_row(encoder):
    vectors = encoder.encode(["", " \n\t", "word"])
    assert not vectors[:2].any()
    assert vectors[2].any()


def test_long_text_is_embedded_in_chunks_and_its_end_counts(encoder):
    start = "We talked about the weather in Lisbon. " * 60
    end = "The database password rotates every ninety days. " * 60
    assert encoder.is_chunked(start)
    assert not encoder.is_chunked("A short message.")
    question = encoder.encode(["How often does the database password rotate?"])[0]
    whole, first = encoder.encode([start + end, start])
    assert question @ whole > question @ first + 0.2
    assert np.linalg.norm(whole) == pytest.approx(1)


def test_a_hundred_thousand_characters_without_a_space(encoder):
    vectors = encoder.encode(["a" * 100_000, "語" * 20_000])
    assert np.isfinite(vectors).all()
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(2), abs=1e-5)


def test_model_that_is_not_here_is_told_without_a_download():
    from convgate.embedding.sentence_transformer import SentenceTransformerEncoder

    with pytest.raises(EncoderError, match=r"no-such/model cannot be loaded \(it is not on this machine"):
        SentenceTransformerEncoder.load("no-such/model")


def test_a_model_in_a_folder_is_told_apart_by_its_weights(encoder, tmp_path: Path):
    from convgate.embedding.sentence_transformer import SentenceTransformerEncoder

    folder = tmp_path / "model"
    shutil.copytree(bundled.bundled_folder(), folder)
    loaded = SentenceTransformerEncoder.load(str(folder))
    assert loaded.identity.model == str(folder)
    assert loaded.identity.revision not in {"", encoder.identity.revision}
    assert np.allclose(loaded.encode(["hello"]), encoder.encode(["hello"]), atol=1e-6)


def test_unknown_dtype_is_refused():
    from convgate.embedding.sentence_transformer import SentenceTransformerEncoder

    with pytest.raises(EncoderError, match="float32 or bfloat16; got 'int8'"):
        SentenceTransformerEncoder.load(dtype="int8")


def test_vectors_of_a_wrong_shape_are_refused():
    with pytest.raises(EncoderError, match=r"gave vectors of shape \(2, 3\), expected \(n, 4\)"):
        check_embeddings(np.zeros((2, 3), dtype=np.float32), dimension=4, source="model")
