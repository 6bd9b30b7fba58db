"""With prices and a budget, cached prefixes are used again as far as they fit."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.adapters.selection import MessageSelector
from convgate.messages.check import check_valid
from convgate.selection.around import Remember
from convgate.selection.caching import ROOM
from convgate.selection.memory import RequestMemory
from convgate.selection.selection import Selection
from convgate.selection.selector import Selector
from convgate.store.database import Store
from convgate.store.sent_requests import SentRequests
from convgate.transcripts import turns_from_messages
from tests.selectors import FixedPolicy, count_words, make_selector, random_conversation
from tests.test_selection_cache import PRICE, keep, long_chat, report
from tests.tool_runs import Run


def priced(budget: int | None, memory: RequestMemory | None = None) -> Selector:
    """A selector that knows prices, within a budget, and holds what must hold."""
    selector = make_selector(policy=FixedPolicy(), budget={"tokens": budget})
    return replace(selector, price=PRICE, around=[Remember(memory or RequestMemory())])


def assert_whole(selection: Selection, plain: Selection) -> None:
    """Check a selection with prices against the one without."""
    assert (
        selection.tokens
        == sum(section.tokens for section in selection.sections)
        + count_words(selection.sent[-1].scored_text)
        + 4
    )
    assert selection.tokens <= max(selection.budget or 0, plain.tokens), "only what must be sent exceeds it"
    assert not selection.breaches
    assert set(check_valid(selection.sent)) <= set(check_valid(plain.sent))
    text = "\n".join(str(message["content"]) for message in selection.messages)
    for decision in plain.decisions:
        if decision.kept and decision.index not in selection.indices:
            assert selection.decisions.of(decision.index).kept
            assert f"Turn {decision.index}, " in text, "it is quoted"
    for invariant in selection.invariants:
        assert not invariant.held or invariant.text in text


@given(st.integers(0, 10**6), st.sampled_from([0, 20, 60, 100, 150, 250]), st.booleans())
def test_nothing_exceeds_a_budget_or_is_lost_for_its_price(seed: int, budget: int, pairs: bool) -> None:
    rng = random.Random(seed)
    messages = [each for _ in range(5) for each in random_conversation(rng)]
    with TemporaryDirectory() as folder:
        shared = Store(Path(folder) / "convgate.db")
        workers = [priced(budget, RequestMemory(lambda: SentRequests(shared))) for _ in range(2)]
        alone, at = priced(budget), 0.0
        for current, message in enumerate(messages):
            if message["role"] != "user":
                continue
            asked, kept = messages[: current + 1], {i for i in range(current) if rng.random() < 0.4}
            at += rng.choice([20, 60, 400])
            selection, same = (
                keep(each, kept).select(asked, at=at, pair_answers=pairs)
                for each in (alone, rng.choice(workers))
            )
            assert same.messages == selection.messages, "another worker sends the same"
            assert report(same).spending == report(selection).spending
            spending = report(selection).spending
            leaves_room = selection.tokens_total > budget and spending.n_warm > spending.n_cold
            plain = replace(keep(alone, kept), price=None, around=[]).select(
                asked, pair_answers=pairs, budget=int(budget * (1 - ROOM)) if leaves_room else budget
            )
            assert_whole(selection, plain)


def select_growing(budget: int, share: float) -> list[Selection]:
    """Select for a chat that grows; the policy keeps such a share of its turns, others for each message."""
    selector, rng = priced(budget), random.Random(0)
    return [
        keep(selector, [index for index in range(stop) if rng.random() < share]).select(
            long_chat(stop), at=20.0 * stop
        )
        for stop in range(1, 42, 2)
    ]


def test_a_conversation_within_the_budget_goes_on_with_its_prefix() -> None:
    selections = select_growing(10_000, 0.5)
    assert [report(each).way for each in selections[8:]].count("append") > 6
    assert report(selections[-1]).tokens_cached > 5_000
    assert report(selections[-1]).spending.cost <= report(selections[-1]).spending.cost_all * 1.01


def test_room_is_left_where_a_warm_cache_is_expected() -> None:
    selector, budget = priced(3_000), 3_000
    fitting, less = budget // 204 * 204, int(budget * (1 - ROOM)) // 204 * 204
    for at, stop, tokens in ((0, 31, fitting), (20, 33, less), (40, 35, less + 408), (9_000, 37, less)):
        assert selector.select(long_chat(stop), at=at).tokens == tokens
    dropped = selector.select(long_chat(39), at=9_020).decisions.of(0).reason
    assert "do not fit in what is left of 3,000, where 600 are left to the messages to come." in dropped
    cold = priced(3_000)
    for at, stop in ((0, 31), (3_600, 33), (3_620, 35), (7_200, 37)):
        selection = cold.select(long_chat(stop), at=at)
        assert selection.tokens == fitting
    assert "left of 3,000. " in selection.decisions.of(0).reason
    uncached = replace(priced(3_000), price=replace(PRICE, min_tokens=2_500))
    assert [uncached.select(long_chat(n), at=n).tokens for n in (31, 33)] == [fitting, fitting]


def test_a_run_goes_on_with_its_prefix_until_the_budget_is_full() -> None:
    run = Run("").call("read", "line " * 100)
    before = long_chat(41)
    selector, ways = keep(priced(5_000), range(0, 41, 3)), list[str]()
    for call in range(20):
        turns = turns_from_messages([*before, *run.call("read", f"{call} " * 100).messages[1:]])
        selection = MessageSelector(selector).choose(turns, adds=True).selection
        assert selection is not None
        assert selection.tokens <= 5_000
        ways.append(report(selection).way)
    assert ways.count("append") > 12
    assert report(selection).spending.cost < report(selection).spending.cost_all


def test_a_corrected_statement_is_not_sent_for_its_prefix() -> None:
    selector = priced(10_000)
    messages = long_chat(9, words=20)
    messages[2]["content"] = "It must run on port 80."
    selector.select(messages[:7], at=0)
    messages[8]["content"] = "No, it must run on port 81."
    selection = selector.select(messages, at=20)
    corrected = [each.source for each in selection.invariants if each.state == "superseded"]
    assert corrected
    assert not set(corrected) & set(selection.indices)


def test_a_corrected_statement_is_not_quoted_for_its_prefix() -> None:
    messages = long_chat(13)
    messages[4]["content"] = messages[5]["content"] = " ".join(["dear"] * 2_000)
    messages[2]["content"] = "It must run on port 80."
    messages[12]["content"] = "No, it must run on port 81."
    for place in (8, 10):  # a mode that adds nothing to what the policy keeps
        messages[place]["content"] = f"LEARNING {messages[place]['content']}"
    selector = replace(priced(20_000), holds=None)
    keep(selector, [0, 1, 3]).select(messages[:9], at=0)
    quoting = keep(selector, range(4)).select(messages[:11], at=60)
    assert report(quoting).way == "recall"
    holding = replace(priced(20_000), around=selector.around)
    selection = keep(holding, [0, 1, 3]).select(messages, at=120)
    assert "port 80" not in str(selection.messages)


@pytest.mark.parametrize("budget", [3_000, 10_000])
def test_what_is_compared_with_is_everything_or_the_newest_turns_that_fit(budget: int) -> None:
    last = select_growing(budget, 0)[-1]
    tokens = 204 * 41
    fitting = min(tokens, budget // 204 * 204)
    cached = 204 * 39 if fitting == tokens else 0
    assert report(last).cost_all == pytest.approx(PRICE.cost(PRICE.usage(fitting, cached)))
