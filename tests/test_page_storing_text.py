"""The parts of the page Storing: saved files, marked matches, changed decisions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.conversation import Conversation, Turn
from convgate.core.settings import load_settings
from convgate.gatekeeper.checks import check
from convgate.gatekeeper.decision import Match
from convgate.gatekeeper.exchange import Exchange, exchanges_of
from convgate.gatekeeper.gatekeeper import Gatekeeper, load_gatekeeper
from convgate.gatekeeper.rules import PatternRule, Rules
from convgate.ui.storing.exchanges import (
    MAX_SHOWN,
    CheckedConversation,
    changed_decisions,
    decide,
    exchange_html,
    mark,
)
from convgate.ui.storing.rules_file import RulesFileError, read_file, rules_path, save, undo

WORDS = ["never", "build", "the", "ok", "it’s", "(fine)", "C++", "thé", "\n", "\u00a0", "a.b", "x" * 90]
MESSAGES = st.lists(st.sampled_from(WORDS), max_size=30).map(" ".join)


def test_a_save_is_undone_to_the_byte(convgate_home: Path) -> None:
    path = rules_path(load_settings())
    convgate_home.mkdir()
    before = b"\xef\xbb\xbf# mine\r\nskip_patterns:\r\n"
    path.write_bytes(before)
    path.chmod(0o640)
    stored = read_file(path)
    assert stored.text == "# mine\nskip_patterns:\n"
    save(stored, b"# other\n")
    assert path.read_bytes() == b"# other\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert stored.backup.stat().st_mode & 0o077 == 0
    undo(read_file(path))
    assert path.read_bytes() == before


def test_an_undone_first_save_leaves_no_rules_for_running_agents(convgate_home: Path) -> None:
    settings = load_settings()
    with pytest.raises(RulesFileError):
        undo(read_file(rules_path(settings)))
    with load_gatekeeper(settings) as gatekeeper:
        save(read_file(rules_path(settings)), b"skip_patterns: [{pattern: lengthy}]\n")
        exchange = Exchange("a lengthy message that nothing else decides about")
        assert not gatekeeper.decide(exchange).keep
        undo(read_file(rules_path(settings)))
        assert gatekeeper.decide(exchange).keep
        assert gatekeeper.problem is None


def test_a_folder_in_place_of_the_file_is_reported(convgate_home: Path) -> None:
    path = rules_path(load_settings())
    path.mkdir(parents=True)
    assert read_file(path).problem


def test_matches_are_marked_where_they_stand_and_overlaps_once() -> None:
    matches = [Match("policy", "never", "user", 3, 8), Match("a&b", '"x"', "user", 6, 12)]
    assert mark("<i>never push</i>", matches) == (
        '&lt;i&gt;<mark title="policy: never">nev</mark>'
        '<mark title="policy: never; a&amp;b: &quot;x&quot;">er</mark>'
        '<mark title="a&amp;b: &quot;x&quot;"> pus</mark>h&lt;/i&gt;'
    )
    assert mark("a", []) == "a"


def test_a_long_message_is_cut() -> None:
    text = "word " * 200_000 + "I prefer tea. "
    assert len(exchange_html(Exchange(text, "a" * 1_000), check(Exchange(text)))) < 2 * MAX_SHOWN


@given(
    st.lists(MESSAGES, min_size=1, max_size=6),
    st.lists(st.sampled_from(["never", "build", "the", "fine", "c\\+\\+"]), unique=True, max_size=4),
    st.integers(0, 4),
)
def test_the_page_shows_what_a_gatekeeper_decides(
    messages: list[str], patterns: list[str], n_skips: int
) -> None:
    made = [PatternRule(pattern, category=pattern[:1]) for pattern in patterns]
    rules = Rules(tuple(made[:n_skips]), tuple(made[n_skips:]))
    turns = tuple(Turn.of("user" if i % 2 == 0 else "assistant", text) for i, text in enumerate(messages))
    placed = exchanges_of(Conversation("a", turns))
    checked = CheckedConversation(
        "a", "A", placed, [check(one.exchange, index=one.user_turn) for one in placed]
    )
    gatekeeper = Gatekeeper(rules=rules)
    expected = [gatekeeper.decide(one.exchange, index=one.user_turn) for one in placed]
    rows = decide(checked, rules)
    assert [row.decision for row in rows] == expected
    assert [row.decision.index for row in changed_decisions([checked], Rules(), rules)] == [
        new.index
        for new, old in zip(expected, checked.decisions, strict=True)
        if (new.keep, new.category) != (old.keep, old.category)
    ]
    assert changed_decisions([checked], rules, rules) == []
