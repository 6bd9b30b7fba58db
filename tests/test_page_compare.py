"""The page Compare, on one conversation and on labelled conversations."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import EvaluationError, PolicyError, StoreError
from convgate.core.settings import load_settings
from convgate.costs.prices import find_price
from convgate.evaluation.bill_report import BillReport, BillRow
from convgate.evaluation.evaluate import evaluate, pool_results
from convgate.evaluation.judged_cases import JudgedSet, count_tokens, judge_set
from convgate.gate.model import Gate
from convgate.policies.base import Policy
from convgate.policies.registry import policy_names
from convgate.policies.search import BM25
from convgate.policies.spec import PolicySpec
from convgate.policies.window import Everything, LastK
from convgate.selection.billing import bill_policies
from convgate.store import Answer, CurrentKey, Labels
from convgate.store.edits import MovedBoundaries, MovedBoundary
from convgate.training.library import RelevanceSets
from convgate.transcripts import RelevanceSet
from convgate.ui.compare import bill as bill_module
from convgate.ui.compare import chats as chats_module
from convgate.ui.compare.bill import bill_sentences, cheapest_to_trust
from convgate.ui.compare.chats import ChatRow
from convgate.ui.compare.page import Results, summary_sentences
from convgate.ui.compare.state import check_column
from convgate.ui.shared import results_cache, scoring
from convgate.ui.shared.frame import App
from convgate.ui.shared.policy_options import option_label
from convgate.versions import Draft, Versions
from tests.page_app import (
    IS_TRAINED,
    PAGES,
    TURNS,
    add_conversation,
    address,
    app_store,
    check,
    choose,
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
open_sides = partial(open_page, "Compare", show="conversation")
THREE = "everything, last_k(k=2), last_k(k=4)"
MEASURED = {"data": "mine", "policies": "everything, last_k(k=2), bm25"}


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


def test_each_policy_is_a_column_and_a_row(key: str) -> None:
    app = open_sides(conversation=key, policies=THREE)
    numbers = summary(app)
    assert list(numbers) == ["Everything", "Last 2 turns", "Last 4 turns"]
    assert [cells[0] for cells in numbers.values()] == ["6 of 6", "2 of 6", "4 of 6"]
    assert numbers["Everything"][2] == "0%"
    columns = decision_columns(app)
    assert columns["turn"] == [1, 2, 3, 4], "those that are decided differently"
    assert columns["Last 4 turns"] == ["○ dropped, older"] * 2 + ["● kept, recent"] * 2

    check(app.toggle(key="compare.differ").set_value(False).run())
    columns = decision_columns(app)
    assert columns["turn"] == [1, 2, 3, 4, 5, 6]
    assert columns["Last 2 turns"] == ["○ dropped, older"] * 4 + ["● kept, recent"] * 2
    assert columns["Everything"] == ["● kept"] * 6
    assert app.query_params["differ"] == "0"


def test_the_table_says_in_words_why_the_gate_decides(key: str) -> None:
    app = open_sides(conversation=key, policies="last_k(k=2), gate(rule=top_k, k=6)")
    columns = decision_columns(app)
    why = columns["why, by Gate (rule=top_k, k=6)"]
    assert len(why) == 4
    assert all(reason[0].isupper() or reason[0].isdigit() for reason in why)
    assert columns["text"][0].startswith("user: my loss is nan")


def test_selected_policies_are_columns_and_in_the_address(key: str) -> None:
    app = open_sides(conversation=key)
    assert list(summary(app)) == ["Last 10 turns", "Gate"]
    assert "policies" not in app.query_params
    check(app.multiselect(key="compare.policies").set_value(["bm25", "everything"]).run())
    assert list(summary(app)) == ["BM25: search by words", "Everything"]
    assert app.query_params["policies"] == "bm25, everything"
    offered = app.multiselect(key="compare.policies").options
    assert len(offered) == len(policy_names()), "every policy of the registry; there is no version here"


def test_a_typed_policy_may_have_parameters(key: str) -> None:
    app = open_sides(conversation=key, policies="everything, last_k(k=2)")
    policies = ["everything", "last_k( k = 1 )", "last_k(k="]
    check(app.multiselect(key="compare.policies").set_value(policies).run())
    assert list(summary(app)) == ["Everything", "Last 1 turn"]
    assert app.query_params["policies"] == "everything, last_k(k=1)"
    assert len(app.toast) == 1, "what cannot be read is reported"


def test_only_the_back_button_returns_to_an_earlier_address(key: str) -> None:
    app = open_sides(conversation=key, policies="everything, last_k(k=2)")
    check(app.multiselect(key="compare.policies").set_value(["everything", "last_k(k=2)", "bm25"]).run())
    app.query_params["policies"] = "everything, last_k(k=2)"  # not the new one yet
    assert list(summary(check(app.run()))) == ["Everything", "Last 2 turns", "BM25: search by words"]
    assert app.query_params["policies"] == "everything, last_k(k=2), bm25"

    app = go_back(app, show="conversation", conversation=key, policies="everything, last_k(k=2)")
    assert list(summary(app)) == ["Everything", "Last 2 turns"]

    app = go_back(app, conversation=key, policy="everything", selected="3")  # of Explore, left from here
    assert list(summary(app)) == ["Everything", "Last 2 turns"]
    assert app.query_params["show"] == "conversation"


def test_a_rule_of_the_gate_applies(key: str) -> None:
    app = open_sides(conversation=key, policies="everything, gate(rule=top_k, k=0)")
    assert summary(app)["Gate (rule=top_k, k=0)"][0] == "0 of 6"


def test_a_long_conversation_has_pages(convgate_home: Path) -> None:
    turns = [Turn.of("assistant" if index % 2 else "user", f"text {index}") for index in range(301)]
    app = open_sides(
        conversation=add_conversation(*turns), policies="everything, last_k", page="3", differ="0"
    )
    assert decision_columns(app)["turn"] == list(range(201, 301))
    check(app.toggle(key="compare.differ").set_value(True).run())
    assert decision_columns(app)["turn"][:2] == [1, 2], "another list begins on its first page"
    assert "page" not in app.query_params


def test_a_click_on_a_cell_opens_the_turn_in_explore_with_the_policy_of_its_column(key: str) -> None:
    app = open_sides(conversation=key, policies="everything, gate(rule=top_k, k=0)", ask="and now?")
    app.session_state["compare.table"] = {"selection": {"cells": [[2, "Gate (rule=top_k, k=0)"]]}}
    check(app.run())
    assert app.title[0].value == "Explore"
    query = {name: str(value) for name, value in app.query_params.items()}
    assert query.items() >= {"ask": "and now?", "selected": "3", "rule": "top_k,k=0"}.items()


def test_a_click_opens_explore_with_the_parameters_of_its_column(key: str) -> None:
    app = open_sides(conversation=key, policies="everything, last_k(k=2)")
    app.session_state["compare.table"] = {"selection": {"cells": [[2, "Last 2 turns"]]}}
    app = check(app.run())
    assert address(app)["policy"] == "last_k(k=2)"
    assert stated(app, "Kept") == "2"
    assert "Last 2 turns" in app.selectbox(key="explore.policy").options
    assert not open_page("Label", **address(app)).warning


def test_a_bad_address_is_reported_and_the_rest_is_shown(key: str) -> None:
    app = open_sides(
        conversation=key, policies="everything, gate@gone, last_k(k=1)", reference="bm25", turn="99",
        page="x", data="gone",
    )  # fmt: skip
    assert sum("link_off" in warning.icon for warning in app.warning) == 5
    assert list(summary(app)) == ["Everything", "Last 1 turn"]
    for policies in ("last_k(k=", "everything, nobody", "everything, last_k(k=-1)", "last_k(size=3)"):
        app = open_sides(conversation=key, policies=policies)
        assert "The address says policies=" in page_text(app)
        assert len(summary(app)) == 2, "as on a first visit"


def test_a_policy_that_fails_is_left_out_and_says_why(key: str) -> None:
    stages = 'pipeline(stages="gatekeeper > gate@nobody")'
    app = open_sides(conversation=key, policies=f"{stages}, everything, last_k", reference=stages)
    (error,) = [str(error.value) for error in app.error]
    assert "nobody" in error
    assert list(summary(app)) == ["Everything", "Last 10 turns"]


def test_empty_states_have_the_button_that_helps(convgate_home: Path) -> None:
    for show in ("conversation", "chats"):
        assert "There is no conversation yet" in page_text(open_compare(show=show))
    key = add_conversation(*TURNS[1:])
    for policies in ("", "bm25"):
        app = open_sides(conversation=key, policies=policies)
        assert "Select at least two policies." in page_text(app)
    check(app.button(key="compare.start").click().run())
    assert list(summary(app)) == ["Last 10 turns", "Gate"]
    assert "there is no history" in page_text(open_sides(conversation=key, turn="1"))


def test_a_rule_needs_its_name_and_labels_are_short() -> None:
    with pytest.raises(PolicyError):
        check_column(PolicySpec("gate", {"k": 3}))
    assert option_label(f"pipeline(stages={'x' * 99})").endswith("…")


# All conversations, without labels


def test_without_labels_it_says_what_is_sent_and_where_the_policies_differ_most(key: str) -> None:
    add_conversation(*TURNS[1:4], title="Short")
    app = open_compare(policies="everything, last_k(k=2)")
    assert "On your 2 chats, Everything sends 100% and Last 2 turns sends" in page_text(app)
    assert "likely needed" not in page_text(app), "no gate says what is"
    columns = decision_columns(app)
    assert list(columns) == ["chat", "tokens", "Everything", "Last 2 turns", "decided differently"]
    assert columns["decided differently"] == [4, 0]
    assert columns["Everything"] == [1, 1]
    assert columns["Last 2 turns"][0] < columns["Last 2 turns"][1] == 1


def linked_turns(app: AppTest) -> list[str]:
    return [link.proto.label for link in app.get("page_link") if "Turn " in link.proto.label]


def test_what_the_gate_thinks_needed_and_a_cheaper_policy_loses_is_said_and_listed(key: str) -> None:
    app = open_compare(policies="last_k(k=2), gate(rule=top_k, k=6), bm25", lost="everything")
    n_lost = len(linked_turns(app))
    assert n_lost > 0
    text = page_text(app)
    assert "On your 1 chat, Gate (rule=top_k, k=6) sends " in text
    assert decision_columns(app)["Last 2 turns leaves out"] == [n_lost]
    assert f"% but leaves out {n_lost} turn" in text
    for link in app.get("page_link"):
        if "Turn " in link.proto.label:
            query = dict(parse_qsl(link.proto.query_string))
            assert query.items() >= {"conversation": key, "rule": "top_k,k=6"}.items()
            assert f"Turn {query['selected']}*" in link.proto.label

    choose(app, "compare.lost", "bm25")
    assert address(app)["lost"] == "bm25"
    counts = dict(re.findall(r"(Last 2 turns|BM25: search by words): (\d+) turn", choices(app)))
    assert len(linked_turns(app)) == int(counts["BM25: search by words"])
    assert int(counts["Last 2 turns"]) == n_lost


def choices(app: AppTest) -> str:
    return "; ".join(app.button_group(key="compare.lost").options)


def test_a_policy_that_loses_nothing_is_said_to(key: str) -> None:
    app = open_compare(policies="everything, gate(rule=top_k, k=1)")
    assert "Everything 100% and leaves out no turn that Gate (rule=top_k, k=1) thinks" in page_text(app)
    assert "None." in page_text(app)


def test_an_untrained_gate_says_of_nothing_that_it_is_likely_needed(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    st.cache_resource.clear()
    monkeypatch.setattr(Gate, "is_trained", IS_TRAINED)
    draft = Draft(threshold_rule="top_k", threshold_parameters={"k": 6})
    Versions(load_settings().home).add(Gate(), draft, name="saved")
    for app in (
        open_compare(policies="everything, last_k(k=2), gate(rule=top_k, k=6)"),
        open_page("Explore", conversation=key, version="saved"),
        open_page("Explore", conversation=key, rule="top_k,k=6"),
    ):
        assert "likely" not in page_text(app)


def test_chats_are_shown_while_the_others_are_compared(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        add_conversation(*TURNS[1 : 4 + number], title=f"Talk {number}")
    reruns: list[str] = []
    with monkeypatch.context() as patch:
        patch.setattr(chats_module, "_FIRST_SECONDS", 0)
        patch.setattr("streamlit.rerun", lambda: reruns.append("again"))
        app = open_compare(policies="everything, last_k(k=2)")
    assert "On 1 of your 4 chats, Everything sends 100%" in page_text(app)
    assert reruns == ["again"]
    assert "On your 4 chats, Everything sends 100%" in page_text(check(app.run()))


def test_a_chat_that_failed_is_compared_again_on_the_next_visit(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    select, is_down = scoring.select, [True]

    def fail_while_down(app: Any, policy: Policy, *rest: Any, **options: Any) -> Any:
        if is_down[0] and isinstance(policy, LastK):
            raise EvaluationError("it is down")
        return select(app, policy, *rest, **options)

    monkeypatch.setattr(scoring, "select", fail_while_down)
    app = open_compare(policies="everything, last_k(k=2)")
    assert "Last 2 turns is left out: it is down" in page_text(app)
    is_down[0] = False
    assert "it is down" in page_text(check(app.run())), "nobody waits for it at each click"
    check(app.switch_page(PAGES["Library"]).run())
    app = check(app.switch_page(PAGES["Compare"]).run())
    assert "Last 2 turns sends" in page_text(app)
    assert not app.error


def test_an_edit_compares_its_own_chat_anew_and_nothing_pushes_out_what_other_pages_keep(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[str] = []
    kept: list[str] = []
    compare_one, box = chats_module._compare_one, results_cache._box

    def compare_and_note(*args: Any) -> ChatRow:
        compared.append(args[-1])
        return compare_one(*args)

    def keep_and_note(name: str) -> dict[str, Any]:
        kept.append(name)
        return box(name)

    monkeypatch.setattr(chats_module, "_compare_one", compare_and_note)
    monkeypatch.setattr(results_cache, "_box", keep_and_note)
    other = add_conversation(*TURNS[1:5], title="Other")
    app = open_compare(policies="bm25, gate(rule=top_k, k=2)")
    assert sorted(compared) == sorted([key, other])
    MovedBoundaries(app_store()).change(other, {2: MovedBoundary("session")})
    check(app.run())
    assert compared[2:] == [other]
    assert not kept


def test_a_chat_that_cannot_be_read_is_not_waited_for(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged, read = add_conversation(*TURNS[1:5], title="Damaged"), App.conversation

    def fail(app: App, key: str) -> Conversation:
        if key == damaged:
            raise StoreError("it is damaged")
        return read(app, key)

    monkeypatch.setattr(App, "conversation", fail)
    reruns: list[str] = []
    monkeypatch.setattr("streamlit.rerun", lambda: reruns.append("again"))
    assert "On your 1 chat, " in page_text(open_compare(policies="everything, last_k(k=2)"))
    assert not reruns


def test_turns_that_every_policy_sends_are_counted_apart(convgate_home: Path) -> None:
    rule = Turn.of("user", "You must never log the passwords of users.")
    app = open_sides(conversation=add_conversation(rule, *TURNS[1:]), policies="everything, last_k(k=2)")
    assert summary(app)["Last 2 turns"][0] == "3 of 7 :small[2 + 1 that are always sent]"


# Labelled conversations


def test_few_conversations_are_reported_with_the_results(convgate_home: Path, measured: list[str]) -> None:
    add_relevance_set(convgate_home)
    app = open_compare(**MEASURED)
    assert measured == ["everything", "last_k", "bm25"]
    assert "too few to trust (2 of 49 conversations)." in page_text(app)
    assert not app.warning
    assert row(app, "Everything")[4] == "–", "without scores nothing fills a budget"
    assert row(app, "Everything")[:3] == ["100% :small[100%–100%]", "reference", "100% :small[100%–100%]"]
    (chart,) = app.get("plotly_chart")
    assert "Last 2 turns" in chart.proto.spec

    check(app.selectbox(key="compare.reference").set_value("bm25").run())
    assert row(app, "BM25: search by words")[1] == "reference"
    assert row(open_compare(**MEASURED), "BM25: search by words")
    assert measured == ["everything", "last_k", "bm25"]


def test_a_first_visit_shows_the_samples_measured(convgate_home: Path, measured: list[str]) -> None:
    app = open_compare(policies="last_k(k=7), last_k(k=8)")
    assert measured == ["last_k", "last_k"], "nobody has to ask"
    assert app.selectbox(key="compare.data").value == "samples"
    assert row(app, "Last 7 turns")[1] == "reference"
    assert "##### With the same 35% of the tokens, Last 8 turns sends " in page_text(app)
    assert "Last 8 turns sends all that is needed for 5 of 29 messages" in page_text(app)


def test_the_page_opens_on_the_labels_of_nine_chats_else_on_the_library_else_on_the_samples(
    convgate_home: Path,
) -> None:
    policies = "last_k(k=2), last_k(k=3)"
    assert "Samples: " in page_text(open_compare(policies=policies))
    key = add_conversation(*TURNS)
    app = open_compare(policies=policies)
    assert "On your 1 chat, " in page_text(app)
    others = [add_conversation(*TURNS, Turn.of("user", text)) for text in "abcdefgh"]
    for labelled in (key, *others):
        assert "On your 9 chats, " in page_text(check(app.run())), "labels of fewer say too little"
        answers: dict[int, Answer | None] = {2: "relevant", 4: "not_relevant"}
        Labels(app_store()).answer(CurrentKey(labelled, 7), answers, by="Ada")
    assert "My labels: 18 labelled turns" in page_text(check(app.run()))
    assert "show" not in address(app), "which may differ later"


def test_enough_conversations_are_not_doubted(convgate_home: Path) -> None:
    add_relevance_set(convgate_home, conversations=49)
    app = open_compare(**MEASURED)
    assert "Last 2 turns sends all that is needed for 0 of" in page_text(app)
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
    assert sentence.startswith("all sends all that is needed for 4 of 4 messages, with 100% of the tokens")
    assert f"two for 0, with {tokens_of_two:.0%}; too few to trust (4 of 49 conversations)." in sentence
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


def test_a_bill_is_computed_once_unless_a_person_stops_it(
    convgate_home: Path, billed: list[BillReport]
) -> None:
    add_relevance_set(convgate_home, conversations=3)
    app = open_compare(**BILLED, bill="0")
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
    assert f"##### {wanted}" in page_text(app), "each other row misses too much"
    for one in report.rows:
        assert row(app, one.policy) == list(one.to_cells().values())
    assert row(app, "Last 2 turns")[4] == "83.3%", "a half, all and all of the needed turns"
    (chart,) = app.get("plotly_chart")
    assert "(cache reused)" not in chart.proto.spec, "it is the same bill as without"
    assert "the provider's prompt cache; the cache changes no bill here." in page_text(app)
    assert "gpt-5, USD for a million tokens" in page_text(app)
    assert not app.warning

    assert "compare.bill" not in {button.key for button in open_compare(**BILLED).button}
    assert len(billed) == 1, "the same again is not computed"


def test_other_prices_are_another_bill(convgate_home: Path, billed: list[BillReport]) -> None:
    add_relevance_set(convgate_home)
    app = open_compare(**BILLED)
    check(app.selectbox(key="compare.model").set_value("claude-sonnet-4-5-1h").run())
    assert [each.price.name for each in billed] == ["gpt-5", "claude-sonnet-4-5-1h"]
    assert address(app)["model"] == "claude-sonnet-4-5-1h"
    check(app.selectbox(key="compare.billed").set_value("@library").run())
    assert "there is no request to bill" in page_text(app)


def test_the_last_gate_is_billed_with_prices(convgate_home: Path, billed: list[BillReport]) -> None:
    add_relevance_set(convgate_home)
    app = open_compare(data="mine", show="bill", policies="gate, last_k")
    names = [one.policy for one in billed[0].rows]
    assert names == ["Everything", "Last 10 turns", "Gate", "Gate (cache reused)"]
    assert app.selectbox(key="compare.model").value == "claude-sonnet-4-5"


def test_what_cannot_be_billed_is_reported(convgate_home: Path, billed: list[BillReport]) -> None:
    app = open_compare(**BILLED | {"billed": "gone", "model": "llama"})
    assert sum("link_off" in warning.icon for warning in app.warning) == 3
    app = open_compare(**BILLED | {"data": "samples", "billed": "@library"})
    assert "there is no request to bill" in page_text(app), "the library is empty"


def bill_of(missed: float | None, *rows: tuple[str, float, int, float]) -> BillReport:
    """Return the bill of rows with a name, dollars, tokens and the cached share; missed: of all others."""
    everything, *others = (
        BillRow(name, cost, cost / rows[0][1] - 1, share, tokens, 0, 0, missed, 0, 0)
        for name, cost, tokens, share in rows
    )
    everything = replace(everything, missed=None if missed is None else 0.0)
    price = find_price(load_settings(), "gpt-5")
    assert price is not None
    return BillReport(price, (everything, *others), 1, 9, 0, 0, 0, 0, ())


def in_words(report: BillReport, best: BillRow | None) -> list[str]:
    """Return the sentences without the signs that escape."""
    sentences = bill_sentences(report, best)
    return [sentence.replace("\\", "").replace("\u2060", "") for sentence in sentences]


ALL, WINDOW = ("Everything", 10.0, 1000, 0.3), ("Last 10 turns", 2.0, 200, 0.0)
DEARER, REUSED = ("Gate", 11.0, 800, 0.01), ("Gate (cache reused)", 8.0, 850, 0.3)


def test_the_bill_says_what_the_gate_and_the_cheapest_save_and_why_the_gate_alone_costs_more() -> None:
    report = bill_of(None, ALL, WINDOW, DEARER, REUSED)
    best = cheapest_to_trust(report, {"Gate"})
    assert best is report.rows[3], "a window promises nothing"
    first, why = in_words(report, best)
    assert first.endswith(
        "On 9 requests, compared with sending everything: Gate (cache reused) −20%; Last 10 turns −80%,"
        " but nothing limits what it leaves out"
    )
    assert "Gate sends 20% fewer tokens but costs 10% more than everything." in why
    assert "(1.0% of the tokens; 30% of everything's)" in why
    assert "27% less than Gate." in why


def test_a_bill_trusts_labels_before_promises() -> None:
    lossy = bill_of(0.1, ALL, WINDOW, DEARER, REUSED)
    assert cheapest_to_trust(lossy, {"Gate"}) is None, "all others miss more than the promise"
    assert "misses 10% of the needed turns" in in_words(lossy, None)[0]
    kept = bill_of(0.01, ALL, WINDOW, DEARER, REUSED)
    assert cheapest_to_trust(kept, set()) is kept.rows[1]
    dear = bill_of(None, ALL, WINDOW, DEARER, ("Gate (cache reused)", 10.5, 850, 0.3))
    first, *_ = in_words(dear, cheapest_to_trust(dear, {"Gate"}))
    assert "everything: Gate (cache reused) +5%; Last 10 turns −80%, but nothing" in first
    assert "Last 10 turns −80%, misses 1.0% of the needed turns" in in_words(kept, kept.rows[1])[0]
