"""Own rules: read from YAML with all problems by line, matched, and watched in a file."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from convgate.gatekeeper.decision import KEEP, SKIP
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.gatekeeper import load_gatekeeper
from convgate.gatekeeper.rules import PatternRule, RulesError, find_pattern_problem
from convgate.gatekeeper.rules_file import add_rule, parse_rules

HI = Exchange("Hi")


def problem_places(text: str) -> list[tuple[int | None, str | None]]:
    with pytest.raises(RulesError) as caught:
        parse_rules(text, file="rules.yaml")
    assert all(problem.file == "rules.yaml" and problem.problem for problem in caught.value.problems)
    return [(problem.line, problem.pattern) for problem in caught.value.problems]


def keep_rule(pattern: str) -> str:
    return f"keep_patterns:\n  - pattern: '{pattern}'\n"


def test_rules_are_read_with_lines_and_defaults() -> None:
    rules = parse_rules(
        "# ours\nskip_patterns:\n  - pattern: '^lgtm$'\n    reason: says no more than yes\n"
        "keep_patterns:\n  - {pattern: 'ticket \\d+', category: ticket, applies_to: both}\n"
    )
    assert rules.skip_patterns == (PatternRule("^lgtm$", "says no more than yes"),)
    assert rules.keep_patterns == (PatternRule(r"ticket \d+", "", "ticket", "both"),)
    assert [rule.line for rule in (*rules.skip_patterns, *rules.keep_patterns)] == [3, 6]


def test_all_problems_are_reported_at_once_with_line_and_pattern() -> None:
    text = (
        "skip_patterns:\n"
        "  - pattern: '('\n"
        "  - pattern: ''\n"
        "  - pattern: 404\n"
        "  - patern: 'x1'\n"
        "  - {pattern: 'fine one', category: Big One, applies_to: all}\n"
        "  - {pattern: 'fine one'}\n"
        "  - only words\n"
        "  - {pattern: 'a1', pattern: 'b1'}\n"
        "keep_patterns: {}\n"
        "skip_patterns: []\n"
        "rules: 3\n"
    )
    assert problem_places(text) == [
        (2, "("),
        (3, ""),
        (4, None),
        (5, None),
        (6, "fine one"),
        (6, "fine one"),
        (7, "fine one"),
        (8, None),
        (9, None),
        (10, None),
        (11, None),
        (12, None),
    ]
    with pytest.raises(RulesError):
        parse_rules(text, file="rules.yaml")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("keep_patterns: [", 1),
        ("keep_patterns:\n  - pattern: a: b\n", 2),
        ("- pattern: 'x'\n", 1),
        ("keep_patterns: []\n---\nkeep_patterns: []\n", 2),
        ("keep_patterns: &a [*a]\n", 1),
        ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", 1),
        ("keep_patterns: [*nowhere]\n", 1),
        ("keep_patterns: !!python/object/apply:os.system ['true']\n", 1),
        ("keep_patterns:\n  - pattern: !!python/name:os.system x1\n", 2),
        ("[" * 50_000, None),
        ("keep_patterns:\n  - pattern: 'a\x07'\n", 2),
        ("keep_patterns: []\n#" + "é" * 50_000, None),
        ('\nkeep_patterns:\n  - pattern: "\\UFFFFFFFF"\n', None),
        (f"keep_patterns:\n  - pattern: a\n    category: {'x' * 90_000}", 3),
    ],
    ids=range(14),
)
def test_text_that_is_not_rules_is_refused_with_its_line(text: str, line: int | None) -> None:
    with pytest.raises(RulesError) as caught:
        parse_rules(text)
    assert caught.value.problems[0].line == line
    assert len(str(caught.value.problems[0])) < 1_000


@pytest.mark.parametrize(
    "pattern",
    [
        *(
            ".*",
            "x*",
            "(?:deploy)?",
            "deploy|",
            ".+",
            r"[\s\S]",
            "(?=x)",
            "(?<!x)y",
            r"(a)\1",
            "(?>a)",
            "a++",
        ),
        *(r"end\Z", "a{5000}", r"(?:\pL{100}){9}", "\bword\b", "zero\u200bwidth", "half \ud83d", r"é\C"),
        *(r"\\\C", "deploy\n", "  ", "a" * 1_001),
    ],
)
def test_a_pattern_that_cannot_be_used_is_refused(pattern: str) -> None:
    assert find_pattern_problem(pattern)
    with pytest.raises(RulesError):
        PatternRule(pattern)


def test_matches_have_their_place_whatever_the_case_and_apostrophes() -> None:
    rules = parse_rules(
        keep_rule("don''t|ÄRGER") + "skip_patterns:\n  - {pattern: ^ok$, applies_to: assistant}\n"
    )
    user = "  \n☃ Bitte DON’T ärger"
    first, second = rules.matches(Exchange(user, " ok\n"))
    assert (first.outcome, user[first.match.start : first.match.end]) == (KEEP, "DON’T")
    assert (second.outcome, second.match.said) == (SKIP, "assistant")
    assert (second.match.start, second.match.end) == (1, 3)
    assert rules.matches(Exchange("ok", "don't")) == []
    (bug,) = parse_rules(keep_rule("bug")).matches(Exchange("\ud83d bug \udc00"))
    assert (bug.match.start, bug.match.end) == (2, 5), "half a surrogate pair does no harm"


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Cn", "Zl", "Zp")), max_size=30)


@given(TEXTS, TEXTS)
def test_any_pattern_and_reason_are_read_as_they_were_written(pattern: str, reason: str) -> None:
    from io import StringIO

    text = StringIO()
    YAML().dump({"keep_patterns": [{"pattern": pattern, "reason": reason}]}, text)
    if find_pattern_problem(pattern) is None:
        (rule,) = parse_rules(text.getvalue()).keep_patterns
        assert (rule.pattern, rule.reason) == (pattern, reason.strip())
    else:
        with pytest.raises(RulesError):
            parse_rules(text.getvalue())


def write_aged(file: Path, text: str, *, seconds: int) -> None:
    """Write the file as if long ago, so that only its stamp shows a change."""
    file.write_text(text)
    os.utime(file, (1_700_000_000 + seconds, 1_700_000_000 + seconds))


def test_a_file_that_changes_breaks_or_goes_away_is_followed(
    convgate_home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    gatekeeper = load_gatekeeper()
    assert not gatekeeper.decide(HI).keep
    convgate_home.mkdir()
    file = convgate_home / "gatekeeper.yaml"

    write_aged(file, "keep_patterns: [{pattern: hi}]", seconds=0)
    assert gatekeeper.decide(HI).rule == "keep_patterns: hi"
    write_aged(file, "keep_patterns: [{pattern: hI}]", seconds=1)
    assert gatekeeper.decide(HI).rule == "keep_patterns: hI"

    write_aged(file, "keep_patterns: [{pattern: '('}]", seconds=2)
    with caplog.at_level(logging.WARNING):
        assert [gatekeeper.decide(HI).rule for _ in range(3)] == ["keep_patterns: hI"] * 3
    assert len(caplog.records) == 1
    assert (gatekeeper.problem or "").startswith(f"{file}, line 1, pattern '(': ")

    file.unlink()
    assert gatekeeper.decide(HI).rule == "keep_patterns: hI"
    assert gatekeeper.problem
    write_aged(file, "skip_patterns: [{pattern: hi}]", seconds=3)
    assert gatekeeper.decide(HI).rule == "skip_patterns: hi"
    assert gatekeeper.problem is None


@pytest.mark.parametrize("text", ["", "# mine", "null", "~\n", "# mine\nnull", "--- \n# mine\n...", "{}"])
def test_a_rule_is_added_to_any_text_without_rules_and_its_comments_stay(text: str) -> None:
    added = add_rule(text, "skip_patterns", PatternRule("ping"))
    assert [rule.pattern for rule in parse_rules(added).skip_patterns] == ["ping"]
    assert ("# mine" in added) == ("# mine" in text)
