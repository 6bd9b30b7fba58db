"""What the shipped weights are made of: training, sets, cues.

python -m tools.pretraining train|weave|follow-ups|fit-cues …
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from convgate.cli.main import main
from convgate.core.settings import load_settings
from convgate.embedding.states import state_encoder
from convgate.transcripts.relevance_sets import read_relevance_set, write_relevance_set
from tools.pretraining.chats import TEXTS
from tools.pretraining.cues import cue_examples
from tools.pretraining.cues import fit_cues as fit_cues_to
from tools.pretraining.followups import follow_ups as make_follow_ups
from tools.pretraining.followups import measuring_texts
from tools.pretraining.sets import weave_conversations
from tools.pretraining.talks import talks_of
from tools.pretraining.train import pretrain

CUES = Path(__file__).parents[2] / "convgate" / "gate" / "cues.npz"
COUNTS = {"follow-up": 384, "artifact": 300, "new": 300, "small-talk": 100}

app = typer.Typer(add_completion=False, no_args_is_help=True)
app.command("train")(pretrain)


@app.command()
def weave(
    file: Annotated[
        Path, typer.Argument(help="Conversations without cases.", metavar="SET.jsonl", exists=True)
    ],
    count: Annotated[int, typer.Option(help="Of transcripts.")],
    out: Annotated[Path, typer.Option(help="The relevance set to write.")],
    seed: int = 0,
) -> None:
    """Weave the conversations of a set into transcripts whose relevant turns are known."""
    write_relevance_set(weave_conversations(read_relevance_set(file), count=count, seed=seed), out)


@app.command()
def follow_ups(out: Annotated[Path, typer.Argument(help="The relevance set to write.")]) -> None:
    """Write the set of plain follow-ups for measuring: texts by a writer who is not trained on."""
    talks = talks_of(read_relevance_set(TEXTS / "topics.other.jsonl").conversations.values())
    texts = measuring_texts()
    write_relevance_set(make_follow_ups(talks, counts=COUNTS, seed=77, texts=texts, name="follow-ups"), out)


@app.command()
def fit_cues() -> None:
    """Fit the gate's cues anew: what the state of a text tells about its part in a conversation."""
    model = fit_cues_to(cue_examples(), state_encoder(load_settings()))
    np.savez_compressed(CUES, weight=model.weight, bias=model.bias)


if __name__ == "__main__":
    main(app)
