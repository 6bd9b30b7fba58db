"""Context as a person uses it: the answer, what is tried, the lists, the steps through a conversation."""

from __future__ import annotations

import json
from typing import Any

import pytest

from convgate.core.conversation import Turn
from convgate.core.settings import load_settings
from convgate.store import Store
from convgate.ui.context import build
from tests.context_page import add, click, listed, metric, opened, said, sound, store, talk

__all__ = ["store", "talk"]  # fixtures

HOSTILE = "<b>x</b> [l](https://a.example) $x^2$ :smile:"


def button_labels(app: Any) -> dict[str, str]:
    return {one.key: str(one.label).replace("\\", "") for one in app.button if one.key}


def test_the_answer_comes_first_with_its_reason_and_every_section_says_what_is_in_it(talk: str) -> None:
    app = opened(conversation=talk)
    told = said(app)
    assert "answering turn 10 · user: add refresh tokens to the login" in told
    assert (metric(app, "Mode"), metric(app, "Must hold")) == ("Task", "1")
    assert "TASK with 0.95: it says “add”." in told
    assert listed(app, "rules") == [0, 5]
    assert "It states what must hold" in told
    assert "No turn decides something" in told, "an empty section says why"
    assert "None were handed in" in told
    assert "In recent window:" in told, "the newest turn that is sent is looked at"
    assert "Gate alone: Dropped: " in told
    app = click(app, "context.rules.5")
    assert "Turn 6" in said(app)
    assert "In rules:" in said(app)
    assert "Gate alone: " in said(app), "the gate says something else"
    assert app.query_params["selected"] in ("6", ["6"])
    (link,) = [one for one in app.get("page_link") if "selected=" in getattr(one.proto, "query_string", "")]
    assert "selected=6" in link.proto.query_string
    assert "turn=10" in link.proto.query_string


def test_what_was_dropped_is_listed_by_what_dropped_it(talk: str) -> None:
    app = opened(conversation=talk, show="dropped", selected="2")
    told = said(app)
    assert "Dropped by the mode: It belongs to EXPLORATION" in told
    assert "Gate alone: " not in told, "the mode's reason goes on with the gate's"
    assert listed(app, "dropped") == [1, 2, 6]
    (pills,) = [one for one in app.button_group if one.key == "context.why"]
    assert [option.content for option in pills.proto.options] == [
        "All: 3",
        "By the mode: 2",
        "By the policy: 1",
    ]
    app = sound(pills.set_value("mode").run())
    assert listed(app, "dropped") == [1, 2]
    assert app.query_params["why"] in ("mode", ["mode"])


def test_a_smaller_budget_throws_turns_out_and_the_page_says_which(talk: str) -> None:
    app = opened(conversation=talk)
    before = metric(app, "Tokens")
    app = sound(app.number_input(key="context.budget").set_value(30).run())
    told = said(app)
    assert metric(app, "Tokens") != before
    assert "7 tokens over the budget" in told, "what must hold stays, and it is told by how much"
    assert "Compared with the settings: ▼" in told
    app = sound(app.segmented_control(key="context.show").set_value("dropped").run())
    assert "▼ left" in said(app), "on the turns themselves"
    assert app.query_params["budget"] in ("30", ["30"])
    app = click(app, "context.reset")
    assert metric(app, "Tokens") == before
    assert "Compared with the settings" not in said(app)
    app = sound(app.button_group(key="context.preset").set_value(4_000).run())
    assert metric(app, "Tokens").endswith("of 4,000")
    assert "no change in the context" in said(app)


def test_single_budgets_are_changed_for_the_mode_and_stand_in_the_address(
    talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened(conversation=talk, cells="TASK.recent:0,TASK.rules:99")
    assert "Off: its budget is 0 in this mode." in said(app)
    assert listed(app, "recent") == []
    app.session_state["context.cells"] = True
    app = sound(app.run())
    app = sound(app.number_input(key="context.cell.TASK.recent").set_value(2_000).run())
    assert listed(app, "recent") == [8]
    assert app.query_params["cells"] in ("TASK.rules:99", ["TASK.rules:99"]), "as set is no change"


def test_an_intent_is_said_of_one_message_and_the_filter_can_be_off(talk: str) -> None:
    app = opened(conversation=talk)
    app = sound(app.selectbox(key="context.intent").set_value("debug").run())
    assert metric(app, "Mode") == "Debugging"
    assert "the caller asked for it" in said(app)
    assert "TASK became DEBUGGING" in said(app)
    app = sound(app.toggle(key="context.filter").set_value(False).run())
    assert metric(app, "Earlier turns") == "9 of 9"
    app = sound(app.button(key="context.previous").click().run())
    assert "answering turn 8" in said(app)
    assert "intent" not in app.query_params
    assert metric(app, "Mode") == "Task", "one unsure message does not change the mode"
    assert "The conversation stays in TASK all the same" in said(app)


def test_stepping_goes_through_the_messages_that_are_answered(talk: str) -> None:
    app = opened(conversation=talk, turn="6")
    app = sound(app.slider(key="context.slider").set_value(5).run())
    assert "answering turn 4" in said(app), "nobody answers turn 5"
    assert metric(app, "Mode") == "Task"
    app = click(app, "context.next")
    assert "answering turn 6" in said(app)
    assert "Prefix kept" in {one.label for one in app.metric}
    first = opened(conversation=talk, turn="2")
    assert "Prefix kept" not in {one.label for one in first.metric}, "the first message has none before it"


def test_a_long_conversation_builds_what_is_asked_for(talk: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "ALL", 1)
    app = opened(conversation=talk)
    assert "the contexts of 2 messages, 3 are missing" in said(app)
    app = click(app, "context.build_all")
    assert "Built so far" not in said(app)


def test_messages_are_there_to_be_copied_and_a_program_builds_the_same(
    talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    files: dict[str, Any] = {}

    def drawn(label: str, data: Any, *, key: str, **_: object) -> bool:
        files[key] = data() if callable(data) else data
        return False

    monkeypatch.setattr("streamlit.download_button", drawn)
    app = opened(conversation=talk, show="messages", budget="9000", hysteresis="0.1")
    sent = json.loads(files["context.download.json"])
    assert (sent[0]["role"], len(sent)) == ("system", int(metric(app, "Earlier turns").split()[0]) + 1)
    assert sent[-1]["content"] == "add refresh tokens to the login"
    assert json.loads(app.code[0].value) == sent
    app = sound(app.button_group(key="context.form").set_value("agent").run())
    assert "context_budget = 9000" in files["context.download_settings"]
    assert "context_hysteresis = 0.1" in files["context.download_settings"]
    assert "load_context" in app.code[0].value
    path = load_settings().home / "agent.toml"
    path.write_text(files["context.download_settings"])
    assert load_settings(path).context_budget == 9_000


def test_addresses_that_mean_nothing_are_told_and_left_out(talk: str) -> None:
    app = opened(
        conversation=talk, turn="99", budget="many", cells="TASK.rules:x", intent="dance", hysteresis="7",
        show="nothing", policy="gate@gone", filter="maybe",
    )  # fmt: skip
    told = said(app)
    for part in ("turn 99", "budget=many", "cells=TASK.rules:x", "intent=dance", "hysteresis=7", "gone"):
        assert part in told
    assert "filter=maybe, which is not 0 or 1." in told
    assert "answering turn 10" in told


def test_a_question_that_nobody_asked_gets_a_context(talk: str) -> None:
    app = opened(conversation=talk, ask="explain the refresh")
    assert "answering your question" in said(app)
    assert metric(app, "Mode") == "Learning"


def test_what_a_transcript_says_is_shown_as_text(store: Store, talk: str) -> None:
    key = add(store, [Turn.of("user", f"You must never {HOSTILE}"), Turn.of("user", f"add {HOSTILE}")])
    app = opened(conversation=key, show="invariants")
    assert not [one.value for one in app.markdown if "<b>x</b>" in str(one.value)]
    labels = button_labels(opened(conversation=key))
    assert "<b>x" not in str([one for one in labels.values() if "\\" in one])
