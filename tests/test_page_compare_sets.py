"""Compare on labelled conversations: metrics with intervals, each measured once."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from convgate.core.errors import EvaluationError
from convgate.evaluation.comparison import sure_best
from convgate.evaluation.evaluate import evaluate, pool_results
from convgate.evaluation.judged_cases import JudgedSet, count_tokens, judge_set
from convgate.policies.base import Policy
from convgate.policies.bm25 import BM25
from convgate.policies.window import Everything, LastK
from convgate.training.library import RelevanceSets
from convgate.transcripts import RelevanceSet
from convgate.ui import measurement as judging
from tests.compare_page import add_labelled, add_talk, opened, said, serve, sound
from tests.fakes import FakeEncoder

POLICIES = "everything, last_k(k=2), bm25"


@pytest.fixture(autouse=True)
def encoder(fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> FakeEncoder:
    serve(fake_encoder, monkeypatch)
    return fake_encoder


@pytest.fixture
def mine(convgate_home: Path) -> str:
    """A set of two conversations in the library of sets."""
    return add_labelled(convgate_home)


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The policies that were measured, one after the other."""
    done: list[str] = []

    def noted(relevance_set: RelevanceSet, policy: Policy, **rest: Any) -> JudgedSet:
        done.append(policy.name)
        return judge_set(relevance_set, policy, **rest)

    monkeypatch.setattr(judging, "judge_set", noted)
    return done


def row(text: str, name: str) -> list[str]:
    (line,) = [line for line in text.splitlines() if line.startswith(f"| **{name}**")]
    return line.strip("| ").split(" | ")[1:]


def test_each_policy_has_a_row_with_intervals_and_the_best_only_where_it_is_sure(mine: str) -> None:
    app = opened(on="sets", data=mine, policies=POLICIES)
    told = said(app)
    assert row(told, "Everything")[3] == "–", "it does not rank"
    assert row(told, "Last k turns, k 2")[:2] == ["0.25 :small[0.00–0.50]", "0.25 :small[0.00–0.50]"]
    assert "★" not in told.partition("MAP is the ranking")[0], "BM25 keeps all of them, too"
    assert row(told, "Everything")[5] == "reference"
    assert "for 2 messages of 2 conversations" in told
    assert app.query_params["data"] == mine
    (chart,) = app.get("plotly_chart")
    assert "Last k turns, k 2" in chart.proto.spec
    told = said(opened(on="sets", data=mine, policies="everything, last_k(k=2)"))
    assert row(told, "Everything")[0] == "**1.00 :small[1.00–1.00]** ★", "nothing else keeps as much"


def test_by_tag_there_is_a_table_for_each_tag(mine: str) -> None:
    app = opened(on="sets", data=mine, policies=POLICIES)
    assert "**return**" not in said(app)
    sound(app.toggle(key="compare.tags").set_value(True).run())
    assert "**return** :small[1 message]" in said(app)
    assert app.query_params["tags"] == "1"


def test_only_what_is_new_is_measured(mine: str, judged: list[str]) -> None:
    app = opened(on="sets", data=mine, policies=POLICIES)
    assert judged == ["everything", "last_k", "bm25"]
    sound(app.run())
    sound(app.number_input(key="compare.1.last_k.k").set_value(3).run())
    sound(app.selectbox(key="compare.reference").set_value("bm25").run())
    assert judged == ["everything", "last_k", "bm25", "last_k"]
    assert row(said(app), "BM25")[5] == "reference"


def test_files_have_every_figure(mine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, Callable[[], str]] = {}

    def drawn(label: str, data: Callable[[], str], **_: object) -> bool:
        files[label] = data
        return False

    monkeypatch.setattr("streamlit.download_button", drawn)
    opened(on="sets", data=mine, policies=POLICIES, tags="1")
    rows = list(csv.DictReader(io.StringIO(files["CSV"]())))
    (recall,) = [
        one for one in rows
        if (one["policy"], one["metric"], one["tag"]) == ("Last k turns, k 2", "recall", "")
    ]  # fmt: skip
    assert (recall["set"], recall["messages"], recall["value"]) == ("mine", "2", "0.25")
    assert (recall["low"], recall["high"]) == ("0", "0.5")
    assert {one["tag"] for one in rows} == {"", "return"}


def test_without_data_the_page_says_what_to_do(mine: str) -> None:
    app = opened(on="sets", data="", policies=POLICIES)
    assert "Choose labelled data" in said(app)
    sound(app.button(key="compare.use_data").click().run())
    assert row(said(app), "BM25")
    app = opened(on="sets", data="gone", policies=POLICIES)
    assert "data=gone, which does not exist" in said(app)


def test_the_two_places_have_one_choice_of_policies(mine: str) -> None:
    app = opened(conversation=add_talk(), policies=POLICIES, data=mine)
    sound(app.button_group(key="compare.on").set_value("sets").run())
    assert row(said(app), "BM25")
    assert app.query_params["on"] == "sets"


def test_pooled_results_are_what_evaluate_gives(convgate_home: Path) -> None:
    relevance_set = RelevanceSets(convgate_home).read(add_labelled(convgate_home, conversations=4))
    policies: dict[str, Policy] = {"all": Everything(), "two": LastK(2), "bm25": BM25()}
    tokens = count_tokens(relevance_set)
    judged = {name: judge_set(relevance_set, one, tokens=tokens) for name, one in policies.items()}
    found = pool_results(judged, by_tag=True)
    (wanted,) = evaluate([relevance_set], policies).sets.values()
    assert found.to_json() == wanted.to_json()
    mine, theirs = found.policies["bm25"].curve, wanted.policies["bm25"].curve
    assert mine is not None
    assert theirs is not None
    assert np.array_equal(mine.kept_token_share, theirs.kept_token_share)
    assert sure_best(found, "recall") == "all"
    assert sure_best(found, "precision") is None
    with pytest.raises(EvaluationError, match="no policy"):
        pool_results({})
