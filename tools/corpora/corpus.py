"""What converters share. They read published files, which do not change, and check nothing in them."""

from __future__ import annotations

from pathlib import Path

from convgate.core.errors import TranscriptError
from convgate.training.corpora import CORPORA


def corpus_file(checkout: Path, inside: str, corpus: str) -> Path:
    """Return what is at `inside` in a checkout of the corpus; raises TranscriptError when it is missing."""
    if not (checkout / inside).exists():
        raise TranscriptError(
            f"there is no {inside} in it; name a checkout of {CORPORA[corpus].repository}", file=str(checkout)
        )
    return checkout / inside
