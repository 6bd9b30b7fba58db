"""What Rules writes and marks: a rule more in a person's text, a file that is taken back, words marked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.conversation import Conversation, Turn
from convgate.gatekeeper.checks import check
from convgate.gatekeeper.decision import KEEP, SKIP, Match
from convgate.gatekeeper.errors import RulesError
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.exchanges import exchanges_of
from convgate.gatekeeper.gatekeeper import Gatekeeper
from convgate.gatekeeper.rule import Rule
from convgate.gatekeeper.rules import Rules, parse_rules
from convgate.gatekeeper.statistics import Statistics
from convgate.settings import load_settings
from convgate.ui.rules.adding import EXAMPLE, line_of, pattern_of, pattern_of_words, with_rule
from convgate.ui.rules.counting import tally
from convgate.ui.rules.deciding import with_own
from convgate.ui.rules.flips import changes
from convgate.ui.rules.looked import Looked, Talk
from convgate.ui.rules.looking import decided
from convgate.ui.rules.rows import EXCERPT, LONGEST, exchange_html, marked
from convgate.ui.rules.rules_file import FORMER, RulesFileError, former, read_file, rules_path, save, undo
from tests.page_talk import TALK

WORDS = ["never", "build", "the", "ok", "it’s", "(fine)", "C++", "thé", "\n", "\u00a0", "a.b"]
MESSAGES = st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join)


@given(
    MESSAGES,
    st.sampled_from([SKIP, KEEP]),
    st.sampled_from(["", EXAMPLE, "keep_patterns: [{pattern: x1}]\n"]),
)
def test_a_rule_made_of_a_message_is_one_rule_more_and_finds_that_message(
    message: str, outcome: str, text: str
) -> None:
    pattern = pattern_of(message)
    if pattern is None:
        assert not message.strip()
        return
    before, added = parse_rules(text), with_rule(text, outcome, pattern, "says “it's so”: # never")
    rules = parse_rules(added)
    assert len(rules) == len(before) + 1
    new = (rules.skip_patterns if outcome == SKIP else rules.keep_patterns)[-1]
    assert (new.pattern, new.reason) == (pattern, "says “it's so”: # never")
    assert [one.rule for one in Rules(keep_patterns=(new,)).matches(Exchange(message))] == [new]
    line = line_of(added, pattern)
    assert line is None or pattern.replace("'", "''") in added.split("\n")[line - 1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "skip_patterns:\n  - pattern: 'p1'\n    reason: 'r'\n"),
        ("skip_patterns: []", "skip_patterns:\n  - pattern: 'p1'\n    reason: 'r'\n"),
        (
            "skip_patterns:\n- pattern: x1\n# end\nkeep_patterns:\n",
            "skip_patterns:\n- pattern: x1\n- pattern: 'p1'\n  reason: 'r'\n# end\nkeep_patterns:\n",
        ),
        ("skip_patterns: {", "skip_patterns: {\n  - pattern: 'p1'\n    reason: 'r'\n"),
    ],
    ids=["nothing", "an empty list", "another indent, and a comment", "no YAML at all"],
)
def test_a_rule_goes_to_the_end_of_its_list_and_all_else_stays(text: str, expected: str) -> None:
    assert with_rule(text, SKIP, "p1", "r") == expected


def test_words_are_found_whole_and_a_very_long_word_is_cut() -> None:
    pattern = pattern_of_words(" red   build ")
    assert pattern is not None
    rules = Rules(skip_patterns=(Rule(pattern),))
    assert rules.matches(Exchange("The Red build, again"))
    assert not rules.matches(Exchange("the tired builder"))
    assert pattern_of_words(" ") is None
    assert pattern_of("x" * 5_000) == f"^{'x' * 80}"


def test_a_save_keeps_line_ends_and_permissions_and_is_taken_back_to_the_byte(convgate_home: Path) -> None:
    settings = load_settings()
    path = rules_path(settings)
    convgate_home.mkdir()
    before = b"\xef\xbb\xbf# mine\r\nskip_patterns:\r\n"
    path.write_bytes(before)
    path.chmod(0o640)
    file = read_file(path)
    assert file.text == "# mine\nskip_patterns:\n"
    save(settings, file, "# other\n")
    assert path.read_bytes() == b"# other\r\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert (convgate_home / FORMER).stat().st_mode & 0o077 == 0
    undo(settings, read_file(path))
    assert path.read_bytes() == before

    with pytest.raises(RulesFileError, match="changed by another program"):
        save(settings, replace(file, content=b"# else"), "# lost?\n")
    assert path.read_bytes() == before
    path.write_bytes(b"# another program")
    assert former(settings, read_file(path)) is None
    with pytest.raises(RulesFileError, match="changed since it was saved here"):
        undo(settings, read_file(path))
    for record in (b"{", b"[]", json.dumps({"path": str(path), "before": 1}).encode()):
        (convgate_home / FORMER).write_bytes(record)
        assert former(settings, read_file(path)) is None


def test_a_first_save_that_is_taken_back_leaves_no_rules_for_agents_that_run(convgate_home: Path) -> None:
    settings = load_settings()
    with Gatekeeper.of(settings) as gatekeeper:
        save(settings, read_file(rules_path(settings)), "skip_patterns: [{pattern: lengthy}]\n")
        exchange = Exchange("a lengthy message that nothing else decides about")
        assert not gatekeeper.decide(exchange).keep
        undo(settings, read_file(rules_path(settings)))
        assert gatekeeper.decide(exchange).keep
        assert gatekeeper.problem is None


def test_a_folder_in_the_place_of_the_file_is_told(convgate_home: Path) -> None:
    path = rules_path(load_settings())
    path.mkdir(parents=True)
    assert "cannot be read" in read_file(path).problem


def test_words_are_marked_where_they_stand_and_overlaps_once() -> None:
    matches = [Match("policy", "never", "user", 3, 8), Match("a&b", '"x"', "user", 6, 12)]
    html = marked("<i>never push</i>", matches)
    assert html == (
        '&lt;i&gt;<mark title="policy: never">nev</mark>'
        '<mark title="policy: never; a&amp;b: &quot;x&quot;">er</mark>'
        '<mark title="a&amp;b: &quot;x&quot;"> pus</mark>h&lt;/i&gt;'
    )
    assert marked("\0a", [], 1) == "a"


def test_a_long_message_is_shown_from_the_words_that_matched_and_a_megabyte_is_cut() -> None:
    text = "word " * 200_000 + "I prefer tea. " + "<b>" * 200
    html = exchange_html(Exchange(text, "a" * 1_000), check(Exchange(text)))
    summary = html[html.index("<summary") : html.index("</summary>")]
    assert "I prefer</mark> tea" in summary
    assert summary.count("…") == 2
    assert len(summary) < 4 * EXCERPT
    assert f"{len(text) - LONGEST:,} more characters are shown in Explore" in html
    assert len(html) < 3 * LONGEST
    assert "no text" in exchange_html(Exchange(" "), check(Exchange(" ")))


@given(
    st.lists(MESSAGES, min_size=1, max_size=6),
    st.lists(st.sampled_from(["never", "build", "the", "fine", "c\\+\\+"]), unique=True, max_size=4),
    st.integers(0, 4),
)
def test_what_is_told_beside_the_editor_is_what_a_gatekeeper_decides(
    messages: list[str], patterns: list[str], skipped: int
) -> None:
    made = [Rule(pattern, category=pattern[:1]) for pattern in patterns]
    rules = Rules(tuple(made[:skipped]), tuple(made[skipped:]))
    turns = tuple(Turn.of("user" if i % 2 == 0 else "assistant", text) for i, text in enumerate(messages))
    held, gatekeeper = Looked(), Gatekeeper(rules=rules)
    conversation = Conversation("a", turns)
    talk = decided(conversation, gatekeeper.limits)
    held.put("a", talk)
    truth = [gatekeeper.decide(one.exchange, item=one.user_turn) for one in exchanges_of(conversation)]
    pairs = zip(talk.built_in, talk.exchanges, strict=True)
    assert [with_own(rules, built_in, one.exchange) for built_in, one in pairs] == truth
    rows = held.rows(rules, ["a"])
    assert [(row.keep, row.category) for row in rows] == [(one.keep, one.category) for one in truth]
    counts = Statistics.of(truth)
    assert tally((row.category, row.keep) for row in rows) == counts.categories
    assert sum(row.is_default for row in rows) == counts.kept_by_default
    found = changes(held, ["a"], Rules(), rules)
    flipped = [
        flip.item
        for flip, built_in in zip(truth, talk.built_in, strict=True)
        if (flip.keep, flip.category) != (built_in.keep, built_in.category)
    ]
    assert [talk.exchanges[flip.now.place].user_turn for flip in found.flips] == flipped
    assert changes(held, ["a"], rules, rules).flips == []
    assert sum(found.decided_by.values()) == sum(row.own is not None for row in rows)


def test_only_new_rules_are_looked_for_and_talks_that_went_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held = Looked()
    held.put("a", decided(Conversation("a", TALK), Gatekeeper().limits))
    looked_for: list[str] = []
    places = Talk.places

    def noted(talk: Talk, rule: Rule) -> frozenset[int]:
        looked_for.append(rule.pattern)
        return places(talk, rule)

    monkeypatch.setattr(Talk, "places", noted)
    held.ruled(Rules((Rule("loss"),)), ["a"])
    found = held.ruled(Rules((Rule("loss", line=7),), (Rule("batch"),)), ["a"])
    assert looked_for == ["loss", "batch"]
    assert found["a"][0] == (KEEP, Rule("batch")), "what is to be kept comes first"
    assert found["a"][2] == (SKIP, Rule("loss"))
    held.keep_only(["b"])
    assert held.talk("a") is None
    assert held.rows(Rules((Rule("loss"),)), ["a"]) == []


def test_the_example_is_a_file_of_rules_and_broken_text_is_none() -> None:
    assert len(parse_rules(EXAMPLE)) == 2
    with pytest.raises(RulesError, match="line 1"):
        parse_rules("skip_patterns: {")
