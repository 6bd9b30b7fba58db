"""Encode the sample conversations: `python -m tools.sample_vectors`, after a change of their texts."""

from __future__ import annotations

from collections.abc import Set
from pathlib import Path

from convgate.core.home import app_root
from convgate.embedding.bundled import BundledEncoder
from convgate.embedding.cache import (
    PACKAGED_STATEMENTS,
    PACKAGED_STATES,
    PACKAGED_VECTORS,
    content_hash,
    write_vectors,
)
from convgate.gate.facts import cue_text
from convgate.invariants.statements import mark_statements, read_statements
from convgate.ui.shared.samples import load_samples


def main() -> None:
    """Write the vectors of every turn of the samples, and of the users' statements, stored as float16."""
    samples = load_samples(app_root() / "sample_conversations")
    conversations = [conversation for sample in samples for conversation in sample.conversations]
    turns = [turn for conversation in conversations for turn in conversation.turns]
    stated = {
        mark_statements(turn.text) for turn in turns if turn.role == "user" and read_statements(turn.text)
    }
    _write(PACKAGED_VECTORS, BundledEncoder(), {turn.scored_text for turn in turns})
    _write(PACKAGED_STATES, BundledEncoder("states"), set(map(cue_text, turns)) - {""})
    _write(PACKAGED_STATEMENTS, BundledEncoder("span states"), stated)


def _write(file: Path, encoder: BundledEncoder, texts: Set[str]) -> None:
    ordered = sorted(texts)
    vectors = dict(zip(map(content_hash, ordered), encoder.encode_passages(ordered), strict=True))
    write_vectors(file, encoder.identity, vectors)
    print(f"{file}: {len(ordered):,} texts, {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
