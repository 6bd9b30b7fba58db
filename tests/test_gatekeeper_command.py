"""`convgate gatekeep`: what it reads, what it says of bad lines, and what it prints."""

from __future__ import annotations

import io
import json
import sys

import pytest

from convgate.cli import main as cli

LINES = """\
{"user": "PostgreSQL", "assistant": "Done.", "previous": [{"role": "assistant", "content": "Which one?"}]}
{"user": "Hi", "keep": false, "note": "other fields are let be"}

{"user": "How do I read a file?", "assistant": null, "previous": null}
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def call(text: str, *words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["convgate", "gatekeep", "-", *words])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        with pytest.raises(SystemExit) as stop:
            cli.main()
        captured = capsys.readouterr()
        return int(stop.value.code or 0), captured.out, captured.err

    return call


def test_lines_are_decided_in_their_order(run):
    code, out, err = run(LINES, "--json")
    assert (code, err) == (0, "")
    assert [(one["keep"], one["category"]) for one in json.loads(out)] == [
        (True, "decision"),
        (False, "greeting"),
        (True, "other"),
    ]


def test_an_entry_of_a_list_keeps_its_number_when_one_before_it_is_left_out(run):
    code, out, _ = run('[{"user": 3}, {"user": "How do I read a file?"}]', "--skip-bad")
    assert (code, out.split("other")[0].split()[-2:]) == (0, ["2", "keep"])


def test_other_fields_make_no_transcript_of_an_exchange(run):
    line = {"user": "I prefer tabs", "assistant": "Noted.", "type": "chat", "from": "web", "role": "lead"}
    assert [one["category"] for one in json.loads(run(json.dumps(line), "--json")[1])] == ["preference"]


def test_of_a_transcript_every_exchange_is_decided(run):
    messages = [("system", "Be brief."), ("user", "Hi"), ("assistant", "Hello!"), ("user", "I prefer tabs")]
    text = json.dumps({"messages": [{"role": role, "content": content} for role, content in messages]})
    assert [one["category"] for one in json.loads(run(text, "--json")[1])] == ["greeting", "preference"]


BAD = """\
{"user": 3}
{"assistant": "no user"}
broken
{"user": "ok", "previous": [{"role": 1}]}
{"user": "ok", "previous": "none"}
{"user": "ok", "assistant": ["a"]}
{"user": "I prefer tabs"}
{"user": "Hi"}
{"user": "Ok"}
{"user": "Fix it"}
"""


def test_bad_lines_are_told_with_line_and_field_and_nothing_is_decided(run):
    code, out, err = run(BAD, "--json")
    assert (code, out) == (1, "")
    for place in (
        "line 1, field 'user': expected a text, got a number",
        "line 2, field 'user': there is no message of the user",
        "line 3: not valid JSON",
        "line 4, field 'previous[0].role'",
        "line 5, field 'previous': expected a list of messages, got a text",
        "line 6, field 'assistant': expected a text, got a list",
        "6 bad places in standard input",
    ):
        assert place in err
    code, out, err = run(BAD, "--json", "--skip-bad")
    assert (code, len(json.loads(out))) == (0, 4)
    assert "line 1" in err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the file is empty"),
        ('{"prompt": "x"}', "field 'user': there is no message of the user"),
        ('{"messages": [{"role": "assistant", "content": "Hi"}]}', "nobody but the assistant says anything"),
        ("[]", "standard input"),
    ],
)
def test_what_has_no_exchange_is_told(run, text: str, told: str):
    code, out, err = run(text)
    assert (code, out) == (1, "")
    assert told in err
