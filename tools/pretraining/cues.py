"""Fit the gate's cues on the written chats; scikit-learn is imported only here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from convgate.gate.cues import Cue, ngrams_of, sentences_of, shipped_cues
from convgate.gate.facts import TurnFacts
from convgate.training.messages import labelled_messages
from tools.pretraining.chats import TEXTS, personal_chats, training_chats

_PENALTY = 3.0  # C of the logistic regression, with features of unit length
_MAX_NGRAMS = 2_000  # of a cue
_MIN_TEXTS = 3  # that an n-gram has to be in
_LASTING = {"hard_constraint", "safety_requirement"}  # kinds of statements
_FOLDS = 5


@dataclass(frozen=True, slots=True)
class Example:
    """A text with the answer to one cue's question."""

    text: str
    answer: bool
    writer: str


def cue_examples() -> Mapping[str, Sequence[Example]]:
    """Return by the name of each cue what it is fitted on."""
    return {"needs": list(_messages()), "instruction": [*_sentences(), *_statements()]}


def _messages() -> Iterator[Example]:
    yield from (Example(*message) for message in labelled_messages())


def _sentences() -> Iterator[Example]:
    for conversation in (*training_chats().conversations.values(), *personal_chats().conversations.values()):
        stated = [(item["index"], item["text"]) for item in conversation.metadata["instructions"]]
        for index, turn in enumerate(conversation.turns):
            if turn.role == "user":
                quotes = [quote for place, quote in stated if place == index]
                for sentence in sentences_of(turn.scored_text):
                    states = any(quote in sentence or sentence in quote for quote in quotes)
                    yield Example(sentence, states, conversation.metadata["writer"])


def _statements() -> Iterator[Example]:
    for file in sorted((TEXTS / "statements").iterdir()):
        for line in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            yield Example(line["text"], line["kind"] in _LASTING, file.name)


def fit_cue(examples: Sequence[Example]) -> Cue:
    """Return the cue that tells the examples' answers apart: its strongest 2,000 n-grams."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    texts = [example.text for example in examples]
    answers = [example.answer for example in examples]
    vectorizer = CountVectorizer(analyzer=ngrams_of, min_df=_MIN_TEXTS)
    counts = vectorizer.fit_transform(texts)
    lengths = np.array([[max(1, len(ngrams_of(text)))] for text in texts])
    features = counts.multiply(1 / np.sqrt(lengths)).tocsr()
    model = LogisticRegression(C=_PENALTY, max_iter=1_000)
    chosen = np.sort(np.argsort(-np.abs(model.fit(features, answers).coef_[0]), kind="stable")[:_MAX_NGRAMS])
    model.fit(features[:, chosen], answers)
    names = vectorizer.get_feature_names_out()[chosen]
    return Cue(float(model.intercept_[0]), dict(zip(names.tolist(), model.coef_[0].tolist(), strict=True)))


def held_out_logits(examples: Sequence[Example]) -> dict[str, float]:
    """Return for each text the log odds by a cue that was fitted without its writer, and without the text.

    A gate that is trained on the same texts must not see how well a cue knows them.
    """
    writers = sorted({example.writer for example in examples})
    logits: dict[str, float] = {}
    for fold in range(_FOLDS):
        left_out = set(writers[fold::_FOLDS])
        texts = {example.text for example in examples if example.writer in left_out}
        cue = fit_cue(
            [example for example in examples if example.writer not in left_out and example.text not in texts]
        )
        logits |= {text: cue.logit(ngrams_of(text)) for text in texts}
    return logits


@dataclass(frozen=True, slots=True)
class HeldOutCues:
    """The cues of the texts that the shipped cues were fitted on, by cues that were not."""

    logits: Mapping[str, Mapping[str, float]]  # by cue and text

    @classmethod
    @cache
    def fit(cls) -> HeldOutCues:
        """Fit them on the texts that come with convgate."""
        return cls({name: held_out_logits(examples) for name, examples in cue_examples().items()})

    def correct(self, fact: TurnFacts, text: str) -> TurnFacts:
        """Return the facts of a text with its held-out cues where there are any."""
        known, shipped = self.logits["instruction"], shipped_cues()["instruction"]
        instruction, sentences = fact.instruction, [] if fact.assistant else sentences_of(text)
        if any(sentence in known for sentence in sentences):
            instruction = max(
                known.get(sentence, shipped.logit(ngrams_of(sentence))) for sentence in sentences
            )
        return replace(fact, needs=self.logits["needs"].get(text, fact.needs), instruction=instruction)
