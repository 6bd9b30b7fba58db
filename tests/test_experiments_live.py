"""An experiment in an agent: what `select` sends in each arm, what `record` stores."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import convgate
from convgate.core.errors import ConversationError, ExperimentError, SettingsError, TranscriptError
from convgate.core.settings import Settings, load_settings
from convgate.experiments import selection as selection_module
from convgate.experiments.arms import (
    Arm,
    Experiment,
    TokenLimit,
    create_experiment,
    load_experiment,
    read_arm,
)
from convgate.experiments.live import ArmSelection, LiveExperiment
from convgate.experiments.report import report
from convgate.experiments.trials import assign_session
from convgate.messages.table import TurnTable
from convgate.policies.base import Policy
from convgate.selection.around import Remember
from convgate.store import Store
from convgate.store.experiments import Experiments, Stratum
from convgate.transcripts import turns_from_messages
from tests.experiments import new_experiment
from tests.fakes import FakeEncoder
from tests.processes import run_threads

MESSAGES = [
    {"role": ("user", "assistant")[place % 2], "content": f"word{place} of the talk about oases {place}"}
    for place in range(9)
]


def live(store: Store, encoder: FakeEncoder | None = None, **arms: str) -> LiveExperiment:
    """Return the experiment "pilot" with these arms; those whose name begins with "matched" are matched."""

    def limit(name: str) -> TokenLimit:
        return "matched" if name.startswith("matched") else "free"

    chosen = tuple(read_arm(name, text, limit(name), load_settings()) for name, text in arms.items())
    create_experiment(store, replace(new_experiment(), arms=chosen))
    return convgate.load_experiment("pilot", encoder=encoder)


def sessions_of(store: Store, *, arm: str, count: int = 1) -> list[str]:
    """Return sessions that are assigned to the arm."""
    experiment = stored(store)
    sessions: list[str] = []
    number = 0
    while len(sessions) < count:
        if assign_session(store, experiment, f"{arm}-{number}").name == arm:
            sessions.append(f"{arm}-{number}")
        number += 1
    return sessions


def stored(store: Store) -> Experiment:
    return load_experiment(store, "pilot")


def select_in(store: Store, experiment: LiveExperiment, arm: str, messages: Any = MESSAGES) -> ArmSelection:
    (session,) = sessions_of(store, arm=arm)
    return experiment.select(session, messages)


def test_each_arm_sends_its_own_selection_of_the_callers_messages(store: Store) -> None:
    experiment = live(store, all="everything", last="last_k(k=2)")
    everything, last = (select_in(store, experiment, arm) for arm in ("all", "last"))
    assert everything.messages == MESSAGES
    assert all(sent is given for sent, given in zip(last.messages, MESSAGES[6:], strict=True))
    assert (last.sent, last.arm) == ((6, 7, 8), "last")
    expected = convgate.load(policy="last_k", k=2).select(MESSAGES)
    assert (list(last.messages), last.tokens) == (expected.messages, expected.tokens)


def test_the_first_call_assigns_the_session_in_its_stratum(store: Store) -> None:
    experiment = live(store, all="everything", last="last_k(k=2)")
    arms = [experiment.select(f"s{i}", MESSAGES, mode="TASK", tenant="a").arm for i in range(6)]
    again = [experiment.select(f"s{i}", MESSAGES, mode="DEBUGGING").arm for i in range(6)]
    assert arms == again
    assert Counter(arms) == {"all": 3, "last": 3}
    assert Experiments(store).next_place("pilot", Stratum("TASK", tenant="a")) == 6


def test_a_matched_arm_gets_the_tokens_of_the_control_for_the_same_request(store: Store) -> None:
    experiment = live(store, control="last_k(k=3)", matched="bm25")
    asked = [{"role": "user", "content": "northern harbour"}, *MESSAGES[1:8], *MESSAGES[:1]]
    asked[8] = {"role": "user", "content": "Tell me of the northern harbour again"}
    control, matched = (select_in(store, experiment, arm, asked) for arm in ("control", "matched"))
    assert control.sent == (4, 5, 6, 7, 8)
    assert {0, 8} < set(matched.sent), "the best turn first"
    longest = max(select_in(store, experiment, "control", MESSAGES[:1]).tokens, 12)
    assert control.tokens - longest < matched.tokens <= control.tokens, "no turn fits any more"
    (start,) = select_in(store, experiment, "matched", asked[:1]).sent
    assert start == 0


def test_an_arm_sends_what_its_settings_select(store: Store, fake_encoder: FakeEncoder) -> None:
    experiment = live(store, fake_encoder, last="last_k", matched="bm25")
    last, matched = (select_in(store, experiment, arm) for arm in ("last", "matched"))
    selection = convgate.load(Settings(policy="last_k")).select(MESSAGES)
    assert (list(last.messages), last.tokens) == (selection.messages, selection.tokens)
    assert 0 < matched.tokens <= last.tokens


def test_an_arm_remembers_the_earlier_requests_of_its_session(store: Store) -> None:
    experiment = live(store, last="last_k", other="everything")
    select_in(store, experiment, "last", MESSAGES[:5])
    (arm, _) = stored(store).arms
    (remember,) = experiment._selectors.load(arm).selector.around
    assert isinstance(remember, Remember)
    assert remember.requests.find(TurnTable().extend(turns_from_messages(MESSAGES[:7]), None).hashes)


def test_encoders_are_loaded_once_and_only_for_arms_that_need_one(
    store: Store, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    loads: list[object] = []

    def load(encoder: object) -> FakeEncoder:
        loads.append(encoder)
        return fake_encoder

    monkeypatch.setattr("convgate.policies.build.EncoderOnDemand.__call__", load)
    experiment = live(store, all="everything", near="cosine", top="cosine_top_k(k=1)")
    for _ in range(2):
        select_in(store, experiment, "all")
    assert loads == []
    for arm in ("near", "top", "near"):
        select_in(store, experiment, arm)
    assert len(set(map(id, loads))) == 1, "one encoder, which loads its model once, for both"


def test_threads_share_an_experiment(
    store: Store, monkeypatch: pytest.MonkeyPatch, frequent_thread_switches: None
) -> None:
    built: list[str] = []
    real = selection_module.build_policy

    def build(name: str, *rest: Any) -> Policy:
        built.append(name)
        time.sleep(0.05)  # long enough for the other threads to ask
        return real(name, *rest)

    monkeypatch.setattr(selection_module, "build_policy", build)
    experiment = live(store, all="everything", matched="bm25")
    results: list[ArmSelection] = []

    def answer(thread: int) -> None:
        for turn in (3, 5, 7):
            for session in range(4):
                chosen = experiment.select(f"{thread}-{session}", MESSAGES[:turn])
                experiment.record(chosen, seconds=1.0, passed=True)
                results.append(chosen)

    run_threads(4, answer)
    assert sorted(built) == ["bm25", "everything"], "each is built once"
    assert Counter(chosen.arm for chosen in results) == {"all": 24, "matched": 24}
    assert len({(chosen.session_id, chosen.arm) for chosen in results}) == 16, "no session was switched"
    assert report(store, stored(store)).rated == 48


def test_a_recorded_answer_is_rated_by_people_and_tests(store: Store) -> None:
    experiment = live(store, all="everything", last="last_k(k=2)")
    later = [*MESSAGES, {"role": "assistant", "content": "an answer that stands already"}]
    chosen = select_in(store, experiment, "last", later)
    experiment.record(chosen, seconds=1.5, answer="Four.", passed=False)
    (trial,) = Experiments(store).trials("pilot")
    assert (trial.arm, trial.tokens, trial.latency_seconds) == ("last", chosen.tokens, 1.5)
    assert (trial.answer_test, trial.answer, trial.sent) == ("fail", "Four.", (6, 7, 8))
    assert list(trial.messages) == MESSAGES, "up to the message that was answered"
    assert experiment.report().arms[1].completion_rate == 0.0
    other = select_in(store, experiment, "last")
    experiment.record(other, seconds=0)
    assert Experiments(store).trials("pilot")[1].messages == (), "without an answer, no text is stored"
    assert Experiments(store).trials("pilot")[1].answer_test is None


def test_what_cannot_be_recorded_is_refused_and_leaves_nothing(store: Store) -> None:
    experiment = live(store, all="everything", last="last_k(k=2)")
    chosen = experiment.select("s", MESSAGES, request_id="r")
    for seconds in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ExperimentError, match="seconds"):
            experiment.record(chosen, seconds=seconds)
    assert Experiments(store).trials("pilot") == []
    experiment.record(chosen, seconds=1)
    with pytest.raises(ExperimentError, match="'r'"):
        experiment.record(chosen, seconds=1)
    Experiments(store).delete("pilot")
    for act in (lambda: experiment.record(chosen, seconds=1), lambda: experiment.select("s", MESSAGES)):
        with pytest.raises(ExperimentError, match="pilot"):
            act()


def test_messages_that_cannot_be_read_assign_nothing(store: Store) -> None:
    experiment = live(store, all="everything", last="last_k(k=2)")
    with pytest.raises(TranscriptError):
        experiment.select("s", [{"content": "no role"}])
    with pytest.raises(ConversationError):
        experiment.select("s", [])
    with pytest.raises(ExperimentError, match="empty"):
        experiment.select("", MESSAGES)
    assert Experiments(store).sessions("pilot") == {}


def test_a_missing_experiment_or_settings_file_is_an_error(store: Store, tmp_path: Path) -> None:
    with pytest.raises(ExperimentError, match="pilot"):
        convgate.load_experiment("pilot")
    with pytest.raises(SettingsError):
        convgate.load_experiment("pilot", settings=tmp_path / "missing.toml")


def test_an_arm_keeps_its_settings_and_the_machine_its_database(store: Store, tmp_path: Path) -> None:
    arms = (Arm("a", Settings(policy="everything")), Arm("b", Settings(policy="everything")))
    create_experiment(store, replace(new_experiment(), arms=arms))
    file = tmp_path / "mine.toml"
    file.write_text('policy = "bm25"\n')
    chosen = convgate.load_experiment("pilot", settings=file).select("s", MESSAGES)
    assert len(chosen.messages) == len(MESSAGES)
