"""What a gate is trained on from scratch: sets in files, and sets made of conversations and texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from convgate.core.errors import TrainingError
from convgate.embedding.base import Encoder
from convgate.embedding.states import states_beside
from convgate.evaluation.judged_cases import EvaluationProgress
from convgate.gate.arrays import Floats
from convgate.gate.config import GateConfig
from convgate.gate.model import Gate
from convgate.gate.rule import Rule
from convgate.training.encoder_calibration import measure_whitening
from convgate.training.episodes import Episode, read_episodes
from convgate.training.gate_module import GateModule
from convgate.training.sets import RULES, Plan, TrainingSet, make_set, read_files, read_packed
from convgate.transcripts.cases import RelevanceSet
from convgate.transcripts.relevance_sets import read_relevance_set
from convgate.versions import Version, Versions
from tools.pretraining.chats import TEXTS, chat_sets
from tools.pretraining.cues import HeldOutCues
from tools.pretraining.followups import follow_ups, training_texts
from tools.pretraining.lengthening import lengthen
from tools.pretraining.scenarios import WEIGHTS, scenarios
from tools.pretraining.talks import Split, Talk, split_of, talks_of
from tools.pretraining.weaving import ask_again, weave

WOVEN, SCENARIOS, HISTORIES, LONG_DIALOGUES = 900, 600, 20, 50  # how many are made of each kind
REPLAYED_SCENARIOS = 240  # that come with convgate
FOLLOW_UPS: Mapping[str, Mapping[str, int]] = {
    "follow-ups": {"follow-up": 1_200, "new": 400},
    "artifacts": {"artifact": 1_200, "new": 400},
    "after-discussions": {"follow-up": 300, "new": 800, "small-talk": 300},
}  # how many cases of each kind each set has
_AGAIN_TURNS = (100, 400)
_MIN_TALKS = 4  # fewer are not woven
_WHITENED = 1_500  # texts of each set that the whitening is measured on
_HIDDEN = {"reference": 64, "full": 32}
_MIN_SPREAD = 0.05
_PER_EPISODE = 400  # rows that are drawn from an episode


@dataclass(frozen=True)
class PretrainingPlan(Plan):
    """Training a gate from scratch."""

    preset: str = "full"

    def command(self) -> list[str]:
        """Return the words of the command that trains so, without the options that all plans have."""
        return ["pretrain", *(str(file.absolute()) for file in self.files), "--preset", self.preset]

    def load_gate(self, encoder: Encoder, versions: Versions) -> tuple[Gate, Version | None]:
        """Return an untrained gate; GateError for an unknown preset."""
        config = GateConfig(
            preset=self.preset,
            dimension=encoder.identity.dimension,
            hidden=_HIDDEN.get(self.preset, 1),  # the config refuses an unknown preset
            encoder=encoder.identity,
        )
        return GateModule(config, seed=self.settings.seed).to_gate(), None

    def rule(self, parent: Version | None) -> Rule:
        """Return the rule of the preset."""
        return RULES[self.preset]()

    def read_sets(self, progress: EvaluationProgress) -> list[TrainingSet]:
        """Return the sets of the files, and those that are made."""
        progress("Reading the sets", 0, 0)
        return pretraining_sets(self.files, seed=self.settings.seed, skip_bad=self.skip_bad)

    def read_episodes(
        self, sets: Sequence[TrainingSet], gate: Gate, encoder: Encoder, progress: EvaluationProgress
    ) -> tuple[Gate, dict[str, list[Episode]]]:
        """Return the gate with whitening and features measured, and the episodes of each set."""
        if self.preset != "full":
            return Plan.read_episodes(self, sets, gate, encoder, progress)
        progress("Measuring the embeddings", 0, 0)
        whitening = measure_whitening(_sample(encoder, sets, self.settings.seed))
        gate = Gate(gate.config, {**gate.weights, **whitening})
        progress("Fitting the cues without each writer", 0, 0)
        cues = HeldOutCues.fit(states_beside(encoder))
        episodes: dict[str, list[Episode]] = {}
        for each in sets:
            report = partial(progress, f"Reading {each.cases.name} as the gate does")
            report(0, 0)
            if read := read_episodes(gate, encoder, each.cases, cues=cues, progress=report):
                episodes[each.cases.name] = read
        spreads = measure_features(episodes.values(), seed=self.settings.seed)
        return Gate(gate.config, {**gate.weights, **spreads}), episodes


def pretraining_sets(files: Sequence[Path], *, seed: int, skip_bad: bool = False) -> list[TrainingSet]:
    """Return the files' sets, their talks woven, and the written texts.

    Only the training split of the written topics is used, so the others remain for measuring. A talk is in
    many of the conversations that are woven. Raises TranscriptError and TrainingError as `read_files` does,
    and TrainingError when a file has the name of a set that is made.
    """
    read = read_files(files, skip_bad=skip_bad)
    sets = [each for each in read if each.cases.cases]
    talks = [
        talk for each in read if not each.cases.cases for talk in talks_of(each.cases.conversations.values())
    ]
    written, unrelated = written_talks("train"), unrelated_questions("train")
    mixed = [
        weave(written, count=WOVEN // 2, seed=seed, name="woven-topics"),
        scenarios(written, unrelated, count=SCENARIOS, seed=seed + 1, name="scenarios-topics"),
    ]
    if len(talks) >= _MIN_TALKS:
        # Real talks have neither domains nor pairs, so no subtopic of theirs is known to be near another.
        kinds = {kind: weight for kind, weight in WEIGHTS.items() if kind != "subtopic_switch"}
        mixed += [
            weave(talks, count=WOVEN, seed=seed + 2, name="woven-talks"),
            scenarios(
                talks, unrelated, count=SCENARIOS, seed=seed + 3, weights=kinds, name="scenarios-talks"
            ),
        ]
    mixed.append(
        ask_again([*talks, *written], count=HISTORIES, seed=seed + 4, turns=_AGAIN_TURNS, name="asked-again")
    )
    mixed.append(lengthen(written_sets(), count=LONG_DIALOGUES, seed=seed + 5, name="long-dialogues"))
    mixed += chat_sets(seed=seed + 6)
    mixed += follow_up_sets([*talks, *written], seed=seed + 20)
    mixed += written_sets()
    if taken := {each.cases.name for each in sets} & {cases.name for cases in mixed}:
        raise TrainingError(f"{min(taken)} is the name of a set that is made; rename the file")
    return sets + [make_set(cases) for cases in mixed]


def follow_up_sets(talks: Sequence[Talk], *, seed: int) -> list[RelevanceSet]:
    """Return the sets of plain follow-ups, of references to artifacts, and mostly of what needs nothing."""
    return [
        follow_ups(talks, counts=counts, seed=seed + number, texts=training_texts(), name=name)
        for number, (name, counts) in enumerate(FOLLOW_UPS.items())
    ]


def written_talks(split: Split) -> tuple[Talk, ...]:
    """Return the written talks of a split: topics of their own, and pairs of near ones."""
    if split == "train":
        sets: Iterable[RelevanceSet] = read_packed("topics.train")
    else:
        sets = [read_relevance_set(TEXTS / "topics.other.jsonl")]
    talks = [talk for each in sets for talk in talks_of(each.conversations.values())]
    return tuple(talk for talk in talks if talk.split == split)


def unrelated_questions(split: Split) -> tuple[str, ...]:
    """Return questions of a split that have to do with none of the written talks."""
    lines = (TEXTS / "unrelated.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line.strip() for line in lines if line.strip() and split_of(line.strip()) == split)


def written_sets() -> tuple[RelevanceSet, ...]:
    """Return the written relevance sets: dialogues of two people, and sequences of questions."""
    return (*read_packed("dialogues."), *read_packed("sequences"))


def replayed_scenarios() -> RelevanceSet:
    """Return the scenarios that come with convgate, in `scenarios.jsonl.gz`."""
    written, unrelated = written_talks("train"), unrelated_questions("train")
    return scenarios(written, unrelated, count=REPLAYED_SCENARIOS, seed=0, name="scenarios")


def weave_conversations(relevance_set: RelevanceSet, *, count: int, seed: int) -> RelevanceSet:
    """Return `count` transcripts woven of a set's conversations, with cases; see `weave`.

    Each message has the id of its conversation as `source`; conversations begin with their first question.
    """
    woven = weave(
        talks_of(relevance_set.conversations.values()), count=count, seed=seed, begin="first", name="mix"
    )
    return replace(woven, problems=relevance_set.problems)


def measure_features(sets: Iterable[Sequence[Episode]], *, seed: int) -> dict[str, Floats]:
    """Return usual value and spread of the features as weights, by name; every set counts alike."""
    rng = np.random.default_rng(seed)
    means, squares = [], []
    for episodes in sets:
        rows = [
            rng.permutation(np.concatenate([q.features for q in episode.questions]))[:_PER_EPISODE]
            for episode in (episodes[i] for i in rng.permutation(len(episodes))[:100])
        ]
        features = np.concatenate(rows).astype(np.float64)
        means.append(features.mean(axis=0))
        squares.append((features**2).mean(axis=0))
    usual = np.mean(means, axis=0)
    spread = np.sqrt(np.maximum(np.mean(squares, axis=0) - usual**2, 0))
    return {
        "tiers.standardise.usual": usual.astype(np.float32),
        "tiers.standardise.spread": np.maximum(spread, _MIN_SPREAD).astype(np.float32),
    }


def _sample(encoder: Encoder, sets: Sequence[TrainingSet], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    chosen: list[str] = []
    for each in sets:
        texts = [turn.scored_text for talk in each.cases.conversations.values() for turn in talk.turns]
        chosen += [texts[place] for place in rng.permutation(len(texts))[:_WHITENED]]
    return encoder.encode(chosen)
