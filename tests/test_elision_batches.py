"""With prices, new stubs come in batches that pay for what they rewrite."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.settings import Settings
from convgate.costs.prices import Price, find_price
from convgate.elision import elide
from convgate.elision.batches import Batches
from convgate.elision.elide import find_elisions
from convgate.elision.evidence import Evidence
from convgate.selection.selection import Selection
from convgate.transcripts import turns_from_messages
from tests.selectors import FixedPolicy, plain
from tests.test_elision import random_run
from tests.tool_runs import Run, code
from tools.agent_runs import FAMILIES, make_run
from tools.elision_bill import Figures


def price_of(model: str) -> Price:
    price = find_price(Settings(costs={"model": model}))
    assert price is not None
    return price


PRICE = price_of("claude-sonnet-4-5")


@given(st.integers(0, 1_000), st.data())
def test_every_process_comes_to_the_same_stubs(seed: int, data: st.DataObject) -> None:
    turns = turns_from_messages(random_run(random.Random(seed)))
    cut = data.draw(st.integers(0, len(turns)))
    whole = Batches().extend(turns, PRICE, None)
    stubs = find_elisions(whole.choose(PRICE, None))
    grown = Batches()
    for turn in turns:
        grown = grown.extend([turn], PRICE, None)
    again = whole.first(cut).extend(turns[cut:], PRICE, None)
    for other in (grown, again):
        assert find_elisions(other.choose(PRICE, None)) == stubs
    fresh = Batches().extend(turns[:cut], PRICE, None)
    assert find_elisions(whole.first(cut).choose(PRICE, None)) == find_elisions(fresh.choose(PRICE, None))


def test_without_prices_a_stub_is_sent_at_once() -> None:
    turns = turns_from_messages(random_run(random.Random(1)))
    batches = Batches().extend(turns, None, None)
    assert batches.choose(None, None) is batches.evidence


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("model", ["claude-sonnet-4-5", "gpt-5"])
def test_generated_runs_cost_less_than_sent_whole(family: str, model: str) -> None:
    figures = Figures()
    for seed in (30, 31):
        figures.add(make_run(family, seed=seed), price_of(model))
    assert figures.cost["batches"] < figures.cost["everything"] < figures.cost["at once"]
    assert figures.tokens["batches"] < 0.65 * figures.tokens["everything"]


def select(run: Run) -> Selection:
    return replace(plain(FixedPolicy(), elide=True), price=PRICE).select(run.messages)


def test_a_stub_that_does_not_pay_waits() -> None:
    run = Run().call("Read", code(), file_path="a.py").call("Read", code(9_000), file_path="long.py")
    run.go_on().call("Read", code(119), file_path="a.py").go_on(1)
    assert plain(FixedPolicy(), elide=True).select(run.messages).elided
    assert not select(run).elided
    assert [*select(run.call("Read", code(8_999), file_path="long.py").go_on(4)).elided] == [2, 4]


def test_a_request_searches_once_for_the_stubs_of_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = list[Evidence]()
    search = elide._search

    def count(evidence: Evidence, *rest: Any) -> Any:
        searched.append(evidence)
        return search(evidence, *rest)

    monkeypatch.setattr(elide, "_search", count)
    run = Run().call("Read", code(9_000), file_path="a.py").go_on(12)
    selector = replace(plain(FixedPolicy(), elide=True), price=PRICE)
    assert selector.select(run.messages).elided
    assert searched
    assert len(searched) == len({id(evidence) for evidence in searched})
    searched.clear()
    selector.select(run.messages)
    assert not searched, "nothing is new"


def test_a_message_that_names_what_was_left_out_gets_the_result() -> None:
    text = f"{code(60)}\nretry_limit_seconds = 77\n{code(60, 61)}"
    run = Run().call("Read", text, file_path="a.py").go_on(12)
    assert [*select(run).elided] == [2]
    assert not select(run.say("user", "Why is retry_limit_seconds 77?")).elided
