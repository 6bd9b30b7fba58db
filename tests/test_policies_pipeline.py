"""Pipelines: each stage sees what those before it left, and every turn says which of them decided."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.building import build_policy
from convgate.conversation import Conversation, Situation, Turn
from convgate.errors import GateError, PolicyError
from convgate.gate.thresholds import Absolute, Limits
from convgate.policies.base import Policy, SeesAll
from convgate.policies.gate import GatePolicy
from convgate.policies.pipeline import Pipeline
from convgate.policies.registry import check_written, make_policy, needs_encoder
from convgate.policies.written import read_policy
from convgate.settings import Settings
from tests.fakes import FakeEncoder
from tests.gates import trained_gate

GATE, ENCODER = trained_gate(), FakeEncoder()
WORDS = ("loss", "nan", "fibonacci", "function", "rate", "hello", "")
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=3).map(" ".join), min_size=1, max_size=9)


def made(name: str, **parameters) -> Policy:
    return make_policy(name, encoder=ENCODER, gate=GATE, **parameters)


def pipeline(*policies: Policy) -> Pipeline:
    """A pipeline of policies that are there already."""
    return Pipeline(" > ".join(policy.name for policy in policies), policies)


def talk(said: list[str]) -> Conversation:
    roles = ("user", "assistant")
    return Conversation(id="talk", turns=tuple(Turn.of(roles[i % 2], text) for i, text in enumerate(said)))


TALK = talk(
    ["loss is nan", "lower the rate", "a fibonacci function", "here it is", "hello", "loss nan again"]
)


def test_every_turn_names_the_stage_that_decided_it():
    decisions = made("pipeline", stages="last_k(k=4) > bm25(k=2) > gate(rule=absolute, threshold=1)").decide(
        *TALK.asked("fibonacci function, hello")
    )
    told = [(one.item, one.stage, one.rule, one.reason.partition(": ")[0], one.score) for one in decisions]
    assert [one[:4] for one in told] == [
        (0, "last_k", "last_k", "Dropped by the last_k stage"),
        (1, "last_k", "last_k", "Dropped by the last_k stage"),
        (2, "gate", "absolute", "Dropped by the gate"),
        (3, "bm25", "top_k", "Dropped by the bm25 stage"),
        (4, "gate", "absolute", "Dropped by the gate"),
        (5, "bm25", "top_k", "Dropped by the bm25 stage"),
    ]
    assert [score is None for *_, score in told] == [True, True, False, True, False, True]
    assert decisions.of(2).reason.endswith("The threshold was set to 1.00.")
    assert decisions.of(0).reason == "Dropped by the last_k stage: older than the last 4 turns."
    assert decisions.threshold == 1.0
    assert not any(one.forced for one in decisions)
    assert json.dumps([one.to_json() for one in decisions], allow_nan=False)


def test_kept_turn_has_the_scores_and_reason_of_the_gate_wherever_it_stands():
    everything = GatePolicy(GATE, ENCODER, Absolute(0.0))
    after = pipeline(everything, made("last_k", k=1)).decide(*TALK.at(5))
    alone = everything.decide(*TALK.at(5))
    assert after.kept_indices == [4]
    assert (after.of(4).reason, after.of(4).parts) == (alone.of(4).reason, alone.of(4).parts)
    assert after.of(4).stage == "gate"
    assert after.of(0).reason == "Dropped by the last_k stage: older than the last turn."
    assert after.of(0).score == alone.of(0).score, "the gate scored it, though another stage dropped it"


def test_stage_sees_a_conversation_of_what_was_left_and_nothing_of_what_comes():
    class Watching:
        name, label, needs_encoder, ranks = "watching", "", False, False

        def decide(self, situation, history):
            self.seen = (situation, [turn.text for turn in history], history.conversation.turns)
            return made("everything").decide(situation, history)

    watching = Watching()
    pipeline(made("last_k", k=2), watching).decide(*TALK.at(3))
    situation, seen, turns = watching.seen
    assert seen == ["lower the rate", "a fibonacci function"]
    assert (situation.turn, situation.index) == (TALK.turns[3], 2)
    assert len(turns) == 3, "nothing of what comes after the message"
    pipeline(made("last_k", k=2), watching).decide(*TALK.asked("why?"))
    assert watching.seen[0] == Situation(Turn.of("user", "why?"))
    pipeline(made("everything"), watching).decide(*TALK.at(5, window=3))
    assert watching.seen[2] is TALK.turns, "where nothing is dropped, nothing is made anew"


def test_what_goes_by_the_conversation_as_it_happened_sees_all_of_it_and_brings_nothing_back():
    class Greetings(SeesAll):
        name, label, needs_encoder, ranks = "greetings", "", False, False

        def decide(self, situation, history):
            assert history.turns == TALK.turns[2:5]
            found = made("everything").decide(situation, history)
            return replace(found, kept=np.array([True, False, True]), why_dropped="no greeting.")

    decisions = pipeline(made("last_k", k=2), Greetings(), made("token_window", budget=0)).decide(
        *TALK.at(5, window=3)
    )
    assert [(one.item, one.outcome, one.stage) for one in decisions] == [
        (2, "dropped", "last_k"),
        (3, "dropped", "greetings"),
        (4, "dropped", "token_window"),
    ]
    assert decisions.of(3).reason == "Dropped by the greetings stage: no greeting."


@given(texts, st.integers(0, 9))
def test_one_stage_is_that_policy_alone(said, window):
    moment = talk(said).at(len(said) - 1, window=window)
    for name in ("gate", "last_k", "everything"):
        one, alone = made("pipeline", stages=name).decide(*moment), made(name).decide(*moment)
        assert one.kept.tolist() == alone.kept.tolist()
        assert one.indices.tolist() == alone.indices.tolist()
        for ours, theirs in zip(one, alone, strict=True):
            plain = ours.reason.replace(f"Dropped by the {name} stage", "Dropped")
            assert plain.replace("Dropped by the gate", "Dropped") == theirs.reason
            assert (ours.score, ours.logit, ours.parts, ours.margin) == (
                theirs.score, theirs.logit, theirs.parts, theirs.margin
            )  # fmt: skip
            assert (ours.rule, ours.forced) == (theirs.rule, theirs.forced)


@given(texts)
def test_stages_that_do_not_look_at_places_keep_what_each_of_them_keeps(said):
    moment = talk(said).at(len(said) - 1)
    # By cosine alone a turn's score is its own: no other turn changes it.
    low, high = made("cosine", threshold=0.1), made("cosine_top_k", k=4)
    kept = set(pipeline(low, high).decide(*moment).kept_indices)
    assert kept <= set(low.decide(*moment).kept_indices)
    both = pipeline(low, made("everything")).decide(*moment)
    assert both.kept_indices == low.decide(*moment).kept_indices
    assert kept <= set(both.kept_indices)


def test_limits_of_the_gate_are_told_as_forced_in_a_pipeline_too():
    limited = GatePolicy(GATE, ENCODER, Absolute(1.0), Limits(min_turns=2))
    decisions = pipeline(made("last_k", k=3), limited).decide(*TALK.at(5))
    forced = [one for one in decisions if one.forced]
    assert len(forced) == 2 == len(decisions.kept_indices)
    assert {(one.stage, one.rule, one.outcome) for one in forced} == {("gate", "limits", "kept")}
    later = pipeline(limited, made("last_k", k=0)).decide(*TALK.at(5))
    assert not any(one.forced for one in later), "what dropped them is a rule of its own"
    assert {one.rule for one in later if limited.decide(*TALK.at(5)).of(one.item).forced} == {"last_k"}
    most = GatePolicy(GATE, ENCODER, Absolute(0.0), Limits(max_turns=2))
    dropped = next(one for one in pipeline(most).decide(*TALK.at(5)) if one.forced)
    assert dropped.reason.startswith("Dropped by the gate: ")


def test_growing_conversation_is_encoded_once():
    encoder = FakeEncoder()
    policy = make_policy("pipeline", stages="token_window > gate", encoder=encoder, gate=GATE)
    for index in range(1, 6):
        policy.decide(*TALK.at(index))
    assert encoder.texts.count("loss is nan") == 1, "as a turn; it was no message here"


@pytest.mark.parametrize(
    ("stages", "told"),
    [
        ("", "character 1: the name of a policy was expected"),
        ("gate >", "stages of a pipeline are written as in"),
        ("bm25 > nobody", "pipeline, stage 2, nobody: there is no policy 'nobody'; there are gate, "),
        (
            "bm25 > last_k(j=5)",
            r"pipeline, stage 2, last_k\(j=5\): the policy last_k has no setting j; it has k",
        ),
        ("last_k(k=-1)", r"stage 1, last_k\(k=-1\): last_k: k must be from 0 to 10000; got -1"),
        ("last_k(k=five)", "k must be from 0 to 10000; got 'five'"),
        ("bm25 > gate > bm25(k=2)", "the stage bm25 stands twice"),
        ("bm25 > pipeline", "stage 2: a pipeline cannot stand in another"),
        ("bm25@mine", "only the gate has versions; bm25@mine is none"),
        ("gate(encoder=x)", "the policy gate has no setting encoder; it has rule, "),
        ("gate(rule=nobody)", "stage 1, gate.*there is no threshold rule 'nobody'"),
        ("gate(rule=top_k, deviations=1)", "top_k has no setting deviations; it has k"),
        ("gate(rule=top_k, max_turns=-1)", "limits: max_turns must be from 0"),
    ],
)
def test_stages_that_cannot_be_are_named(stages, told):
    with pytest.raises(PolicyError, match=told):
        make_policy("pipeline", stages=stages, encoder=ENCODER)


def test_nothing_is_loaded_for_stages_that_need_nothing_or_are_wrong():
    def never():
        raise AssertionError("an encoder was loaded")

    assert make_policy("pipeline", stages="bm25 > last_k(k=2)", encoder=never).decide(*TALK.at(5))
    assert not needs_encoder("pipeline", {"stages": "bm25 > last_k"})
    assert needs_encoder("pipeline", {"stages": "bm25 > cosine"})
    with pytest.raises(PolicyError, match="has no setting j"):
        make_policy("pipeline", stages="gate > last_k(j=1)", encoder=never)
    with pytest.raises(PolicyError, match="the policy pipeline has no setting steps; it has stages"):
        check_written(read_policy("pipeline(steps=gate)"))
    with pytest.raises(PolicyError, match="0 policies are given for 'gate'"):
        Pipeline("gate")


def test_a_written_version_is_looked_up_among_versions_and_is_no_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine").mkdir()
    told = "pipeline, stage 2, gate@mine: there is no version 'mine'"
    with pytest.raises(GateError, match=told):
        build_policy("pipeline", Settings(home=tmp_path), ENCODER, stages="bm25 > gate@mine")


def test_empty_history_and_a_stage_that_leaves_nothing():
    assert len(made("pipeline", stages="last_k > gate").decide(*TALK.at(0))) == 0
    nothing = made("pipeline", stages="last_k(k=0) > gate").decide(*TALK.at(5))
    assert nothing.kept_indices == []
    assert np.isnan(nothing.scores).all()
    assert {one.stage for one in nothing} == {"last_k"}


SAID = ("Hi", "ok", "we always use loss", "new topic: nan", "fibonacci function", "why?")


@given(st.lists(st.sampled_from(SAID), min_size=1, max_size=9))
def test_gatekeeper_and_sessions_decide_in_a_pipeline_as_they_do_alone(said):
    moment = talk(said).at(len(said) - 1)
    alone = [made(name).decide(*moment) for name in ("gatekeeper", "session")]
    piped = made("pipeline", stages="gatekeeper > session").decide(*moment)
    assert piped.kept.tolist() == (alone[0].kept & alone[1].kept).tolist()
    for gone, left in zip(alone[0], piped, strict=True):
        if not gone.kept:
            assert left.reason == gone.reason.replace("Dropped:", "Dropped by the gatekeeper:")
    whole = made("pipeline").decide(*moment)
    assert not (whole.kept & ~piped.kept).any()
    assert [one.stage for one in whole if not one.kept and one.score is None] == [
        one.stage for one in piped if not one.kept
    ]
