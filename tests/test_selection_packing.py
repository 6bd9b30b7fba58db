"""Properties of every selection, for any conversation, budget and policy."""

from __future__ import annotations

import copy
import logging
import math
import random
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from convgate.core.conversation import Turn
from convgate.invariants import find_invariants
from convgate.invariants.finding import InvariantFinder
from convgate.messages.check import check_valid
from convgate.messages.units import find_tool_units
from convgate.messages.validity import make_valid
from convgate.modes.budgets import SECTIONS, TABLE, Budgets
from convgate.modes.mode import MODES
from convgate.selection.packing import PackedTurns, pack
from convgate.selection.selection import Selection
from convgate.transcripts import turns_from_messages
from tests.selectors import (
    ANSWERS,
    QUESTIONS,
    RULES,
    FixedPolicy,
    WordJudge,
    chat,
    count_words,
    make_selector,
    random_conversation,
    tool_calls_message,
    tool_result,
    turns_by_section,
)

BUDGETS = (0, 1, 10, 25, 40, 60, 100, 200, 53_000)


def mandatory_turns(turns: list[Turn], selection: Selection) -> set[int]:
    """Turns that stand whatever it costs."""
    current = max(index for index in selection.indices)
    unit = find_tool_units(turns[: current + 1]).by_turn.get(current)
    held = {one.source for one in selection.invariants if one.held}
    instructions = {index for index in range(current) if turns[index].is_instruction}
    return held | instructions | {current} | set(unit.members if unit else ())


def costs(turns: list[Turn], indices: set[int]) -> int:
    return sum(count_words(turns[index].scored_text) + 4 for index in indices)


def assert_held(messages: list[dict[str, Any]], selection: Selection) -> None:
    """What matters most, for many selections."""
    sent = [index for index in selection.places if index is not None]
    for one in selection.invariants:
        if one.held:
            place = one.source if one.source in selection.places else None  # None: stated apart from its turn
            assert any(
                one.text in message["content"]
                for message, at in zip(selection.messages, selection.places, strict=True)
                if at == place
            )
    assert sent == sorted(set(sent))
    assert selection.breaches == ()
    assert selection.messages[-1]["role"] != "user" or check_valid(selection.messages) == []
    assert selection.over_budget == max(0, selection.tokens - selection.budget)


def assert_valid(messages: list[dict[str, Any]], selection: Selection) -> None:
    """Everything that has to hold of a selection, worked out apart from how it was selected."""
    turns = list(turns_from_messages(messages))
    current = selection.indices[-1]
    assert selection.breaches == ()
    assert all(
        message is messages[place]
        for message, place in zip(selection.messages, selection.places, strict=True)
    )
    assert selection.indices == sorted(set(selection.indices))
    for one in find_invariants(turns[: current + 1], WordJudge()):
        if one.held:
            assert one.text in messages[one.source]["content"]
            assert one.source in selection.indices
    excused = {violation.split(":")[0] for violation in check_valid(turns[: current + 1])}
    user = turns[current].role == "user"
    assert not selection.violations or (
        not user and {v.split(":")[0] for v in selection.violations} <= excused
    )
    assert (
        selection.tokens
        == costs(turns, set(selection.indices))
        == sum(section.tokens for section in selection.sections) + count_words(turns[current].scored_text) + 4
    )
    if selection.tokens > selection.budget:
        must = mandatory_turns(turns, selection)
        assert selection.over_budget == selection.tokens - selection.budget
        extra = set(selection.indices) - must
        first = min((index for index in must if not turns[index].is_instruction), default=0)
        assert extra <= set(range(first)), "only a user's turn that has to open the list"
        assert len(extra) <= 1
    else:
        assert selection.over_budget == 0
    assert [one.index for one in selection.decisions] == list(range(current))
    inside = {turn.index for section in selection.sections for turn in section.turns}
    assert inside == set(selection.indices) - {current}
    assert [one.index for one in selection.decisions if one.kept] == sorted(inside)


@pytest.mark.slow
def test_nothing_is_lost_and_every_list_is_valid_in_10000_random_conversations():
    rng = random.Random(6)
    tight = 0
    selector = make_selector()
    for number in range(10_000):
        messages = random_conversation(rng)
        kept = None if number % 3 == 0 else {index for index in range(12) if rng.random() < 0.5}
        fit = replace(selector.fit(), filters=number % 7 != 0)
        one = replace(selector, policy=FixedPolicy(kept), fit=lambda fit=fit: fit)
        selection = one.select(messages, budget=rng.choice(BUDGETS), pair_answers=number % 5 == 0)
        tight += selection.over_budget > 0
        assert_held(messages, selection)
        if selection.over_budget or number % 10 == 0:
            assert_valid(messages, selection)
    assert 1_000 < tight < 8_000, "budgets both hold and do not"


RANDOM_CONVERSATIONS = st.integers(0, 2**32).map(lambda seed: random_conversation(random.Random(seed)))


@given(RANDOM_CONVERSATIONS, st.frozensets(st.integers(0, 12)), st.integers(0, 120))
def test_a_larger_budget_never_shows_less_evidence_in_tokens_than_there_is_room_for(messages, kept, budget):
    before = copy.deepcopy(messages)
    selection = make_selector(kept).select(messages, budget=budget)
    assert_valid(messages, selection)
    assert messages == before, "nothing is mutated"


@given(RANDOM_CONVERSATIONS, st.frozensets(st.integers(0, 12)))
def test_turns_that_fit_are_not_dropped(messages, kept):
    selection = make_selector(kept).select(messages, budget=100_000)
    assert "budget" not in {one.rule for one in selection.decisions}
    for one in selection.decisions:
        if one.index in kept and not one.kept:
            assert one.rule in {"superseded", "messages"} or one.stage == "repair"


@given(RANDOM_CONVERSATIONS)
def test_without_the_filter_all_that_can_be_sent_is_sent(messages):
    selection = make_selector(frozenset(), filters=False).select(messages, budget=100_000)
    assert {one.stage for one in selection.decisions if not one.kept} <= {"repair"}


@example(random_conversation(random.Random(62)), frozenset({3}), 0)  # a call whose last result is answered
@example(random_conversation(random.Random(6056)), frozenset({0}), 0)  # no message of the user is sent
@given(RANDOM_CONVERSATIONS, st.frozensets(st.integers(0, 12)), st.integers(0, 120))
def test_evidence_has_nothing_that_the_policy_dropped_while_all_would_fit(messages, kept, spare):
    total = make_selector(kept).select(messages).tokens_total
    selection = make_selector(kept).select(messages, budget=total + spare)
    units = find_tool_units(turns_from_messages(messages)).by_turn
    for index in turns_by_section(selection).get("evidence", []):
        partners = units[index].members if index in units else (index,)
        users = [i for i, message in enumerate(selection.messages) if message["role"] == "user"]
        assert set(partners) & kept or (users and selection.places[users[0]] == index)


ALONE = Budgets({mode: {**dict.fromkeys(SECTIONS, 0), "evidence": 1_000} for mode in MODES})
LINES = st.tuples(st.sampled_from((*RULES, *QUESTIONS, *ANSWERS)), st.integers(0, 30))


@given(
    st.lists(st.tuples(LINES, st.booleans(), st.floats(0, 1)), min_size=2, max_size=12),
    st.integers(10, 200),
    st.sampled_from(MODES),
    st.dictionaries(st.sampled_from(SECTIONS), st.integers(1, 100_000)),
    st.booleans(),
)
def test_sections_never_displace_turns_that_the_policy_keeps(rows, budget, mode, cells, probabilities):
    """Under the same budget and with no other section, the policy sends no turn that a selection omits."""
    messages = chat(
        *(f"{text} {'word ' * n}" for (text, n), _, _ in rows), *[f"{mode} so"] * (len(rows) % 2 + 1)
    )
    policy = FixedPolicy(
        {index for index, (_, stays, _) in enumerate(rows) if stays},
        {index: score for index, (_, _, score) in enumerate(rows)},
        probabilities=probabilities,
    )
    alone = make_selector(policy=policy, budgets=ALONE).select(messages, budget=budget)
    budgets = Budgets({**TABLE, mode: {**TABLE[mode], **cells}})
    selection = make_selector(policy=policy, budgets=budgets).select(messages, budget=budget)
    assert_held(messages, selection)
    opens = next(index for index in alone.indices if messages[index]["role"] == "user")
    assert set(alone.indices) - ({opens} - policy.kept) <= set(selection.indices)


def test_a_budget_below_the_conversation_is_filled_with_the_turns_that_the_policy_ranks_next():
    messages = chat("one", "two", "three", "four " * 30, "five", "six", "TASK so")  # 5 tokens each, but one
    policy = FixedPolicy({4}, {0: 0.2, 1: 0.3, 2: 0.1, 3: 0.4, 5: 0.25})
    assert make_selector(policy=policy).select(messages).indices == [4, 5, 6], "the rest is left out"
    total = make_selector(policy=policy).select(messages).tokens_total
    assert make_selector(policy=policy).select(messages, budget=total).indices == [4, 5, 6], (
        "all of it would fit"
    )
    filled = make_selector(policy=policy).select(messages, budget=6 + 5 + 5 + 5)
    assert filled.indices == [0, 1, 4, 6], "1 is next, 0 opens the list for it, 3 is too long"
    assert "the policy dropped it" in filled.decisions.of(1).reason
    unranked = make_selector(policy=replace(policy, ranked=False)).select(messages, budget=6 + 5 + 5 + 5)
    assert unranked.indices == [4, 5, 6], "a policy without scores ranks nothing"


def test_statements_replace_mandatory_turns_that_do_not_fit():
    rule = "You must never delete the backups."
    messages = chat(
        f"{'word ' * 60}. {rule}", "Fine.", f"{'word ' * 30}. Always answer in English.", "Yes.", "TASK so"
    )
    longest = make_selector(set()).select(messages, budget=70)
    assert longest.places[:2] == [None, 2], "the rest of the budget goes to the shorter turn"
    assert (longest.messages[0]["role"], longest.messages[0]["content"][:33]) == ("system", rule[:33])
    assert (longest.over_budget, longest.breaches) == (0, ())
    assert longest.decisions.of(0).rule == "budget"
    assert "message of its own" in longest.decisions.of(0).reason
    assert make_selector(set()).select(messages, budget=40).places == [None, None, 4]
    assert make_selector(set()).select(messages, budget=5).over_budget > 0, (
        "the statements stay whatever it is"
    )
    assert {0, 2, 4} <= set(make_selector(set()).select(messages, budget=200).indices)


def test_a_budget_pays_for_a_statement_and_its_turn_competes_as_evidence():
    rule = "You must never delete the backups."
    messages = chat(f"{'word ' * 20}. {rule}", "b " * 20, "c", "d " * 20, "TASK so")
    policy = FixedPolicy({3}, {0: 0.1, 1: 0.4, 2: 0.1, 3: 0.9}, probabilities=True)
    selection = make_selector(policy=policy).select(messages, budget=50)
    assert selection.places == [None, 2, 3, 4], "the whole turn of the rule would leave no room for 3"
    assert "a message of its own" in selection.decisions.of(0).reason
    needed = replace(policy, scores={0: 0.95, 1: 0.1, 2: 0.1, 3: 0.1})
    selection = make_selector(policy=needed).select(messages, budget=50)
    assert selection.places == [0, 2, 4], "its own turn says it, and its statement is not sent, too"
    assert turns_by_section(selection)["rules"] == [0]
    assert ", always sent (“" in selection.decisions.of(0).reason
    assert selection.tokens == sum(count_words(messages[place]["content"]) + 4 for place in (0, 2, 4))


def test_an_edited_statement_frees_nothing_of_its_turn(monkeypatch):
    real = InvariantFinder.invariants
    text = "Never touch the tapes " + "of the years before " * 3
    monkeypatch.setattr(
        InvariantFinder,
        "invariants",
        property(lambda self: [replace(one, text=text) for one in real.fget(self)]),
    )
    messages = chat(f"{'word ' * 25}. You must never delete the backups.", "b " * 9, "c", "d " * 9, "TASK so")
    policy = FixedPolicy({0, 1, 2, 3}, {0: 0.9, 1: 0.4, 2: 0.3, 3: 0.2}, probabilities=True)
    for budget in range(20, 110):
        selection = make_selector(policy=policy).select(messages, budget=budget)
        assert selection.tokens <= max(budget, count_words(text) + 4 + 6), budget


def test_a_statement_of_two_turns_is_sent_until_both_are():
    rule = "You must never delete the backups."
    messages = chat(f"{'word ' * 20}. {rule}", "b", f"{'more ' * 25}. {rule}", "d", "TASK so")
    policy = FixedPolicy(set(), {0: 0.9, 1: 0.1, 2: 0.1, 3: 0.1}, probabilities=True)
    selection = make_selector(policy=policy).select(messages, budget=40)
    assert (selection.over_budget, selection.breaches) == (0, ()), (
        "the first turn would not spare the statement"
    )
    assert rule in {message["content"] for message in selection.messages}


def test_evidence_is_chosen_by_expected_use_for_its_tokens():
    messages = chat("GENERAL " + "long " * 25, "b.", "GENERAL c", "d.", "GENERAL e", "f.", "LEARNING so")
    scores = {0: 0.6, 2: 0.5, 4: 0.4}
    policy = FixedPolicy({0, 2, 4}, scores, probabilities=True)
    room = 6 + 30
    assert make_selector(policy=policy).select(messages, budget=room).indices == [2, 4, 5, 6]
    likely = replace(policy, scores={**scores, 0: 0.99})
    assert make_selector(policy=likely).select(messages, budget=room).indices == [0, 6], (
        "much use is worth it"
    )
    for scored in (0, 2, 4):
        unscored = replace(
            policy, scores={index: 0.6 if index == scored else math.nan for index in (0, 2, 4)}
        )
        assert scored in make_selector(policy=unscored).select(messages, budget=room).indices, (
            "no score comes last"
        )
    other = replace(policy, probabilities=False)
    assert make_selector(policy=other).select(messages, budget=room).indices == [0, 6], "by score alone"


class LosingPacker:
    """A packer that loses some of what must stand, and so often as it is told."""

    def __init__(self, lose: int) -> None:
        self.lose = lose
        self.lost: set[int] = set()

    def __call__(self, claims, capsules, budget) -> PackedTurns:
        packed, turns = pack(claims, capsules, budget), claims.table.turns
        held = [index for index in claims.required if not turns[index].is_instruction]
        for place, index in enumerate(held):
            if self.lose >> place & 1:
                del packed.placed[index]
        brought_back = make_valid(turns, list(packed.placed), claims.table.current).indices
        self.lost = set(held) - set(brought_back)
        return packed


def test_every_invariant_that_a_packer_loses_is_caught_and_the_baseline_has_it(caplog, monkeypatch):
    caplog.set_level(logging.CRITICAL)
    rng = random.Random(7)
    losses = 0
    for number in range(1_500):
        messages = random_conversation(rng)
        packer = LosingPacker(1 + number % 7)
        monkeypatch.setattr("convgate.selection.fit.pack", packer)
        selection = make_selector(frozenset()).select(messages, budget=rng.choice(BUDGETS))
        losses += bool(packer.lost)
        assert {one.source for one in selection.breaches} == packer.lost
        assert [one.cause for one in selection.fallbacks] == ["breach"] * bool(selection.breaches)
        held = {one.source for one in selection.invariants if one.held}
        assert held <= set(selection.indices)
        if selection.breaches:
            assert not selection.violations or selection.messages[-1]["role"] != "user"
    assert losses > 200


def test_a_changed_word_of_an_invariant_is_a_breach(monkeypatch):
    from convgate.selection import fit

    def meddling(*args, **options):
        sent = real(*args, **options)
        for message in sent.messages:
            message["content"] = str(message["content"]).replace("never", "sometimes")
        return sent

    real = fit.send
    monkeypatch.setattr(fit, "send", meddling)
    breached = make_selector().select(chat("You must never delete the backups.", "Fine.", "TASK add a page"))
    assert [one.source for one in breached.breaches] == [0]


def test_units_are_packed_whole_or_not_at_all():
    messages = [
        *chat("TASK one", "Fine.", "TASK two"),
        *(tool_calls_message("a", "b"), tool_result("a", "one two three"), tool_result("b", "four five six")),
        *chat("assistant: It works.", "user: GENERAL bye", "assistant: Bye.", "user: TASK three"),
    ]
    for budget in range(0, 80):
        selection = make_selector({4}).select(messages, budget=budget)
        assert {3, 4, 5} <= set(selection.indices) or {3, 4, 5}.isdisjoint(selection.indices)
        assert_valid(messages, selection)
    assert {3, 4, 5} <= set(selection.indices)
    reasons = {turn.index: turn.reason for turn in selection.section("evidence").turns}
    assert "0.90" in reasons[4]
    assert reasons[3].startswith("Kept with its result: message 4 is kept")
    assert reasons[5].startswith("Kept with its call: message 4 is a result of the same call and is kept")
