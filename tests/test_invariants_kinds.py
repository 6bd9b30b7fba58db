"""Kinds of statements: the classifier, its context and the shipped weights."""

from __future__ import annotations

import numpy as np
import pytest

from convgate.core.conversation import Turn
from convgate.invariants import find_invariants
from convgate.invariants.judge import (
    REFIT_COMMAND,
    KindJudge,
    UserMessage,
    context_features,
    features_of,
    kind_of,
    shipped_model,
)
from convgate.invariants.rules import InvariantRules
from convgate.invariants.statements import KINDS, Statement, StatementKind
from convgate.invariants.topic import read_topic
from convgate.text.folding import fold
from convgate.text.linear import count_ngrams
from tests.fakes import FakeEncoder, FakeSpanEncoder
from tools.statement_kinds import examples_hash, labelled_examples
from tools.text_fitting import fit

SAID: list[tuple[str, StatementKind]] = [
    ("keep it dry, whatever it takes", "hard_constraint"), ("keep it dry, always", "hard_constraint"),
    ("sesame harms my son", "safety_requirement"), ("sesame kills my son", "safety_requirement"),
    ("wrong, it was Tuesday", "user_correction"), ("wrong, it was Monday", "user_correction"),
    ("the screen stays black", "blocking_error"), ("the screen stays dark", "blocking_error"),
    ("forget the colours", "lifted"), ("forget the tables", "lifted"),
    ("it works now", "resolved"), ("that works now", "resolved"),
    ("thanks a lot", "none"), ("thanks, see you", "none"),
]  # fmt: skip
LATER = context_features("Dry?", "keep", 0, 1)


@pytest.fixture
def encoder() -> FakeSpanEncoder:
    return FakeSpanEncoder()


@pytest.fixture
def judge(encoder: FakeSpanEncoder, monkeypatch: pytest.MonkeyPatch) -> KindJudge:
    texts = [text for text, _ in SAID]
    features = features_of(FakeEncoder().encode(texts), [LATER] * len(texts))
    model = fit(
        list(map(count_ngrams, texts)),
        features,
        [kind for _, kind in SAID],
        KINDS,
        penalty=50.0,
        vector_scale=1.6,
    )
    monkeypatch.setattr("convgate.invariants.judge.MAX_CACHED", 4)
    return KindJudge(model, encoder)


def test_each_statement_has_a_kind_a_likelihood_and_the_words_for_it(judge: KindJudge) -> None:
    for text, kind in SAID:
        ((one,),) = judge.classify([UserMessage(text, "Dry?")])
        assert one.kind == kind, text
        assert kind == "none" or (one.likelihood > 0.3 and one.signs)
    (invariant,) = find_invariants([Turn.of("user", "keep it dry, always")], judge)
    assert "“keep”" in invariant.reason


def test_the_reason_of_what_is_safety_critical_names_no_connective() -> None:
    text, rules = "I'm allergic to shellfish, so careful", InvariantRules()
    for signs in (("so", "allergic"), ("so",)):
        statement = Statement(0, len(text), text, read_topic(fold(text).text), likelihood=0.96, signs=signs)
        rules.add(0, text, statement, "safety_requirement", (0, len(text)))
    assert [rule.invariant.reason for rule in rules.all] == [
        "It is safety-critical (0.96): “allergic”.",
        f"It is safety-critical (0.96): “{text}”.",
    ]


def test_each_message_is_encoded_once_and_memory_is_bounded(
    judge: KindJudge, encoder: FakeSpanEncoder
) -> None:
    conversation = [
        Turn.of("user", "Hi."),
        Turn.of("assistant", "Dry?"),
        Turn.of("user", "keep it dry, always"),
    ]
    find_invariants(conversation, judge)
    assert len(encoder.calls) == 1, "all statements of a conversation at once"
    find_invariants(conversation, judge)
    assert len(encoder.calls) == 1
    find_invariants([Turn.of("user", f"Number {n} is here.") for n in range(9)], judge)
    assert len(judge._statements) == 4
    assert judge.classify([]) == []


def test_what_stands_in_quotation_or_code_alone_is_no_rule(judge: KindJudge) -> None:
    ((one,),) = judge.classify([UserMessage('He wrote: "keep it dry, always, keep it dry"', "Dry?")])
    assert one.kind == "none"


def test_kinds_that_hold_count_together_and_a_danger_has_to_outweigh_the_others() -> None:
    def row(**shares: float) -> np.ndarray:
        return np.array([shares.get(kind, 0.0) for kind in KINDS], dtype=np.float32)

    assert kind_of(row(none=0.7, hard_constraint=0.15, user_correction=0.1))[0] == "hard_constraint"
    assert kind_of(row(none=0.9, hard_constraint=0.1))[0] == "none"
    assert kind_of(row(safety_requirement=0.4, user_correction=0.35, hard_constraint=0.2))[0] == (
        "user_correction"
    )
    assert kind_of(row(safety_requirement=0.5, hard_constraint=0.3))[0] == "safety_requirement"
    assert kind_of(row(none=0.9, blocking_error=0.1))[0] == "none"
    assert kind_of(row(none=0.8, blocking_error=0.2))[0] == "blocking_error"


def test_the_context_tells_questions_and_shared_words_apart() -> None:
    contexts = [
        context_features(None, "ten of them", 0, 1),
        context_features("How many?", "ten of them", 0, 1),
        context_features("How many?", "ten of them", 1, 2),
        context_features("There are ten of them.", "ten of them", 0, 1),
    ]
    assert len(set(contexts)) == len(contexts)
    assert len({len(one) for one in contexts}) == 1


def test_the_shipped_weights_have_features_for_the_context_and_examples_of_every_kind() -> None:
    model, examples = shipped_model(), labelled_examples()
    assert model.vectors.shape[0] == 384 + len(LATER)
    assert model.info["examples"] == examples_hash(examples), REFIT_COMMAND
    assert {one.kind for one in examples} == {None, *KINDS}
    assert all(one.author not in ("sealed", "last") for one in examples)
