"""Labelling queues: reasons, mixture, bounded work."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from convgate.core.conversation import Conversation, CurrentMessage, History, Turn
from convgate.core.decisions import TurnDecisions
from convgate.gate.thresholds import Absolute
from convgate.labels.queue import NamedPolicy, make_queue
from convgate.policies.base import decide_by_rule, history_indices
from convgate.store import Conversations, CurrentKey, Labels, NewConversation, Store
from convgate.store.queues import NewItem, Queues


@dataclass
class TextScorePolicy:
    """Scores a turn by the number that it says, plus a shift; counts what it was asked."""

    name: ClassVar[str] = "scripted"
    label: ClassVar[str] = "Scripted"
    ranks: ClassVar[bool] = True
    shift: float = 0.0
    threshold: float = 0.5
    asked: list[tuple[str, int]] = field(default_factory=list)

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        self.asked.append((history.conversation.id, current.index or 0))
        scores = np.array([float(turn.text) + self.shift for turn in history])
        rule = Absolute(self.threshold)
        return decide_by_rule(self.name, history_indices(history), scores, rule, learned=0.5)


def conversation(number: int, turns: int) -> Conversation:
    """Texts are numbers from 0 to 1 and back, in steps of 0.1, with more digits per `number`."""
    steps = [*range(11), *range(9, 0, -1)]
    texts = (f"{steps[i % len(steps)] / 10:.{number + 2}f}" for i in range(turns))
    return Conversation(
        f"talk {number}",
        tuple(Turn.of("user" if i % 2 == 0 else "assistant", text) for i, text in enumerate(texts)),
    )


GATE, OTHER = NamedPolicy("shipped", TextScorePolicy()), NamedPolicy("BM25", TextScorePolicy(shift=-0.3))
VERSION = NamedPolicy("monday-1", TextScorePolicy(shift=0.25), "versions")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return fill(Store(tmp_path / "convgate.db"), 6)


def fill(store: Store, conversations: int, turns: int = 20) -> Store:
    Conversations(store).add(NewConversation(conversation(n, turns)) for n in range(conversations))
    return store


def score(store: Store, item: NewItem) -> float:
    return float(Conversations(store).get(item.current.conversation).conversation.turns[item.turn].text)


@pytest.mark.parametrize("other", [OTHER, VERSION])
def test_reasons_are_mixed_and_true_of_their_turns(store: Store, other: NamedPolicy) -> None:
    items = make_queue(store, GATE, other, size=80, seed=3)
    counts = Counter(item.kind for item in items)
    assert set(counts) == {"threshold", other.kind, "audit"}
    assert min(counts.values()) >= 10
    for item in items:
        if item.kind == "threshold":
            assert abs(score(store, item) - 0.5) <= 0.15
        elif item.kind != "audit":
            shift = 0.25 if other is VERSION else -0.3
            assert (score(store, item) >= 0.5) != (score(store, item) + shift >= 0.5)


def test_what_matters_most_is_asked_first(tmp_path: Path) -> None:
    store = Store(tmp_path / "convgate.db")
    texts = ("0.1", "0.9", "0.2", "0.4", "0.3", "0.8", "0.95", "0.5")
    turns = tuple(Turn.of("assistant" if n % 2 else "user", text) for n, text in enumerate(texts))
    Conversations(store).add([NewConversation(Conversation("talk", (*turns, Turn.of("user", "0.0"))))])
    search = NamedPolicy("search", TextScorePolicy(shift=-0.7, threshold=0.1))
    items = make_queue(store, GATE, search, size=50, seed=1)
    first = [score(store, item) for item in items if item.kind == "policies"]
    assert items[0].kind == "policies"
    assert first[0] == max(first), "what the gate is surest of and search drops"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Three conversations; the first turns of one of them have gold labels."""
    store = fill(Store(tmp_path_factory.mktemp("labels") / "convgate.db"), 3, 12)
    key = min(Conversations(store).keys())
    for turn in range(1, 12):
        known = dict.fromkeys(range(min(turn, 3)), "relevant")
        Labels(store).answer(CurrentKey(key, turn), known, by="Ada")
    return store


@settings(max_examples=25)
@given(st.integers(0, 1_000), st.integers(1, 120))
def test_a_queue_never_asks_twice_nor_what_is_known_nor_what_is_invalid(
    small: Store, seed: int, size: int
) -> None:
    items = make_queue(small, GATE, OTHER, size=size, seed=seed)
    names = [(item.current, item.turn) for item in items]
    assert len(names) == len(set(names)) <= size
    key = min(Conversations(small).keys())
    for item in items:
        assert item.current.conversation != key or item.turn > 2
        assert 0 <= item.turn < (item.current.turn or 0)
    possible = sum(turn - (n == 1) * min(turn, 3) for n in range(3) for turn in (2, 4, 6, 8, 10))
    assert min(size, possible) / 2 <= len(items) <= possible


def test_the_work_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("convgate.labels.queue.MAX_MESSAGES", 10)
    store = fill(Store(tmp_path / "convgate.db"), 30, 6)
    gate, other = TextScorePolicy(), TextScorePolicy(shift=0.25)
    make_queue(store, NamedPolicy("a", gate), NamedPolicy("b", other), size=50, seed=1)
    for policy in (gate, other):
        assert len(policy.asked) == len(set(policy.asked)) == 10
        assert len({name for name, _ in policy.asked}) == 10, "one message each, of 10 conversations"


def test_instructions_and_empty_turns_are_not_asked_about(tmp_path: Path) -> None:
    store = Store(tmp_path / "convgate.db")
    texts = [("system", "0.5"), ("user", "0.5"), ("assistant", "0.5"), ("user", "0.5")]
    turns = tuple(Turn.of(role, text) for role, text in texts)
    Conversations(store).add([NewConversation(Conversation("talk", turns))])
    items = make_queue(store, GATE, size=10, seed=1)
    assert sorted((item.current.turn, item.turn) for item in items) == [(3, 1), (3, 2)]


def test_what_tools_return_is_asked_about_only_where_people_say_no_more(tmp_path: Path) -> None:
    for n_people, wanted in ((1, {1}), (3, {2, 3})):
        roles = ("user", "tool", *["user"] * (n_people - 1))
        turns = tuple(Turn.of(role, f"0.{number + 4}") for number, role in enumerate(roles))
        store = Store(tmp_path / f"{n_people}.db")
        Conversations(store).add([NewConversation(Conversation("talk", turns))])
        asked = {item.current.turn for item in make_queue(store, GATE, OTHER, size=50, seed=1)}
        assert asked == wanted


def test_a_queue_knows_labels_and_disagreements(tmp_path: Path) -> None:
    store = fill(Store(tmp_path / "convgate.db"), 1, 12)
    (key,) = Conversations(store).keys()
    labels, place = Labels(store), CurrentKey(key, 10)
    labels.answer(place, {0: "relevant", 5: "relevant"}, by="Ada")
    labels.answer(place, {5: "not_relevant", 6: "unsure"}, by="Bo")
    items = make_queue(store, GATE, OTHER, size=200, seed=1, by="Bo")
    asked = {item.turn: item.kind for item in items if item.current == place}
    assert asked[5] == "annotators"
    assert set(asked) == {1, 2, 3, 4, 5, 7, 8, 9}, "0 is known, Bo answered 6"
    queue = Queues(store).add("All", items, by="Bo", seed=1)
    assert Queues(store).progress(queue, "Bo").items == len(items)
