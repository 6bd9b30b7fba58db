"""Weave the conversations of a relevance set without cases into transcripts whose relevant turns are known.

python -m tools.weave mtrag.conversations.jsonl --count 250 --out mix.train.jsonl
"""

from __future__ import annotations

import argparse
from pathlib import Path

from convgate.transcripts.relevance_sets import read_relevance_set, write_relevance_set
from tools.pretraining.sets import weave_conversations


def main() -> None:
    """Write the woven set."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("set", type=Path)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    read = read_relevance_set(arguments.set)
    write_relevance_set(weave_conversations(read, count=arguments.count, seed=arguments.seed), arguments.out)


if __name__ == "__main__":
    main()
