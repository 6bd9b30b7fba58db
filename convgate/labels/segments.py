"""Topic segments of a conversation, so that one answer can be given for a whole topic.

The change points of the turns' embeddings under a cosine kernel, with a penalty for each (PELT, of the
library `ruptures`). docs/labels.md has what it was chosen by, and how it compares with simpler ways.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from convgate.embedding.base import Embeddings

PENALTY = 1.0
"""What a further segment costs, in units of 1 - cosine; fitted on training conversations only."""

SHORTEST = 2
"""Turns of a segment, unless the conversation has fewer."""

LONGEST = 500
"""Turns of a segment. One topic without an end would cost time that grows with the square of its turns."""


def segments(embeddings: Embeddings) -> list[range]:
    """Ranges of turns, in order, that cover all (n, dimension) turns; none when there are no turns.

    A turn whose vector is zero, having no text, belongs to the segment before it.
    """
    told = np.flatnonzero(np.any(embeddings != 0, axis=1))
    starts = [0, *(int(told[place]) for place in _changes(embeddings[told]))]
    stops = [*starts[1:], len(embeddings)]
    return [range(*ends) for ends in zip(starts, stops, strict=True) if ends[0] < ends[1]]


def segment_of(found: Sequence[range], turn: int) -> range:
    """The segment that a turn is in; IndexError when there is none.

    >>> segment_of([range(0, 4), range(4, 9)], 4)
    range(4, 9)
    """
    for segment in found:
        if turn in segment:
            return segment
    raise IndexError(f"turn {turn} is in no segment")


def _changes(vectors: Embeddings) -> list[int]:
    """Where a segment begins, the first aside; block by block, each beginning with the last one's end."""
    changes: list[int] = []
    start = 0
    while start < len(vectors):
        stop = min(start + LONGEST, len(vectors))
        found = [start + change for change in _changes_of_block(vectors[start:stop])]
        changes += found
        if stop == len(vectors):
            break
        if not found:  # one segment of LONGEST turns
            changes.append(stop)
        start = changes[-1]
    return changes


def _changes_of_block(vectors: Embeddings) -> list[int]:
    if len(vectors) < 2 * SHORTEST:
        return []
    from ruptures import KernelCPD  # imports much of scipy, which pages without this need not wait for

    found = KernelCPD(kernel="cosine", min_size=SHORTEST).fit(vectors.astype(np.float64)).predict(pen=PENALTY)
    return [int(place) for place in found[:-1]]
