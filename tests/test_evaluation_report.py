"""Evaluations as tables."""

import numpy as np
import pytest
from rich.console import Console

from convgate.errors import EvaluationError
from convgate.evaluation.bootstrap import draw
from convgate.evaluation.metrics import METRICS
from convgate.evaluation.report import LEGEND, markdown, rich_tables
from convgate.evaluation.results import Evaluation, PolicyResult, SetResult, summarise


def policy_result(name, terms, tags):
    clusters, draws = np.arange(len(terms)), draw(len(terms))
    by_tag = {tag: summarise(terms[has], clusters[has], draws) for tag, has in tags.items()}
    return PolicyResult(name, summarise(terms, clusters, draws), by_tag, terms)


def evaluation_of(shares, *, set_name="mix.dev", tag="new-topic"):
    """20 cases of 10 turns each; each policy's value is the same share in every metric."""
    tags = {tag: np.arange(20) < 5}
    results = {}
    for name, share in shares.items():
        terms = np.zeros((20, 2, len(METRICS)))
        terms[:, 1], terms[:, 0] = 10, 10 * share
        terms[:10, 0] -= 0.5
        results[name] = policy_result(name, terms, tags)
    ids = tuple(f"case-{n}" for n in range(20))
    return Evaluation({set_name: SetResult(set_name, ids, np.arange(20), tags, results)}, seed=0)


def plain(tables, width=120):
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        for table in tables:
            console.print(table)
    return capture.get()


def test_markdown_has_a_row_for_each_policy_with_intervals():
    lines = markdown(evaluation_of({"gate": 0.9, "bm25": 0.5})).splitlines()
    assert lines[0] == "### mix.dev"
    assert lines[2] == "20 cases, 20 conversations."
    assert lines[4].startswith("| policy | MAP | R@5 |")
    assert lines[6].startswith("| gate | 0.875 (0.86")
    assert lines[7].startswith("| bm25 | 0.475 (")
    assert lines[-1] == LEGEND


def test_metrics_that_no_policy_defines_are_left_out():
    evaluation = evaluation_of({"everything": 0.5})
    terms = evaluation.sets["mix.dev"].policies["everything"].terms
    terms[:, :, METRICS.index("map")] = 0
    tags = evaluation.sets["mix.dev"].tags
    evaluation.sets["mix.dev"].policies["everything"] = policy_result("everything", terms, tags)
    assert "MAP" not in markdown(evaluation).replace(LEGEND, "")


def test_a_metric_that_one_policy_does_not_define_is_a_dash():
    evaluation = evaluation_of({"everything": 0.5, "gate": 0.9})
    terms = evaluation.sets["mix.dev"].policies["everything"].terms
    terms[:, :, METRICS.index("map")] = 0
    tags = evaluation.sets["mix.dev"].tags
    evaluation.sets["mix.dev"].policies["everything"] = policy_result("everything", terms, tags)
    assert "| everything | – | 0.475" in markdown(evaluation)


def test_tags_have_their_own_tables():
    text = markdown(evaluation_of({"gate": 0.9}), by_tag=True)
    assert "### mix.dev, new-topic\n\n5 cases, 5 conversations." in text
    assert "new-topic" not in markdown(evaluation_of({"gate": 0.9}))


def test_differences_against_a_policy_are_signed_and_marked_when_sure():
    text = markdown(evaluation_of({"gate": 0.9, "bm25": 0.5, "twin": 0.9}), against="gate")
    assert "### mix.dev, against gate" in text
    assert "| bm25 | -0.400\\* (-0.400 to -0.400) |" in text
    assert "| twin | +0.000 (+0.000 to +0.000) |" in text


def test_a_baseline_that_was_not_evaluated_is_refused():
    with pytest.raises(EvaluationError, match="not evaluated with 'cosine', only with gate"):
        markdown(evaluation_of({"gate": 0.9}), against="cosine")


def test_names_from_files_cannot_break_the_tables():
    text = markdown(
        evaluation_of({"gate": 0.9}, set_name="a|b\n# <b>x", tag="[link](http://x)\x1b[2J"), by_tag=True
    )
    assert "### a\\|b \\# \\<b\\>x\n" in text
    assert "\\[link\\](http://x) \\[2J" in text
    assert "\x1b" not in plain(rich_tables(evaluation_of({"[red]\x1b[2J": 0.5})))
    assert "[red]" in plain(rich_tables(evaluation_of({"[red]\x1b[2J": 0.5})))


def test_the_terminal_table_shows_intervals_under_the_values():
    text = plain(rich_tables(evaluation_of({"gate": 0.9, "cosine_top_k": 0.5}), against="gate"), width=115)
    assert "mix.dev  20 cases, 20 conversations" in text
    assert ".875" in text
    assert ".86–.89" in text
    assert "-.400*" in text
    assert "-.40–-.40" in text
    assert "…" not in text


def test_without_intervals_the_terminal_table_fits_80_columns():
    tables = rich_tables(evaluation_of({"gate": 0.9, "cosine_top_k": 1.0}), intervals=False, against="gate")
    text = plain(tables, width=80)
    assert "cosine_top_k" in text
    assert "+.10*" in text
    assert "…" not in text
    assert "–" not in text
