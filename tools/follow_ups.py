"""Write the set of plain follow-ups for measuring: phrases and artifacts by a writer who is not trained on.

python -m tools.follow_ups FILE.jsonl
"""

from __future__ import annotations

import sys
from pathlib import Path

from convgate.transcripts.relevance_sets import read_relevance_set, write_relevance_set
from tools.pretraining.chats import TEXTS
from tools.pretraining.followups import follow_ups, measuring_texts
from tools.pretraining.talks import talks_of

COUNTS = {"follow-up": 384, "artifact": 300, "new": 300, "small-talk": 100}


def main(file: str) -> None:
    """Write the file; its subjects are the written topics that are not trained on."""
    topics = read_relevance_set(TEXTS / "topics.other.jsonl").conversations.values()
    relevance_set = follow_ups(
        talks_of(topics), counts=COUNTS, seed=77, texts=measuring_texts(), name="follow-ups"
    )
    write_relevance_set(relevance_set, Path(file))


if __name__ == "__main__":
    main(*sys.argv[1:])
