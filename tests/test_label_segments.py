"""Topic segments: every turn is in one, and they follow the topics."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convgate.embedding.base import Embeddings
from convgate.labels.segments import LONGEST, SHORTEST, segment_of, segments


def topics(*lengths: int, seed: int = 0) -> Embeddings:
    """Unit vectors, close to each other within a topic and far between topics."""
    rng = np.random.default_rng(seed)
    rows = [rng.normal(size=48) + 0.4 * rng.normal(size=(length, 48)) for length in lengths]
    found = np.concatenate(rows)
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


def test_segments_are_the_topics() -> None:
    assert segments(topics(8, 5, 12)) == [range(0, 8), range(8, 13), range(13, 25)]
    assert segments(topics(9)) == [range(0, 9)]


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_short_conversations_are_one_segment_or_none(turns: int) -> None:
    assert segments(topics(turns)) == ([range(turns)] if turns else [])


def test_turns_without_text_belong_to_the_segment_before() -> None:
    vectors = topics(6, 6)
    vectors[[0, 6, 11]] = 0
    assert segments(vectors) == [range(0, 7), range(7, 12)]
    assert segments(np.zeros((5, 48), dtype=np.float32)) == [range(0, 5)]


@settings(max_examples=30)
@given(st.lists(st.integers(1, 9), max_size=8), st.integers(0, 50))
def test_segments_cover_every_turn_once(lengths: list[int], seed: int) -> None:
    vectors = topics(*lengths, seed=seed) if lengths else topics(0)
    found = segments(vectors)
    assert [turn for segment in found for turn in segment] == list(range(len(vectors)))
    assert all(len(segment) >= SHORTEST for segment in found) or len(found) == 1
    for turn in range(len(vectors)):
        assert turn in segment_of(found, turn)


def test_topics_across_blocks_stay_whole_and_one_without_an_end_is_cut() -> None:
    for lengths in ([300, 300, 300, 150], [100, LONGEST - 100, 80]):  # the second changes at a block's end
        assert [len(segment) for segment in segments(topics(*lengths))] == lengths
    assert [len(segment) for segment in segments(topics(LONGEST + 100))] == [LONGEST, 100]


def test_two_thousand_turns_of_one_topic_take_no_longer_than_a_page_may() -> None:
    vectors = topics(2_000)
    segments(vectors[:10])  # the import
    started = time.process_time()
    segments(vectors)
    assert time.process_time() - started < 5, "generous: it is a fraction of a second on an idle machine"


def test_a_turn_outside_is_in_no_segment() -> None:
    with pytest.raises(IndexError, match="turn 3 is in no segment"):
        segment_of([range(0, 3)], 3)
