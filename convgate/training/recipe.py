"""What a gate is trained on: files, what is woven from them, and the texts that come with convgate."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from convgate.conversation import Conversation
from convgate.evaluation.counted_once import Overlap
from convgate.training.chats import chat_sets, personal_chats, training_chats
from convgate.training.corpora.recognise import attribution_of, corpora_in, licence_of
from convgate.training.errors import TrainingError
from convgate.training.lengthening import lengthen
from convgate.training.replay import replay_sets
from convgate.training.runs import Source
from convgate.training.scenarios import WEIGHTS, scenarios
from convgate.training.talks import Talk, talks_of
from convgate.training.texts import unrelated_questions, written_sets, written_talks
from convgate.training.weaving import ask_again, weave
from convgate.transcripts.reading import read_conversations
from convgate.transcripts.relevance_sets import RelevanceSet, read_relevance_set

WOVEN, SCENARIOS, HISTORIES, LONG_DIALOGUES = 900, 600, 20, 50  # how many are made of each kind
_AGAIN_TURNS = (100, 400)
_OWN_LICENCE, _OWN_TEXTS = "MIT", "texts written for convgate"
_FEWEST_TALKS = 4  # fewer are not woven


@dataclass(frozen=True, eq=False, slots=True)
class TrainingSet:
    """A relevance set, and where it comes from."""

    cases: RelevanceSet
    source: Source
    overlaps: tuple[Overlap, ...] = ()  # what was judged before, and is left out here


def read_sets(files: Sequence[Path], *, skip_bad: bool = False) -> tuple[list[TrainingSet], list[Talk]]:
    """The sets of the files, and the talks of those files that have conversations but no cases.

    A corpus is known by the ids of its conversations, and of those that others were woven of. Raises
    TranscriptError when a file cannot be read, TrainingError when two have one name or the licence of a
    corpus in it forbids training.
    """
    found: list[TrainingSet] = []
    talks: list[Talk] = []
    names = [path.stem for path in files]
    if twice := [name for name in names if names.count(name) > 1]:
        raise TrainingError(f"two files are called {twice[0]}")
    for path in files:
        cases = read_relevance_set(path, skip_bad=skip_bad)
        _check_terms(cases, path)
        if cases.cases:
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            found.append(TrainingSet(cases, _source(cases, digest)))
        else:
            talks += talks_of(cases.conversations.values())
    return found, talks


def pretraining_sets(files: Sequence[Path], *, seed: int, skip_bad: bool = False) -> list[TrainingSet]:
    """All that the default gate is trained on: the files' sets, their talks woven, and the written texts.

    Only the training split of the written topics is used, so the others remain for measuring. A talk is in
    many of the conversations that are woven. Raises what `read_sets` does, and TrainingError when a file has
    the name of a set that is made.
    """
    found, talks = read_sets(files, skip_bad=skip_bad)
    written, unrelated = written_talks("train"), unrelated_questions("train")
    made = [
        weave(written, count=WOVEN // 2, seed=seed, name="woven-topics"),
        scenarios(written, unrelated, count=SCENARIOS, seed=seed + 1, name="scenarios-topics"),
    ]
    if len(talks) >= _FEWEST_TALKS:
        # Real talks have neither domains nor pairs, so no subtopic of theirs is known to be near another.
        kinds = {kind: weight for kind, weight in WEIGHTS.items() if kind != "subtopic_switch"}
        made += [
            weave(talks, count=WOVEN, seed=seed + 2, name="woven-talks"),
            scenarios(
                talks, unrelated, count=SCENARIOS, seed=seed + 3, weights=kinds, name="scenarios-talks"
            ),
        ]
    made.append(
        ask_again([*talks, *written], count=HISTORIES, seed=seed + 4, turns=_AGAIN_TURNS, name="asked-again")
    )
    made.append(lengthen(written_sets(), count=LONG_DIALOGUES, seed=seed + 5, name="long-dialogues"))
    made += chat_sets(seed=seed + 6)
    made += written_sets()
    if taken := {one.cases.name for one in found} & {cases.name for cases in made}:
        raise TrainingError(f"{min(taken)} is a set that convgate makes itself; call the file otherwise")
    return found + [TrainingSet(cases, _source(cases, _digest(cases), own=True)) for cases in made]


def replayed(names: Sequence[str], *, seed: int) -> list[TrainingSet]:
    """The sets that come with convgate of these names, to be trained on beside others.

    Raises TrainingError for one that there is not.
    """
    made = replay_sets(names, seed=seed)
    return [TrainingSet(cases, _source(cases, _digest(cases), own=True)) for cases in made]


def unlabelled_sets(files: Sequence[Path], *, skip_bad: bool = False) -> list[TrainingSet]:
    """Return the conversations of the transcripts without cases; with no file, those that come with convgate.

    Raises TranscriptError when a file cannot be read, TrainingError when the licence of a corpus in it
    forbids training.
    """
    if not files:
        topics = {talk.id: Conversation(talk.id, talk.turns) for talk in written_talks("train")}
        packed = [training_chats(), personal_chats(), RelevanceSet("topics", topics, ())]
        return [TrainingSet(cases, _source(cases, _digest(cases), own=True)) for cases in packed]
    sets = []
    for path in files:
        transcript = read_conversations(path, skip_bad=skip_bad)
        cases = RelevanceSet(path.stem, {conversation.id: conversation for conversation in transcript}, ())
        _check_terms(cases, path)
        sets.append(TrainingSet(cases, _source(cases, hashlib.sha256(path.read_bytes()).hexdigest())))
    return sets


def _check_terms(cases: RelevanceSet, path: Path) -> None:
    for corpus in corpora_in(cases):
        if not corpus.may_train:
            raise TrainingError(f"{path.name}: {corpus.terms}. It is not trained on.")


def _source(cases: RelevanceSet, digest: str, *, own: bool = False) -> Source:
    """own: whether texts are in it that come with convgate."""
    corpora = corpora_in(cases)
    return Source(
        cases.name,
        digest,
        len(cases.conversations),
        len(cases.cases),
        licence=licence_of(corpora, own=_OWN_LICENCE * own),
        attribution=attribution_of(corpora, own=_OWN_TEXTS * own),
    )


def _digest(cases: RelevanceSet) -> str:
    """Of what was generated: its texts in order, and what is relevant."""
    digest = hashlib.sha256()
    for conversation in cases.conversations.values():
        for turn in conversation.turns:
            digest.update(f"{turn.speaker}\0{turn.scored_text}\0".encode())
    for case in cases.cases:
        judged = "" if case.judged is None else f"\0{sorted(case.judged)}"
        digest.update(f"{case.conversation}\0{case.turn}\0{sorted(case.relevant)}{judged}".encode())
    return digest.hexdigest()
