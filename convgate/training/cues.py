"""Fit the gate's cues on the written chats; scikit-learn is imported only here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from convgate.gate.cues import NAMES, Cue, ngrams_of
from convgate.gate.facts import TurnFacts
from convgate.training.chats import chats, needed_turns, new_subjects

_PENALTY = 3.0  # C of the logistic regression, with features of unit length
_MOST = 2_000  # n-grams of a cue
_MIN_TEXTS = 3  # that an n-gram has to be in
_FAR = 6  # turns; what is needed from farther away is lasting
_FOLDS = 5


@dataclass(frozen=True, slots=True)
class Example:
    """A text with the answer to one cue's question."""

    text: str
    answer: bool
    writer: str


def cue_examples() -> Mapping[str, Sequence[Example]]:
    """Return by the name of each cue what it is fitted on, of the training writers alone."""
    found: dict[str, list[Example]] = {name: [] for name in NAMES}
    written = chats("train")
    needed: dict[str, set[int]] = {id: set() for id in written.conversations}
    needed_of = needed_turns("train")
    for case in written.cases:
        situation, history = written.situation(case)
        needed[case.conversation] |= {turn for turn in needed_of[case.id] if history.stop - turn > _FAR}
        writer = _writer(case.conversation)
        found["needs"].append(Example(situation.turn.scored_text, bool(needed_of[case.id]), writer))
    for number, text in enumerate(new_subjects()):
        found["needs"].append(Example(text, answer=False, writer=f"short {number % _FOLDS}"))
    for id, conversation in written.conversations.items():
        stated = {item["index"] for item in conversation.metadata["instructions"]}
        for index, turn in enumerate(conversation.turns[:-_FAR]):
            user = turn.role == "user"
            lasting = Example(turn.scored_text, index in needed[id], _writer(id))
            found["lasting_user" if user else "lasting_assistant"].append(lasting)
            if user:
                found["instruction"].append(Example(turn.scored_text, index in stated, _writer(id)))
    return found


def fit_cue(examples: Sequence[Example]) -> Cue:
    """Return the cue that tells the examples' answers apart: its strongest 2,000 n-grams."""
    texts = [ngrams_of(example.text) for example in examples]
    answers = np.array([example.answer for example in examples])
    seen = Counter(gram for grams in texts for gram in grams)
    names = sorted(gram for gram, count in seen.items() if count >= _MIN_TEXTS)
    weights, _ = _regression(texts, answers, names)
    names = sorted(names[place] for place in np.argsort(-np.abs(weights), kind="stable")[:_MOST])
    weights, bias = _regression(texts, answers, names)
    return Cue(bias, dict(zip(names, weights.tolist(), strict=True)))


def held_out_logits(examples: Sequence[Example]) -> dict[str, float]:
    """Return for each text the log odds by a cue that was fitted without its writer.

    A gate that is trained on the same texts must not see how well a cue knows them.
    """
    writers = sorted({example.writer for example in examples})
    found: dict[str, float] = {}
    for fold in range(_FOLDS):
        left_out = set(writers[fold::_FOLDS])
        cue = fit_cue([example for example in examples if example.writer not in left_out])
        texts = {example.text for example in examples if example.writer in left_out}
        found |= {text: cue.logit(ngrams_of(text)) for text in texts}
    return found


@dataclass(frozen=True, slots=True)
class HeldOutCues:
    """The cues of the texts that the shipped cues were fitted on, by cues that were not."""

    logits: Mapping[str, Mapping[str, float]]  # by cue and text

    @classmethod
    def fitted(cls) -> HeldOutCues:
        """Return those of the written chats."""
        return cls({name: held_out_logits(examples) for name, examples in cue_examples().items()})

    def corrected(self, fact: TurnFacts, text: str) -> TurnFacts:
        """Return the facts of a text with its held-out cues where there are any."""
        lasting = self.logits["lasting_assistant" if fact.assistant else "lasting_user"]
        instruction = {} if fact.assistant else self.logits["instruction"]
        return replace(
            fact,
            needs=self.logits["needs"].get(text, fact.needs),
            lasting=lasting.get(text, fact.lasting),
            instruction=instruction.get(text, fact.instruction),
        )


def _regression(
    texts: Iterable[frozenset[str]], answers: NDArray[np.bool_], names: Sequence[str]
) -> tuple[NDArray[np.float64], float]:
    from scipy.sparse import csr_matrix
    from sklearn.linear_model import LogisticRegression

    places = {name: place for place, name in enumerate(names)}
    values: list[float] = []
    columns: list[int] = []
    ends = [0]
    for grams in texts:
        known = [places[gram] for gram in grams if gram in places]
        columns += known
        values += [1 / max(1, len(grams)) ** 0.5] * len(known)
        ends.append(len(columns))
    matrix = csr_matrix((values, columns, ends), shape=(len(ends) - 1, len(names)))
    regression = LogisticRegression(C=_PENALTY, max_iter=1_000).fit(matrix, answers)
    return regression.coef_[0], float(regression.intercept_[0])


def _writer(conversation: str) -> str:
    return conversation.split("-")[0]
