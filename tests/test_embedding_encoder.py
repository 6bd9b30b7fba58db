"""Any sentence-transformers model by torch; here with the bundled weights, in float32 unless stated."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from convgate.core import bundled_encoder as bundled
from convgate.core.errors import EncoderError
from convgate.core.home import app_root
from convgate.embedding.base import ChunkCount
from convgate.embedding.cache import PACKAGED_VECTORS, CachedEncoder, content_hash, read_vectors
from convgate.embedding.chunks import MAX_CHARACTERS, MAX_CHUNKS
from convgate.ui.shared.samples import load_samples

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("encoder")]


@pytest.fixture(scope="module")
def encoder():
    from convgate.embedding.sentence_transformer import SentenceTransformerEncoder

    return SentenceTransformerEncoder.load(dtype="float32")


def mixed_texts(count: int) -> list[str]:
    """Texts of 1 to 300 words, in no order."""
    words = ["the", "loss", "of", "our", "model", "was", "nan", "again", "after", "learning", "rates", "rose"]
    draw = random.Random(7)
    lengths = [int(300 ** (i / (count - 1))) for i in range(count)]
    texts = [" ".join(draw.choices(words, k=length)) + f" {i}" for i, length in enumerate(lengths)]
    return draw.sample(texts, count)


def pieces(encoder, text: str) -> list[int]:
    """The word pieces of a text, without what the model puts around them."""
    return encoder._tokenizer.encode(text, add_special_tokens=False).ids


def watched(encoder, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The batches that reach the model from now on."""
    seen, original = [], encoder._model.encode
    monkeypatch.setattr(
        encoder._model, "encode", lambda texts, **rest: seen.append(texts) or original(texts, **rest)
    )
    return seen


def test_similar_texts_are_close_and_rows_are_ordered_unit_vectors(encoder):
    texts = ["The dog is barking at the cat.", "xxx", "A hound barks loudly at a kitten.", "Bake a cake."]
    vectors = encoder.encode(texts)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(4), abs=1e-5)
    assert vectors[0] @ vectors[2] > vectors[0] @ vectors[3] + 0.2
    assert np.allclose(vectors[3], encoder.encode(["Bake a cake."])[0], atol=1e-5)


def test_long_text_is_embedded_in_chunks_and_its_end_counts(encoder):
    start = "We talked about the weather in Lisbon. " * 60
    end = "The database password rotates every ninety days. " * 60
    assert encoder.count_chunks(start) == ChunkCount(9, 9)
    assert encoder.count_chunks("A short message.") == ChunkCount(1, 1)
    question = encoder.encode(["How often does the database password rotate?"])[0]
    whole, first = encoder.encode([start + end, start])
    assert question @ whole > question @ first + 0.2
    assert np.linalg.norm(whole) == pytest.approx(1)


def test_passages_are_whole_sentences_whose_weighed_vectors_add_up_to_the_text(encoder):
    text = "We painted the kitchen in May. It took nine days and two coats of paint. " * 12
    passages, vectors = encoder.split_passages(text), encoder.encode_passages([text])[0]
    assert "".join(passages) == text
    assert len(passages) == len(vectors) == encoder.count_chunks(text).total > 2
    assert all(passage.endswith(". ") for passage in passages)
    assert np.linalg.norm(vectors, axis=1).sum() == pytest.approx(1, abs=1e-5)
    total = vectors.sum(axis=0)
    assert encoder.encode([text])[0] == pytest.approx(total / np.linalg.norm(total), abs=1e-6)
    assert encoder.encode_passages(["", "Hello."])[0].tolist() == [[0.0] * 384]


def test_of_a_long_text_so_many_chunks_are_encoded_from_start_to_end(
    encoder, monkeypatch: pytest.MonkeyPatch
):
    seen = watched(encoder, monkeypatch)
    words = [f"w{number}" for number in range(MAX_CHUNKS * 64)]
    text = " ".join(words)
    encoder.encode([text])
    encoded = sorted((chunk for batch in seen for chunk in batch), key=text.index)
    count = encoder.count_chunks(text)
    assert len(encoded) == count.encoded == MAX_CHUNKS < count.total
    assert text.startswith(encoded[0])
    assert text.endswith(encoded[-1])
    gaps = np.diff([text.index(chunk) for chunk in encoded])
    assert gaps.max() < 2.2 * gaps.min(), "spread evenly"


@pytest.mark.parametrize("sign", ["word ", '"', "語", "a", "z" * 100 + " "])
def test_no_more_of_a_very_long_text_is_tokenized_than_the_limit(
    encoder, sign: str, monkeypatch: pytest.MonkeyPatch
):
    class Counting:
        characters = 0

        def encode_batch(self, texts: list[str], **rest: bool):
            self.characters += sum(map(len, texts))
            return original.encode_batch(texts, **rest)

    original, counting = encoder._tokenizer, Counting()
    monkeypatch.setattr(encoder, "_tokenizer", counting)
    seen = watched(encoder, monkeypatch)
    text = (sign * 2 * MAX_CHARACTERS)[: 2 * MAX_CHARACTERS]
    assert np.linalg.norm(encoder.encode([text])) == pytest.approx(1, abs=1e-5)
    assert sum(map(len, seen)) <= MAX_CHUNKS
    count = encoder.count_chunks(text)
    assert count.encoded < count.total
    assert counting.characters <= 2.5 * MAX_CHARACTERS


def test_model_that_is_not_here_is_reported_without_a_download():
    from convgate.embedding.sentence_transformer import SentenceTransformerEncoder

    with pytest.raises(EncoderError):
        SentenceTransformerEncoder.load("no-such/model")


def test_vectors_are_those_of_the_library_where_nothing_is_cut(encoder):
    from sentence_transformers import SentenceTransformer

    texts = [text for text in mixed_texts(24) if encoder.count_chunks(text).total == 1]
    plain = SentenceTransformer(str(bundled.bundled_folder()), device="cpu").encode(texts)
    assert encoder.encode(texts) == pytest.approx(plain, abs=1e-5)


@pytest.mark.parametrize("cached", [False, True])
def test_batches_hold_texts_of_like_length_and_no_more_than_fit(
    encoder, cached: bool, monkeypatch: pytest.MonkeyPatch
):
    seen, texts = [], mixed_texts(512)
    monkeypatch.setattr(
        encoder._model, "encode", lambda some, **_: seen.append(some) or np.ones((len(some), 384))
    )
    (CachedEncoder(encoder, None) if cached else encoder).encode(texts)
    sizes = [[len(pieces(encoder, text)) for text in batch] for batch in seen]
    expected = sum(encoder.count_chunks(text).total for text in texts)
    assert sum(map(len, sizes)) == expected > len(texts), "each passage once"
    assert max(max(batch) * len(batch) for batch in sizes) <= 1.05 * encoder._batch
    padded, real = sum(max(batch) * len(batch) for batch in sizes), sum(map(sum, sizes))
    assert padded < 1.1 * real, "as they come, 32 at a time, it is more than 3 times as much"


def test_bfloat16_agrees_with_float32_however_the_texts_are_batched(encoder):
    from convgate.embedding.sentence_transformer import SentenceTransformerEncoder

    reduced = SentenceTransformerEncoder.load(dtype="bfloat16")
    assert reduced.identity == replace(encoder.identity, dtype="bfloat16")
    texts = mixed_texts(24)
    exact, together = encoder.encode(texts), reduced.encode(texts)
    alone = np.concatenate([reduced.encode([text]) for text in texts[::4]])
    assert (exact * together).sum(axis=1).min() > 0.995
    assert (exact[::4] * alone).sum(axis=1).min() > 0.995
    assert np.linalg.norm(together, axis=1) == pytest.approx(np.ones(len(texts)), abs=1e-5)


def test_packaged_vectors_of_the_samples_are_those_of_the_encoder(encoder):
    samples = load_samples(app_root() / "sample_conversations")
    turns = [turn for sample in samples for each in sample.conversations for turn in each.turns]
    packaged = read_vectors(PACKAGED_VECTORS, encoder.identity)
    assert {content_hash(turn.scored_text) for turn in turns} == set(packaged)
    for turn in turns[::50]:
        [exact] = encoder.encode_passages([turn.scored_text])
        assert np.abs(exact - packaged[content_hash(turn.scored_text)]).max() < 2e-3
