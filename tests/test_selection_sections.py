"""The sections of a selection, their turns and reasons, and the dropped turns."""

from __future__ import annotations

import copy
from dataclasses import replace

import pytest

import convgate
from convgate.core.conversation import Conversation
from convgate.core.errors import ConversationError, RequestError, TranscriptError
from convgate.core.settings import Settings
from convgate.guardrails.guardrails import flush_requests
from convgate.invariants.finding import InvariantFinder
from convgate.messages.check import check_valid
from convgate.policies.agent_settings import AgentSettings
from convgate.policies.build import build_policy
from convgate.policies.window import LastK
from convgate.transcripts import turns_from_messages
from tests.fakes import FakeEncoder
from tests.selectors import (
    FixedPolicy,
    RecordingGuard,
    chat,
    make_selector,
    settings,
    tool_calls_message,
    tool_result,
    turns_by_section,
)

LONG = " ".join(["word"] * 60)


def test_each_turn_appears_once_with_its_reason():
    messages = chat(
        "system: Be brief.",
        "user: TASK write the importer",
        "assistant: It reads CSV.",
        "user: You must never delete the backups.",
        "assistant: Understood.",
        "user: We'll go with Postgres.",
        "assistant: Fine.",
        "user: TASK make it quicker",
        "assistant: It is twice as quick now.",
        "user: TASK add a test",
    )
    before = copy.deepcopy(messages)
    selection = make_selector({2}).select(messages)
    assert messages == before
    assert turns_by_section(selection) == {
        "rules": [0, 3], "task_state": [7], "recent": [8], "evidence": [2], "decisions": [5],
        # 2 is the assistant's: the message before it opens the list
    } | {"evidence": [1, 2]}  # fmt: skip
    reasons = {one.index: (one.rule, one.forced, one.reason) for one in selection.decisions}
    assert (
        reasons[0][2] == "Kept as instructions: instructions to the model (system messages) are always sent."
    )
    assert reasons[1] == (
        "evidence", True,
        "Kept with its answer: message 2 answers it and is kept; a list may not begin with an answer.",
    )  # fmt: skip
    assert reasons[2] == ("keeps", False, "Kept: 0.90, above 0.50.")
    assert reasons[3][:2] == ("rules", True)
    assert "“You must never delete the backups”" in reasons[3][2]
    assert reasons[4] == ("keeps", False, "Dropped by keeps: 0.10, below 0.50.")
    assert reasons[5][2] == "Kept as a decision: it states a decision (“We'll go with Postgres”)."
    assert reasons[7][2] == "Kept as task state: it is the latest task that the user set."
    assert reasons[8][2] == "Kept as recent: it is part of the last exchange."
    assert {turn.index: turn.reason for turn in selection.section("rules").turns}[3] == reasons[3][2]
    assert {one.stage for one in selection.decisions} == {"score", "hold", "fit", "repair"}
    assert selection.messages[0] is messages[0]
    assert check_valid(selection.messages) == []
    assert selection.to_json()["sections"][0]["turns"][0]["index"] == 0


def test_a_mode_leaves_out_turns_of_another_unless_the_policy_keeps_them():
    messages = chat(
        "EXPLORATION what if we sold maps", "They fold badly.", "EXPLORATION or globes", "They roll.",
        "GENERAL hello again", "Hello.", "TASK build it",
    )  # fmt: skip
    selection = make_selector({0}).select(messages)
    assert selection.mode == "TASK"
    assert turns_by_section(selection) == {"evidence": [0], "recent": [4, 5]}
    assert [selection.decisions.of(index).rule for index in (1, 2, 3)] == ["mode"] * 3
    reason = selection.decisions.of(2).reason
    assert reason.startswith("Dropped by the mode: it belongs to EXPLORATION, which TASK leaves out")
    assert reason.endswith("0.10, below 0.50.")


def test_debugging_keeps_the_change_before_an_error_and_drops_successes():
    messages = chat("TASK add a page", "Done.", "GENERAL tea?", "Yes.", "TASK move the worker", "Moved.",
                    "DEBUGGING it crashes since", "Where?", "DEBUGGING in line 41")  # fmt: skip
    selection = make_selector(set()).select(messages)
    assert {0, 1}.isdisjoint(selection.indices)
    assert {2, 3, 4, 5, 6, 7} <= set(selection.indices)


def test_newest_turns_take_half_of_the_recent_budget_and_the_best_ranked_the_rest():
    texts = [f"GENERAL {LONG}" if place % 2 == 0 else f"Yes {LONG}" for place in range(300)]
    messages = chat(*texts, "GENERAL so")
    selection = make_selector(
        policy=FixedPolicy(set(), {place: 1 - place / 300 for place in range(300)})
    ).select(messages)
    recent = turns_by_section(selection)["recent"]
    n_oldest = next(place for place, index in enumerate(recent) if index != place)
    newest = recent[n_oldest:]
    assert newest == list(range(300 - len(newest), 300))
    assert n_oldest * 65 < 4_000 < (n_oldest + 2) * 65, "the oldest have the highest scores"
    assert 8_000 - 65 < selection.section("recent").tokens <= 8_000 + 65, "one more opens the list"
    assert "the policy ranks it best of the turns" in selection.decisions.of(0).reason


def test_a_policy_without_scores_leaves_the_recent_budget_to_the_newest_turns():
    texts = [f"GENERAL {LONG}" if place % 2 == 0 else f"Yes {LONG}" for place in range(300)]
    selection = make_selector(policy=FixedPolicy(set(), ranked=False)).select(chat(*texts, "GENERAL so"))
    recent = turns_by_section(selection)["recent"]
    assert recent == list(range(300 - len(recent), 300))
    assert 8_000 - 65 < selection.section("recent").tokens <= 8_000 + 65, "one more opens the list"


def test_without_the_filter_the_newest_stay_when_not_all_fits():
    messages = chat("TASK one two", "Yes.", "TASK three four", "Yes.", "TASK five six", "Yes.", "TASK now")
    selector = make_selector(set(), filters=False)
    assert selector.select(messages).indices == list(range(7))
    selection = selector.select(messages, budget=32)
    assert selection.indices == [2, 3, 4, 5, 6]
    assert selection.decisions.of(0).rule == "budget"
    assert (
        selection.decisions.of(0).reason
        == "Dropped by the budget: its 7 tokens do not fit in what is left of 32."
    )


def test_a_corrected_statement_goes_and_its_reason_names_the_correction():
    messages = chat(
        "The limit must be 300 words.", "Noted.", "No, I meant 500 words.", "Noted.", "TASK write it"
    )
    selection = make_selector().select(messages)
    superseded = [one for one in selection.invariants if one.state == "superseded"]
    assert [(one.source, one.superseded_by) for one in superseded] == [(0, 2)]
    assert 0 not in selection.indices
    why = selection.decisions.of(0)
    assert (why.rule, why.forced) == ("superseded", True)
    assert why.reason == "Dropped as corrected: message 2 corrects it: “No, I meant 500 words”."
    assert turns_by_section(selection)["rules"] == [2]
    assert 1 not in selection.indices, "its answer would have to open the list"
    assert selection.decisions.of(1).rule == "superseded"
    full = make_selector(filters=False).select(messages)
    assert 0 in full.indices, "without the filter everything that fits"


def test_what_changes_a_part_of_a_rule_is_sent_whole_whatever_else_it_says():
    rule, noise = "Never use emojis, and never use tables.", "Noted."
    messages = chat(rule, noise, f"emojis are ok again. You must be polite. {LONG}", noise, "TASK write it")
    selection = make_selector(set()).select(messages, budget=50)
    assert turns_by_section(selection)["rules"] == [0, 2]
    messages = chat(
        "At most 900 euros for 6 nights.", noise, "No, 5 nights.", noise, "No, 4 nights.", "Hm.", "TASK write"
    )
    selection = make_selector({3}).select(messages, budget=25)
    assert [one.changed_by for one in selection.invariants if one.source == 0] == [(2, 4)]
    assert turns_by_section(selection)["rules"] == [0, 2, 4], "though the second is corrected"
    assert selection.decisions.of(3).rule == "budget"


def test_a_change_of_a_rule_that_cannot_be_sent_is_not_missing():
    messages = chat(
        "Never use emojis, and never use tables.", "Noted.", "emojis are ok again", "Fine.", "TASK write it"
    )
    turns = [*turns_from_messages(messages)]
    turns[2] = replace(turns[2], pruned="old.")
    selection = make_selector().select_at(Conversation("talk", turns))
    assert selection.indices == [0, 1, 3, 4]
    assert not selection.breaches


def test_a_question_is_kept_with_its_answer():
    messages = chat("TASK plan the party", "How many people are coming?", "twelve", "Good.",
                    "GENERAL rain", "Yes.", "TASK buy plates")  # fmt: skip
    selection = make_selector(set()).select(messages)
    assert turns_by_section(selection)["decisions"] == [1, 2]
    assert selection.decisions.of(1).reason == "Kept as a decision: it asks what the turn after it answers."


def test_question_and_answer_stay_together_on_request():
    messages = chat("GENERAL a", "b.", "GENERAL c", "d.", "TASK e", "f.", "TASK g")
    alone = make_selector({3}).select(messages)
    paired = make_selector({0}, pair_answers=True).select(messages)
    assert {0, 1}.isdisjoint(alone.indices)
    assert {0, 1} <= set(paired.indices)
    assert paired.decisions.of(1).reason == (
        "Kept with its question: message 0 is kept, and a question and its answer are sent together."
    )
    assert make_selector({0}, pair_answers=True).select(messages, budget=6 + 6).over_budget == 0


class TestModes:
    def test_an_intent_decides_at_once_and_is_remembered_for_the_conversation(self):
        selector = make_selector()
        messages = chat("GENERAL well", "Yes?", "GENERAL go on")
        assert selector.select(messages[:1], intent="Debug").mode == "DEBUGGING"
        later = selector.select(messages)
        assert later.budgeted.labels[0] == "DEBUGGING"
        other = selector.select(chat("GENERAL other", "Yes?", "GENERAL go on"))
        assert other.budgeted.labels[0] == "GENERAL", "another conversation knows nothing of it"
        assert make_selector().select(messages).budgeted.labels[0] == "GENERAL"

    @pytest.mark.parametrize("intent", ["dance", "", 3])
    def test_an_unknown_intent_is_classified_with_a_warning(self, intent, caplog):
        selection = make_selector().select(chat("TASK build a shed"), intent=intent)
        assert (selection.mode, selection.budgeted.mode_decision.source) == ("TASK", "classifier")
        assert [one.levelname for one in caplog.records] == ["WARNING"]

    def test_a_tools_result_is_answered_in_the_mode_of_its_question(self):
        messages = [*chat("DEBUGGING it fails"), tool_calls_message("a"), tool_result("a")]
        selection = make_selector().select(messages)
        assert (selection.mode, selection.budgeted.mode_decision.index) == ("DEBUGGING", 0)

    def test_a_guard_falls_back_to_general_with_the_full_conversation_until_it_recovers(self):
        """Worked example 4: drift gives GENERAL with the full conversation; later back to normal."""
        guard = RecordingGuard({"TASK"})
        selector = make_selector(set(), guard=guard)
        messages = chat("EXPLORATION what if", "Maybe.", "GENERAL tea", "Yes.", "TASK build it")
        drifted = selector.select(messages)
        assert (drifted.mode, drifted.budgeted.mode_decision.mode) == ("GENERAL", "TASK")
        assert drifted.indices == [0, 1, 2, 3, 4]
        assert [one.cause for one in drifted.fallbacks] == ["drift"]
        guard.overrules = ()
        back = selector.select(messages)
        assert (back.mode, back.indices, back.fallbacks) == ("TASK", [2, 3, 4], ())
        assert [(one.mode, one.classified) for one in guard.records] == [
            ("GENERAL", "TASK"),
            ("TASK", "TASK"),
        ]


def test_the_log_counts_active_invariants_by_type():
    guard = RecordingGuard()
    make_selector(guard=guard).select(
        chat(
            "user: You must use Postgres.",
            "assistant: Fine.",
            "user: Never delete the backups. It must be quick.",
            "assistant: Fine.",
            "user: The Postgres rule no longer applies.",
        )
    )
    [record] = guard.records
    assert record.invariant_types == {"safety_requirement": 1, "hard_constraint": 1}


class TestAddedMessages:
    def test_capsules_follow_the_leading_instructions(self):
        messages = chat(
            "system: Be brief.",
            "user: GENERAL hi",
            "assistant: Hi.",
            "developer: Now in French.",
            "user: GENERAL so",
        )
        own = {"role": "developer", "content": "Yesterday: bread."}
        selection = make_selector().select(messages, capsules=["Last week: cake.", own])
        assert [message["content"] for message in selection.messages][:3] == [
            "Be brief.", "Last week: cake.", "Yesterday: bread.",
        ]  # fmt: skip
        assert selection.messages[2] is own
        assert selection.places == [0, None, None, 1, 2, 3, 4]
        assert selection.indices == [0, 1, 2, 3, 4]
        assert [turn.index for turn in selection.section("capsules").turns] == [None, None]
        assert selection.section("capsules").tokens == 7 + 6
        assert "a summary that the caller handed in" in selection.section("capsules").turns[0].reason

    @pytest.mark.parametrize("capsules", ["one text", [{"role": "user", "content": "x"}], [3]])
    def test_an_invalid_capsule_is_refused(self, capsules):
        with pytest.raises(RequestError, match="capsule"):
            make_selector().select(chat("hello"), capsules=capsules)

    def test_reworded_invariants_are_sent_in_an_added_message(self, monkeypatch):
        real = InvariantFinder.invariants

        def edited(self):
            return [replace(one, text="Never touch the tapes.") for one in real.fget(self)]

        monkeypatch.setattr(InvariantFinder, "invariants", property(edited))
        messages = chat("You must never delete the backups.", "Fine.", "TASK tidy up")
        selection = make_selector().select(messages)
        assert selection.messages[0] == {"role": "system", "content": "Never touch the tapes."}
        assert selection.places[:2] == [None, 0]
        shaped = make_selector().select(messages, dialect="gemini").messages[0]
        assert shaped == {"role": "user", "parts": [{"text": "Never touch the tapes."}]}
        with pytest.raises(TranscriptError, match="no dialect 'latin'"):
            make_selector().select(messages, dialect="latin")
        assert selection.breaches == ()
        assert [turn.index for turn in selection.section("rules").turns] == [None, 0]


class TestQuestions:
    def test_a_question_is_put_behind_what_was_chosen(self):
        messages = chat("GENERAL a", "b.")
        selection = make_selector().select(messages, question="TASK and now")
        assert selection.messages[-1] == {"role": "user", "content": "TASK and now"}
        assert (selection.indices, selection.places, selection.mode) == ([0, 1], [0, 1, None], "TASK")
        assert len(selection.decisions) == 2

    def test_a_turn_of_a_conversation_gives_the_same_as_its_messages(self):
        messages = chat("GENERAL a", "b.", "TASK c", "d.")
        conversation = Conversation("x", turns_from_messages(messages))
        selection = make_selector().select_at(conversation, 2)
        assert selection.indices == make_selector().select(messages).indices == [0, 1, 2]
        assert selection.messages[0] is messages[0]
        with pytest.raises(ConversationError):
            make_selector().select_at(conversation, 2, question="x")


class TestBadInput:
    @pytest.mark.parametrize("request_id", ["", 7, b"x", False])
    def test_an_invalid_request_id_is_refused_before_anything_is_recorded(self, request_id):
        guard = RecordingGuard()
        here = make_selector(guard=guard)
        with pytest.raises(RequestError):
            here.select(chat("TASK a"), request_id=request_id)
        assert guard.records == []

    def test_a_budget_below_the_invariants_keeps_them_and_says_by_how_much(self):
        messages = chat(
            "You must never delete the backups.", "Fine.", "I am allergic to peanuts.", "Noted.", "GENERAL so"
        )
        for budget in (0, 10):
            selection = make_selector().select(messages, budget=budget)
            assert selection.indices == [0, 2, 4]
            assert selection.tokens == 10 + 9 + 6
            assert selection.over_budget == selection.tokens - budget

    def test_tool_results_without_users_give_violations(self):
        selection = make_selector().select([tool_result("a"), tool_result("b")])
        assert selection.indices == [1]
        assert [violation.split(":")[0] for violation in selection.violations] == ["orphan_result"]
        assert selection.decisions.of(0).rule == "repair"

    def test_orphans_and_calls_without_results_leave_and_the_present_one_stays(self):
        messages = [*chat("TASK look"), tool_result("z"), tool_calls_message("a", "b"), tool_result("a"),
                    *chat("user: TASK go on"), tool_calls_message("c", "d"), tool_result("c")]  # fmt: skip
        selection = make_selector().select(messages)
        assert selection.indices == [0, 4, 5, 6]
        assert selection.missing_results == ("d",)
        assert "result is missing for 'b'" in selection.decisions.of(2).reason


def test_any_policy_chooses_the_evidence():
    messages = chat("TASK a", "b.", "TASK c", "d.", "TASK e", "f.", "TASK g")
    selection = make_selector(policy=LastK(3)).select(messages)
    assert turns_by_section(selection) == {"evidence": [2, 3, 5], "task_state": [4]}
    pipeline = build_policy("pipeline", Settings(), FakeEncoder(), stages="gatekeeper > last_k(k=2)")
    piped = make_selector(policy=pipeline).select(messages)
    assert {"gatekeeper", "last_k"} >= {one.stage for one in piped.decisions if not one.kept}


def test_the_request_is_recorded_without_any_text():
    guard = RecordingGuard()
    messages = chat("You must never delete the backups.", "Fine.", "TASK tidy up")
    selection = make_selector(guard=guard).select(messages, request_id="mine", budget=20)
    [record] = guard.records
    assert (record.id, record.mode, record.source, record.invariants) == ("mine", "TASK", "classifier", 1)
    assert (record.budget, record.over_budget, record.breaches) == (20, 0, 0)
    assert record.tokens == {section.name: section.tokens for section in selection.sections}
    assert record.seconds > 0
    assert "backups" not in repr(record)
    selector = make_selector(guard=guard)
    assert selector.select(messages).request_id != selector.select(messages).request_id


@pytest.mark.parametrize("on", [True, False])
def test_load_takes_a_settings_file_and_logs_only_when_asked(tmp_path, load_without_a_model, on):
    file = tmp_path / "agent.toml"
    file.write_text(f"guard.log = {str(on).lower()}\nbudget.tokens = 900\npair_answers = true\n")
    selector = convgate.load(file, encoder=FakeEncoder())
    assert selector.select(chat("TASK a")).budget == 900
    assert settings().database.exists() is on


@pytest.mark.parametrize(
    ("budget", "arm", "is_logged"), [(None, None, False), (90, None, True), (None, "control", True)]
)
def test_a_request_is_logged_with_a_budget_or_an_arm(budget, arm, is_logged):
    selector = convgate.load(settings(policy="everything", hold_invariants=False), arm=arm)
    selection = selector.select(chat("hello", "Hi.", "and now"), budget=budget)
    assert settings().database.exists() is is_logged
    if is_logged:
        flush_requests(settings().database, 10)
        convgate.record_outcome(selection.request_id, ok=True)


def test_a_policy_that_needs_no_encoder_loads_none(load_without_a_model, monkeypatch):
    monkeypatch.setattr(
        "convgate.policies.build.default_encoder", lambda *_, **__: pytest.fail("it is loaded")
    )
    selector = convgate.load(settings(policy="last_k", guard={"log": False}, budget={"tokens": 900}))
    assert selector.select(chat("TASK a", "Done.", "TASK b")).mode == "TASK"


def test_the_settings_file_for_an_agent_builds_the_same_selector(tmp_path, load_without_a_model):
    own = settings(
        policy="last_k",
        policy_parameters={"k": 2},
        budget={
            "tokens": 90,
            "by_mode": {"TASK": {"recent": 0}},
            "intents": {"ship": "TASK"},
            "filter": False,
        },
        assistant_first="quote",
        pair_answers=True,
        guard={"log": False},
    )
    here = convgate.load(own, encoder=FakeEncoder())
    (tmp_path / "agent.toml").write_text(AgentSettings.of(here.policy, own).to_toml())
    there = convgate.load(tmp_path / "agent.toml", encoder=FakeEncoder())
    messages = chat(*(word for n in range(12) for word in (f"TASK do part {n} of it", f"Part {n} is done.")))
    expected = here.select(messages, question="now?", intent="ship", request_id="x").to_json()
    assert there.select(messages, question="now?", intent="ship", request_id="x").to_json() == expected
    assert expected["budget"] == 90
    assert there.settings.assistant_first == "quote"


def test_a_turn_left_out_by_the_budget_names_all_that_it_would_cost():
    messages = chat("one two three", "yes", "four", "five", "six")  # 7, 5, 5, 5, 5 tokens
    decision = make_selector(kept=[1, 2, 3]).select(messages, budget=20).decisions.of(1)
    assert (decision.rule, decision.kept) == ("budget", False)
    assert (
        "its 5 tokens and the 7 of what a valid list needs with it do not fit in what is left of 20"
        in decision.reason
    )
    unit = [*chat("a"), tool_calls_message("x"), tool_result("x", LONG), *chat("b", "c", "d")]
    decision = make_selector(kept=[1]).select(unit, budget=40).decisions.of(1)
    assert "and the 64 of what a valid list needs with it do not fit" in decision.reason
