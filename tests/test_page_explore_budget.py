"""Explore with a budget: what is sent by which stage, the mode and its correction, and what goes wrong."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Turn
from convgate.core.errors import EncoderError
from convgate.core.settings import load_settings
from convgate.selection.packing import PackedTurns, pack
from convgate.store import Store
from convgate.store.edits import ModeCorrections
from convgate.store.guard_states import Alert, GuardStates
from convgate.ui.shared import services
from tests.fakes import FakeEncoder
from tests.page_app import (
    HOSTILE,
    add_conversation,
    address,
    check,
    click,
    correct_mode,
    dropped,
    key,
    open_budgeted,
    open_page,
    page_text,
    sent,
    stated,
    turn_table,
)
from tests.page_app import downloads as downloads

__all__ = ["key"]  # fixtures

RULE = 5  # the turn of `key` that states an invariant
LAST = 9  # its earlier turns


def counts(app: AppTest) -> list[str]:
    """What the choice of the list says of each."""
    return [str(option) for option in app.segmented_control(key="explore.listed").options]


def test_every_earlier_turn_is_sent_or_dropped_by_a_stage(key: str) -> None:
    app = open_budgeted(conversation=key)
    assert "answering turn 10 · user" in page_text(app)
    assert "Mode: TASK with 0.95: it says “add”." in page_text(app)
    rows = turn_table(app)["rows"]
    assert [row["outcome"] for row in rows] == [
        "rule", "dropped, other mode", "dropped, other mode", "task state", "likely needed", "rule",
        "dropped, low score", "likely needed", "recent", "current",
    ]  # fmt: skip
    assert ", always sent (“" in rows[RULE]["reason"]
    assert "It belongs to EXPLORATION" in rows[1]["reason"]
    assert sorted(sent(app) + dropped(app)) == list(range(LAST))
    assert dropped(app) == [1, 2, 6]


def test_numbers_of_the_page_agree_with_and_without_a_budget(key: str) -> None:
    for app in (open_page("Explore", conversation=key), open_budgeted(conversation=key)):
        n_sent = len(sent(app))
        assert stated(app, "Kept") == str(n_sent)
        assert counts(app)[:3] == [f"All {LAST + 1}", f"As sent {n_sent + 1}", f"Dropped {LAST - n_sent}"]
        assert len(app.get("plotly_chart")) == 1 + ("budget" in address(app)), "a bar of the sections"


def test_the_list_shows_what_is_sent_or_dropped(key: str) -> None:
    app = open_budgeted(conversation=key, selected="1")
    app = check(app.segmented_control(key="explore.listed").set_value("dropped").run())
    assert [row["turn"] for row in turn_table(app)["rows"]] == [1, 2, 6, LAST]
    assert address(app)["list"] == "dropped"
    app = check(app.segmented_control(key="explore.listed").set_value("sent").run())
    assert [row["turn"] for row in turn_table(app)["rows"]] == [0, 3, 4, RULE, 7, 8, LAST]


def test_the_selected_turn_says_by_which_stage_and_in_which_section_it_is_sent(key: str) -> None:
    text = page_text(open_budgeted(conversation=key, selected="6"))
    assert "Kept, rule: Safety requirement, always sent (“" in text
    assert "14 tokens of the budget for rules · mode Task" in text
    assert text.count("Safety requirement") == 1, "the reason says it"
    assert "Kept, recent: It is part of the last exchange." in page_text(
        open_budgeted(conversation=key, selected="9")
    )
    assert "Dropped, other mode: It belongs to EXPLORATION" in page_text(
        open_budgeted(conversation=key, selected="2")
    )
    assert "comes after the current message" in page_text(
        open_budgeted(conversation=key, turn="4", selected="6")
    )


def test_a_smaller_budget_drops_turns_and_says_what_exceeds_it(key: str) -> None:
    app = open_budgeted(conversation=key)
    before = stated(app, "Tokens")
    outcomes = [row["outcome"] for row in turn_table(app)["rows"]]
    n_other = outcomes.count("dropped, other mode")
    assert f"The budget of 8,000 tokens drops {n_other} of another mode." in page_text(app)
    app = check(app.number_input(key="explore.budget").set_value(30).run())
    assert stated(app, "Tokens") != before
    assert "7 tokens over the budget" in page_text(app), "invariants stay"
    assert sent(app) == [0, RULE]
    outcomes = [row["outcome"] for row in turn_table(app)["rows"]]
    cut = [outcomes.count(f"dropped, {why}") for why in ("no room", "other mode")]
    assert (
        f"The budget of 30 tokens drops {cut[0]} for lack of room and {cut[1]} of another mode."
        in page_text(app)
    )
    assert address(app)["budget"] == "30"
    app = check(app.number_input(key="explore.budget").set_value(None).run())
    assert "budget" not in address(app)
    assert "Mode:" not in page_text(app)


def test_the_budget_of_the_settings_is_the_default(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVGATE_BUDGET_TOKENS", "30")
    app = open_page("Explore", conversation=key)
    assert app.number_input(key="explore.budget").placeholder == "30, as in the settings"
    assert "7 tokens over the budget" in page_text(app)


def test_a_threshold_is_that_of_the_policy_whatever_the_budget_drops(key: str) -> None:
    query = {"conversation": key, "rule": "top_k,k=6"}
    whole, small = open_page("Explore", **query), open_page("Explore", budget="40", **query)
    assert len(sent(small)) < len(sent(whole))
    assert stated(small, "Threshold") == stated(whole, "Threshold")


def test_a_person_corrects_the_mode_of_one_message(store: Store, key: str) -> None:
    app = correct_mode(open_budgeted(conversation=key), "DEBUGGING")
    assert "Mode: DEBUGGING: chosen by a person." in page_text(app)
    correction = ModeCorrections(store).of(key)[LAST]
    assert (correction.decided, correction.corrected) == ("TASK", "DEBUGGING")
    assert "chosen by a person" in page_text(open_budgeted(conversation=key)), "it is stored"
    app = click(app, "explore.previous")
    assert "answering turn 8" in page_text(app)
    assert "The conversation stays in TASK" in page_text(app), "one unsure message does not change the mode"
    app = correct_mode(click(app, "explore.next"), "")
    assert "Mode: TASK with 0.95" in page_text(app)
    assert ModeCorrections(store).of(key) == {}


def test_the_mode_is_corrected_without_a_budget_too(
    store: Store, key: str, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("convgate.ui.explore.page.BUNDLED_SHA256", fake_encoder.identity.revision)
    app = open_page("Explore", conversation=key, turn="8")
    control = app.selectbox(key="explore.mode")
    assert (control.value, control.options[0]) == ("", "Debugging (not reviewed)")
    correct_mode(app, "LEARNING")
    correction = ModeCorrections(store).of(key)[7]
    assert (correction.decided, correction.corrected) == ("DEBUGGING", "LEARNING")


def test_a_program_sends_the_same_messages(key: str, downloads: dict[str, Any]) -> None:
    correct_mode(open_budgeted(conversation=key), "DEBUGGING")
    app = open_page("Explore", conversation=key, list="sent", budget="9000")
    messages = json.loads(downloads["explore.download_messages"]())["messages"]
    assert (messages[0]["role"], len(messages)) == ("system", int(stated(app, "Kept")) + 1)
    assert messages[-1]["content"] == "add refresh tokens to the login"
    assert json.loads(app.code[0].value) == messages
    assert "selector.select(messages, intent='debug')" in app.code[1].value
    path = load_settings().home / "agent.toml"
    path.write_text(downloads["explore.download_settings"]())
    assert load_settings(path).budget.tokens == 9_000


def test_a_typed_question_has_a_mode(key: str) -> None:
    app = open_budgeted(conversation=key, ask="explain the refresh")
    assert "answering your question" in page_text(app)
    assert "Mode: LEARNING" in page_text(app)
    assert counts(app)[1] == f"As sent {int(stated(app, 'Kept')) + 1}"
    assert "explore.mode" not in {box.key for box in app.selectbox}, "there is no message to correct"


def test_a_policy_without_an_encoder_needs_none(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise EncoderError("not here")

    monkeypatch.setattr(services, "encoder", fail)
    assert "not here" in page_text(open_budgeted(conversation=key))
    app = open_budgeted(conversation=key, policy="last_k")
    assert not app.error
    assert "Mode: TASK" in page_text(app)


def test_transcript_text_is_inert(store: Store, key: str) -> None:
    key = add_conversation(Turn.of("user", f"You must never {HOSTILE}"), Turn.of("user", f"add {HOSTILE}"))
    app = open_budgeted(conversation=key, list="invariants", selected="1")
    assert any(HOSTILE in str(one.value) for one in app.text)
    assert not [one.value for one in app.markdown if "<b>x</b>" in str(one.value)]


def pack_without_rule(*args: Any, **kwargs: Any) -> PackedTurns:
    packed = pack(*args, **kwargs)
    placed = {turn: placement for turn, placement in packed.placed.items() if turn != RULE}
    return replace(packed, placed=placed)


def test_a_guard_that_overrules_the_mode_is_an_error(store: Store, key: str) -> None:
    drift = Alert("drift", "", datetime.now(UTC), "The modes of the last hour differ: KL 0.15.")
    GuardStates(store).put_alerts([drift])
    app = open_budgeted(conversation=key)
    (error,) = [str(one.value) for one in app.error]
    assert "have drifted" in error
    assert "KL 0" in error
    assert "GENERAL in place of TASK" in page_text(app)


def test_a_lost_invariant_is_an_error_and_sent_after_all(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("convgate.selection.fit.pack", pack_without_rule)
    app = open_page("Explore", conversation=key, budget="7000")  # a selection that no cache has
    errors = "\n".join(str(one.value) for one in app.error).replace("\\", "")
    assert "An invariant was missing" in errors
    assert "turn 6: “You must never log the passwords of users" in errors
    assert RULE in sent(app)


def test_a_list_that_apis_may_refuse_is_a_warning(store: Store, key: str) -> None:
    alone = open_budgeted(conversation=add_conversation(Turn.of("user", "add a login")))
    assert "Nothing to decide" in page_text(alone)
    answer = open_page(
        "Explore", conversation=add_conversation(Turn.of("assistant", "done")), turn="1", budget="0"
    )
    assert "Chat APIs may refuse this list: the last message is neither" in page_text(answer)


def test_a_corrected_mode_is_shown_and_confirmed(key: str) -> None:
    app = open_budgeted(conversation=key)
    assert "Saved as" not in page_text(app)
    correct_mode(app, "DEBUGGING")
    assert "Saved as corrected; Monitor counts it." in page_text(app)
    (popover,) = [
        each.proto.popover for each in app.main.get("popover") if "Mode:" in each.proto.popover.label
    ]
    assert (popover.label, popover.icon) == ("Mode: Debugging", ":material/check:")
    correct_mode(app, "TASK")
    assert "Saved as confirmed; Monitor counts it." in page_text(app)


def test_within_a_budget_numbers_are_of_what_is_sent(key: str) -> None:
    app = open_page("Explore", conversation=key, budget="40", rule="max_missed")
    rows = turn_table(app)["rows"]
    by_score = [float(row["score"]) for row in rows if row["state"] == "kept"]
    shown = stated(app, "Lowest kept")
    assert shown == (f"{min(by_score):.2f}" if by_score else "none")
    (sent_count,) = [count for count in counts(app) if count.startswith("As sent")]
    n_added = int(sent_count.partition("+")[2] or 0)
    assert sent_count.startswith(f"As sent {int(stated(app, 'Kept')) + 1}")
    app = check(app.segmented_control(key="explore.listed").set_value("sent").run())
    assert len(turn_table(app)["rows"]) == int(stated(app, "Kept")) + 1 + n_added
