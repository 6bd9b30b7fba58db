"""Signals of experiments: repeated errors, the model's own outputs, tokens that were needed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from convgate.experiments.report import report
from convgate.experiments.signals import Signals
from convgate.store import Store
from convgate.store.experiments import Experiments
from tests.commands import Run
from tests.experiments import CONTROL, GATE, add_trials, new_experiment, rating

MESSAGES = (
    {"role": "user", "content": "Which database do we use?"},
    {"role": "assistant", "content": "You use MySQL on port 3306."},
    {"role": "user", "content": "And which port is it?"},
)


def add_session(store: Store, session: str, arm: str, sent: tuple[int, ...] | None, *errors: str) -> None:
    """Record a wrong answer, and one after it with these errors."""
    pilot = new_experiment()
    for place, (messages, answer, kinds) in enumerate(
        [
            (MESSAGES[:1], "You use MySQL on port 3306.", ("hallucination",)),
            (MESSAGES, "You use MySQL on the usual port", errors),
        ]
    ):
        values: dict[str, Any] = {"session_id": session, "request_id": f"{session}-{place}"}
        values |= {"messages": messages, "answer": answer, "sent": sent if place else (0,)}
        (trial,) = add_trials(store, pilot, arm, 1, **values)
        Experiments(store).rate(rating(trial, "ada", True, *kinds))


def measure(store: Store, arm: str = GATE) -> Signals:
    return next(each for each in report(store, new_experiment()).signals if each.arm == arm)


@pytest.fixture
def pilot_store(store: Store) -> Store:
    new_experiment(store)
    return store


def test_repeated_errors_are_counted_by_whether_the_wrong_answer_was_sent(pilot_store: Store) -> None:
    add_session(pilot_store, "a", GATE, (0, 1, 2), "hallucination")
    add_session(pilot_store, "b", GATE, (1, 2))
    add_session(pilot_store, "c", GATE, (0, 2), "contradiction")
    add_session(pilot_store, "d", CONTROL, (0, 1, 2), "hallucination")
    measured = measure(pilot_store)
    assert (measured.error_repeated_when_sent.value, measured.error_repeated_when_sent.total) == (0.5, 2)
    assert (measured.error_repeated_when_dropped.value, measured.error_repeated_when_dropped.total) == (
        0.0,
        1,
    )
    assert measure(pilot_store, CONTROL).error_repeated_when_sent.value == 1.0


def test_an_error_is_repeated_within_its_session_only(pilot_store: Store) -> None:
    add_session(pilot_store, "a", GATE, None, "hallucination")
    values = {"session_id": "b", "request_id": "b-0", "messages": MESSAGES, "answer": "3306", "sent": (0, 1)}
    (trial,) = add_trials(pilot_store, new_experiment(), GATE, 1, **values)
    Experiments(pilot_store).rate(rating(trial, "ada", True, "hallucination"))
    assert measure(pilot_store).error_repeated_when_sent.value is None


def test_turns_sent_and_phrases_of_earlier_answers(pilot_store: Store) -> None:
    add_session(pilot_store, "a", GATE, (1, 2))
    add_session(pilot_store, "b", CONTROL, (0, 2))
    measured, control = measure(pilot_store), measure(pilot_store, CONTROL)
    assert (measured.assistant_turns_sent.value, measured.user_turns_sent.value) == (1.0, 0.0)
    assert (control.assistant_turns_sent.value, control.user_turns_sent.value) == (0.0, 1.0)
    # "you use mysql" and "use mysql on", of 5; the first answer has no earlier one
    assert measured.own_phrases.value == pytest.approx(2 / 5)
    assert control.own_phrases.value == 0.0


def test_needed_tokens_are_of_those_sent_before_the_message_to_answer(pilot_store: Store) -> None:
    values = {"messages": MESSAGES, "sent": (0, 1, 2), "needed": (0,)}
    add_trials(pilot_store, new_experiment(), GATE, 1, **values)
    measured = measure(pilot_store).needed_tokens
    assert 0.3 < measured.value < 0.7
    add_trials(pilot_store, new_experiment(), CONTROL, 1, **(values | {"sent": (0, 2)}))
    assert measure(pilot_store, CONTROL).needed_tokens.value == 1.0


def test_trials_without_known_messages_have_no_signals(pilot_store: Store) -> None:
    add_trials(pilot_store, new_experiment(), GATE, 2)
    add_trials(pilot_store, new_experiment(), GATE, 1, messages=({"content": 3},), sent=(0,))
    assert measure(pilot_store) == Signals(GATE)


def test_the_report_shows_signals(run: Run, pilot_store: Store, tmp_path: Path) -> None:
    line = {"request_id": "r", "session_id": "s", "arm": GATE, "latency_seconds": 1, "tokens": 9}
    line |= {"messages": MESSAGES, "answer": "3306", "sent": [0, 2], "needed": [0]}
    file = tmp_path / "trials.jsonl"
    file.write_text(json.dumps(line))
    assert run("experiment", "record", "pilot", file)[0] == 0
    code, out, _ = run("experiment", "report", "pilot", "--json")
    signals = {each["arm"]: each for each in json.loads(out)["signals"]}
    assert (code, signals[GATE]["needed_tokens"]["value"]) == (0, 1.0)
    assert run("experiment", "report", "pilot")[0] == 0


@pytest.mark.parametrize("name", ["sent", "needed"])
@pytest.mark.parametrize("indices", [[3], [-1], ["0"]])
def test_indices_outside_the_messages_are_refused(
    run: Run, pilot_store: Store, tmp_path: Path, name: str, indices: list[Any]
) -> None:
    line = {"request_id": "r", "session_id": "s", "arm": GATE, "latency_seconds": 1, "tokens": 9}
    file = tmp_path / "trials.jsonl"
    file.write_text(json.dumps(line | {"messages": MESSAGES, name: indices}))
    code, _, err = run("experiment", "record", "pilot", file)
    assert (code, name in err) == (1, True)
