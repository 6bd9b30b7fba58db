"""The trade-off chart of policies."""

from __future__ import annotations

from convgate.evaluation.metrics import BUDGETS, METRICS
from convgate.evaluation.results import Summary
from convgate.figures.curves import answers_over_tokens_figure
from convgate.figures.palette import DARK
from convgate.versions.card import Metric


def choice(**values: float | None) -> Summary:
    return Summary(4, {name: Metric(values.get(name)) for name in METRICS})


def drawn(fig, name):
    return [trace for trace in fig.data if trace.name == name]


def test_a_policy_is_a_line_over_budgets_and_a_mark_by_its_own_rule() -> None:
    ranked = {
        f"answerable@{budget:.0%}": share for budget, share in zip(BUDGETS, (0.3, 0.5, 0.6, 0.8), strict=True)
    }
    policies = {
        "gate": choice(answerable=0.7, kept_token_share=0.4, **ranked),
        "everything": choice(answerable=1.0, kept_token_share=1.0),
    }
    fig = answers_over_tokens_figure(policies, palette=DARK)
    line, mark = drawn(fig, "gate")
    (alone,) = drawn(fig, "everything")
    assert line.line.color == mark.marker.color != alone.marker.color
    assert list(line.x) == list(BUDGETS), "only what was measured"
    assert list(line.y) == [0.3, 0.5, 0.6, 0.8]
    assert (mark.x[0], mark.y[0]) == (0.4, 0.7)
    assert (alone.x[0], alone.y[0]) == (1.0, 1.0)
    assert not any(trace.showlegend for trace in (line, mark, alone)), "the marks are labelled"
    assert [note.text for note in fig.layout.annotations] == [
        "<b>gate</b> 70% with 40%",
        "<b>everything</b> 100% with 100%",
    ]

    many = policies | dict.fromkeys("abc", policies["everything"])
    fig = answers_over_tokens_figure(many, palette=DARK)
    line, mark = drawn(fig, "gate")
    (alone,) = drawn(fig, "a")
    assert (mark.showlegend, alone.showlegend) == (False, True), "one entry for each of many policies"
    assert not fig.layout.annotations


def test_labels_of_marks_that_are_close_do_not_overprint() -> None:
    policies = {name: choice(answerable=0.0, kept_token_share=share) for name, share in
                (("a", 0.0), ("b", 0.02), ("c", 0.01))}  # fmt: skip
    fig = answers_over_tokens_figure(policies, palette=DARK)
    assert [(note.xanchor, note.yshift) for note in fig.layout.annotations] == [
        ("left", 0), ("left", 18), ("left", -18),
    ]  # fmt: skip
    policies["b"] = choice(answerable=0.5, kept_token_share=0.9)
    fig = answers_over_tokens_figure(policies, palette=DARK)
    assert [(note.xanchor, note.yshift) for note in fig.layout.annotations] == [
        ("left", 0), ("right", 0), ("left", 18),
    ]  # fmt: skip
