"""The samples: each opens, agrees with its README, and shows what it is for."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import convgate
from convgate.core.conversation import Conversation
from convgate.embedding import default_encoder, minilm
from convgate.messages.check import check_valid
from convgate.transcripts import RelevanceSet, Transcript, read_conversations, read_relevance_set
from convgate.ui.library.page import N_FEATURED
from convgate.ui.shared.samples import load_samples

SAMPLES = Path(__file__).resolve().parent.parent / "sample_conversations"
RELEVANCE = "samples.relevance.jsonl"
FILES = sorted(path.name for path in SAMPLES.iterdir() if path.name not in {"README.md", RELEVANCE})
ROW = re.compile(r"^\| `([^`]+)` \| [^|]+ \| ([^|]+) \|", re.MULTILINE)
STATED = {
    name: [int(number) for number in re.findall(r"\d+", count)]
    for name, count in ROW.findall((SAMPLES / "README.md").read_text(encoding="utf-8"))
}


@cache
def read_sample(name: str) -> Transcript:
    return read_conversations(SAMPLES / name)


@pytest.fixture(scope="module")
def questions() -> tuple[Conversation, ...]:
    return read_sample("nan_and_fibonacci.jsonl").conversations


@pytest.fixture(scope="module")
def relevance() -> RelevanceSet:
    return read_relevance_set(SAMPLES / RELEVANCE)


def test_the_readme_lists_every_file_and_nothing_else():
    assert sorted(STATED) == sorted([*FILES, RELEVANCE])


@pytest.mark.parametrize("name", FILES)
def test_a_sample_opens_without_a_problem_and_with_the_stated_number_of_messages(name):
    transcript = read_sample(name)
    assert transcript.problems == ()
    lengths = [len(conversation) for conversation in transcript]
    assert min(lengths) > 0
    *conversations, length = STATED[name]
    assert lengths == [length] * (conversations[0] if conversations else 1)


@pytest.mark.parametrize("name", FILES)
def test_a_sample_ends_with_the_message_to_be_answered(name):
    assert len(read_sample(name)) > 0
    for conversation in read_sample(name):
        assert conversation.turns[-1].role == "user"
        assert all(turn.scored_text.strip() for turn in conversation.turns)


@pytest.mark.parametrize("name", FILES)
def test_a_sample_can_be_sent_as_it_is(name):
    assert len(read_sample(name)) > 0
    for conversation in read_sample(name):
        assert check_valid(conversation.turns) == []


@pytest.mark.parametrize("name", [*FILES, RELEVANCE, "README.md"])
def test_a_sample_has_nothing_private(name):
    text = (SAMPLES / name).read_text(encoding="utf-8")
    assert text.strip()
    assert re.findall(r"[\w.+-]+@(?!pytest\.)[\w-]+\.\w+|/(?:home|work|tmp|root|Users)/", text) == []
    assert set(re.findall(r"https?://([^/\"\s]+)", text)) <= {"example.com"}


@pytest.mark.shipped
@pytest.mark.xdist_group("encoder")
@pytest.mark.parametrize(
    ("sample", "relevant", "noise"),
    [
        ("nan_and_fibonacci.jsonl", {0, 1, 2, 3}, {4, 5, 6, 7}),
        ("support_invoice_router_parcel.json", {1, 2, 3}, set(range(60, 73))),
        ("house_renovation_eight_months.json", {10, 309}, set(range(290, 305))),
        ("family_meals_allergies.md", {0, 18}, {20, 21, 22, 23}),
        ("offline_shopping_list.json", {6, 9, 11}, {14, 15, 16, 17, 18, 19, 20, 21}),
        ("nothing_relevant.json", set(), set(range(1, 15))),
    ],
)
def test_a_featured_sample_opens_where_the_gate_keeps_old_turns_and_ranks_them_above_noise(
    sample: str, relevant: set[int], noise: set[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(minilm, "load_minilm", lambda: pytest.fail("its vectors ship"))
    featured = {each.file: each for each in load_samples(SAMPLES)[:N_FEATURED]}[sample]
    messages = [
        {"role": each.role, "content": each.scored_text}
        for each in featured.conversations[0].turns[: featured.turn + 1]
    ]
    decisions = convgate.load().select(messages).decisions
    assert relevant <= set(decisions.kept_indices), "the promise: hardly a needed turn is lost"
    assert not decisions.kept.all(), "it is not that all is kept"
    least = min((float(decisions.scores[turn]) for turn in relevant), default=0.5)
    below = sum(float(decisions.scores[turn]) < least for turn in noise)
    assert below >= 0.75 * len(noise)


class TestNanAndFibonacci:
    @pytest.mark.slow
    @pytest.mark.xdist_group("encoder")
    def test_cosine_ranks_the_four_that_matter_first(self, questions):
        encoder = default_encoder()
        for question, relevant in [(0, {0, 1, 2, 3}), (3, {4, 5, 6, 7})]:
            vectors = encoder.encode([turn.scored_text for turn in questions[question].turns])
            ranking = np.argsort(-(vectors[:-1] @ vectors[-1]))
            assert set(ranking[:4].tolist()) == relevant


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
        samples = [conversation for name in FILES for conversation in read_sample(name)]
        known = {tuple(turn.text for turn in conversation.turns) for conversation in samples}
        known.add(tuple(turn.text for turn in questions[0].turns[:-1]))
        assert relevance.conversations
        for conversation in relevance.conversations.values():
            assert tuple(turn.text for turn in conversation.turns) in known
