"""The curve of who gets all they need agrees with what the rules decide, at each of its rows."""

from __future__ import annotations

import numpy as np
import pytest

from convgate.evaluation.answer_curve import answer_curve, fit_rule
from convgate.evaluation.tuning import ScoredCase, ScoredCases
from convgate.gate.rule import Rule
from convgate.gate.thresholds import RULES, Calibrated, MaxMissed, make_rule
from convgate.transcripts import Case


def make_cases(n_conversations: int = 6) -> ScoredCases:
    """Return two cases a conversation, whose needed turns score higher than others on average."""
    random, cases, clusters = np.random.default_rng(3), [], []
    for number in range(2 * n_conversations):
        n = int(random.integers(6, 15))
        relevant = random.random(n) < 0.3
        scores = np.clip(random.normal(0.35 + 0.25 * relevant, 0.2), 0.01, 0.99)
        rows = np.flatnonzero(random.random(n) < 0.9)
        conversation = f"c{number // 2}"
        case = Case(f"case-{number}", conversation, n, None, frozenset(np.flatnonzero(relevant).tolist()))
        cases.append(
            ScoredCase(
                "own", case, 0, scores, random.integers(5, 90, n), rows, relevant[rows],
                relevant[rows] & (random.random(len(rows)) < 0.8),
            )
        )  # fmt: skip
        clusters.append(number // 2)
    return ScoredCases(tuple(cases), np.array(clusters), n_conversations, learned=0.5)


SCORED = make_cases()
SWEPT = [name for name, rule in RULES.items() if rule.swept is not None]


@pytest.mark.parametrize("name", SWEPT)
def test_each_row_is_what_the_rule_decides_and_nothing_changes_in_between(name: str) -> None:
    rule = make_rule(name)
    curve = answer_curve(SCORED, rule)
    assert curve is not None
    assert len(curve.values) > 3
    for row, value in enumerate(curve.values):
        for tried in {float(value), curve.between(row)}:
            figures = SCORED.figures(SCORED.kept(rule.at(tried)))
            assert figures.answerable.value == pytest.approx(curve.answerable[row]), (tried, row)
            assert figures.missed.value == pytest.approx(curve.missed[row])
            assert figures.kept_token_share == pytest.approx(curve.kept_token_share[row])


@pytest.mark.parametrize(
    "name", [name for name in SWEPT if name not in ("max_missed", "anchored", "stricter")]
)
def test_what_is_fitted_keeps_the_promise_within_the_range_and_not_at_its_end(name: str) -> None:
    rule = make_rule(name)
    curve = answer_curve(SCORED, rule)
    fitted = fit_rule(SCORED, rule, 0.2, fitted_on="12 labels", curve=curve)
    assert fitted is not None
    assert fitted.sweep is not None
    value = fitted.value(learned=SCORED.learned)
    assert value is not None
    assert fitted.sweep.low < value < fitted.sweep.high
    missed = SCORED.figures(SCORED.kept(fitted)).missed.value
    assert missed is not None
    assert missed <= 0.2
    assert curve is not None
    further = fitted.at(min(fitted.sweep.high, float(curve.values[curve.values > value][1])))
    assert (SCORED.figures(SCORED.kept(further)).missed.value or 0) > 0.2, "the fewest tokens"
    if isinstance(fitted, Calibrated):
        assert (fitted.goal, fitted.fitted_on) == ("at most 20.0% missed", "12 labels")


def test_a_promise_is_calibrated_with_enough_conversations_only() -> None:
    def fit(scored: ScoredCases) -> Rule | None:
        return fit_rule(scored, MaxMissed(), 0.1, fitted_on="labels", curve=None)

    assert fit(SCORED) == MaxMissed(max_missed=0.1), "6 conversations"
    many = fit(make_cases(40))
    assert isinstance(many, MaxMissed)
    assert many.levels
    assert many.fitted_on == "labels"


def test_where_nothing_is_needed_nothing_is_fitted() -> None:
    cases = tuple(
        ScoredCase(
            each.set, each.case, each.start, each.scores, each.tokens, each.rows, each.relevant,
            np.zeros_like(each.needed),
        )
        for each in SCORED.cases
    )  # fmt: skip
    scored = ScoredCases(cases, SCORED.clusters, SCORED.conversations, 0.5)
    curve = answer_curve(scored, make_rule("absolute"))
    assert curve is not None
    assert np.isnan(curve.missed).all()
    assert fit_rule(scored, make_rule("absolute"), 0.5, fitted_on="", curve=curve) is None
