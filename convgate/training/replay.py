"""Texts that come with convgate, to train on beside a few labels, so that the gate does not forget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from convgate.training.errors import TrainingError
from convgate.training.scenarios import scenarios
from convgate.training.texts import unrelated_questions, written_sets, written_talks
from convgate.transcripts.relevance_sets import RelevanceSet

SCENARIOS = 240
PREFIX = "replay-"  # of the names of sets
LICENCE = "MIT"


@dataclass(frozen=True, slots=True)
class Replay:
    """Texts that can be chosen, in words."""

    name: str
    label: str
    help: str


REPLAYS = (
    Replay(
        "scenarios",
        "Six situations",
        "Short conversations: the topic goes on, a new task, back to an old one, topics mixed, a near topic,"
        " a question that has to do with nothing.",
    ),
    Replay("sequences", "Sequences of questions", "Questions that lean on some of those before them."),
    Replay("dialogues", "Long dialogues", "Many sessions of two people, and questions asked later."),
)


def replay_sets(names: Sequence[str], *, seed: int) -> list[RelevanceSet]:
    """The sets of these names, called `replay-` and the name; TrainingError for one that there is not."""
    known = [replay.name for replay in REPLAYS]
    for name in names:
        if name not in known:
            raise TrainingError(f"there is nothing to replay called {name!r}; there are {', '.join(known)}")
    return [_made(name, seed) for name in known if name in names]


@lru_cache(maxsize=8)
def replay_counts(name: str) -> tuple[int, int]:
    """How many conversations and cases there are of that name."""
    (made,) = replay_sets([name], seed=0)
    return len(made.conversations), len(made.cases)


def _made(name: str, seed: int) -> RelevanceSet:
    if name == "scenarios":
        made = scenarios(
            written_talks("train"), unrelated_questions("train"), count=SCENARIOS, seed=seed, name="scenarios"
        )
        return replace(made, name=f"{PREFIX}{name}")
    parts = [part for part in written_sets() if part.name.startswith(name)]
    conversations = {id: talk for part in parts for id, talk in part.conversations.items()}
    return RelevanceSet(
        f"{PREFIX}{name}", conversations, tuple(case for part in parts for case in part.cases)
    )
