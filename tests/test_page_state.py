"""The state of pages as addresses and back."""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.conversation import Conversation, Turn
from convgate.gate.rule import TurnLimits
from convgate.gate.thresholds import RULES
from convgate.policies.spec import read_policies
from convgate.ui.compare.state import CompareState
from convgate.ui.experiments.state import ExperimentsState
from convgate.ui.monitor.page import MonitorState
from convgate.ui.sessions.page import SessionsState
from convgate.ui.shared.explore_state import ExploreState
from convgate.ui.shared.page_state import PageState
from convgate.ui.shared.threshold_settings import ThresholdSettings, adjustable
from convgate.ui.tune.page import TuneState
from convgate.ui.versions.page import VersionsState

KINDS: list[type[PageState]] = [
    ExploreState, CompareState, ExperimentsState, MonitorState, SessionsState, TuneState, VersionsState,
]  # fmt: skip
COLUMNS = read_policies('gate@mine(rule=top_k, k=3), pipeline(stages="gatekeeper > bm25"), bm25', ",")


@st.composite
def choices(draw: st.DrawFn) -> ThresholdSettings:
    rule = RULES[draw(st.sampled_from(list(RULES)))]
    values = {}
    for item in adjustable(rule):
        low, high, step = (item.metadata[name] for name in ("low", "high", "step"))
        steps = draw(st.integers(0, int((high - low) / step)))
        values[item.name] = round(low + steps * step, 6)
    min_turns = draw(st.integers(0, 50))
    max_turns = draw(st.none() | st.integers(min_turns, 60))
    return ThresholdSettings(rule(**values), TurnLimits(min_turns, max_turns))


NAMES = st.lists(st.sampled_from(["@labels", "mine"]), unique=True).map(tuple)
POLICY_OPTIONS = st.sampled_from(["gate", "gate@mine", "bm25"])
ARMS = st.sampled_from(["none", "random", "alone:gate", "alone:bm25", "gate@mine", "last_k(k=3)"])
SHARED: dict[str, st.SearchStrategy[Any]] = {
    "conversation": st.none() | st.just("0123456789abcdef"),
    "turn": st.none() | st.integers(0, 10_000),
    "selected": st.none() | st.integers(0, 10_000),
    "page": st.integers(1, 99),
    "choice": st.none() | choices(),
    "data": st.none() | NAMES,
    "policy": POLICY_OPTIONS,
    "version": st.just("gate@mine"),
    "policies": st.just(()) | st.just(COLUMNS),
    "reference": st.none() | st.sampled_from(COLUMNS),
    "pairs": st.booleans(),
    "measure": st.booleans(),
    "differ": st.booleans(),
    "adjudicate": st.booleans(),
    "experiment": st.none() | st.just("pilot 2"),
    "rate": st.booleans(),
    "control": ARMS,
    "arms": st.lists(ARMS, min_size=1, unique=True).map(tuple),
    "budgets": st.lists(st.sampled_from(["matched", "free", "share"]), min_size=1, unique=True).map(tuple),
    "share": st.integers(1, 20).map(lambda twentieths: round(twentieths / 20, 2)),
    "queue": st.none() | st.integers(1, 99),
    "override": st.none() | st.booleans(),
    "listed": st.sampled_from(["all", "sent", "dropped", "invariants"]),
    "budget": st.none() | st.integers(0, 9_999),
    "gap": st.none() | st.just(math.inf) | st.integers(0, 9_999).map(float),
    "new": st.none() | st.just(()) | st.just(("next", "go on")),
}


@st.composite
def states(draw: st.DrawFn) -> PageState:
    kind = draw(st.sampled_from(KINDS))
    names = [one.name for one in fields(kind) if one.name in SHARED]
    values = {name: draw(SHARED[name]) for name in names if draw(st.booleans())}
    if kind is VersionsState:
        values["version"] = "mine"
    if kind in (CompareState, ExperimentsState, VersionsState) and "data" in values:
        values["data"] = "mine"
    return kind(**values)


@given(states())
def test_an_address_gives_back_the_state(state: PageState) -> None:
    assert type(state).from_query(state.to_query()) == (state, [])


@given(st.data())
def test_any_query_gives_a_valid_state(data: st.DataObject) -> None:
    kind = data.draw(st.sampled_from(KINDS))
    names = [*(one.name for one in fields(kind)), "ask", "rule", "flips", "complete", "continue"]
    query = data.draw(st.dictionaries(st.sampled_from(names), st.text(max_size=30)))
    state, _ = kind.from_query(query)
    assert kind.from_query(state.to_query()) == (state, [])


def test_an_address_numbers_turns_from_1_and_leaves_starts_out() -> None:
    assert ExploreState().to_query() == {}
    state = ExploreState(
        "k", turn=56, selected=11, choice=ThresholdSettings.from_query({"rule": "blended", "weight": "0.3"})
    )
    assert state.to_query() == {
        "conversation": "k", "turn": "57", "selected": "12", "rule": "blended,weight=0.3",
    }  # fmt: skip


def test_a_question_takes_the_place_of_a_turn() -> None:
    state, problems = PageState.from_query({"ask": "  why?  ", "turn": "3"})
    assert (state.question, state.turn, problems) == ("why?", None, [])


@pytest.mark.parametrize(
    ("kind", "query"),
    [
        (ExploreState, {"turn": "0"}),
        (ExploreState, {"turn": "²"}),
        (ExploreState, {"selected": "-3"}),
        (ExploreState, {"policy": "magic"}),
        (ExploreState, {"rule": "nonsense"}),
        (ExploreState, {"rule": "stricter,deviations=9"}),
        (ExploreState, {"rule": "top_k,k=many"}),
        (ExploreState, {"rule": "stricter,min_turns=5,max_turns=2"}),
        (CompareState, {"policies": "last_k(k="}),
        (CompareState, {"policies": "nobody"}),
        (CompareState, {"policies": "last_k(size=3)"}),
        (ExploreState, {"budget": "many"}),
        (ExploreState, {"list": "nothing"}),
        (SessionsState, {"gap": "soon"}),
        (SessionsState, {"complete": "maybe"}),
        (TuneState, {"lose": "magic"}),
        (TuneState, {"version": "gate@../x"}),
        (VersionsState, {"version": "../x"}),
    ],
)
def test_invalid_parameters_are_reported_and_take_their_defaults(
    kind: type[PageState], query: dict[str, str]
) -> None:
    state, (problem,) = kind.from_query(query)
    assert state == kind()
    ((name, text),) = query.items()
    assert f"{name}={text}" in problem


def test_missing_items_are_reported_and_dropped() -> None:
    conversation = Conversation("t", (Turn.of("user", "a"), Turn.of("assistant", "b")))
    state = ExploreState("k", turn=1, selected=2, policy="gate@old")
    state, problems = state.drop_unknown(len(conversation), policy=["gate", "gate@mine"])
    assert (state.turn, state.selected, state.policy) == (1, None, "gate")
    assert len(problems) == 2
    tune, problems = TuneState(data=("@labels", "gone"), version="gate@x").drop_unknown(
        None, data=["@labels"], version=[]
    )
    assert (tune.data, tune.version, len(problems)) == (("@labels",), "gate", 2)


def test_opening_another_conversation_keeps_the_view() -> None:
    state = ExploreState("a", turn=3, selected=2, question="q", pairs=True)
    assert state.open_conversation("b") == replace(
        state, conversation="b", turn=None, selected=None, question=""
    )
