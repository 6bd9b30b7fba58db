"""The stable prefix, and what a selector remembers of a conversation."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.conversation import Turn
from convgate.core.conversation_cache import ConversationCache
from convgate.messages.table import TurnTable
from convgate.selection.memory import PastRequest, RequestMemory
from convgate.selection.packing import PackedTurns
from convgate.transcripts import turns_from_messages
from tests.processes import run_threads
from tests.selectors import (
    FirstWordClassifier,
    FixedPolicy,
    chat,
    count_words,
    make_selector,
    random_conversation,
)

FIRST = chat("LEARNING a", "b.", "LEARNING c", "d.", "LEARNING e")
THEN = [*FIRST, *chat("user: skip", "assistant: f.", "user: LEARNING g")[1:]]  # e is answered, and g follows


def test_the_report_tells_how_much_of_the_front_stayed():
    selector = make_selector({0, 1, 2, 3})
    first = selector.select(FIRST)
    assert first.prefix is None
    grown = selector.select(THEN)
    assert (grown.prefix.tokens, grown.prefix.before) == (first.tokens, first.tokens)
    other = make_selector(policy=FixedPolicy({2, 3, 4}))
    other.select(FIRST)
    changed = replace(other, policy=FixedPolicy({0, 1, 2, 3, 4})).select(THEN)
    assert changed.prefix.tokens == 0, "the first message is another one"
    same = make_selector({0, 1, 2, 3})
    capsuled = same.select(FIRST, capsules=["So far: a."])
    assert same.select(THEN, capsules=["So far: a."]).prefix.tokens == capsuled.tokens
    assert same.select(THEN, capsules=["So far: b."]).prefix.tokens == 0


def test_a_typed_question_is_recognised_when_it_has_become_a_message():
    selector = make_selector()
    asked = selector.select(FIRST[:4], question="LEARNING e")
    assert selector.select(THEN).prefix.tokens == asked.tokens


class FirstTimeLosingPacker:
    """Loses every turn, but only the first time."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, claims, capsules, budget):
        from convgate.selection.packing import pack

        self.times += 1
        return PackedTurns({}) if self.times == 1 else pack(claims, capsules, budget)


def test_after_a_breach_the_baseline_serves_the_rest_of_that_conversation_alone(caplog, monkeypatch):
    messages = chat(
        "You must never delete the backups.", "Fine.", "LEARNING a", "b.", "LEARNING c", "d.", "LEARNING e"
    )
    monkeypatch.setattr("convgate.selection.fit.pack", FirstTimeLosingPacker())
    selector = make_selector(set())
    [breached, later] = [selector.select(messages[:5]), selector.select(messages)]
    assert [one.source for one in breached.breaches] == [one.source for one in later.breaches] == [0]
    assert breached.indices == [0, 1, 2, 3, 4]
    assert later.indices == list(range(7)), "the newest turns that fit, and what must hold"
    assert "in this request" in breached.fallbacks[0].reason
    assert "earlier in this conversation" in later.fallbacks[0].reason
    assert "the newest turns that fit" in later.decisions.of(3).reason
    assert [record.levelname for record in caplog.records] == ["ERROR"], "logged once"
    branch = selector.select([*messages[:3], *chat("user: skip", "assistant: x.", "user: LEARNING y")[1:]])
    assert branch.breaches == (), "a branch from before the breach has none"
    small = selector.select(
        [*messages, *chat("user: skip", "assistant: f.", "user: LEARNING g")[1:]], budget=24
    )
    assert small.indices == [0, 7, 8]
    assert small.over_budget == 0
    assert small.decisions.of(3).explanation == "the baseline takes the newest turns that fit."


def test_after_a_breach_the_answers_of_a_corrected_message_do_not_end_the_newest_turns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    messages = chat(
        "Write at most 100 words about me.", "Fine.", "You must never delete the backups.", "Noted.",
        "Sorry, at most 200 words.", "Done.", "LEARNING a", "b.", "TASK c",
    )  # fmt: skip
    monkeypatch.setattr("convgate.selection.fit.pack", FirstTimeLosingPacker())
    selection = make_selector(set()).select(messages)
    assert selection.breaches
    assert any(invariant.superseded_by is not None for invariant in selection.invariants)
    assert selection.indices == list(range(9))


class TestMemory:
    def remembered(self, current: int) -> PastRequest:
        return PastRequest(current, None, np.array([], dtype=np.int64), 0, ())

    def test_the_nearest_request_before_the_present_message_is_found(self):
        memory = RequestMemory()
        memory.keep(b"a", self.remembered(0))
        memory.keep(b"c", self.remembered(2))
        assert memory.find([b"a", b"b", b"c", b"d", b"e"]).current == 2
        assert memory.find([b"a", b"b", b"c"]).current == 2, "the same message again"
        assert memory.find([b"a", b"b"]).current == 0
        assert memory.find([b"a", b"x", b"y"]).current == 0, "a branch"
        assert memory.find([b"x", b"y"]) is None

    def test_requests_share_the_intents_of_earlier_ones(self):
        selector = make_selector()
        for stop in (1, 3, 5):
            assert selector.select(THEN[:stop], intent="task" if stop < 5 else "debug").mode != "LEARNING"
        first, second, last = (request.intents for request in selector.around[0].requests._requests.values())
        assert (last.earlier, second.earlier, first.earlier) == (second, first, None)
        assert last.by_turn() == {0: "TASK", 2: "TASK", 4: "DEBUGGING"}
        assert selector.select(THEN[:5], intent="learn").budgeted.labels[4] == "LEARNING", (
            "the same message once more"
        )
        assert selector.select(THEN).budgeted.labels[2] == "TASK"

    def test_the_least_recently_used_entry_is_evicted(self, monkeypatch):
        monkeypatch.setattr("convgate.selection.memory.MAX_REQUESTS", 2)
        memory = RequestMemory()
        for digest in (b"a", b"b"):
            memory.keep(digest, self.remembered(0))
        memory.find([b"a", b"x"])
        memory.keep(b"c", self.remembered(0))
        assert len(memory._requests) == 2
        assert memory.find([b"b", b"x"]) is None
        assert memory.find([b"a", b"x"]) is not None


class TestTurnTable:
    def test_a_growing_conversation_costs_what_is_new(self):
        counted: list[str] = []

        def count(text: str) -> int:
            counted.append(text)
            return count_words(text)

        def extend(known: TurnTable | None, new: list[Turn]) -> TurnTable:
            return (known or TurnTable()).extend(new, count)

        tables = ConversationCache[TurnTable]()
        turns = turns_from_messages(THEN)
        tables.get(turns[:4], extend)
        counted.clear()
        grown = tables.get(turns, extend)
        assert counted == [turn.text for turn in turns[4:]]
        assert grown.hashes == TurnTable().extend(turns, count).hashes
        counted.clear()
        tables.get(turns[:3], extend)
        assert counted == [], "what is a beginning of something known costs nothing"

    def test_digests_are_of_all_that_came_before(self):
        one = TurnTable().extend(turns_from_messages(FIRST), count_words).hashes
        other = (
            TurnTable()
            .extend(turns_from_messages([{**FIRST[0], "content": "x"}, *FIRST[1:]]), count_words)
            .hashes
        )
        assert one[1] != other[1]
        assert len(set(one)) == len(one)


@given(st.integers(0, 2**32))
def test_building_message_by_message_gives_what_building_at_once_gives(seed):
    import random

    messages = random_conversation(random.Random(seed))
    grown = make_selector({1, 2, 5})
    for stop in range(1, len(messages) + 1):
        selection = grown.select(messages[:stop])
    assert selection.indices == make_selector({1, 2, 5}).select(messages).indices


def test_threads_share_a_selector():
    selector = make_selector({0, 2})
    conversations = [chat(f"LEARNING {name}", "b.", "LEARNING c", "d.", "LEARNING e") for name in "abcdefgh"]

    def run(number: int) -> list[list[int]]:
        return [
            selector.select(messages, budget=40).indices
            for messages in (*conversations[number:], *conversations[:number])
        ]

    results = [result for one in run_threads(4, run) for result in one]
    assert results == [results[0]] * 32


class CountingClassifier(FirstWordClassifier):
    """Remembers how many messages it was asked about."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def classify(self, turns):
        self.asked.append(len(turns))
        return super().classify(turns)


def test_only_new_turns_of_a_conversation_are_read():
    classifier = CountingClassifier()
    selector = make_selector()
    selector = replace(
        selector, fit=cache(lambda: replace(make_selector().fit(), classifier=lambda: classifier))
    )
    selector.select(FIRST)
    selector.select(FIRST)
    selector.select(THEN)
    assert classifier.asked == [3, 1]
    selector.select(FIRST[:3])
    assert classifier.asked == [3, 1, 2], "a branch is read anew"
    assert selector.select(THEN, intent="task").mode == "TASK"
    assert classifier.asked == [3, 1, 2, 2], "and so is what was read without the intent, from before it on"


def test_the_benchmark_times_scoring_separately():
    from tools.benchmark.budget import measure_budget

    measured = measure_budget(make_selector(counter=None), n=20, rounds=2)
    assert measured.turns == 20
    assert 0 < measured.warm.ours_ms == pytest.approx(measured.warm.baseline_ms / measured.warm.ratio)
