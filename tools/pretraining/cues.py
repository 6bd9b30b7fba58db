"""Fit the gate's cues on the written chats; scikit-learn is imported only here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from convgate.embedding.base import Embeddings, Encoder
from convgate.embedding.states import excerpt
from convgate.gate.facts import CueModel, Cues, TurnFacts
from tools.pretraining.chats import TEXTS, personal_chats, training_chats
from tools.pretraining.messages import labelled_messages

_PENALTY = 0.01  # C of the logistic regression, with states of unit spread
_LASTING = {"hard_constraint", "safety_requirement"}  # kinds of statements
_FOLDS = 5


@dataclass(frozen=True, slots=True)
class Example:
    """A text with the answers to the cues' questions; None where one is not known."""

    text: str
    answers: Mapping[str, bool]
    writer: str


@cache
def cue_examples() -> tuple[Example, ...]:
    """Return what the cues are fitted on."""
    return (*_messages(), *_turns(), *_statements())


def _messages() -> Iterator[Example]:
    for message in labelled_messages():
        answers = ((name, getattr(message, name)) for name in ("needs", "continues", "returns", "begins"))
        known = {name: answer for name, answer in answers if answer is not None}
        yield Example(excerpt(message.text), known, message.writer)


def _turns() -> Iterator[Example]:
    for conversation in (*training_chats().conversations.values(), *personal_chats().conversations.values()):
        stating = {item["index"] for item in conversation.metadata["instructions"]}
        for index, turn in enumerate(conversation.turns):
            if turn.role == "user":
                answers = {"instruction": index in stating}
                yield Example(excerpt(turn.scored_text), answers, conversation.metadata["writer"])


def _statements() -> Iterator[Example]:
    for file in sorted((TEXTS / "statements").iterdir()):
        for line in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            yield Example(line["text"], {"instruction": line["kind"] in _LASTING}, file.name)


def fit_cues(examples: Sequence[Example], states: Encoder) -> CueModel:
    """Return the model that tells the examples' answers apart."""
    vectors = states.encode([example.text for example in examples])
    fitted = [_fit(name, examples, vectors) for name in Cues._fields]
    return CueModel(*(np.array(each, dtype=np.float32) for each in zip(*fitted, strict=True)))


def _fit(name: str, examples: Sequence[Example], vectors: Embeddings) -> tuple[np.ndarray, float]:
    from sklearn.linear_model import LogisticRegression

    rows = [row for row, example in enumerate(examples) if name in example.answers]
    known, answers = vectors[rows].astype(np.float64), [examples[row].answers[name] for row in rows]
    mean, spread = known.mean(axis=0), known.std(axis=0)
    model = LogisticRegression(C=_PENALTY, max_iter=2_000).fit((known - mean) / spread, answers)
    weight = model.coef_[0] / spread
    return weight, float(model.intercept_[0] - weight @ mean)


@dataclass(frozen=True, slots=True)
class HeldOutCues:
    """The cues of the texts that the shipped cues were fitted on, by cues that were not.

    A gate that is trained on the same texts must not see how well a cue knows them.
    """

    known: Mapping[str, Mapping[str, float]]  # by text and cue

    @classmethod
    def fit(cls, states: Encoder) -> HeldOutCues:
        """Fit them without each fifth of the writers, and without their texts."""
        examples = cue_examples()
        writers = sorted({example.writer for example in examples})
        known: dict[str, dict[str, float]] = {}
        for fold in range(_FOLDS):
            left_out = [example for example in examples if example.writer in writers[fold::_FOLDS]]
            texts = {example.text for example in left_out}
            model = fit_cues([example for example in examples if example.text not in texts], states)
            cues = model.read(states.encode([example.text for example in left_out]))
            for example, each in zip(left_out, cues, strict=True):
                known.setdefault(example.text, {}).update(
                    (name, getattr(each, name)) for name in example.answers
                )
        return cls(known)

    def correct(self, fact: TurnFacts, text: str) -> TurnFacts:
        """Return the facts of a text with its held-out cues where there are any."""
        known = self.known.get(excerpt(text))
        return replace(fact, cues=fact.cues._replace(**known)) if known and any(fact.cues) else fact
