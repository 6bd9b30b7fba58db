"""Modes over a conversation: smoothing, labels of turns, intents."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from convgate.core.conversation import ToolCall, Turn
from convgate.core.errors import RequestError
from convgate.core.settings import Settings
from convgate.modes.conversation import ConversationModes, ModeTracker
from convgate.modes.mode import Mode, known_intents, mode_of_intent
from tests.selectors import FirstWordClassifier


class TextClassifier(FirstWordClassifier):
    """Finds what stands in the text: a mode, and how sure that is."""

    def read(self, text: str) -> tuple[Mode, float, str]:
        likeliest, confidence = text.split()
        return likeliest, float(confidence), ""


def find_modes(*turns: str | Turn, intents: Mapping[int, Mode] | None = None) -> ConversationModes:
    """The modes of turns; a text is a user's turn."""
    tracker = ModeTracker()
    messages = [Turn.of("user", turn) if isinstance(turn, str) else turn for turn in turns]
    tracker.add(messages, TextClassifier(), intents or {})
    return tracker.modes


@pytest.mark.parametrize(
    ("texts", "applied"),
    [
        (["LEARNING 0.71"], ["LEARNING"]),  # the first takes its own
        (["TASK 0.9", "LEARNING 0.84"], ["TASK", "TASK"]),  # one that is not quite sure changes nothing
        (["TASK 0.9", "LEARNING 0.85"], ["TASK", "LEARNING"]),  # one that is sure does
        (["TASK 0.9", "LEARNING 0.75", "LEARNING 0.75"], ["TASK", "TASK", "LEARNING"]),  # two that agree do
        (["TASK 0.9", "LEARNING 0.75", "DEBUGGING 0.75", "LEARNING 0.75"], ["TASK"] * 4),  # not in a row
        (["TASK 0.9", "LEARNING 0.5", "DEBUGGING 0.5"], ["TASK", "TASK", "GENERAL"]),  # both count as GENERAL
        (["TASK 0.5"], ["GENERAL"]),
    ],
)
def test_the_mode_changes_when_it_is_sure_or_said_twice(texts: list[str], applied: list[Mode]):
    assert list(find_modes(*texts).applied.values()) == applied


def test_an_intent_changes_the_mode_at_once_and_says_so():
    modes = find_modes("TASK 0.9", "TASK 0.9", "LEARNING 0.75", intents={1: "DEBUGGING"})
    assert list(modes.applied.values()) == ["TASK", "DEBUGGING", "DEBUGGING"]
    decision = modes.decisions[1]
    assert (decision.mode, decision.confidence, decision.source) == ("DEBUGGING", 1.0, "intent")
    assert "the caller asked for it" in decision.reason


def test_a_turn_that_is_unsure_belongs_to_what_it_follows_and_answers_to_what_they_answer():
    turns = [
        Turn.of("system", "Be brief."),
        Turn.of("assistant", "Hello!"),
        Turn.of("user", "DEBUGGING 0.9"),
        Turn("assistant", tool_calls=(ToolCall("a", "look", "{}"),)),
        Turn.of("tool", "a log", tool_call_id="a"),
        Turn.of("user", "LEARNING 0.6"),
        Turn.of("assistant", "Because of the cache."),
        Turn.of("user", "TASK 0.75"),
    ]
    modes = find_modes(*turns)
    assert dict(modes.labels) == {
        1: "GENERAL",
        2: "DEBUGGING",
        3: "DEBUGGING",
        4: "DEBUGGING",
        5: "DEBUGGING",
        6: "DEBUGGING",
        7: "TASK",
    }
    assert list(modes.decisions) == [2, 5, 7]
    assert [decision.index for decision in modes.decisions.values()] == [2, 5, 7]
    assert [modes.at(index) for index in (0, 1, 4, 7)] == ["GENERAL", "GENERAL", "DEBUGGING", "DEBUGGING"]


def test_an_empty_conversation_has_no_modes():
    modes = find_modes(Turn.of("system", "Be brief."))
    assert (modes.decisions, modes.applied, modes.labels) == ({}, {}, {})


def test_intents_are_known_in_any_case_and_the_settings_add_to_them():
    settings = Settings(budget={"intents": {"Bug": "debugging", "task": "LEARNING"}})
    assert mode_of_intent("  EXPLORE ", settings) == "EXPLORATION"
    assert mode_of_intent("learning", settings) == "LEARNING"
    assert mode_of_intent("bug", settings) == "DEBUGGING"
    assert mode_of_intent("task", settings) == "LEARNING"
    with pytest.raises(RequestError, match=r"dance.*bug"):
        mode_of_intent("dance", settings)
    with pytest.raises(RequestError, match="3"):
        mode_of_intent(3, settings)


@pytest.mark.parametrize(
    ("intents", "message"),
    [({"dance": "DANCE"}, "budget.intents.*DANCE.*EXPLORATION"), ({" ": "TASK"}, "empty")],
)
def test_a_wrong_intent_of_the_settings_is_named(intents: dict[str, str], message: str):
    with pytest.raises(RequestError, match=message):
        known_intents(Settings(budget={"intents": intents}))
