"""Convert a checkout of a public corpus, or sessions of agents, to a relevance set; nothing is downloaded.

python -m tools.corpora irc CHECKOUT --split train --out irc.train.jsonl
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Literal

import typer

from convgate.cli.main import main
from convgate.cli.options import SkipBadOption
from convgate.cli.output import print_note, print_problems
from convgate.training.corpora import CORPORA
from convgate.transcripts.cases import RelevanceSet
from convgate.transcripts.relevance_sets import write_relevance_set
from tools.corpora.agents import read_agents
from tools.corpora.cast import read_cast
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
    "agents": read_agents,
}
_WITH_SPLITS, _WITH_BAD = ("irc", "tiage"), ("locomo", "agents")

app = typer.Typer(add_completion=False)


@app.command()
def convert(
    corpus: Annotated[
        Literal["irc", "cast", "tiage", "mtrag", "locomo", "agents"],
        typer.Argument(help="The corpus, or agents: docs/training.md."),
    ],
    paths: Annotated[
        list[Path],
        typer.Argument(
            help="A checkout of its repository; sessions, and folders of them.",
            exists=True,
            metavar="PATH...",
        ),
    ],
    out: Annotated[Path, typer.Option(help="The relevance set to write.")],
    split: Annotated[
        Literal["train", "dev", "test"] | None, typer.Option(help="Of irc and tiage; train by default.")
    ] = None,
    skip_bad: SkipBadOption = False,
) -> None:
    """Convert a public corpus to a relevance set, and show its licence; or sessions of agents."""
    if split and corpus not in _WITH_SPLITS:
        raise typer.BadParameter(f"{corpus} has no splits", param_hint="--split")
    if skip_bad and corpus not in _WITH_BAD:
        raise typer.BadParameter(f"it is for {' and '.join(_WITH_BAD)}", param_hint="--skip-bad")
    if corpus != "agents" and len(paths) > 1:
        raise typer.BadParameter("only agents takes more than one", param_hint="PATH")
    options = ({"split": split} if split else {}) | ({"skip_bad": True} if skip_bad else {})
    cases = READERS[corpus](*paths, **options)
    print_problems(cases.problems)
    write_relevance_set(cases, out, private=corpus == "agents")
    terms = f"; {CORPORA[corpus].terms}" if corpus in CORPORA else ""
    print_note(f"{len(cases.conversations):,} conversations and {len(cases.cases):,} cases{terms}")


if __name__ == "__main__":
    main(app)
