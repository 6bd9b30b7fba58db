"""What to ask next: the reasons, the mixture, and that the work is bounded."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convgate.conversation import Conversation, History, Situation, Turn
from convgate.decisions import TurnDecisions
from convgate.errors import StoreError
from convgate.gate.thresholds import Absolute
from convgate.labels.drawing import draw_messages
from convgate.labels.queue import (
    START,
    Disagreeing,
    Judge,
    Judges,
    library_queue,
    make_queue,
    turns_to_label,
)
from convgate.policies.base import history_indices
from convgate.policies.scored import decide_by_rule
from convgate.store import Conversations, Labels, NewConversation, SituationKey, Store
from convgate.store.queues import Queues, ReasonKind

Talks = list[tuple[str, Conversation]]


@dataclass
class Scripted:
    """Scores a turn by the number that it says, plus a shift; counts what it was asked."""

    name: ClassVar[str] = "scripted"
    label: ClassVar[str] = "Scripted"
    needs_encoder: ClassVar[bool] = False
    ranks: ClassVar[bool] = True
    shift: float = 0.0
    threshold: float = 0.5
    asked: list[tuple[str, int]] = field(default_factory=list)

    def decide(self, situation: Situation, history: History) -> TurnDecisions:
        self.asked.append((history.conversation.id, situation.index or 0))
        scores = np.array([float(turn.text) + self.shift for turn in history])
        rule = Absolute(self.threshold)
        return decide_by_rule(self.name, history_indices(history), scores, rule, learned=0.5)


def talk(name: str, turns: int) -> Conversation:
    """Says numbers that go from 0 to 1 and back, in steps of 0.1."""
    steps = [*range(11), *range(9, 0, -1)]
    said = (f"{steps[i % len(steps)] / 10:.2f}" for i in range(turns))
    return Conversation(
        name, tuple(Turn.of("user" if i % 2 == 0 else "assistant", text) for i, text in enumerate(said))
    )


@pytest.fixture
def talks() -> Talks:
    return [(f"key{n}", talk(f"talk {n}", 20)) for n in range(6)]


def judges() -> Judges:
    return Judges(
        Judge("shipped", Scripted()),
        Judge("monday-1", Scripted(shift=0.25)),
        Judge("BM25", Scripted(shift=-0.3)),
    )


KNOWN = {SituationKey("elsewhere", 3): {0}}


def test_from_a_cold_start_a_sample_drawn_by_lot_comes_first(talks: Talks) -> None:
    items = make_queue(talks, judges(), size=60, seed=1)
    kinds = [item.kind for item in items]
    started = {item.situation for item in items if item.kind == "start"}
    assert kinds.count("start") == START
    assert all(item.situation in started for item in items[:START])
    assert not any(item.situation in started for item in items[-5:])
    sample = next(item for item in items if item.kind == "start")
    assert re.fullmatch(
        r"Drawn by lot from [\d,]+ earlier turns of \d+ messages, because nothing is labelled yet\.",
        sample.reason,
    )
    assert "start" not in {item.kind for item in make_queue(talks, judges(), size=60, seed=1, known=KNOWN)}


def test_every_reason_has_its_sentence_with_numbers(talks: Talks) -> None:
    dispute = Disagreeing(SituationKey("key0", 10), 3, {"Ada": "relevant", "Bo": "not_relevant"})
    items = make_queue(talks, judges(), size=60, seed=1, known=KNOWN, disagreements=[dispute])
    told = {
        "annotators": r"2 people answered it, and they do not agree\.",
        "threshold": r"Its score 0\.\d\d is (0\.\d\d|less than 0\.01) (above|below) the threshold 0\.50\.",
        "versions": r"monday-1 keeps it \(score 0\.\d\d, threshold 0\.50\), shipped drops it \(score 0\.\d\d,"
        r" threshold 0\.50\)\.",
        "policies": r"shipped keeps it \(score [01]\.\d\d, threshold 0\.50\), BM25 drops it \(score 0\.\d\d,"
        r" threshold 0\.50\)\.",
        "audit": r"Drawn by lot from [\d,]+ earlier turns of \d+ messages\.",
    }
    assert {item.kind for item in items} == set(told)
    for item in items:
        assert re.fullmatch(told[item.kind], item.reason), item


def test_each_reason_is_true_of_its_turn(talks: Talks) -> None:
    said = dict(talks)
    for item in make_queue(talks, judges(), size=80, seed=3, known=KNOWN):
        score = float(said[item.situation.conversation].turns[item.turn].text)
        if item.kind == "threshold":
            assert abs(score - 0.5) <= 0.15
        elif item.kind == "versions":
            assert score < 0.5 <= score + 0.25
        elif item.kind == "policies":
            assert score - 0.3 < 0.5 <= score


def test_reasons_are_mixed_by_their_shares_and_fill_up_each_other(talks: Talks) -> None:
    shares: dict[ReasonKind, float] = {"threshold": 0.5, "audit": 0.5}
    items = make_queue(talks, judges(), size=40, seed=1, known=KNOWN, shares=shares)
    kinds = Counter(item.kind for item in items)
    assert kinds == {"threshold": 20, "audit": 20}
    nothing_near = Judges(Judge("shipped", Scripted(shift=5.0)))
    kinds = Counter(
        item.kind for item in make_queue(talks, nothing_near, size=40, seed=1, known=KNOWN, shares=shares)
    )
    assert kinds == {"audit": 40}


def test_turns_of_a_message_come_together_and_not_too_many_of_one(talks: Talks) -> None:
    items = make_queue(talks, judges(), size=80, seed=2, known=KNOWN)
    messages = [message for message, _ in groupby(items, lambda item: item.situation)]
    assert len(messages) == len(set(messages))
    assert max(Counter(item.situation for item in items).values()) <= 8
    one = [("key0", talk("talk 0", 20))]
    only_message = make_queue(one, judges(), size=15, seed=2, known=KNOWN, messages=1)
    assert len({item.situation for item in only_message}) == 1
    assert [item.turn for item in only_message] == sorted(item.turn for item in only_message)


@settings(max_examples=25)
@given(st.integers(0, 1_000), st.integers(1, 120))
def test_a_queue_never_asks_twice_nor_what_is_settled_nor_what_cannot_be(seed: int, size: int) -> None:
    talks = [(f"key{n}", talk(f"talk {n}", 12)) for n in range(3)]
    known = {SituationKey("key1", turn): {0, 1, 2} for turn in range(12)}
    items = make_queue(talks, judges(), size=size, seed=seed, known=known)
    names = [(item.situation, item.turn) for item in items]
    assert len(names) == len(set(names)) <= size
    for item in items:
        assert item.turn not in known.get(item.situation, ())
        assert 0 <= item.turn < (item.situation.turn or 0)
    possible = sum(turn - (n == 1) * min(turn, 3) for n in range(3) for turn in (2, 4, 6, 8, 10))
    assert len(items) == min(size, possible), "no fewer than there are to ask about"


def test_the_same_seed_gives_the_same_queue_in_whatever_order_conversations_come(talks: Talks) -> None:
    first = make_queue(talks, judges(), size=50, seed=4, messages=10)
    assert make_queue(talks[::-1], judges(), size=50, seed=4, messages=10) == first
    assert make_queue(talks, judges(), size=50, seed=5, messages=10) != first


def test_the_work_is_bounded_and_told_as_it_goes(talks: Talks) -> None:
    many = [(f"key{n}", talk(f"talk {n}", 6)) for n in range(300)]
    who, heard = judges(), list[tuple[int, int]]()
    make_queue(
        many, who, size=50, seed=1, messages=30, progress=lambda done, total: heard.append((done, total))
    )
    for judge in (who.gate, who.version, who.other):
        assert judge is not None
        assert isinstance(judge.policy, Scripted)
        assert len(judge.policy.asked) == len(set(judge.policy.asked)) == 30
        assert len({name for name, _ in judge.policy.asked}) == 30, "one message each, of 30 conversations"
    assert heard == [(done, 30) for done in range(1, 31)]
    long = judges()
    make_queue([("key", talk("long", 2_000))], long, size=50, seed=1)
    assert isinstance(long.gate.policy, Scripted)
    assert len(long.gate.policy.asked) == 40


def test_conversations_with_nothing_to_ask_give_an_empty_queue() -> None:
    empty = [("a", Conversation("a", ())), ("b", talk("b", 1))]
    assert make_queue(empty, judges(), size=10, seed=1) == []


def test_messages_are_those_that_a_model_would_answer() -> None:
    roles = ["system", "user", "assistant", "tool", "assistant", "user"]
    turns = tuple(Turn.of(role, "0.5") for role in roles)
    said = Conversation("talk", turns)
    drawn = draw_messages([("key", said)], seed=1)
    assert sorted(one.situation.turn or 0 for one in drawn) == [1, 3, 5]
    (last,) = [one for one in drawn if one.situation.turn == 5]
    assert last.turns == [1, 2, 3, 4], "instructions are sent anyway"
    channel = Conversation("irc", tuple(Turn.of("speaker", "0.5") for _ in range(3)))
    drawn = draw_messages([("key", channel)], seed=1)
    assert sorted(one.situation.turn or 0 for one in drawn) == [1, 2], "before the first there is nothing"


@pytest.mark.parametrize(
    ("size", "shares", "told"),
    [
        (0, {"audit": 1.0}, "a queue has 1 to 10,000 turns; got 0"),
        (5, {"luck": 1.0}, "a queue knows no reason luck"),
        (5, {"audit": -1.0, "threshold": 2.0}, "the shares of a queue are 0 or more"),
        (5, {"audit": 0.0}, "at least one is more than 0"),
        (5, {}, "at least one is more than 0"),
    ],
)
def test_sizes_and_shares_that_cannot_be_are_refused(
    talks: Talks, size: int, shares: dict[str, float], told: str
) -> None:
    with pytest.raises(StoreError, match=told):
        make_queue(talks, judges(), size=size, seed=1, shares=shares)  # type: ignore[arg-type]


def test_a_queue_over_the_library_knows_labels_and_disputes(tmp_path: Path) -> None:
    store = Store(tmp_path / "convgate.db")
    (added,) = Conversations(store).add([NewConversation(talk("talk", 12))])
    labels, place = Labels(store), SituationKey(added.key, 10)
    labels.answer(place, {0: "relevant", 5: "relevant"}, by="Ada")
    labels.answer(place, {5: "not_relevant", 6: "unsure"}, by="Bo")
    items = library_queue(store, judges(), size=200, seed=1, by="Bo")
    asked = {item.turn: item.kind for item in items if item.situation == place}
    assert asked[5] == "annotators"
    assert set(asked) == {1, 2, 3, 4, 5, 7, 8, 9}, "0 is settled, Bo answered 6"
    queue = Queues(store).add("All", items, by="Bo", seed=1)
    assert queue.items == len(items)
    assert library_queue(store, judges(), size=200, seed=1, conversations=[]) == []


def test_what_to_ask_first_of_one_message_is_near_the_threshold_then_high_then_by_lot() -> None:
    said = talk("talk", 21)
    decisions = Scripted().decide(*said.at(20))
    found = turns_to_label(decisions, known={5, 10}, limit=8)
    assert [(one.turn, one.kind) for one in found[:6]] == [
        (15, "threshold"), (4, "threshold"), (6, "threshold"), (14, "threshold"), (9, "score"), (11, "score"),
    ]  # fmt: skip
    assert [one.kind for one in found[6:]] == ["audit", "audit"]
    assert not {one.turn for one in found} & {5, 10}
    assert found[0].reason == "Its score 0.50 is less than 0.01 above the threshold 0.50."
    assert found[4].reason == "Its score 0.90 is the 2nd highest."
    assert found == turns_to_label(decisions, known={5, 10}, limit=8)


@pytest.mark.parametrize("limit", [0, 1, 3, 19, 50])
def test_as_many_turns_are_suggested_as_there_are(limit: int) -> None:
    decisions = Scripted().decide(*talk("talk", 20).at(19))
    turns = [one.turn for one in turns_to_label(decisions, limit=limit)]
    assert len(turns) == len(set(turns)) == min(limit, 19)
