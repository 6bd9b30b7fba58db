"""The samples: each opens, is what its README says, and has the property that it is there to show."""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from convgate.conversation import Conversation
from convgate.embedding import default_encoder
from convgate.messages.check import check_valid
from convgate.transcripts import RelevanceSet, Transcript, read_conversations, read_relevance_set

SAMPLES = Path(__file__).resolve().parent.parent / "sample_conversations"
RELEVANCE = "samples.relevance.jsonl"
FILES = sorted(path.name for path in SAMPLES.iterdir() if path.name not in {"README.md", RELEVANCE})
ROW = re.compile(r"^\| `([^`]+)` \| [^|]+ \| ([^|]+) \|", re.MULTILINE)
STATED = {
    name: [int(number) for number in re.findall(r"\d+", count)]
    for name, count in ROW.findall((SAMPLES / "README.md").read_text(encoding="utf-8"))
}


@cache
def opened(name: str) -> Transcript:
    return read_conversations(SAMPLES / name)


def test_there_are_samples_to_look_at():
    assert len(FILES) >= 16


def only(name: str) -> Conversation:
    (conversation,) = opened(name)
    return conversation


@pytest.fixture(scope="module")
def questions() -> tuple[Conversation, ...]:
    return opened("nan_and_fibonacci.jsonl").conversations


@pytest.fixture(scope="module")
def relevance() -> RelevanceSet:
    return read_relevance_set(SAMPLES / RELEVANCE)


def test_the_readme_lists_every_file_and_nothing_else():
    assert sorted(STATED) == sorted([*FILES, RELEVANCE])


@pytest.mark.parametrize("name", FILES)
def test_a_sample_opens_without_a_problem_and_with_the_stated_number_of_messages(name):
    transcript = opened(name)
    assert transcript.problems == ()
    lengths = [len(conversation) for conversation in transcript]
    assert min(lengths) > 0
    *conversations, length = STATED[name]
    assert lengths == [length] * (conversations[0] if conversations else 1)


@pytest.mark.parametrize("name", FILES)
def test_a_sample_ends_with_the_message_to_be_answered(name):
    assert len(opened(name)) > 0
    for conversation in opened(name):
        assert conversation.turns[-1].role == "user"
        assert all(turn.scored_text.strip() for turn in conversation.turns)


@pytest.mark.parametrize("name", FILES)
def test_a_sample_can_be_sent_as_it_is(name):
    assert len(opened(name)) > 0
    for conversation in opened(name):
        assert check_valid(conversation.turns) == []


def test_several_formats_are_shown():
    formats = {opened(name).format for name in FILES}
    assert formats == {"openai", "sharegpt", "csv", "markdown"}


def test_no_text_is_used_twice():
    texts = Counter(
        turn.text
        for name in FILES
        if not name.startswith("nan_and_fibonacci")
        for talk in opened(name)
        for turn in talk.turns
        if len(turn.text) > 40
    )
    assert len(texts) > 100
    assert [text for text, times in texts.items() if times > 1] == []


@pytest.mark.parametrize("name", [*FILES, RELEVANCE, "README.md"])
def test_nothing_private_is_in_a_sample(name):
    text = (SAMPLES / name).read_text(encoding="utf-8")
    assert text.strip()
    assert re.findall(r"[\w.+-]+@(?!pytest\.)[\w-]+\.\w+|/(?:home|work|tmp|root|Users)/", text) == []
    assert set(re.findall(r"https?://([^/\"\s]+)", text)) <= {"example.com"}


class TestNanAndFibonacci:
    def test_four_questions_share_eight_turns_and_each_has_a_title(self, questions):
        histories = {tuple(turn.text for turn in talk.turns[:-1]) for talk in questions}
        assert [len(history) for history in histories] == [8]
        assert len({talk.turns[-1].text for talk in questions}) == 4
        assert len({talk.title for talk in questions}) == 4

    def test_the_single_file_is_the_first_of_the_four(self, questions):
        assert only("nan_and_fibonacci.json").turns == questions[0].turns

    @pytest.mark.slow
    @pytest.mark.xdist_group("encoder")
    def test_cosine_ranks_the_four_that_matter_first(self, questions):
        encoder = default_encoder()
        for question, relevant in [(0, {0, 1, 2, 3}), (3, {4, 5, 6, 7})]:
            vectors = encoder.encode([turn.scored_text for turn in questions[question].turns])
            ranking = np.argsort(-(vectors[:-1] @ vectors[-1]))
            assert set(ranking[:4].tolist()) == relevant


def test_the_support_conversation_is_long_with_names_and_times_in_order():
    talk = only("support_invoice_router_parcel.json")
    said = [turn for turn in talk.turns if not turn.is_instruction]
    assert 60 <= len(said) <= 90
    assert {turn.name for turn in said if turn.role == "assistant"} == {"Sunniva", "Dario", "Ilse", "Henrik"}
    assert_in_order(talk)


def test_the_coding_session_pairs_every_call_with_its_result():
    turns = only("coding_with_tools.json").turns
    calls = [call for turn in turns for call in turn.tool_calls]
    assert all(isinstance(json.loads(call.arguments), dict) for call in calls)
    assert len({call.id for call in calls}) == len(calls)
    assert [call.id for call in calls] == [turn.tool_call_id for turn in turns if turn.role == "tool"]
    assert max(len(turn.tool_calls) for turn in turns) > 1
    results = [turn.text for turn in turns if turn.role == "tool"]
    failed = [index for index, text in enumerate(results) if " failed" in text]
    assert failed
    assert any(" passed" in text and " failed" not in text for text in results[failed[-1] :])


def test_the_long_conversation_has_more_than_300_turns_over_eight_months():
    talk = only("house_renovation_eight_months.json")
    assert len(talk) > 300
    assert_in_order(talk)
    months = {turn.timestamp.month for turn in talk.turns if turn.timestamp}
    assert months == set(range(2, 10))


def test_the_diary_spans_several_days():
    talk = only("sourdough_nine_days.csv")
    assert_in_order(talk)
    assert len({turn.timestamp.date() for turn in talk.turns if turn.timestamp}) >= 9


def test_two_people_address_each_other_and_an_assistant_answers():
    turns = only("repair_cafe_two_people.json").turns
    said = {name: " ".join(turn.text for turn in turns if turn.name == name) for name in ("Nadia", "Teo")}
    assert "Teo" in said["Nadia"]
    assert "Nadia" in said["Teo"]
    assert any(turn.role == "assistant" for turn in turns)


def test_the_help_channel_has_users_alone_who_name_each_other():
    talk = only("makerspace_help_channel.csv")
    names = {turn.name for turn in talk.turns if turn.name}
    assert {turn.role for turn in talk.turns} == {"user"}
    assert len(names) >= 5
    assert sum(any(name in turn.text.lower() for name in names) for turn in talk.turns) >= 10
    assert_in_order(talk)


def test_pictures_come_by_address_and_as_data():
    source = (SAMPLES / "plants_with_pictures.json").read_text(encoding="utf-8")
    assert "https://example.com/" in source
    assert "data:image/png;base64," in source
    pictures = [part for turn in only("plants_with_pictures.json").turns for part in turn.parts]
    assert {part.kind for part in pictures} == {"text", "image_url"}


class TestRelevanceSet:
    def test_it_has_the_stated_cases_some_of_them_empty(self, relevance):
        assert relevance.problems == ()
        assert [len(relevance.cases)] == STATED[RELEVANCE]
        assert len(relevance.conversations) >= 5
        assert 0 < sum(not case.relevant for case in relevance.cases) < len(relevance.cases) / 2

    def test_cases_without_relevant_turns_are_those_tagged_as_new_topics(self, relevance):
        assert relevance.cases
        assert all((not case.relevant) == ("new-topic" in case.tags) for case in relevance.cases)

    def test_its_indices_are_those_of_the_samples(self, relevance, questions):
        samples = [talk for name in FILES for talk in opened(name)]
        known = {tuple(turn.text for turn in talk.turns) for talk in samples}
        known.add(tuple(turn.text for turn in questions[0].turns[:-1]))
        assert relevance.conversations
        for talk in relevance.conversations.values():
            assert tuple(turn.text for turn in talk.turns) in known

    def test_what_is_relevant_is_never_an_instruction(self, relevance):
        assert relevance.cases
        for case in relevance.cases:
            _, history = relevance.situation(case)
            assert not any(history[index].is_instruction for index in case.relevant)


def assert_in_order(talk: Conversation) -> None:
    """Every turn has a time, and none goes back."""
    times = [turn.timestamp for turn in talk.turns]
    assert len(times) > 1
    assert None not in times
    assert all(earlier <= later for earlier, later in pairwise(times))
