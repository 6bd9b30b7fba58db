"""The encoder without a model keeps the promises of a real one."""

from __future__ import annotations

import numpy as np

from convgate.embedding.base import Encoder
from tests.fakes import FakeEncoder


def test_the_same_text_gives_the_same_unit_vector_and_blank_text_a_zero_row() -> None:
    encoder: Encoder = FakeEncoder()
    first, again, blank = encoder.encode(["a cup of tea", "a cup of tea", "  "])
    assert np.array_equal(first, again)
    assert abs(np.linalg.norm(first) - 1) < 1e-6
    assert not blank.any()


def test_texts_that_share_words_are_more_alike() -> None:
    near, same, far = FakeEncoder().encode(
        ["the train to Ljubljana", "a train to Ljubljana", "salted butter"]
    )
    assert near @ same > 0.6
    assert abs(near @ far) < 0.2


def test_another_revision_gives_other_vectors() -> None:
    one, two = (FakeEncoder(revision=name).encode(["tea"])[0] for name in "12")
    assert abs(one @ two) < 0.3


def test_calls_and_texts_are_counted(fake_encoder: FakeEncoder) -> None:
    fake_encoder.encode(["a", "b"])
    fake_encoder.encode(["a"])
    assert len(fake_encoder.calls) == 2
    assert fake_encoder.texts == ["a", "b", "a"]
