"""Convert a checkout of a public corpus to a relevance set; nothing is downloaded.

python -m tools.corpora irc CHECKOUT --split train --out irc.train.jsonl
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path

from convgate.cli.main import main
from convgate.cli.output import tell, tell_problems
from convgate.training.corpora import CORPORA
from convgate.transcripts.relevance_sets import RelevanceSet, write_relevance_set
from tools.corpora.cast import read_cast
from tools.corpora.corpus import SPLITS
from tools.corpora.irc import read_irc
from tools.corpora.locomo import read_locomo
from tools.corpora.mtrag import read_mtrag
from tools.corpora.tiage import read_tiage

READERS: dict[str, Callable[..., RelevanceSet]] = {
    "irc": read_irc,
    "cast": read_cast,
    "tiage": read_tiage,
    "mtrag": read_mtrag,
    "locomo": read_locomo,
}
_WITH_SPLITS = ("irc", "tiage")


def convert(words: list[str] | None = None) -> None:
    """Write the relevance set, and show what was left out and the terms of the licence."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("corpus", choices=READERS, help="see docs/training.md for sources and licences")
    parser.add_argument("path", type=Path, help="a checkout of the repository, or the file itself")
    parser.add_argument("--split", choices=SPLITS, help="of irc and tiage; train unless given")
    parser.add_argument("--skip-bad", action="store_true", help="leave out what cannot be read")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args(words)
    read = READERS[arguments.corpus]
    if arguments.corpus in _WITH_SPLITS:
        read = partial(read, split=arguments.split)
    elif arguments.split:
        parser.error(f"{arguments.corpus} has no splits")
    cases = read(arguments.path, skip_bad=arguments.skip_bad)
    tell_problems(cases.problems)
    write_relevance_set(cases, arguments.out)
    tell(
        f"{len(cases.conversations):,} conversations and {len(cases.cases):,} cases;"
        f" {CORPORA[arguments.corpus].terms}"
    )


if __name__ == "__main__":
    main(convert)
