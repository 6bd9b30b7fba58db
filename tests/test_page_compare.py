"""The page Compare, on one conversation and on labelled conversations."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Turn
from convgate.core.errors import EvaluationError, PolicyError
from convgate.evaluation.bill_report import BillReport
from convgate.evaluation.evaluate import evaluate, pool_results
from convgate.evaluation.judged_cases import JudgedSet, count_tokens, judge_set
from convgate.policies.base import Policy
from convgate.policies.registry import policy_names
from convgate.policies.search import BM25
from convgate.policies.spec import PolicySpec
from convgate.policies.window import Everything, LastK
from convgate.selection.billing import bill_policies
from convgate.training.library import RelevanceSets
from convgate.transcripts import RelevanceSet
from convgate.ui.compare import bill as bill_module
from convgate.ui.compare.page import Results, summary_sentences
from convgate.ui.compare.state import check_column
from convgate.ui.shared import results_cache
from convgate.ui.shared.policy_options import option_label
from tests.page_app import (
    TURNS,
    add_conversation,
    address,
    check,
    click,
    go_back,
    open_page,
    page_text,
    stated,
)
from tests.page_app import encoder as encoder
from tests.page_data import add_relevance_set

pytestmark = pytest.mark.usefixtures("encoder")

open_compare = partial(open_page, "Compare")
THREE = "everything, last_k(k=2), last_k(k=4)"
MEASURED = {"data": "mine", "policies": "everything, last_k(k=2), bm25", "measure": "1"}


@pytest.fixture
def key(convgate_home: Path) -> str:
    """The key of a conversation of seven turns in the library."""
    return add_conversation(*TURNS[1:])


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The policies that were measured, one after the other."""
    names: list[str] = []

    def judge_and_note(relevance_set: RelevanceSet, policy: Policy, **rest: Any) -> JudgedSet:
        names.append(policy.name)
        assert rest["sending"].holds is not None, "what is sent is measured"
        return judge_set(relevance_set, policy, **rest)

    monkeypatch.setattr(results_cache, "judge_set", judge_and_note)
    return names


def summary(app: AppTest) -> dict[str, list[str]]:
    """Return the cells of the summary of one conversation, by policy."""
    (table,) = [one.value for one in app.markdown if "| Turns kept |" in str(one.value)]
    lines = table.replace("\\", "").replace("\u2060", "").splitlines()[2:]
    rows = [line.strip("| ").split(" | ") for line in lines]
    return {row[0].replace("*", ""): row[1:] for row in rows}


def decision_columns(app: AppTest) -> dict[str, list[Any]]:
    """Return the table's columns by name."""
    (table,) = app.dataframe
    columns: dict[str, list[Any]] = table.value.to_dict("list")
    return columns


def row(app: AppTest, name: str) -> list[str]:
    (line,) = [line for line in page_text(app).splitlines() if line.startswith(f"| {name} |")]
    return line.strip("| ").split(" | ")[1:]


# One conversation


def test_each_policy_is_a_column_and_a_row_and_is_compared_with_the_reference(key: str) -> None:
    app = open_compare(conversation=key, policies=THREE)
    numbers = summary(app)
    assert list(numbers) == ["Everything", "Last 2 turns", "Last 4 turns"]
    assert [cells[0] for cells in numbers.values()] == ["6 of 6", "2 of 6", "4 of 6"]
    assert [cells[3] for cells in numbers.values()] == ["reference", "4", "2"]
    assert numbers["Everything"][2] == "0%"
    columns = decision_columns(app)
    assert columns["Last 2 turns"] == ["○ dropped ▼"] * 4 + ["● kept"] * 2
    assert columns["Last 4 turns"] == ["○ dropped ▼"] * 2 + ["● kept"] * 4
    assert columns["turn"] == [1, 2, 3, 4, 5, 6]

    check(app.selectbox(key="compare.reference").set_value("last_k(k=2)").run())
    assert decision_columns(app)["Everything"] == ["● kept ▲"] * 4 + ["● kept"] * 2
    assert app.query_params["reference"] == "last_k(k=2)"
    check(app.toggle(key="compare.differ").set_value(True).run())
    assert decision_columns(app)["turn"] == [1, 2, 3, 4]
    assert app.query_params["differ"] == "1"


def test_selected_policies_are_columns_and_in_the_address(key: str) -> None:
    app = open_compare(conversation=key)
    assert list(summary(app)) == ["Last 10 turns", "Gate", "BM25: search by words"]
    assert "policies" not in app.query_params
    check(app.multiselect(key="compare.policies").set_value(["bm25", "everything"]).run())
    assert list(summary(app)) == ["BM25: search by words", "Everything"]
    assert app.query_params["policies"] == "bm25, everything"
    offered = app.multiselect(key="compare.policies").options
    assert len(offered) == len(policy_names()), "every policy of the registry; there is no version here"


def test_a_typed_policy_may_have_parameters(key: str) -> None:
    app = open_compare(conversation=key, policies="everything, last_k(k=2)")
    policies = ["everything", "last_k( k = 1 )", "last_k(k="]
    check(app.multiselect(key="compare.policies").set_value(policies).run())
    assert list(summary(app)) == ["Everything", "Last 1 turn"]
    assert app.query_params["policies"] == "everything, last_k(k=1)"
    assert len(app.toast) == 1, "what cannot be read is reported"


def test_only_the_back_button_returns_to_an_earlier_address(key: str) -> None:
    app = open_compare(conversation=key, policies="everything, last_k(k=2)")
    check(app.multiselect(key="compare.policies").set_value(["everything", "last_k(k=2)", "bm25"]).run())
    app.query_params["policies"] = "everything, last_k(k=2)"  # not the new one yet
    assert list(summary(check(app.run()))) == ["Everything", "Last 2 turns", "BM25: search by words"]
    assert app.query_params["policies"] == "everything, last_k(k=2), bm25"

    app = go_back(app, conversation=key, policies="everything, last_k(k=2)")
    assert list(summary(app)) == ["Everything", "Last 2 turns"]


def test_a_rule_of_the_gate_applies(key: str) -> None:
    app = open_compare(conversation=key, policies="everything, gate(rule=top_k, k=0)")
    assert summary(app)["Gate (rule=top_k, k=0)"][0] == "0 of 6"


def test_a_long_conversation_has_pages(convgate_home: Path) -> None:
    turns = [Turn.of("assistant" if index % 2 else "user", f"text {index}") for index in range(301)]
    app = open_compare(conversation=add_conversation(*turns), policies="everything, last_k", page="3")
    assert decision_columns(app)["turn"] == list(range(201, 301))
    check(app.toggle(key="compare.differ").set_value(True).run())
    assert decision_columns(app)["turn"][:2] == [1, 2], "another list begins on its first page"
    assert "page" not in app.query_params


def test_a_click_on_a_cell_opens_the_turn_in_explore_with_the_policy_of_its_column(key: str) -> None:
    app = open_compare(conversation=key, policies="everything, gate(rule=top_k, k=0)", ask="and now?")
    app.session_state["compare.table"] = {"selection": {"cells": [[2, "Gate (rule=top_k, k=0)"]]}}
    check(app.run())
    assert app.title[0].value == "Explore"
    query = {name: str(value) for name, value in app.query_params.items()}
    assert query.items() >= {"ask": "and now?", "selected": "3", "rule": "top_k,k=0"}.items()


def test_a_click_opens_explore_with_the_parameters_of_its_column(key: str) -> None:
    app = open_compare(conversation=key, policies="everything, last_k(k=2)")
    app.session_state["compare.table"] = {"selection": {"cells": [[2, "Last 2 turns"]]}}
    app = check(app.run())
    assert address(app)["policy"] == "last_k(k=2)"
    assert stated(app, "Kept") == "2"
    assert "Last 2 turns" in app.selectbox(key="explore.policy").options
    assert not open_page("Label", **address(app)).warning


def test_a_bad_address_is_reported_and_the_rest_is_shown(key: str) -> None:
    app = open_compare(
        conversation=key, policies="everything, gate@gone, last_k(k=1)", reference="bm25", turn="99",
        page="x", data="gone",
    )  # fmt: skip
    assert sum("link_off" in warning.icon for warning in app.warning) == 5
    assert list(summary(app)) == ["Everything", "Last 1 turn"]
    for policies in ("last_k(k=", "everything, nobody", "everything, last_k(k=-1)", "last_k(size=3)"):
        app = open_compare(conversation=key, policies=policies)
        assert "The address says policies=" in page_text(app)
        assert len(summary(app)) == 3, "as on a first visit"


def test_a_policy_that_fails_is_left_out_and_says_why(key: str) -> None:
    stages = 'pipeline(stages="gatekeeper > gate@nobody")'
    app = open_compare(conversation=key, policies=f"{stages}, everything, last_k", reference=stages)
    (error,) = [str(error.value) for error in app.error]
    assert "nobody" in error
    assert list(summary(app)) == ["Everything", "Last 10 turns"]


def test_empty_states_have_the_button_that_helps(convgate_home: Path) -> None:
    assert "no conversation" not in page_text(open_compare()), "only what can be shown"
    key = add_conversation(*TURNS[1:])
    for policies in ("", "bm25"):
        app = open_compare(conversation=key, policies=policies)
        assert "Select at least two policies." in page_text(app)
    check(app.button(key="compare.start").click().run())
    assert list(summary(app)) == ["Last 10 turns", "Gate", "BM25: search by words"]
    assert "there is no history" in page_text(open_compare(conversation=key, turn="1"))


def test_a_rule_needs_its_name_and_labels_are_short() -> None:
    with pytest.raises(PolicyError):
        check_column(PolicySpec("gate", {"k": 3}))
    assert option_label(f"pipeline(stages={'x' * 99})").endswith("…")


# All conversations, without labels


def test_without_labels_it_says_what_is_sent_and_where_the_policies_differ_most(key: str) -> None:
    add_conversation(*TURNS[1:4], title="Short")
    app = open_compare(show="chats", policies="everything, last_k(k=2)")
    assert "of 2 conversations" not in page_text(app), "nothing is compared before somebody asks"
    click(app, "compare.measure")
    text = page_text(app)
    assert "before the last messages of 2 conversations, Everything sends 100% and Last 2 turns sends" in text
    assert "which labels tell" in text
    found = [button for button in app.button if (button.key or "").startswith("compare.chat.")]
    assert [button.label.rpartition(": ")[2] for button in found] == ["4 turns", "0 turns"]
    click(app, str(found[0].key))
    assert address(app).items() >= {"conversation": key, "differ": "1", "show": "chats"}.items()
    assert decision_columns(app)["turn"] == [1, 2, 3, 4]


def test_turns_that_every_policy_sends_are_counted_apart(convgate_home: Path) -> None:
    rule = Turn.of("user", "You must never log the passwords of users.")
    app = open_compare(conversation=add_conversation(rule, *TURNS[1:]), policies="everything, last_k(k=2)")
    assert summary(app)["Last 2 turns"][0] == "3 of 7 :small[2 + 1 that are always sent]"


# Labelled conversations


def test_few_conversations_are_reported_with_the_results(convgate_home: Path, measured: list[str]) -> None:
    add_relevance_set(convgate_home)
    app = open_compare(**MEASURED | {"measure": "0"})
    assert measured == []
    assert "Not measured yet on mine" in page_text(app)
    check(app.button(key="compare.measure").click().run())
    assert measured == ["everything", "last_k", "bm25"]
    assert app.query_params["measure"] == "1"
    assert "too few to trust (2 of 49 conversations)." in page_text(app)
    assert not app.warning
    assert row(app, "Everything")[4] == "–", "without scores nothing fills a budget"
    assert row(app, "Everything")[:3] == ["100% :small[100%–100%]", "reference", "100% :small[100%–100%]"]
    (chart,) = app.get("plotly_chart")
    assert "Last 2 turns" in chart.proto.spec

    check(app.selectbox(key="compare.reference").set_value("bm25").run())
    assert row(app, "BM25: search by words")[1] == "reference"
    assert row(open_compare(**MEASURED | {"measure": "0"}), "BM25: search by words"), (
        "what was measured needs no button"
    )
    assert measured == ["everything", "last_k", "bm25"]


def test_a_first_visit_shows_the_samples_measured(convgate_home: Path, measured: list[str]) -> None:
    app = open_compare(policies="last_k(k=7), last_k(k=8)")
    assert measured == ["last_k", "last_k"], "nobody has to ask"
    assert app.query_params["data"] == "samples"
    assert row(app, "Last 7 turns")[1] == "reference"
    assert "##### With the same 35% of the tokens, Last 8 turns sends " in page_text(app)
    assert "Last 8 turns sends 5 of 29 messages every turn they need" in page_text(app)


def test_enough_conversations_are_not_doubted(convgate_home: Path) -> None:
    add_relevance_set(convgate_home, conversations=49)
    app = open_compare(**MEASURED | {"measure": "0"})
    check(app.button(key="compare.measure").click().run())
    assert "Last 2 turns sends 0 of" in page_text(app)
    assert "too few" not in page_text(app)


def test_the_sentence_sets_the_first_other_policy_or_gate_beside_the_reference(convgate_home: Path) -> None:
    relevance_set = RelevanceSets(convgate_home).read(add_relevance_set(convgate_home, conversations=4))
    tokens = count_tokens(relevance_set)
    policies: dict[str, Policy] = {"all": Everything(), "two": LastK(2), "bm25": BM25()}
    judged = {name: judge_set(relevance_set, one, tokens=tokens) for name, one in policies.items()}
    result = pool_results(judged)
    gains = {name: result.policies[name].overall["answerable"] for name in ("all", "bm25")}
    tokens_of_two = result.policies["two"].overall["kept_token_share"].value or 0
    (sentence,) = summary_sentences(Results(result, "two", gains), [])
    assert sentence.startswith("all sends 4 of 4 messages every turn they need, with 100% of the tokens")
    assert f"two 0, with {tokens_of_two:.0%}; too few to trust (4 of 49 conversations)." in sentence
    assert summary_sentences(Results(result, "two", gains), ["bm25"])[0].startswith(
        "With the same 35% of the tokens, bm25 sends "
    )
    assert summary_sentences(Results(result, "two", {}), [])[0].startswith("two sends ")


def test_pooled_results_equal_those_of_evaluate(convgate_home: Path) -> None:
    relevance_set = RelevanceSets(convgate_home).read(add_relevance_set(convgate_home, conversations=4))
    policies: dict[str, Policy] = {"all": Everything(), "two": LastK(2), "bm25": BM25()}
    tokens = count_tokens(relevance_set)
    judged = {name: judge_set(relevance_set, policy, tokens=tokens) for name, policy in policies.items()}
    result = pool_results(judged, by_tag=True)
    (wanted,) = evaluate([relevance_set], policies).sets.values()
    assert result.to_json() == wanted.to_json()
    with pytest.raises(EvaluationError):
        pool_results({})


# Bills

BILLED = {"show": "bill", "data": "mine", "policies": "everything, last_k(k=2), bm25", "model": "gpt-5"}


@pytest.fixture
def billed(monkeypatch: pytest.MonkeyPatch, load_without_a_model: None) -> list[BillReport]:
    """The bills that were computed, one after the other."""
    reports: list[BillReport] = []

    def bill_and_note(*args: Any, **rest: Any) -> BillReport:
        reports.append(bill_policies(*args, **rest))
        return reports[-1]

    monkeypatch.setattr(bill_module, "bill_policies", bill_and_note)
    return reports


def test_a_bill_is_computed_once_when_a_person_asks(convgate_home: Path, billed: list[BillReport]) -> None:
    add_relevance_set(convgate_home, conversations=3)
    app = open_compare(**BILLED)
    assert app.button(key="compare.bill").label == "Compute the bill of 3 conversations"
    assert billed == []
    click(app, "compare.bill")
    (report,) = billed
    assert [one.policy for one in report.rows] == [
        "Everything",
        "Last 2 turns",
        "BM25: search by words",
        "BM25: search by words (cache reused)",
    ]
    wanted = report.compare_last([report.rows[0], report.rows[2]])
    assert f"##### {wanted}" in page_text(app)
    assert wanted.startswith(f"On {report.requests} requests, BM25: search by words (cache reused) costs ")
    assert "sending everything and" in wanted
    for one in report.rows:
        assert row(app, one.policy) == list(one.to_cells().values())
    assert row(app, "Last 2 turns")[4] == "83.3%", "a half, all and all of the needed turns"
    (chart,) = app.get("plotly_chart")
    assert "BM25: search by words (cache reused)" in chart.proto.spec
    assert "gpt-5, USD for a million tokens" in page_text(app)
    assert not app.warning

    assert "compare.bill" not in {button.key for button in open_compare(**BILLED).button}
    assert len(billed) == 1, "the same again is not computed"


def test_other_prices_are_another_bill(convgate_home: Path, billed: list[BillReport]) -> None:
    add_relevance_set(convgate_home)
    app = open_compare(**BILLED, bill="1")
    check(app.selectbox(key="compare.model").set_value("claude-sonnet-4-5-1h").run())
    assert [each.price.name for each in billed] == ["gpt-5", "claude-sonnet-4-5-1h"]
    assert address(app)["model"] == "claude-sonnet-4-5-1h"
    check(app.selectbox(key="compare.billed").set_value("@library").run())
    assert "compare.bill" in {button.key for button in app.button}, "other conversations wait for the button"


def test_the_last_gate_is_billed_with_prices(convgate_home: Path, billed: list[BillReport]) -> None:
    add_relevance_set(convgate_home)
    app = open_compare(data="mine", show="bill", bill="1")
    names = [one.policy for one in billed[0].rows]
    assert names == ["Everything", "Last 10 turns", "BM25: search by words", "Gate", "Gate (cache reused)"]
    assert app.selectbox(key="compare.model").value == "claude-sonnet-4-5"


def test_what_cannot_be_billed_is_reported(convgate_home: Path, billed: list[BillReport]) -> None:
    app = open_compare(**BILLED | {"billed": "gone", "model": "llama"})
    assert sum("link_off" in warning.icon for warning in app.warning) == 3
    app = open_compare(**BILLED | {"data": "samples", "billed": "@library", "bill": "1"})
    assert "there is no request to bill" in page_text(app), "the library is empty"
