"""Relevance sets: reading, checks, round trips."""

import json

import pytest

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts import (
    BadLinesError,
    Case,
    RelevanceSet,
    read_conversations,
    read_relevance_set,
    write_conversation,
    write_relevance_set,
)

CONVERSATION = {
    "type": "conversation",
    "id": "talk",
    "messages": [
        {"role": "user", "name": "Nadia", "content": "a", "timestamp": "2026-05-08T13:56:00", "source": "s1"},
        {"role": "assistant", "content": "b", "source": "s2"},
        {"role": "user", "content": "c"},
    ],
}


def case(**fields):
    return {"type": "case", "id": "case", "conversation": "talk", "turn": 2, "relevant": [0], **fields}


def case_without_turn(**fields):
    return {key: value for key, value in case(**fields).items() if key != "turn"}


@pytest.fixture
def read(tmp_path):
    def read(*lines, **options):
        path = tmp_path / "tiny.dev.jsonl"
        path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines))
        return read_relevance_set(path, **options)

    return read


def test_conversations_and_cases_are_read_in_any_order(read):
    relevance_set = read(case(window=1, relevant=[1], tags=["returns"]), CONVERSATION)

    assert (relevance_set.name, list(relevance_set.conversations)) == ("tiny.dev", ["talk"])
    assert relevance_set.cases == (Case("case", "talk", 2, None, frozenset({1}), 1, ("returns",)),)
    first, second, _ = relevance_set.conversations["talk"].turns
    assert (first.name, first.timestamp.isoformat(), first.metadata) == (
        "Nadia",
        "2026-05-08T13:56:00",
        {"source": "s1"},
    )
    assert second.source == CONVERSATION["messages"][1]


def test_a_case_gives_its_current_message_and_history(read):
    question = {"role": "user", "content": "And a?"}
    relevance_set = read(
        CONVERSATION,
        case(),
        case(id="cut", window=1, relevant=[]),
        case_without_turn(id="asked", query=question),
    )

    current_messages = [relevance_set.current(case) for case in relevance_set.cases]
    assert [current.index for current, _ in current_messages] == [2, 2, None]
    assert current_messages[2][0].turn.text == "And a?"
    assert [(history.start, history.stop) for _, history in current_messages] == [(0, 2), (1, 2), (0, 3)]


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ("{", None),
        (5, None),
        ({"type": "note"}, None),
        ({"type": "conversation", "messages": []}, "id"),
        ({"type": "conversation", "id": "x"}, "messages"),
        ({"type": "conversation", "id": "x", "messages": [{"role": "user"}]}, "messages[0].content"),
        (CONVERSATION, "id"),
        (case(conversation="who"), "conversation"),
        (case(conversation=5), "conversation"),
        (case(id=""), "id"),
        (case(turn=3), "turn"),
        (case(turn=True), "turn"),
        (case(turn=-1), "turn"),
        (case_without_turn(), "turn"),
        (case(query={"role": "user", "content": "?"}), "turn"),
        (case_without_turn(query={"role": "user"}), "query.content"),
        (case(relevant=None), "relevant"),
        (case(relevant=[0, 2]), "relevant[1]"),
        (case(relevant=[-1]), "relevant[0]"),
        (case(relevant=[None]), "relevant[0]"),
        (case(relevant=[0], window=1), "relevant[0]"),
        (case(turn=0), "relevant[0]"),
        (case(judged=[0, 2]), "judged[1]"),
        (case(judged=0), "judged"),
        (case(judged=["0"]), "judged[0]"),
        (case(judged=[1]), "judged"),
        (case(window="all"), "window"),
        (case(tags="new"), "tags"),
    ],
)
def test_a_bad_line_is_reported_and_can_be_skipped(read, line, field):
    good = case(id="good")
    with pytest.raises(BadLinesError) as raised:
        read(CONVERSATION, line, good)
    assert raised.value.field == field
    relevance_set = read(CONVERSATION, line, good, skip_bad=True)
    assert [problem.line for problem in relevance_set.problems] == [2]
    assert (list(relevance_set.conversations), [case.id for case in relevance_set.cases]) == (
        ["talk"],
        ["good"],
    )


def test_its_conversations_open_as_a_transcript_and_come_back_as_a_line(read, tmp_path):
    relevance_set = read(CONVERSATION, case())
    transcript = read_conversations(tmp_path / "tiny.dev.jsonl")
    assert transcript.format == "relevance-set"
    assert transcript.conversations == tuple(relevance_set.conversations.values())
    assert write_conversation(transcript.conversations[0]) == json.dumps(CONVERSATION) + "\n"


def test_what_is_written_is_read_back(read, tmp_path):
    relevance_set = read(
        CONVERSATION,
        case(tags=["a"], window=2),
        case_without_turn(id="q", query={"role": "user", "content": "?"}),
    )
    path = tmp_path / "tiny.dev.jsonl"
    write_relevance_set(relevance_set, path)
    assert read_relevance_set(path) == relevance_set
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_judged_turns_come_back_and_all_are_judged_unless_said(read, tmp_path):
    relevance_set = read(
        CONVERSATION, case(judged=[1, 0]), case(id="none", relevant=[], judged=[]), case(id="all")
    )
    assert [one.judged for one in relevance_set.cases] == [frozenset({0, 1}), frozenset(), None]
    assert [one.says_something for one in relevance_set.cases] == [True, False, True]
    path = tmp_path / "tiny.dev.jsonl"
    write_relevance_set(relevance_set, path)
    assert read_relevance_set(path) == relevance_set


def test_a_set_that_cannot_be_written_leaves_nothing_half(read, tmp_path):
    relevance_set = read(CONVERSATION, case())
    folder = tmp_path / "folder.jsonl"
    folder.mkdir()
    with pytest.raises(TranscriptError):
        write_relevance_set(relevance_set, folder)
    turn = Turn("user", source={"role": "user", "content": object()})
    unwritable = RelevanceSet("x", {"c": Conversation("c", (turn,))}, ())
    with pytest.raises(TranscriptError):
        write_relevance_set(unwritable, tmp_path / "x.jsonl")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder.jsonl", "tiny.dev.jsonl"]
