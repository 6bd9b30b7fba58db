"""Context when a mode is overruled, an invariant is lost, or there is nothing to show."""

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
from tests.context_page import add, metric, opened, said, store, talk, turns

__all__ = ["store", "talk"]  # fixtures

RULE = 5  # the turn of `talk` that states an invariant


def pack_without_rule(*args: Any, **kwargs: Any) -> PackedTurns:
    packed = pack(*args, **kwargs)
    placed = {turn: placement for turn, placement in packed.placed.items() if turn != RULE}
    return replace(packed, placed=placed)


def test_a_guard_that_overrules_the_mode_is_an_error(store: Store, talk: str) -> None:
    drift = Alert("drift", "", datetime.now(UTC), "The modes of the last hour differ: KL 0.15.")
    GuardStates(store).put_alerts([drift])
    app = opened(conversation=talk)
    assert metric(app, "Mode") == "General"
    (error,) = [str(one.value) for one in app.error]
    assert "have drifted" in error
    assert "KL 0" in error
    assert "GENERAL in place of TASK" in said(app)


def test_a_lost_invariant_is_an_error_and_sent_after_all(talk: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "ContextBuilder", partial(ContextBuilder, packer=pack_without_rule))
    app = opened(conversation=talk)
    errors = "\n".join(str(one.value) for one in app.error).replace("\\", "")
    assert "An invariant was missing" in errors
    assert "turn 6: “You must never log the passwords of users" in errors
    assert RULE in turns(app, "kept")


def test_nothing_to_show_says_what_to_do(store: Store, talk: str) -> None:
    assert "has no messages" in said(opened(conversation=add(store, [])))
    assert opened(conversation="nobody").error
    alone = opened(conversation=add(store, [Turn.of("user", "add a login")]))
    assert metric(alone, "Earlier turns") == "0 of 0"
    answer = opened(conversation=add(store, [Turn.of("assistant", "done")]), turn="1", budget="0")
    assert "Chat APIs may refuse this list: the last message is neither" in said(answer)
    (tokens,) = [one for one in answer.metric if one.label == "Tokens"]
    assert tokens.delta == "no budget"
