"""Context as a person uses it: metrics, the turn table, settings that are replaced, messages to copy."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from convgate.context.builder import ContextBuilder
from convgate.context.packing import PackedTurns, pack
from convgate.core.conversation import Turn
from convgate.core.settings import load_settings
from convgate.store import Store
from convgate.store.edits import ModeCorrections
from convgate.store.guard_states import Alert, GuardStates
from tests.context_page import add, correct_mode, opened, rows, store, talk, turns
from tests.page_app import address, click, metric, said, sound

__all__ = ["store", "talk"]  # fixtures

RULE = 5  # the turn of `talk` that states an invariant
HOSTILE = "<b>x</b> [l](https://a.example) $x^2$ :smile:"


def test_every_earlier_turn_is_sent_or_dropped_with_a_reason(talk: str) -> None:
    app = opened(conversation=talk)
    assert "answering turn 10 · user: add refresh tokens to the login" in said(app)
    assert (metric(app, "Mode"), metric(app, "Invariants")) == ("Task", "1")
    assert "TASK with 0.95: it says “add”." in said(app)
    sent, dropped = turns(app, "kept"), turns(app, "dropped")
    assert sorted(sent + dropped) == list(range(9))
    assert dropped == [1, 2, 6]
    assert "it states what must hold" in rows(app)[5]["reason"]
    assert "it belongs to EXPLORATION" in rows(app)[1]["reason"]
    app = sound(app.segmented_control(key="context.show").set_value("dropped").run())
    assert (turns(app, "kept"), turns(app, "dropped")[:2]) == ([], [1, 2])
    assert address(app)["show"] == "dropped"


def test_the_selected_turn_says_where_it_is_sent_and_what_the_policy_says(talk: str) -> None:
    assert "Recent window, " in said(opened(conversation=talk)), "the newest turn that is sent"
    app = opened(conversation=talk, selected="6")
    assert "Rules, " in said(app)
    assert "Gate alone: " in said(app)
    assert "Safety requirement:" in said(app)
    (link,) = [one for one in app.get("page_link") if "selected=" in getattr(one.proto, "query_string", "")]
    assert "selected=6" in link.proto.query_string
    assert "turn=10" in link.proto.query_string
    assert "Gate alone: " not in said(opened(conversation=talk, selected="2")), "the reason has it already"
    assert "After the current message" in said(opened(conversation=talk, turn="4", selected="6"))


def test_a_smaller_budget_drops_turns_and_says_what_exceeds_it(talk: str) -> None:
    app = opened(conversation=talk)
    before = metric(app, "Tokens")
    app = sound(app.number_input(key="context.budget").set_value(30).run())
    assert metric(app, "Tokens") != before
    assert "7 tokens over the budget" in said(app), "invariants stay"
    assert turns(app, "kept") == [0, 5]
    assert address(app)["budget"] == "30"
    app = sound(app.number_input(key="context.budget").set_value(None).run())
    assert metric(app, "Tokens") == before
    assert "budget" not in address(app)


def test_a_person_corrects_the_mode_of_one_message(store: Store, talk: str) -> None:
    app = opened(conversation=talk)
    correct_mode(app, "DEBUGGING")
    assert metric(app, "Mode") == "Debugging"
    assert "DEBUGGING: chosen by a person." in said(app)
    correction = ModeCorrections(store).of(talk)[9]
    assert (correction.decided, correction.corrected) == ("TASK", "DEBUGGING")
    assert metric(opened(conversation=talk), "Mode") == "Debugging", "it is stored"
    app = click(app, "context.previous")
    assert "answering turn 8" in said(app)
    assert metric(app, "Mode") == "Task", "one unsure message does not change the mode"
    assert "The conversation stays in TASK" in said(app)
    app = correct_mode(click(app, "context.next"), "")
    assert metric(app, "Mode") == "Task"
    assert ModeCorrections(store).of(talk) == {}


def test_a_program_builds_the_same_messages(talk: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, Any] = {}

    def keep_file(label: str, data: Any, *_: object, key: str, **__: object) -> bool:
        files[key] = data() if callable(data) else data
        return False

    monkeypatch.setattr("streamlit.download_button", keep_file)
    correct_mode(opened(conversation=talk), "DEBUGGING")
    app = opened(conversation=talk, show="messages", budget="9000")
    sent = json.loads(files["context.download"])
    assert (sent[0]["role"], len(sent)) == ("system", int(metric(app, "Earlier turns").split()[0]) + 1)
    assert sent[-1]["content"] == "add refresh tokens to the login"
    assert json.loads(app.code[0].value) == sent
    assert "builder.build(messages, intent='debug')" in app.code[1].value
    path = load_settings().home / "agent.toml"
    path.write_text(files["context.download_settings"])
    assert load_settings(path).context_budget == 9_000


def test_parts_of_an_address_that_mean_nothing_are_named(talk: str) -> None:
    app = opened(conversation=talk, turn="99", budget="many", show="nothing", policy="gate@gone")
    for part in ("turn 99", "budget=many", "show=nothing", "gone", "answering turn 10"):
        assert part in said(app)


def test_a_typed_question_gets_a_context(talk: str) -> None:
    app = opened(conversation=talk, ask="explain the refresh")
    assert "answering your question" in said(app)
    assert metric(app, "Mode") == "Learning"


def test_the_hysteresis_of_the_settings_applies(talk: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVGATE_CONTEXT_HYSTERESIS", "0.9")
    assert "hysteresis of 0.90" in " ".join(row["reason"] for row in rows(opened(conversation=talk)))


def test_transcript_text_is_inert(store: Store, talk: str) -> None:
    key = add(store, [Turn.of("user", f"You must never {HOSTILE}"), Turn.of("user", f"add {HOSTILE}")])
    app = opened(conversation=key, show="invariants", selected="1")
    assert any(HOSTILE in str(one.value) for one in app.text)
    assert not [one.value for one in app.markdown if "<b>x</b>" in str(one.value)]


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
    of = ContextBuilder.of
    monkeypatch.setattr(
        ContextBuilder, "of", lambda *args, **fields: replace(of(*args, **fields), packer=pack_without_rule)
    )
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
    assert "message 1 of those sent (assistant) comes before" in said(answer)
    (tokens,) = [one for one in answer.metric if one.label == "Tokens"]
    assert tokens.delta == "no budget"
