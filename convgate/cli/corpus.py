"""`convgate corpus`: relevance sets from the files of public corpora."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated

import typer

from convgate.cli.options import OutOption, SkipBadOption
from convgate.cli.output import tell, tell_problems

if TYPE_CHECKING:
    from convgate.transcripts import RelevanceSet

corpus = typer.Typer(
    no_args_is_help=True,
    help="Make a relevance set from the files of a public corpus; nothing is downloaded.",
)


class Split(StrEnum):
    """The parts of a corpus."""

    train = "train"
    dev = "dev"
    test = "test"


PathArgument = Annotated[
    Path, typer.Argument(help="A checkout of the repository, or the file itself.", metavar="PATH")
]
SplitOption = Annotated[
    Split | None,
    typer.Option(help="The part: train unless given; of a file, the one that its folder is named by."),
]


@corpus.command()
def irc(
    path: PathArgument, split: SplitOption = None, skip_bad: SkipBadOption = False, out: OutOption = None
) -> None:
    """Ubuntu's help channel: many people and threads at once, with annotated reply links.

    Source: github.com/jkkummerfeld/irc-disentanglement
    Files: data/SPLIT/STEM.ascii.txt with STEM.annotation.txt
    Licence: CC-BY-4.0; name Kummerfeld et al. 2019 wherever you use the set

    A file of the training part gives at most 120 cases, drawn with a fixed seed.
    """
    from convgate.training.corpora.irc import read_irc

    _convert("irc", path, out, lambda: read_irc(path, split=split, skip_bad=skip_bad))


@corpus.command()
def cast(path: PathArgument, skip_bad: SkipBadOption = False, out: OutOption = None) -> None:
    """TREC CAsT 2020: questions of a search dialogue, each with the earlier ones that it leans on.

    Source: github.com/daltonj/treccastweb
    File: 2020/automatic_evaluation_topics_annotated_v1.1.json
    Licence: MIT; name Dalton et al. 2020
    """
    from convgate.training.corpora.cast import read_cast

    _convert("cast", path, out, lambda: read_cast(path, skip_bad=skip_bad))


@corpus.command()
def tiage(
    path: PathArgument, split: SplitOption = None, skip_bad: SkipBadOption = False, out: OutOption = None
) -> None:
    """TIAGE: small talk of PersonaChat, with the turns at which the topic changes.

    Source: github.com/HuiyuanXie/tiage
    Files: data/personachat/anno/SPLIT/anno_SPLIT.json
    Licence: MIT; name Xie et al. 2021
    """
    from convgate.training.corpora.tiage import read_tiage

    _convert("tiage", path, out, lambda: read_tiage(path, split=split, skip_bad=skip_bad))


@corpus.command()
def mtrag(path: PathArgument, skip_bad: SkipBadOption = False, out: OutOption = None) -> None:
    """MTRAG-UN: people's questions to an assistant that answers from documents.

    Source: github.com/IBM/mt-rag-benchmark
    File: mtragun-human/generation_tasks/reference.jsonl
    Licence: Apache-2.0; name Rosenthal et al. (MTRAG-UN)

    Gives the conversations without cases.
    """
    from convgate.training.corpora.mtrag import read_mtrag

    _convert("mtrag", path, out, lambda: read_mtrag(path, skip_bad=skip_bad))


@corpus.command()
def locomo(path: PathArgument, skip_bad: SkipBadOption = False, out: OutOption = None) -> None:
    """LoCoMo: very long conversations, and questions with the turns that hold the answer.

    Source: github.com/snap-research/LoCoMo
    File: data/locomo10.json
    Licence: CC-BY-NC-4.0; name Maharana et al. 2024

    For measuring only: weights that are handed on must not be trained on it.
    """
    from convgate.training.corpora.locomo import read_locomo

    _convert("locomo", path, out, lambda: read_locomo(path, skip_bad=skip_bad))


def _convert(name: str, path: Path, out: Path | None, read: Callable[[], RelevanceSet]) -> None:
    """Reads, tells what was odd and what the licence asks for, and writes the set."""
    from rich.console import Console
    from rich.text import Text

    from convgate.training.corpora.recognise import CORPORA

    with Console(stderr=True).status(Text(f"Reading {path}")):
        relevance_set = read()
    tell_problems(relevance_set.problems)
    _write(relevance_set, out)
    tell(
        f"{len(relevance_set.conversations):,} conversations and {len(relevance_set.cases):,} cases;"
        f" {CORPORA[name].terms}"
    )


def _write(relevance_set: RelevanceSet, out: Path | None) -> None:
    """The set to the file, or its lines to standard output."""
    from convgate.transcripts import write_relevance_set

    if out is not None:
        write_relevance_set(relevance_set, out)
        return
    with TemporaryDirectory() as folder:
        file = Path(folder) / "set.jsonl"
        write_relevance_set(relevance_set, file)
        sys.stdout.write(file.read_text(encoding="utf-8"))
