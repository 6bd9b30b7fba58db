from __future__ import annotations

from pathlib import Path

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from convgate.gatekeeper.decision import KEEP, SKIP
from convgate.gatekeeper.errors import RulesError
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.rule import Rule, pattern_problem
from convgate.gatekeeper.rules import Rules, parse_rules, read_rules


def problems(text: str) -> list[tuple[int | None, str | None, str]]:
    with pytest.raises(RulesError, match=r".") as caught:
        parse_rules(text, file="rules.yaml")
    return [(problem.line, problem.pattern, problem.problem) for problem in caught.value.problems]


def entry(pattern: str) -> str:
    return f"keep_patterns:\n  - pattern: '{pattern}'\n"


def test_rules_are_read_with_their_lines_and_what_they_leave_out() -> None:
    rules = parse_rules(
        "# ours\nskip_patterns:\n  - pattern: '^lgtm$'\n    reason: says no more than yes\n"
        "keep_patterns:\n  - {pattern: 'ticket \\d+', category: ticket, applies_to: both}\n"
    )

    assert rules.skip_patterns == (Rule("^lgtm$", "says no more than yes"),)
    assert rules.keep_patterns == (Rule(r"ticket \d+", "", "ticket", "both"),)
    assert [rule.line for rule in (*rules.skip_patterns, *rules.keep_patterns)] == [3, 6]
    assert len(rules) == 2


LONG = "x" * 90_000


@pytest.mark.parametrize(
    "text",
    [f"a: !{LONG} b", f"? {LONG}\n: 1", f"skip_patterns:\n  - pattern: a\n    category: {LONG}"],
    ids=["tag", "key", "category"],
)
def test_a_problem_quotes_little_of_the_file(text: str) -> None:
    ((_, _, problem),) = problems(text)
    assert len(problem) < 1_000


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "skip_patterns:\nkeep_patterns: []\n", "---\n"])
def test_a_file_without_rules_is_none(text: str) -> None:
    assert parse_rules(text) == Rules()


def test_everything_that_is_wrong_is_told_at_once_with_file_line_and_pattern() -> None:
    text = (
        "skip_patterns:\n"
        "  - pattern: '('\n"
        "  - pattern: ''\n"
        "  - pattern: 404\n"
        "  - patern: 'x1'\n"
        "  - {pattern: 'fine one', reason: [1], category: Big One, applies_to: all}\n"
        "  - {pattern: 'fine one'}\n"
        "  - only words\n"
        "  - {pattern: 'a1', pattern: 'b1'}\n"
        "keep_patterns: {}\n"
        "skip_patterns: []\n"
        "rules: 3\n"
    )

    assert problems(text) == [
        (2, "(", "this is no regular expression of RE2: missing ): ("),
        (3, "", "the pattern is empty"),
        (4, None, "pattern is a text, got the number 404; put it in quotes"),
        (5, None, "there is no 'patern' here; there are pattern, reason, category, applies_to"),
        (5, None, "the rule has no pattern"),
        (6, "fine one", "reason is a text, got a list"),
        (6, "fine one", "a category is up to 40 small letters, digits, - and _; got 'Big One'"),
        (6, "fine one", "applies_to is one of user, assistant, both; got 'all'"),
        (7, "fine one", "the same pattern stands in line 6, under skip_patterns"),
        (8, None, "a rule is a mapping with a pattern, got a text"),
        (9, None, "pattern stands here twice, first in line 9"),
        (10, None, "keep_patterns is a list of rules, got a mapping"),
        (11, None, "skip_patterns stands here twice, first in line 1"),
        (12, None, "there is no 'rules' here; there are skip_patterns, keep_patterns"),
    ]
    with pytest.raises(RulesError, match=r"(?m)^rules\.yaml, line 2, pattern '\(': this is no .*\.$"):
        parse_rules(text, file="rules.yaml")


@pytest.mark.parametrize(
    ("text", "line", "told"),
    [
        ("keep_patterns: [", 1, "this is no YAML: .* single quotes"),
        ("keep_patterns:\n  - pattern: a: b\n", 2, "this is no YAML"),
        ("- pattern: 'x'\n", 1, "expected skip_patterns and keep_patterns, got a list"),
        ("keep_patterns: []\n---\nkeep_patterns: []\n", 2, "a second document"),
        ("keep_patterns: &a [*a]\n", 1, "anchors and aliases"),
        ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", 1, "anchors and aliases"),
        ("keep_patterns: [*nowhere]\n", 1, "anchors and aliases"),
        ("keep_patterns: !!python/object/apply:os.system ['true']\n", 1, "tags such as .* are not used"),
        ("[" * 100, 1, "more than 8 lists"),
        ("keep_patterns:\n  - pattern: 'a\x07'\n", 2, r"the character U\+0007 is not allowed"),
        ("keep_patterns: []\n#" + "é" * 50_000, None, "larger than 100 kB"),
        ('\nkeep_patterns:\n  - pattern: "\\UFFFFFFFF"\n', 3, "is no YAML: .* too large .* single quotes"),
        ('keep_patterns:\n  - pattern: "\\U00110000"\n', 2, "is no YAML: .* not in range.* single quotes"),
        ("%YAML 1.9\n---\nkeep_patterns: []\n", 1, "is no YAML: version minor part"),
        ("%YAML 1.1\n---\nkeep_patterns: []\n", 2, "directives, .* are not used"),
        ("%TAG ! tag:x,2026:\n---\nkeep_patterns: []\n", 2, "directives, .* are not used"),
    ],
    ids=range(16),
)
def test_what_is_no_file_of_rules_is_refused_by_its_line(text: str, line: int | None, told: str) -> None:
    with pytest.raises(RulesError, match=told) as caught:
        parse_rules(text)
    assert caught.value.problems[0].line == line


def test_more_rules_than_are_read_are_told_by_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("convgate.gatekeeper.rules_reading.MOST_RULES", 2)

    assert problems("keep_patterns: [{pattern: a1}, {pattern: b1}]\nskip_patterns: [{pattern: c1}]") == [
        (None, None, "3 rules; 2 are the most")
    ]


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        (".*", "matches every message, even no words at all"),
        ("x*", "matches every message, even no words at all"),
        ("(?:deploy)?", "matches every message, even no words"),
        ("deploy|", "matches every message, even no words"),
        (".+", "matches every message; it would"),
        (r"[\s\S]", "matches every message; it would"),
        ("(?=x)", r"looking ahead or behind, as with \(\?="),
        ("(?<!x)y", r"looking ahead or behind, as with \(\?<!"),
        (r"(a)\1", r"a reference back to a group, as with \\1"),
        ("(?>a)", r"\(\?> is not supported"),
        ("a++", r"\+\+ is not supported"),
        (r"end\Z", r"written \\z"),
        ("a{5000}", "invalid repetition size"),
        (r"(?:\pL{100}){9}", "pattern too large"),
        ("\bword\b", "has a backspace"),
        ("zero\u200bwidth", r"invisible character U\+200B"),
        ("half \ud83d", r"invisible character U\+D83D"),
        (r"é\C", r"\\C, a single byte, is not supported"),
        (r"\\\C", r"\\C, a single byte, is not supported"),
        ("deploy\n", "a line break at its end, .* write |- instead of | in front of it"),
        ("  ", "is empty"),
        ("a" * 1_001, "has 1,001 characters"),
    ],
)
def test_a_pattern_that_cannot_be_used_says_why(pattern: str, told: str) -> None:
    with pytest.raises(RulesError, match=told):
        Rule(pattern)


@pytest.mark.parametrize(
    "pattern", ["^$", r"^\s*$", r"^[^?]*$", r"\d", r"(?P<n>a)b", r"\bé\b", "^ok$", r"\\C", "a\nb"]
)
def test_a_pattern_that_leaves_some_messages_alone_is_taken(pattern: str) -> None:
    assert pattern_problem(pattern) is None


def test_a_file_says_where_it_is_and_what_is_wrong_with_it(tmp_path: Path) -> None:
    file = tmp_path / "own.yaml"
    with pytest.raises(RulesError, match=r"own\.yaml: there is no such file of rules"):
        read_rules(file)
    with pytest.raises(RulesError, match="cannot be read"):
        read_rules(tmp_path)
    file.write_bytes(b"# caf\xe9\n\nkeep_patterns:\n")
    with pytest.raises(RulesError, match=r"own\.yaml, line 1: this is not UTF-8"):
        read_rules(file)
    file.write_bytes(b"\xef\xbb\xbf" + entry("ünïcode").encode())
    assert read_rules(file).keep_patterns == (Rule("ünïcode"),)
    file.write_bytes(b"#" * 300_000)
    with pytest.raises(RulesError, match="larger than 100 kB"):
        read_rules(file)


def test_words_are_found_where_they_stand_whatever_their_case_and_apostrophes() -> None:
    rules = parse_rules(
        entry("don''t|ÄRGER") + "skip_patterns:\n  - {pattern: ^ok$, applies_to: assistant}\n"
    )
    user = "  \n☃ Bitte DON’T ärger"

    first, second = rules.matches(Exchange(user, " ok\n"))

    assert (first.outcome, user[first.match.start : first.match.end]) == (KEEP, "DON’T")
    assert (second.outcome, second.match.said, second.match.start, second.match.end) == (
        SKIP,
        "assistant",
        1,
        3,
    )
    assert rules.matches(Exchange("ok", "don't")) == []


def test_what_keeps_comes_before_what_skips() -> None:
    rules = parse_rules(
        "skip_patterns: [{pattern: lunch}]\nkeep_patterns: [{pattern: bug}, {pattern: l.nch}]"
    )

    found = rules.matches(Exchange("a bug at lunch"))

    assert [(own.outcome, own.rule.pattern) for own in found] == [
        (KEEP, "bug"),
        (KEEP, "l.nch"),
        (SKIP, "lunch"),
    ]


def test_halves_of_surrogate_pairs_in_a_message_do_no_harm() -> None:
    (found,) = parse_rules(entry("bug")).matches(Exchange("\ud83d bug \udc00"))

    assert (found.match.start, found.match.end) == (2, 5)


LETTERS = st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Cf", "Co", "Cn", "Zl", "Zp"))
WORDS = st.text(LETTERS, min_size=1, max_size=30).filter(lambda text: bool(text.strip()))
RULES = st.builds(
    Rule,
    pattern=WORDS.map(re2.escape).filter(lambda pattern: pattern_problem(pattern) is None),
    reason=st.text(LETTERS, max_size=60).map(str.strip),
    category=st.sampled_from(["custom", "policy", "ticket-nr", "größe", "no", "null", "1"]),
    applies_to=st.sampled_from(["user", "assistant", "both"]),
)


@given(st.lists(RULES, max_size=6, unique_by=lambda rule: rule.pattern), st.integers(0, 6))
def test_rules_written_as_yaml_are_read_back_the_same(rules: list[Rule], middle: int) -> None:
    written = Rules(tuple(rules[:middle]), tuple(rules[middle:]))

    assert parse_rules(written.to_yaml()) == written
