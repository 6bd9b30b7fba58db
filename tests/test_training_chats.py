"""The written conversations with an assistant: whole, and split by writer."""

from __future__ import annotations

from importlib.resources import files

from convgate.transcripts import RelevanceSet, read_relevance_set


def chats(part: str) -> RelevanceSet:
    return read_relevance_set(str(files("convgate.training").joinpath("texts", f"chats.{part}.jsonl")))


def test_no_writer_is_on_both_sides_and_a_third_of_the_messages_needs_nothing() -> None:
    writers = []
    for part, least in (("train", 120), ("dev", 40)):
        texts = chats(part)
        writers.append({talk.metadata["writer"] for talk in texts.conversations.values()})
        assert len(texts.conversations) >= least
        assert len({talk.metadata["genre"] for talk in texts.conversations.values()}) >= 15
        empty = sum(not one.relevant for one in texts.cases) / len(texts.cases)
        assert 0.2 < empty < 0.4
    assert not writers[0] & writers[1]
    assert len(writers[0] | writers[1]) >= 20
