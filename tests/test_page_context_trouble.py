"""Context when something is wrong: modes that are overruled, an invariant that was lost, nothing to show."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from convgate.context.builder import ContextBuilder
from convgate.context.packing import PackedTurns, pack
from convgate.core.conversation import Turn
from convgate.store import Store
from convgate.store.guard_states import Alert, GuardStates
from convgate.ui.context import build
from tests.context_page import add, metric, opened, said, store, talk

__all__ = ["store", "talk"]  # fixtures

RULE = 5  # the turn of `talk` that states what must hold


def losing(*args: Any, **kwargs: Any) -> PackedTurns:
    """A packer that loses the rule of the conversation."""
    packed = pack(*args, **kwargs)
    placed = {turn: one for turn, one in packed.placed.items() if turn != RULE}
    return replace(packed, placed=placed)


def test_a_guard_that_overrules_modes_is_told_loudly(store: Store, talk: str) -> None:
    now = datetime.now(UTC)
    drift = Alert("drift", "", now, "The modes of the last hour differ: KL 0.15, the limit is 0.10.")
    GuardStates(store).put_alerts([drift])
    app = opened(conversation=talk)
    assert metric(app, "Mode") == "General"
    (told,) = [str(one.value) for one in app.error]
    assert "have drifted" in told
    assert "KL 0" in told
    assert "GENERAL is given in place of TASK" in said(app)


def test_a_lost_invariant_is_a_breach_that_nobody_can_overlook(
    talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "ContextBuilder", partial(ContextBuilder, packer=losing))
    app = opened(conversation=talk)
    told = "\n".join(str(one.value) for one in app.error).replace("\\", "")
    assert "1 breach:" in told
    assert "turn 6: “You must never log the passwords of users" in told
    assert "Something that must hold was missing" in told
    assert "context.rules.5" in {one.key for one in app.button}, "the baseline has it"


def test_nothing_to_show_says_what_to_do(store: Store, talk: str) -> None:
    assert "has no messages" in said(opened(conversation=add(store, [])))
    assert opened(conversation="nobody").error
    alone = opened(conversation=add(store, [Turn.of("user", "add a login")]))
    assert metric(alone, "Earlier turns") == "0 of 0"
    assert "No turn before this message" in said(alone)
    answer = opened(conversation=add(store, [Turn.of("assistant", "done")]), turn="1", budget="0")
    assert "Chat APIs may refuse this list: the last message is neither" in said(answer)
    (tokens,) = [one for one in answer.metric if one.label == "Tokens"]
    assert tokens.delta == "no budget", "nothing is not all of it"
