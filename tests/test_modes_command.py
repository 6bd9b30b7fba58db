"""`convgate modes`: input, faulty lines, output."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from convgate.modes import classifier as classifier_module
from convgate.modes.mode import Mode
from tests.commands import Run
from tests.selectors import FirstWordClassifier

LINES = """\
{"content": "it fails"}
{"content": "anything", "intent": " Learn "}

{"content": "", "note": "other fields are let be"}
"""


class FailureClassifier(FirstWordClassifier):
    """Finds DEBUGGING where something fails."""

    def read(self, text: str) -> tuple[Mode, float, str]:
        return ("DEBUGGING", 0.93, "fails") if "fails" in text else ("GENERAL", 0.2, "")


@pytest.fixture
def run_modes(run: Run, monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.setattr(classifier_module, "load_classifier", lambda settings: FailureClassifier())
    return lambda text, *words: run("modes", "-", *words, stdin=text)


def test_lines_are_reported_in_their_order(run_modes):
    code, out, err = run_modes(LINES, "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == [
        {"mode": "DEBUGGING", "confidence": 0.93, "source": "classifier"},
        {"mode": "LEARNING", "confidence": 1.0, "source": "intent"},
        {"mode": "GENERAL", "confidence": 0.2, "source": "low confidence"},
    ]


def test_the_table_shows_reasons(run_modes, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("COLUMNS", "200")
    code, out, _ = run_modes(LINES)
    assert code == 0
    assert "it says “fails”" in out
    assert "3 messages: DEBUGGING 1, LEARNING 1, GENERAL 1" in out


def test_bad_lines_are_named_by_line_and_field_and_can_be_left_out(run_modes):
    bad = '{"content": 3}\n{"content": "a", "intent": "dance"}\n{"x": 1}\n[]\n{"content": "it fails"}\n'
    code, out, err = run_modes(bad, "--json")
    assert (code, out) == (1, "")
    assert "line 1, field 'content': expected a text, got a number" in err
    assert "line 2, field 'intent': there is no intent 'dance'; there are task, debug" in err
    assert "line 3, field 'content'" in err
    assert "line 4: a message is an object with 'content', got a list" in err
    code, out, _ = run_modes(bad, "--json", "--skip-bad")
    assert (code, [one["mode"] for one in json.loads(out)]) == (0, ["DEBUGGING"])


def test_of_a_transcript_the_users_turns_are_taken(run_modes):
    messages = [("system", "It fails."), ("user", "it fails"), ("assistant", "It fails?"), ("user", "ok")]
    text = json.dumps({"messages": [{"role": role, "content": content} for role, content in messages]})
    code, out, _ = run_modes(text, "--json")
    assert (code, [one["mode"] for one in json.loads(out)]) == (0, ["DEBUGGING", "GENERAL"])
    code, _, err = run_modes(json.dumps({"messages": [{"role": "assistant", "content": "Hello!"}]}))
    assert (code, "standard input" in err) == (1, True)
