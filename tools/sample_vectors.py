"""Encode the sample conversations: `python -m tools.sample_vectors`, after a change of their texts."""

from __future__ import annotations

from convgate.core.home import app_root
from convgate.embedding.bundled import BundledEncoder
from convgate.embedding.cache import PACKAGED_VECTORS, content_hash, write_vectors
from convgate.ui.samples import load_samples


def main() -> None:
    """Write the vectors of every turn of the samples, stored as float16."""
    encoder = BundledEncoder()
    samples = load_samples(app_root() / "sample_conversations")
    conversations = [conversation for sample in samples for conversation in sample.conversations]
    texts = sorted({turn.scored_text for conversation in conversations for turn in conversation.turns})
    vectors = dict(zip(map(content_hash, texts), encoder.encode_passages(texts), strict=True))
    write_vectors(PACKAGED_VECTORS, encoder.identity, vectors)
    print(f"{PACKAGED_VECTORS}: {len(texts):,} texts, {PACKAGED_VECTORS.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
