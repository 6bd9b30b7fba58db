"""What is held whatever a policy decides."""

from __future__ import annotations

from typing import Any

import pytest

from convgate.adapters.selection import MessageSelector
from convgate.core.conversation import Conversation
from convgate.core.decisions import HOLD
from convgate.core.settings import Settings
from convgate.embedding.base import Encoder
from convgate.invariants import InvariantEdit, with_edits
from convgate.policies.base import Policy
from convgate.policies.search import CosineTopK
from convgate.policies.window import LastK
from convgate.selection.load import selector_of
from convgate.transcripts import turns_from_messages
from tests.fakes import FakeEncoder
from tests.selectors import make_selector

WISH = "From now on always give all lengths in metric units, please."


def chat(*wishes: str) -> list[dict[str, Any]]:
    """A chat that opens with the wishes, then goes on about something else."""
    messages: list[dict[str, Any]] = []
    for wish in wishes:
        messages += [{"role": "user", "content": wish}, {"role": "assistant", "content": "Sure."}]
    for subject in ("rye bread", "a bicycle chain"):
        messages += [
            {"role": "user", "content": f"Tell me about {subject}."},
            {"role": "assistant", "content": f"There is a lot to say about {subject}."},
        ]
    return [*messages, {"role": "user", "content": "How long is a marathon?"}]


def keeps_nothing(encoder: Encoder | None = None) -> Policy:
    return CosineTopK(encoder or FakeEncoder(), k=0)


@pytest.fixture
def settings(tmp_path) -> Settings:
    return Settings(home=tmp_path)


def test_a_lasting_wish_is_sent_though_the_policy_drops_it_and_the_reason_says_so(settings: Settings):
    selection = selector_of(keeps_nothing(), settings).select(chat(WISH))
    assert selection.indices == [0, 6]
    decision = selection.decisions.of(0)
    assert decision.stage == HOLD
    assert decision.forced
    assert "metric" in decision.reason
    assert not selection.decisions.of(2).kept


def test_a_wish_that_was_replaced_is_not_held(settings: Settings):
    other = "No, from now on always give all lengths in imperial units instead."
    selection = selector_of(keeps_nothing(), settings).select(chat(WISH, other))
    assert selection.indices == [2, 8]


def test_a_turn_that_the_policy_keeps_is_held_too(settings: Settings):
    policy = CosineTopK(FakeEncoder(), k=6)
    selection = selector_of(policy, settings).select(chat(WISH))
    decision = selection.decisions.of(0)
    assert (decision.stage, decision.outcome_name, decision.forced) == ("hold", "rule", False)
    assert decision.explanation.startswith("hard constraint, always sent (“")


@pytest.mark.parametrize("budget", [None, 70])
def test_what_lifts_a_part_of_a_rule_is_sent_with_it(settings: Settings, budget: int | None):
    lift = "Milk is fine again."
    messages = chat("No nuts, and no milk.", lift, "Thanks.", "Good.", "Fine.")
    selector = selector_of(LastK(k=2), settings)
    selection = selector.select(messages, budget=budget)
    assert {0, 2} <= {*selection.indices}
    assert len(selection.indices) < len(messages) - 2
    assert not selection.breaches
    decision = selection.decisions.of(2)
    assert (decision.stage, decision.outcome_name) == (HOLD, "rule")
    assert decision.explanation == (
        "it may change a part of message 0, which is always sent (“No nuts, and no milk”)."
    )


def test_one_setting_turns_it_off(settings: Settings):
    off = settings.updated(hold_invariants=False)
    assert selector_of(keeps_nothing(), off).select(chat(WISH)).indices == [6]


def test_a_policy_without_an_encoder_holds_too(settings: Settings):
    assert selector_of(LastK(k=0), settings).select(chat(WISH)).indices == [0, 6]


def test_adapters_hold_it_too(settings: Settings):
    selector = MessageSelector(selector_of(keeps_nothing(), settings))
    assert selector.keep(chat(WISH)) == [0, 6]


def test_a_question_that_is_typed_is_answered_under_the_same_wishes(settings: Settings):
    messages = chat(WISH)[:-1]
    selection = selector_of(keeps_nothing(), settings).select(messages, question="How long is a marathon?")
    assert selection.indices == [0]
    assert selection.messages[-1]["content"] == "How long is a marathon?"


@pytest.mark.parametrize("budget", [None, 900])
def test_all_that_people_add_to_one_turn_is_stated_beside_it(budget: int | None):
    conversation = Conversation("talk", turns_from_messages(chat(WISH)))
    added = [
        InvariantEdit(text="Round to metres.", type="hard_constraint"),
        InvariantEdit(text="Never use feet.", type="hard_constraint"),
    ]
    selection = make_selector(set(), budget={"tokens": budget}).select_at(
        with_edits(conversation, {2: added})
    )
    stated = [message["content"] for message in selection.messages if message["role"] == "system"]
    assert stated == ["Round to metres.", "Never use feet."]
