"""How the answer of a language model is read."""

from __future__ import annotations

import json

import pytest

from convgate.gatekeeper.model_answer import Answer, Reply, read_answer, read_reply


@pytest.mark.parametrize("usage", [None, [], {"prompt_tokens": -1, "completion_tokens": "many"}, {"x": True}])
def test_a_decision_counts_though_its_tokens_are_told_badly(usage: object) -> None:
    told = {"choices": [{"message": {"content": "{}"}}], "usage": usage}

    assert read_reply(json.dumps(told).encode()) == Reply("{}", 0, 0)


@pytest.mark.parametrize(
    "content",
    [
        '{"keep": true, "category": "answer", "reason": "so"}',
        '```json\n{"keep": true, "category": "answer", "reason": "so"}\n```',
        '<think>Hm, {"keep": false}.</think>\n{"keep": true, "category": "answer", "reason": "so", "x": 1}',
    ],
)
def test_a_decision_may_stand_in_a_fence_or_behind_thoughts(content: str) -> None:
    assert read_answer(content) == Answer(True, "answer", "so")


def test_the_reason_of_a_model_is_cut() -> None:
    answer = read_answer(json.dumps({"keep": True, "category": "other", "reason": "very " * 9_000}))

    assert len(answer.reason) == 200
    assert answer.reason.endswith("…")
