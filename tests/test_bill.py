"""The bill of logged conversations, computed by hand, and `convgate bill`."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from convgate.core.conversation import Conversation, Turn
from convgate.costs.prices import Price
from convgate.evaluation.bill import (
    PAUSES,
    Select,
    TimedRequest,
    bill_conversation,
    count_answer_tokens,
    list_requests,
    sum_bills,
)
from convgate.evaluation.logged_usage import read_logged_usage
from convgate.messages.tokens import turn_tokens
from convgate.transcripts import turns_from_messages
from convgate.transcripts.cases import Case, RelevanceSet
from convgate.transcripts.relevance_sets import write_relevance_set
from tests.commands import Run
from tests.selectors import FixedPolicy, count_words, plain

PRICE = Price(
    "hand", input=1, cached=0.1, write=1.25, output=5, life_seconds=300, min_tokens=50, block_tokens=1
)
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def turn(role: str, tokens: int, seconds: float | None = None) -> Turn:
    """A turn that costs so many tokens: words, and 4 for its frame."""
    at = None if seconds is None else NOON + timedelta(seconds=seconds)
    return Turn.of(role, f"{role} " * (tokens - 4), timestamp=at)


def conversation(*seconds: float | None) -> Conversation:
    """Three messages of the user at these times."""
    first, second, third = seconds
    return Conversation(
        "talk",
        (
            turn("user", 100, first),
            turn("assistant", 200),
            turn("user", 50, second),
            turn("assistant", 100),
            turn("user", 50, third),
        ),
    )


CASES = (
    Case("flow", "talk", 2, None, frozenset({0, 1})),
    Case("later", "talk", 4, None, frozenset({0, 3}), needed=frozenset({3})),
)


def keeps(kept: Collection[int] | None) -> Select:
    selector = plain(FixedPolicy(kept))
    return lambda current, history, at: selector.select_current(current, history)


def costs(requests: list[TimedRequest], talk: Conversation, select: Select) -> list[float]:
    bill = bill_conversation(talk, requests, select, PRICE, count_words)
    return [round(1e6 * PRICE.cost(usage), 6) for usage in bill.usages]


def test_the_bill_of_a_conversation_is_that_by_hand() -> None:
    """Requests of 100, 350 and 500 tokens: all written; 100 read after a minute; all cold after ten."""
    talk = conversation(0, 60, 660)
    requests = list_requests(talk)
    assert [request.at for request in requests] == [0, 60, 660]
    assert costs(requests, talk, keeps(None)) == [125, 10 + 312.5, 625]
    assert costs(requests, talk, keeps({0, 2})) == [125, 10 + 62.5, 250]
    assert costs(requests, talk, keeps(())) == [125, 62.5, 62.5]


def test_a_new_prefix_costs_more_than_everything_while_the_cache_is_warm() -> None:
    talk = conversation(0, 60, 120)
    requests = list_requests(talk)

    def drops_the_first_at_last(current, history, at):
        return keeps({2, 3} if len(history) == 4 else None)(current, history, at)

    assert costs(requests, talk, keeps(None)) == [125, 322.5, 35 + 187.5]
    assert costs(requests, talk, drops_the_first_at_last) == [125, 322.5, 250]
    everything, other = (
        bill_conversation(talk, requests, select, PRICE, count_words)
        for select in (keeps(None), drops_the_first_at_last)
    )
    row = sum_bills("other", [other, everything], [everything, everything], PRICE)
    assert row.cost == pytest.approx((697.5 + 670) / 1e6)
    assert row.change == pytest.approx((697.5 + 670) / 1340 - 1)
    assert row.costlier_share == 0.5
    assert (row.tokens, row.cached, row.written) == (100 + 350 + 200 + 950, 100 + 450, 550 + 500)


def test_needed_turns_that_are_not_sent_are_counted() -> None:
    talk = conversation(0, 60, 120)
    requests = list_requests(talk, CASES)
    assert [request.needed for request in requests] == [set(), {0, 1}, {3}]
    bill = bill_conversation(talk, requests, keeps({0, 2}), PRICE, count_words)
    assert bill.missed == (0.5, 1)
    assert (row := sum_bills("", [bill], [bill], PRICE)).missed == 0.75
    assert row.labelled == 2
    assert bill_conversation(talk, requests, keeps(None), PRICE, count_words).missed == (0, 0)


def test_typed_questions_come_one_after_the_other_behind_the_conversation() -> None:
    talk = conversation(0, 60, 120)
    questions = [
        Case(name, "talk", None, Turn.of("user", f"{name} " * 6), frozenset({place}))
        for place, name in enumerate("ab")
    ]
    requests = list_requests(talk, questions, pauses=[10])
    assert [(len(each.history), each.at) for each in requests[3:]] == [(5, 130), (5, 140)]
    assert [set(each.needed) for each in requests[3:]] == [{0}, {1}]
    assert costs(requests, talk, keeps(None))[3:] == [50 + 12.5, 50 + 12.5]


def test_pauses_are_those_of_the_transcript_where_it_has_them() -> None:
    requests = list_requests(conversation(5, None, 70))
    assert [request.is_timed for request in requests] == [False, False, False]
    assert {b.at - a.at for a, b in pairwise(requests)} <= set(PAUSES)
    assert requests == list_requests(conversation(5, None, 70)), "the same in every run"
    assert [request.at for request in list_requests(conversation(None, None, None), (), [30])] == [0, 30, 60]
    falling = list_requests(conversation(60, 0, 90), (), [30])
    assert [(request.at, request.is_timed) for request in falling] == [(0, False), (30, False), (120, True)]
    naive = replace(conversation(0, 60, 120).turns[2], timestamp=datetime(2026, 3, 1, 12, 1))
    mixed = replace(conversation(0, 60, 120), turns=(*conversation(0, 60, 120).turns[:2], naive))
    assert [request.is_timed for request in list_requests(mixed)] == [False, False]


def test_answers_are_counted_from_the_first_request_on() -> None:
    talk = conversation(0, 60, 120)
    greeted = replace(talk, turns=(turn("assistant", 30), *talk.turns))
    assert count_answer_tokens(greeted, list_requests(greeted), count_words) == 300


@pytest.fixture
def chats(tmp_path: Path, load_without_a_model: None) -> Path:
    folder = tmp_path / "chats"
    folder.mkdir()
    talk = conversation(0, 60, 120)
    write_relevance_set(RelevanceSet("set", {"talk": talk}, CASES), folder / "set.jsonl")
    messages = [{"role": "assistant", "content": "Nobody asked."}]
    (folder / "other.jsonl").write_text(json.dumps({"messages": messages}) + "\n")
    return folder


def test_the_command_compares_policies(run: Run, chats: Path) -> None:
    words = ("--model", "claude-sonnet-4-5-20250929", "--policy", "last_k", "--pause", 30)
    code, out, _ = run("bill", chats / "set.jsonl", chats / "other.jsonl", *words, "--json")
    result = json.loads(out)
    assert code == 0
    assert result["price"]["name"] == "claude-sonnet-4-5"
    assert (result["conversations"], result["requests"], result["left_out"]) == (1, 3, 1)
    assert (result["timed_pauses"], result["assumed_pauses"], result["pauses"]) == (2, 0, [])
    everything, last_k, priced = result["rows"]
    assert (everything["policy"], last_k["policy"]) == ("everything", "last_k")
    assert priced["policy"] == "last_k (cache reused)"
    assert everything["cost"] == last_k["cost"] == priced["cost"] > 0
    assert (last_k["missed"], last_k["labelled"]) == (0, 2)
    code, out, _ = run("bill", chats / "set.jsonl", chats / "other.jsonl", *words)
    assert out.startswith(
        "On 3 requests, last_k (cache reused) costs 0% less than sending everything and 0% less than last_k,"
        " and misses 0% of the needed turns."
    )
    assert "1 conversation; 2 pauses from the times of turns, 0 assumed." in out
    assert "1 conversation without a message of a user left out." in out


def test_a_budget_is_that_of_all_policies_but_everything(run: Run, chats: Path) -> None:
    words = ("--model", "gpt-5", "--policy", "last_k", "--budget", 200)
    _, out, _ = run("bill", chats / "set.jsonl", *words, "--json")
    everything, last_k, priced = json.loads(out)["rows"]
    assert last_k["tokens"] < everything["tokens"]
    assert priced["tokens"] <= 3 * 200 < everything["tokens"]


def test_a_folder_is_read_without_its_labels_which_is_said(run: Run, chats: Path) -> None:
    code, out, err = run("bill", chats, "--model", "gpt-5", "--policy", "last_k", "--json")
    assert code == 0
    assert json.loads(out)["rows"][0]["missed"] is None
    assert "labels of its relevance sets are not read" in err


def test_a_model_has_to_be_named_and_brings_its_own_prices(
    run: Run, chats: Path, convgate_home: Path
) -> None:
    code, _, err = run("bill", chats, "--policy", "last_k")
    assert code == 1
    assert "--model" in err
    code, _, err = run("bill", chats, "--policy", "last_k", "--model", "llama")
    assert code == 1
    assert "claude-sonnet-4-5" in err
    convgate_home.mkdir(exist_ok=True)
    (convgate_home / "convgate.toml").write_text('[costs]\nmodel = "gpt-5"\nprices.cached = 0.5\n')
    prices = [
        json.loads(run("bill", chats, "--policy", "last_k", "--json", *model)[1])["price"]["cached"]
        for model in ([], ["--model", "gpt-5-mini"])
    ]
    assert prices == [0.5, 0.025]
    (convgate_home / "convgate.toml").unlink()
    (chats / "set.jsonl").unlink()
    code, _, err = run("bill", chats, "--policy", "last_k", "--model", "gpt-5")
    assert code == 1
    assert "no request to bill" in err


def log_with_usage(*, n: int = 4, ratio: float = 1.5, besides: int = 1_000) -> list[dict[str, object]]:
    """A log of Chat Completions whose provider counts more, and tools in each request."""
    messages: list[dict[str, object]] = []
    for number in range(n):
        messages.append({"role": "user", "content": f"question {number} " * 50})
        own = int(turn_tokens(turns_from_messages(messages)).sum())
        usage = {"prompt_tokens": round(ratio * own) + besides, "completion_tokens": 9}
        messages.append({"role": "assistant", "content": f"answer {number} " * 20, "usage": usage})
    return messages


@pytest.mark.parametrize(("n", "ratio"), [(4, 1.5), (2, 0.8)])
def test_logged_tokens_stand_beside_the_computed_ones(n: int, ratio: float) -> None:
    turns = turns_from_messages(log_with_usage(n=n, ratio=ratio))
    logged = read_logged_usage([Conversation("log", turns)])
    assert logged is not None
    assert logged.ratio == pytest.approx(ratio, rel=0.01)
    assert logged.besides == pytest.approx(1_000, rel=0.01)
    assert logged.requests == n
    assert read_logged_usage([Conversation("log", turns[:1])]) is None


def test_one_request_and_a_compaction_are_compared_as_they_can_be() -> None:
    turns = turns_from_messages(log_with_usage(besides=0))
    alone = read_logged_usage([Conversation("log", turns[:2])])
    assert alone is not None
    assert (alone.ratio, alone.besides) == (pytest.approx(1.5, rel=0.01), 0)
    shrinks = [*turns, turns[0], replace(turns[1], metadata={"usage": {"input_tokens": 5}})]
    logged = read_logged_usage([Conversation("log", tuple(shrinks))])
    assert logged is not None
    assert logged.ratio == pytest.approx(1.5, rel=0.01)


@pytest.mark.parametrize("format", ["OpenAI", "Claude Code"])
def test_the_command_says_what_the_provider_counted(run: Run, tmp_path: Path, format: str) -> None:
    messages = log_with_usage()
    file = tmp_path / "log.jsonl"
    if format == "OpenAI":
        file.write_text(json.dumps({"messages": messages}))
    else:
        lines = [
            {"type": message["role"], "uuid": f"u{place}", "sessionId": "s", "message": message}
            for place, message in enumerate(messages)
        ]
        for line in lines[1::2]:
            message = line["message"]
            assert isinstance(message, dict)
            message["usage"] = {
                "input_tokens": 3,
                "cache_read_input_tokens": message["usage"]["prompt_tokens"] - 3,
            }
        file.write_text("\n".join(map(json.dumps, lines)))
    _, out, _ = run("bill", file, "--model", "claude-sonnet-4-5", "--policy", "last_k")
    assert "The provider counted 1.50 × these tokens, and 1,000 in each request besides" in " ".join(
        out.split()
    )
