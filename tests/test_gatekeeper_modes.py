from __future__ import annotations

import dataclasses
import json
import logging
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import convgate
from convgate import Exchange, Gatekeeper, load_gatekeeper
from convgate.cli import main as cli
from convgate.errors import ConversationError, SettingsError
from convgate.gatekeeper.log import DecisionLog
from convgate.gatekeeper.model import Answer, ModelError, ModelUse
from convgate.gatekeeper.rules_file import parse_rules
from convgate.settings import Settings

GREETING = Exchange("Hi")
PREFERENCE = Exchange("I prefer dark mode in every editor that I use")
DEFAULT = Exchange(
    "How do I deploy this to the staging cluster?", "With the usual script, from the main branch."
)
SHORT = Exchange("Fix it", "Done")


class FakeModel:
    """Answers what it is told to, and remembers what it was asked."""

    def __init__(self, answer: Answer | ModelError) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def ask(self, exchange: Exchange) -> Answer:
        self.asked.append(exchange.user)
        if isinstance(self.answer, ModelError):
            raise self.answer
        return self.answer

    @property
    def use(self) -> ModelUse:
        return ModelUse(calls=len(self.asked))

    def close(self) -> None:
        self.asked.append("(closed)")


SKIPS = Answer(False, "general_knowledge", "anybody can look it up")
DOWN = ModelError("no answer within 1 s")


def test_hybrid_mode_asks_where_the_category_is_other_alone() -> None:
    model = FakeModel(SKIPS)
    gatekeeper = Gatekeeper(mode="hybrid", model=model)

    decisions = [gatekeeper.decide(e, item=i) for i, e in enumerate((GREETING, PREFERENCE, DEFAULT, SHORT))]

    assert model.asked == [DEFAULT.user, SHORT.user]
    assert [(d.keep, d.category) for d in decisions[:2]] == [(False, "greeting"), (True, "preference")]
    assert decisions[2].reason == "Skipped: so the language model says: “anybody can look it up”."
    assert (decisions[2].item, decisions[2].rule, decisions[2].category, decisions[2].categories) == (
        *(2, "language model", "general_knowledge"),
        ("general_knowledge",),
    )


def test_llm_mode_asks_for_all_but_own_rules_and_empty_exchanges() -> None:
    model = FakeModel(Answer(True, "decision", ""))
    rules = parse_rules("skip_patterns: [{pattern: staging}]")
    gatekeeper = Gatekeeper(mode="llm", model=model, rules=rules)

    decisions = [gatekeeper.decide(e) for e in (GREETING, PREFERENCE, DEFAULT, Exchange(" ", "\n"))]

    assert model.asked == [GREETING.user, PREFERENCE.user]
    assert [d.keep for d in decisions] == [True, True, False, False]
    assert decisions[0].reason == "Kept: so the language model says."
    assert decisions[1].categories == ("decision", "preference")


def test_disabled_keeps_everything_and_says_so() -> None:
    gatekeeper = Gatekeeper(mode="disabled", rules=parse_rules("skip_patterns: [{pattern: hi}]"))

    decision = gatekeeper.decide(GREETING, item=3)

    assert (decision.item, decision.keep, decision.reason) == (
        *(3, True),
        "Kept: the gatekeeper is switched off, everything is kept.",
    )


def test_when_the_model_fails_the_patterns_decide_and_the_reason_says_why() -> None:
    gatekeeper = Gatekeeper(mode="llm", model=FakeModel(DOWN))

    for exchange in (GREETING, PREFERENCE, DEFAULT, SHORT):
        plain, decided = Gatekeeper().decide(exchange), gatekeeper.decide(exchange)
        assert decided.reason == (
            f"{plain.reason} The language model gave no decision: no answer within 1 s."
        )
        assert dataclasses.replace(decided, reason=plain.reason) == plain


def test_failing_closed_skips_what_nothing_but_the_default_kept() -> None:
    gatekeeper = Gatekeeper(mode="llm", model=FakeModel(DOWN), fail="closed")

    assert gatekeeper.decide(PREFERENCE).keep
    skipped = gatekeeper.decide(DEFAULT)
    assert (skipped.keep, skipped.rule) == (False, "fail closed")
    assert "gatekeeper_fail is closed. The language model gave no decision" in skipped.reason
    assert Gatekeeper(fail="closed").decide(DEFAULT).keep  # no model was asked, so none failed


def test_an_own_rule_decides_before_the_checks_which_still_say_what_they_found() -> None:
    rules = parse_rules(
        "keep_patterns:\n  - {pattern: 'hi', reason: Our mascot., category: mascot}\n"
        "skip_patterns:\n  - pattern: 'dark\\s+mode'\n"
    )
    gatekeeper = Gatekeeper(rules=rules)

    kept, skipped = gatekeeper.decide(GREETING), gatekeeper.decide(PREFERENCE)

    assert (kept.keep, kept.rule, kept.category) == (True, "keep_patterns: hi", "mascot")
    assert kept.categories == ("mascot", "greeting")
    assert kept.reason == "Kept: Our mascot (own rule, “Hi”)."
    assert skipped.reason == "Skipped: a rule of your own matches (own rule, “dark mode”)."
    assert (skipped.rule, skipped.categories) == (r"skip_patterns: dark\s+mode", ("custom", "preference"))
    assert [match.category for match in skipped.matches] == ["custom", "preference"]


def test_the_reason_is_one_line_whatever_the_rule_and_the_message_have() -> None:
    rules = parse_rules('keep_patterns: [{pattern: "ticket.\\\\S+", reason: "ours,\\n\\e[31mred"}]')

    decision = Gatekeeper(rules=rules).decide(Exchange("see ticket \x1b[2J7"))

    assert decision.reason == "Kept: ours, [31mred (own rule, “ticket [2J7”)."


@pytest.mark.parametrize("mode", ["hybrid", "llm"])
def test_a_mode_that_asks_a_model_wants_one(mode: str) -> None:
    with pytest.raises(SettingsError):
        Gatekeeper(mode=mode)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="gatekeeper_model"):
        Gatekeeper.of(mode=mode)  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="'off'"):
        Gatekeeper(mode="off")  # type: ignore[arg-type]


def test_settings_reach_the_gatekeeper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = tmp_path / "own.yaml"
    rules.write_text("skip_patterns: [{pattern: lunch}]")
    monkeypatch.setenv("CONVGATE_GATEKEEPER_SHORT_USER", "0")
    monkeypatch.setenv("CONVGATE_GATEKEEPER_RULES", str(rules))
    gatekeeper = load_gatekeeper()

    assert gatekeeper.decide(SHORT).keep
    assert not gatekeeper.decide(Exchange("We all went out to lunch yesterday")).keep
    settings = tmp_path / "mine.toml"
    settings.write_text('gatekeeper_mode = "disabled"')
    monkeypatch.delenv("CONVGATE_GATEKEEPER_RULES")
    assert convgate.load_gatekeeper(settings).decide(GREETING).keep


def test_messages_are_decided_by_their_last_exchange() -> None:
    gatekeeper = load_gatekeeper(Settings())
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Set up the project"},
        {"role": "assistant", "content": "Gladly. Which database should we use?"},
        {"role": "user", "content": "PostgreSQL"},
        {"role": "assistant", "content": "Done."},
    ]

    decision = gatekeeper.decide_messages(messages)

    assert (decision.item, decision.keep) == (3, True)
    with pytest.raises(ConversationError):
        gatekeeper.decide_messages(messages[:1])


# The debug log.


def test_each_decision_is_a_line_of_the_debug_log_for_its_owner_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "logs" / "gatekeeper.jsonl"
    monkeypatch.setenv("CONVGATE_GATEKEEPER_DEBUG_LOG", str(path))
    with load_gatekeeper() as gatekeeper:
        gatekeeper.decide(PREFERENCE, item=7)
        gatekeeper.decide(Exchange("half \ud83d\n" + "x" * 9_000))

    first, second = (json.loads(line) for line in path.read_text().splitlines())
    assert (first["item"], first["keep"], first["rule"], first["user"]) == (
        *(7, True, "preference"),
        PREFERENCE.user,
    )
    assert first["milliseconds"] > 0
    assert len(second["user"]) == 2_000
    assert path.stat().st_mode & 0o077 == 0


def test_the_debug_log_keeps_to_its_size(tmp_path: Path) -> None:
    gatekeeper = Gatekeeper(log=DecisionLog(tmp_path / "log", max_bytes=2_000))
    with gatekeeper:
        for _ in range(60):
            gatekeeper.decide(PREFERENCE)

    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["log", "log.1", "log.2", "log.3"]
    assert all(file.stat().st_size <= 2_000 and file.stat().st_mode & 0o077 == 0 for file in files)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_breaks_no_decision_and_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    gatekeeper = Gatekeeper(log=DecisionLog(Path("/dev/full")))
    with caplog.at_level(logging.WARNING), gatekeeper:
        assert [gatekeeper.decide(PREFERENCE).keep for _ in range(3)] == [True] * 3
    assert len(caplog.records) == 1


# The command.


def test_the_command_takes_rules_and_a_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    exchanges, rules = tmp_path / "exchanges.jsonl", tmp_path / "own.yaml"
    exchanges.write_text('{"user": "Hi"}\n{"user": "Ok"}\n')
    rules.write_text("keep_patterns: [{pattern: hi, category: mascot}]")

    def run(*options: object) -> tuple[str, str]:
        monkeypatch.setattr(sys, "argv", ["convgate", "gatekeep", str(exchanges), *map(str, options)])
        with suppress(SystemExit):
            cli.main()
        captured = capsys.readouterr()
        return captured.out, captured.err

    decided = json.loads(run("--rules", rules, "--json")[0])
    assert [(one["keep"], one["category"]) for one in decided] == [(True, "mascot"), (False, "other")]
    assert all(one["keep"] for one in json.loads(run("--mode", "disabled", "--json")[0]))
    assert "2 exchanges: 1 kept (50%)" in run("--rules", rules)[0]
    assert "gatekeeper_model" in run("--mode", "hybrid")[1]
    rules.write_text("keep_patterns: [{pattern: '('}]")
    assert "own.yaml, line 1, pattern '('" in run("--rules", rules)[1].replace("\n", "")
