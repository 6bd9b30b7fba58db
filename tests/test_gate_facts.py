"""What one turn tells about itself."""

from __future__ import annotations

import math
import timeit
from datetime import UTC, datetime, timedelta, timezone

import pytest

from convgate.conversation import Situation, ToolCall, Turn
from convgate.gate import facts
from convgate.gate.facts import facts_of, situation_facts


def test_speaker_is_the_name_or_else_the_role():
    named, unnamed = facts_of(Turn.of("user", "hi", name="ANNA")), facts_of(Turn.of("User", "hi"))
    assert (named.speaker, named.named) == ("anna", True)
    assert (unnamed.speaker, unnamed.named) == ("user", False)


def test_assistant_is_told_by_the_role_whatever_its_name():
    assert facts_of(Turn.of("assistant", "hi", name="Max")).assistant
    assert not facts_of(Turn.of("user", "hi", name="assistant")).assistant


def test_tokens_have_words_and_nicks_without_the_signs_around_them():
    tokens = facts_of(Turn.of("user", 'Hey k1l|away: (see @Bob, "c++" and FOO-bar!)')).tokens
    assert {"k1l|away", "bob", "c++", "foo-bar", "k1l", "away", "foo", "bar", "c"} <= tokens
    assert "hey" in tokens
    assert "Hey" not in tokens


def test_tokens_are_found_in_any_script():
    assert {"🦊", "zoë", "日本語"} <= facts_of(Turn.of("user", "🦊, ZOË! 日本語。")).tokens


def test_stems_are_counted():
    assert facts_of(Turn.of("user", "Boots booting kernel")).stems == {"boot": 2, "kernel": 1}


def test_length_grows_with_the_logarithm_of_words():
    assert facts_of(Turn.of("user", "one, two three")).length == pytest.approx(math.log(4))
    assert facts_of(Turn.of("user", "?!")).length == 0


@pytest.mark.parametrize(
    ("text", "asks"), [("why?", True), ("为什么？", True), ("لماذا؟", True), ("why", False)]
)
def test_question_marks_of_several_scripts(text: str, asks: bool):
    assert facts_of(Turn.of("user", text)).question is asks


@pytest.mark.parametrize(
    ("text", "code"),
    [
        *(("```\nx\n```", True), ("call f()", True), ("a {b", True), ("see https://a.example", True)),
        *(("see http://a.example", True), ("f(x) = 2", False), ("plain `words`", False), ("", False)),
    ],
)
def test_code_and_addresses(text: str, code: bool):
    assert facts_of(Turn.of("user", text)).code is code


def test_pointing_and_comparing_words_count_once_each():
    found = facts_of(Turn.of("user", "It is IT, that one. Others? both, rather than either both"))
    assert (found.pointing, found.comparing) == (3, 3)
    assert facts_of(Turn.of("user", "the item of another")).pointing == 0


def test_times_without_a_zone_are_as_if_in_utc():
    naive = datetime(2024, 1, 1, 12)
    tokyo = datetime(2024, 1, 1, 21, tzinfo=timezone(timedelta(hours=9)))
    found = {
        facts_of(Turn.of("user", "hi", timestamp=time)).minutes
        for time in (naive, naive.replace(tzinfo=UTC), tokyo)
    }
    assert found == {datetime(2024, 1, 1, 12, tzinfo=UTC).timestamp() / 60}
    assert (
        facts_of(Turn.of("user", "hi", timestamp=naive + timedelta(seconds=90))).minutes == found.pop() + 1.5
    )
    assert math.isnan(facts_of(Turn.of("user", "hi")).minutes)


@pytest.mark.parametrize("time", [datetime.min, datetime.max, datetime.min.replace(tzinfo=UTC)])
def test_times_at_the_ends_of_the_calendar_have_minutes(time: datetime):
    assert math.isfinite(facts_of(Turn.of("user", "hi", timestamp=time)).minutes)


def test_typed_question_is_told_from_a_turn():
    turn = Turn.of("user", "hi")
    assert situation_facts(Situation(turn)).typed
    assert not situation_facts(Situation(turn, 3)).typed
    assert not facts_of(turn).typed
    assert situation_facts(Situation(turn, 3)) == facts_of(turn)


def test_calls_of_tools_are_read_like_text():
    calls = Turn(role="assistant", tool_calls=(ToolCall("1", "lookup", '{"city": "Oslo"}'),))
    found = facts_of(calls)
    assert "oslo" in found.stems
    assert found.code


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\N{ZERO WIDTH SPACE}", "🦊🦊", "\ud800"])
def test_text_without_words(text: str):
    found = facts_of(Turn.of("user", text))
    assert (found.length, found.stems, found.pointing, found.question) == (0, {}, 0, False)


def test_only_the_first_2000_words_are_looked_at():
    found = facts_of(Turn.of("user", "first " + "filler " * 1_999 + "it than Anna"))
    assert found.length == pytest.approx(math.log1p(2_000))
    assert {"first", "filler"} <= found.tokens
    assert not {"anna", "it", "than"} & found.tokens
    assert set(found.stems) == {"first", "filler"}
    assert (found.pointing, found.comparing) == (0, 0)


def test_long_texts_are_not_kept():
    facts._kept.cache_clear()
    facts_of(Turn.of("user", "x" * 100_000))
    facts_of(Turn.of("user", "a word " * 72))
    assert facts._kept.cache_info().currsize == 0
    facts_of(Turn.of("user", "a word"))
    assert facts_of(Turn.of("user", "a word")) is facts_of(Turn.of("user", "a word"))
    assert facts._kept.cache_info().currsize == 1


def test_what_is_kept_of_one_turn_is_not_taken_for_another():
    same = [
        Turn.of("user", "hi"),
        Turn.of("assistant", "hi"),
        Turn.of("user", "hi", name="Anna"),
        Turn.of("user", "hi", timestamp=datetime(2024, 1, 1)),
    ]
    found = [facts_of(turn) for turn in same] + [situation_facts(Situation(same[0]))]
    assert len({(f.speaker, f.named, str(f.minutes), f.typed) for f in found}) == 5


def test_a_text_costs_what_its_length_is():
    def seconds(text: str) -> float:
        turn = Turn.of("user", text)
        return min(timeit.repeat(lambda: facts_of(turn), number=1, repeat=5))

    for sign in ("a", "\n", "語", "A", "1_"):
        assert seconds(sign * 16_000) < 12 * seconds(sign * 4_000)


def test_what_is_written_like_code_or_a_name_is_an_identifier():
    told = facts_of(Turn.of("user", "Set max_retries to 3 in the ParseConfig of userId, as Anna said"))
    assert {"max_retri", "3", "parseconfig", "userid", "anna"} >= told.identifiers >= {"3", "userid", "anna"}
    assert facts_of(Turn.of("user", "Please say that again")).identifiers == frozenset()
