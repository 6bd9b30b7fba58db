"""What a gate is trained on: relevance sets in files, and texts that come with convgate."""

from __future__ import annotations

import gzip
import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.resources import files as package_files
from pathlib import Path
from typing import TYPE_CHECKING

from convgate.core.errors import TrainingError
from convgate.evaluation.duplicates import Overlap, remove_duplicates
from convgate.evaluation.judged_cases import EvaluationProgress
from convgate.gate.rule import Rule
from convgate.gate.thresholds import Anchored, MaxMissed, Stricter
from convgate.training.corpora import attribution_of, corpora_in, licence_of
from convgate.training.epochs import TrainingSettings
from convgate.training.records import Activate, RunRequest
from convgate.training.run import REPLAY_PREFIX
from convgate.training.split import make_ids_unique
from convgate.transcripts.cases import RelevanceSet
from convgate.transcripts.reading import read_conversations
from convgate.transcripts.relevance_sets import read_relevance_set
from convgate.versions import DataSet, Version, Versions

if TYPE_CHECKING:
    from convgate.embedding.base import Encoder
    from convgate.gate.model import Gate
    from convgate.training.episodes import Episode

LICENCE, ATTRIBUTION = "MIT", "texts written for convgate"  # of the texts that come with convgate
RULES: Mapping[str, type[Rule]] = {"reference": Stricter, "full": MaxMissed}  # defaults by preset
_UNLABELLED = ("chats.train", "personal", "topics.train")


REPLAYS: Mapping[str, str] = {
    "scenarios": "Six scenarios",  # such as a new task, or back to an old topic
    "sequences": "Sequences of questions",  # which depend on some of those before them
    "dialogues": "Long dialogues",  # of two people over many sessions, and questions asked later
}
"""What the texts that can be replayed are called in the app, by name."""


@dataclass(frozen=True, eq=False, slots=True)
class TrainingSet:
    """A relevance set, and where it comes from."""

    cases: RelevanceSet
    data: DataSet
    overlaps: tuple[Overlap, ...] = ()  # what other sets judge too, and is left out here


@dataclass(frozen=True)
class Plan:
    """Training a version further, on sets in files and on replayed texts."""

    files: tuple[Path, ...]
    settings: TrainingSettings
    parent: str | None = None  # name of the version; None in a plan that trains from scratch
    skip_bad: bool = False  # leave out bad lines of the files
    replay: tuple[str, ...] = ()  # names of REPLAYS

    def command(self) -> list[str]:
        """Return the words of the command that trains so, without the options that all plans have."""
        return ["train", *(str(file.absolute()) for file in self.files), "--from", str(self.parent)]

    def request(self, folder: Path, *, name: str, note: str, who: str, activate: Activate) -> RunRequest:
        """Return the request of a run in the folder, with the words that resume it from anywhere."""
        words = [*self.command(), "--run", str(folder.absolute())]
        texts = {"--name": name, "--note": note, "--who": who}
        words += [f"{option}={text}".replace("\0", "") for option, text in texts.items() if text]
        words += ["--epochs", str(self.settings.epochs), "--learning-rate", str(self.settings.learning_rate)]
        words += ["--seed", str(self.settings.seed)]
        words += [word for each in self.replay for word in ("--replay", each)]
        words += ["--skip-bad"] * self.skip_bad
        if activate != "never":
            words.append("--activate")
        elif self.parent is not None:  # from scratch, nothing is activated unless asked for
            words.append("--no-activate")
        return RunRequest(
            arguments=tuple(words),
            parent=self.parent,
            sets=tuple(file.stem for file in self.files),
            replay=self.replay,
            epochs=self.settings.epochs,
            name=name,
            note=note,
            who=who,
        )

    def load_gate(self, encoder: Encoder, versions: Versions) -> tuple[Gate, Version | None]:
        """Return the gate to train and its parent. Raises GateError."""
        parent = versions.get(str(self.parent))
        return parent.load(encoder=encoder.identity), parent

    def rule(self, parent: Version | None) -> Rule:
        """Return what decides: the parent's rule, without a threshold set for the parent's scores."""
        assert parent is not None
        rule = parent.card.rule
        if isinstance(rule, MaxMissed):
            return replace(rule, levels="", fitted_on="")  # they are of the parent's scores
        if getattr(rule, "threshold", None) is None:
            return rule
        return Anchored(anchor=rule.anchor) if isinstance(rule, Anchored) else RULES[parent.config.preset]()

    def read_sets(self, progress: EvaluationProgress) -> list[TrainingSet]:
        """Return the sets, the replayed ones last; what is judged several times is there once.

        Raises TranscriptError for a file that cannot be read, TrainingError for one without cases, with the
        name of another, or of a corpus whose licence forbids training.
        """
        progress("Reading the sets", 0, 0)
        sets = read_files(self.files, skip_bad=self.skip_bad)
        if without := [each.cases for each in sets if not each.cases.cases]:
            raise TrainingError(f"{without[0].name} has no cases to learn from")
        replayed = read_replays(self.replay)
        if taken := {each.cases.name for each in sets} & {each.cases.name for each in replayed}:
            raise TrainingError(
                f"{min(taken)} is the name of a set that comes with convgate; rename the file"
            )
        counted, overlaps = remove_duplicates([each.cases for each in sets])
        unique = make_ids_unique([*counted, *(each.cases for each in replayed)])
        return [
            replace(each, cases=cases, overlaps=tuple(pair for pair in overlaps if pair.name == cases.name))
            for each, cases in zip([*sets, *replayed], unique, strict=True)
        ]

    def read_episodes(
        self, sets: Sequence[TrainingSet], gate: Gate, encoder: Encoder, progress: EvaluationProgress
    ) -> tuple[Gate, dict[str, list[Episode]]]:
        """Return the gate to train, and the episodes of each set by its name as this gate reads them."""
        from convgate.training.episodes import read_episodes

        episodes: dict[str, list[Episode]] = {}
        for each in sets:
            name = REPLAYS.get(each.cases.name.removeprefix(REPLAY_PREFIX), each.cases.name)
            report = partial(progress, f"Reading {name} as the gate does")
            report(0, 0)
            whole = all(overlap.is_within for overlap in each.overlaps)
            if read := read_episodes(gate, encoder, each.cases, whole=whole, progress=report):
                episodes[each.cases.name] = read
        return gate, episodes


def read_files(files: Sequence[Path], *, skip_bad: bool = False) -> list[TrainingSet]:
    """Return the relevance sets of the files, some perhaps without cases. Raises as `Plan.read_sets`."""
    names = [path.stem for path in files]
    if twice := [name for name in names if names.count(name) > 1]:
        raise TrainingError(f"two files are called {twice[0]}")
    return [_from_file(path, read_relevance_set(path, skip_bad=skip_bad)) for path in files]


def read_replays(names: Sequence[str]) -> list[TrainingSet]:
    """Return the sets to replay, called `replay-NAME`; TrainingError for an unknown name."""
    for name in names:
        if name not in REPLAYS:
            raise TrainingError(f"there are no texts {name!r} to replay; choose from {', '.join(REPLAYS)}")
    return [make_set(_replay_set(name)) for name in REPLAYS if name in names]


def read_unlabelled(files: Sequence[Path], *, skip_bad: bool = False) -> list[TrainingSet]:
    """Return the conversations of transcripts without cases; without files, of those that come with convgate.

    Raises TranscriptError for a file that cannot be read, TrainingError when a licence forbids training.
    """
    if not files:
        packed = [each for name in _UNLABELLED for each in read_packed(name)]
        return [make_set(replace(each, cases=())) for each in packed]
    sets = []
    for path in files:
        conversations = {each.id: each for each in read_conversations(path, skip_bad=skip_bad)}
        sets.append(_from_file(path, RelevanceSet(path.stem, conversations, ())))
    return sets


@cache
def read_packed(prefix: str) -> tuple[RelevanceSet, ...]:
    """Return the packed relevance sets whose names begin so, by name."""
    sets = []
    folder = package_files("convgate.training").joinpath("texts")
    with tempfile.TemporaryDirectory() as unpacked:
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
            if entry.name.startswith(prefix) and entry.name.endswith(".jsonl.gz"):
                path = Path(unpacked, entry.name.removesuffix(".gz"))
                path.write_bytes(gzip.decompress(entry.read_bytes()))
                sets.append(read_relevance_set(path))
    return tuple(sets)


def make_set(cases: RelevanceSet) -> TrainingSet:
    """Return the training set of cases made of texts that come with convgate."""
    digest = hashlib.sha256()
    for conversation in cases.conversations.values():
        for turn in conversation.turns:
            digest.update(f"{turn.speaker}\0{turn.scored_text}\0".encode())
    for case in cases.cases:
        judged = "" if case.judged is None else f"\0{sorted(case.judged)}"
        needed = "" if case.needed is None else f"\0needed {sorted(case.needed)}"
        digest.update(f"{case.conversation}\0{case.turn}\0{sorted(case.relevant)}{judged}{needed}".encode())
    return TrainingSet(cases, _data_of(cases, digest.hexdigest(), LICENCE, ATTRIBUTION))


def _replay_set(name: str) -> RelevanceSet:
    parts = read_packed(name)
    conversations = {id: each for part in parts for id, each in part.conversations.items()}
    return RelevanceSet(
        f"{REPLAY_PREFIX}{name}", conversations, tuple(case for part in parts for case in part.cases)
    )


def _from_file(path: Path, cases: RelevanceSet) -> TrainingSet:
    for corpus in corpora_in(cases):
        if not corpus.may_train:
            raise TrainingError(f"{path.name}: {corpus.terms}. It is not trained on.")
    return TrainingSet(cases, _data_of(cases, hashlib.sha256(path.read_bytes()).hexdigest(), "", ""))


def _data_of(cases: RelevanceSet, digest: str, licence: str, attribution: str) -> DataSet:
    corpora = corpora_in(cases)
    return DataSet(
        cases.name,
        digest,
        {"conversations": len(cases.conversations), "cases": len(cases.cases)},
        licence=licence_of(corpora, own=licence),
        attribution=attribution_of(corpora, own=attribution),
    )
