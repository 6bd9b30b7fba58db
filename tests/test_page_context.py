"""The page Context: metrics, the turn table, overridden settings, messages to copy."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import EncoderError
from convgate.core.settings import load_settings
from convgate.selection.packing import PackedTurns, pack
from convgate.store import Conversations, NewConversation, Store
from convgate.store.edits import ModeCorrections
from convgate.store.guard_states import Alert, GuardStates
from convgate.ui import services
from tests.context_page import correct_mode, key, open_context, turns_in_state
from tests.page_app import HOSTILE, add_conversation, address, check, click, metric, page_text, turn_table

__all__ = ["key"]  # fixtures

RULE = 5  # the turn of `talk` that states an invariant


def test_every_earlier_turn_is_sent_or_dropped_with_a_reason(key: str) -> None:
    app = open_context(conversation=key)
    assert "answering turn 10 · user: add refresh tokens to the login" in page_text(app)
    assert (metric(app, "Mode"), metric(app, "Invariants")) == ("Task", "1")
    assert "TASK with 0.95: it says “add”." in page_text(app)
    sent, dropped = turns_in_state(app, "kept"), turns_in_state(app, "dropped")
    assert sorted(sent + dropped) == list(range(9))
    assert dropped == [1, 2, 6]
    assert "it states what must hold" in turn_table(app)["rows"][5]["reason"]
    assert "it belongs to EXPLORATION" in turn_table(app)["rows"][1]["reason"]
    app = check(app.segmented_control(key="context.show").set_value("dropped").run())
    assert (turns_in_state(app, "kept"), turns_in_state(app, "dropped")[:2]) == ([], [1, 2])
    assert address(app)["show"] == "dropped"


def test_the_selected_turn_says_where_it_is_sent_and_what_the_policy_says(key: str) -> None:
    assert "Recent window, " in page_text(open_context(conversation=key)), "the newest turn that is sent"
    app = open_context(conversation=key, selected="6")
    assert "Rules, " in page_text(app)
    assert "Gate alone: " in page_text(app)
    assert "Safety requirement:" in page_text(app)
    (link,) = [one for one in app.get("page_link") if "selected=" in getattr(one.proto, "query_string", "")]
    assert "selected=6" in link.proto.query_string
    assert "turn=10" in link.proto.query_string
    assert "Gate alone: " not in page_text(open_context(conversation=key, selected="2")), (
        "the reason has it already"
    )
    assert "After the current message" in page_text(open_context(conversation=key, turn="4", selected="6"))


def test_a_smaller_budget_drops_turns_and_says_what_exceeds_it(key: str) -> None:
    app = open_context(conversation=key)
    before = metric(app, "Tokens")
    app = check(app.number_input(key="context.budget").set_value(30).run())
    assert metric(app, "Tokens") != before
    assert "7 tokens over the budget" in page_text(app), "invariants stay"
    assert turns_in_state(app, "kept") == [0, 5]
    assert address(app)["budget"] == "30"
    app = check(app.number_input(key="context.budget").set_value(None).run())
    assert metric(app, "Tokens") == before
    assert "budget" not in address(app)


def test_a_person_corrects_the_mode_of_one_message(store: Store, key: str) -> None:
    app = open_context(conversation=key)
    correct_mode(app, "DEBUGGING")
    assert metric(app, "Mode") == "Debugging"
    assert "DEBUGGING: chosen by a person." in page_text(app)
    correction = ModeCorrections(store).of(key)[9]
    assert (correction.decided, correction.corrected) == ("TASK", "DEBUGGING")
    assert metric(open_context(conversation=key), "Mode") == "Debugging", "it is stored"
    app = click(app, "context.previous")
    assert "answering turn 8" in page_text(app)
    assert metric(app, "Mode") == "Task", "one unsure message does not change the mode"
    assert "The conversation stays in TASK" in page_text(app)
    app = correct_mode(click(app, "context.next"), "")
    assert metric(app, "Mode") == "Task"
    assert ModeCorrections(store).of(key) == {}


def test_a_program_builds_the_same_messages(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, Any] = {}

    def keep_file(label: str, data: Any, *_: object, key: str, **__: object) -> bool:
        files[key] = data() if callable(data) else data
        return False

    monkeypatch.setattr("streamlit.download_button", keep_file)
    correct_mode(open_context(conversation=key), "DEBUGGING")
    app = open_context(conversation=key, show="messages", budget="9000")
    sent = json.loads(files["context.download"])
    assert (sent[0]["role"], len(sent)) == ("system", int(metric(app, "Earlier turns").split()[0]) + 1)
    assert sent[-1]["content"] == "add refresh tokens to the login"
    assert json.loads(app.code[0].value) == sent
    assert "builder.select(messages, intent='debug')" in app.code[1].value
    path = load_settings().home / "agent.toml"
    path.write_text(files["context.download_settings"])
    assert load_settings(path).context_budget == 9_000


def test_invalid_parts_of_an_address_are_named(key: str) -> None:
    app = open_context(conversation=key, turn="99", budget="many", show="nothing", policy="gate@gone")
    for part in ("turn 99", "budget=many", "show=nothing", "gone", "answering turn 10"):
        assert part in page_text(app)


def test_a_typed_question_gets_a_context(key: str) -> None:
    app = open_context(conversation=key, ask="explain the refresh")
    assert "answering your question" in page_text(app)
    assert metric(app, "Mode") == "Learning"


def test_a_policy_without_an_encoder_needs_none(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise EncoderError("not here")

    monkeypatch.setattr(services, "encoder", fail)
    assert "not here" in page_text(open_context(conversation=key))
    app = open_context(conversation=key, policy="last_k")
    assert not app.error
    assert "answering turn 10" in page_text(app)


def test_the_hysteresis_of_the_settings_applies(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVGATE_CONTEXT_HYSTERESIS", "0.9")
    assert "hysteresis of 0.90" in " ".join(
        row["reason"] for row in turn_table(open_context(conversation=key))["rows"]
    )


def test_transcript_text_is_inert(store: Store, key: str) -> None:
    key = add_conversation(Turn.of("user", f"You must never {HOSTILE}"), Turn.of("user", f"add {HOSTILE}"))
    app = open_context(conversation=key, show="invariants", selected="1")
    assert any(HOSTILE in str(one.value) for one in app.text)
    assert not [one.value for one in app.markdown if "<b>x</b>" in str(one.value)]


def pack_without_rule(*args: Any, **kwargs: Any) -> PackedTurns:
    packed = pack(*args, **kwargs)
    placed = {turn: placement for turn, placement in packed.placed.items() if turn != RULE}
    return replace(packed, placed=placed)


def test_a_guard_that_overrules_the_mode_is_an_error(store: Store, key: str) -> None:
    drift = Alert("drift", "", datetime.now(UTC), "The modes of the last hour differ: KL 0.15.")
    GuardStates(store).put_alerts([drift])
    app = open_context(conversation=key)
    assert metric(app, "Mode") == "General"
    (error,) = [str(one.value) for one in app.error]
    assert "have drifted" in error
    assert "KL 0" in error
    assert "GENERAL in place of TASK" in page_text(app)


def test_a_lost_invariant_is_an_error_and_sent_after_all(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    of = ContextBuilder.of
    monkeypatch.setattr(
        ContextBuilder, "of", lambda *args, **fields: replace(of(*args, **fields), packer=pack_without_rule)
    )
    app = open_context(conversation=key)
    errors = "\n".join(str(one.value) for one in app.error).replace("\\", "")
    assert "An invariant was missing" in errors
    assert "turn 6: “You must never log the passwords of users" in errors
    assert RULE in turns_in_state(app, "kept")


def test_nothing_to_show_says_what_to_do(store: Store, key: str) -> None:
    (empty,) = Conversations(store).add([NewConversation(Conversation("empty", ()))])
    assert "has no messages" in page_text(open_context(conversation=empty.key))
    assert open_context(conversation="nobody").error
    alone = open_context(conversation=add_conversation(Turn.of("user", "add a login")))
    assert metric(alone, "Earlier turns") == "0 of 0"
    answer = open_context(conversation=add_conversation(Turn.of("assistant", "done")), turn="1", budget="0")
    assert "Chat APIs may refuse this list: the last message is neither" in page_text(answer)
    (tokens,) = [one for one in answer.metric if one.label == "Tokens"]
    assert tokens.delta == "no budget"
