"""The AI SDK of npm through the proxy: long chats with tools, and selections of its own lists.

Installs the packages of ai_sdk/package-lock.json, from npm's cache or its registry; skips where it cannot.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("prometheus_client")

from convgate.server.app import create_app
from tests.adapters.replies import anthropic_reply, gemini_reply, openai_reply
from tests.adapters.serving import TOKEN, running, settings_of
from tests.dialects import check_ai_sdk, check_ai_sdk_ui, check_anthropic, check_gemini, check_openai
from tests.llm_server import Answer, ChatServer

pytestmark = [pytest.mark.adapters, pytest.mark.xdist_group("npm")]

FILES = Path(__file__).parent / "ai_sdk"
UNREACHABLE = r"npm error code (ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|E?TIMEDOUT)"
QUESTIONS = [
    "How hot is it in Rome?", "Who wrote the report?", "Is the report about Rome done?",
    "What is for lunch?", "How hot is it in Oslo?", "Thanks. Is lunch late?",
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script beside its installed packages."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("node and npm are not installed")
    folder = tmp_path_factory.mktemp("npm") / "ai_sdk"
    shutil.copytree(FILES, folder)
    options = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"]
    installed = subprocess.run(
        ["npm", "ci", *options], cwd=folder, capture_output=True, text=True, timeout=300, check=False
    )
    if installed.returncode and (problem := re.search(UNREACHABLE, installed.stderr)):
        pytest.skip(f"npm's registry cannot be reached: {problem[1]}")
    assert installed.returncode == 0, installed.stderr
    return folder


def reply(provider: str, text: str | None, calls: Sequence[dict[str, Any]], *, streams: bool) -> Answer:
    if provider == "openai":
        return openai_reply(text, calls, streams=streams)
    if provider == "anthropic":
        blocks = [{"type": "tool_use", **call} for call in calls]
        thinking = {"type": "thinking", "thinking": "Ask.", "signature": "s"}
        return anthropic_reply(thinking, *blocks, *_text(text, type="text"), streams=streams)
    parts: list[dict[str, Any]] = [
        {"functionCall": {"name": call["name"], "args": call["input"]}} for call in calls
    ]
    if parts:
        parts[0]["thoughtSignature"] = "c2ln"
    return gemini_reply({"text": "Ask.", "thought": True}, *parts, *_text(text), streams=streams)


def _text(text: str | None, **fields: Any) -> list[dict[str, Any]]:
    return [] if text is None else [{**fields, "text": text}]


def replies(provider: str) -> Iterator[Answer]:
    """For each question two calls at once, another one, and the answer; every second question is streamed."""
    for turn, _ in enumerate(QUESTIONS):
        calls = [
            {"id": f"c{turn}_{place}", "name": "look", "input": {"at": at}}
            for place, at in enumerate(("Rome", "Oslo", "Bern"))
        ]
        streams = turn % 2 == 0
        yield reply(provider, None, calls[:2], streams=streams)
        yield reply(provider, None, calls[2:], streams=streams)
        yield reply(provider, f"Answer {turn}.", (), streams=streams)
    yield reply(provider, "Fine.", (), streams=False)  # to each list that was selected


FIELDS = {"openai": "messages", "anthropic": "messages", "gemini": "contents"}
CHECKS = {"openai": check_openai, "anthropic": check_anthropic, "gemini": check_gemini}


@pytest.mark.parametrize("provider", FIELDS)
def test_a_long_chat_with_tools_is_valid_at_the_upstream_and_selected_lists_in_the_sdk(
    convgate_home: Path, upstream: ChatServer, folder: Path, provider: str
) -> None:
    upstream.set_script(*replies(provider))
    settings = settings_of(
        convgate_home, server={"upstream": upstream.url}, policy="bm25", policy_parameters={"k": 4}
    )
    with running(create_app(settings, token=TOKEN)) as address:
        words = ["node", "chat.mjs", provider, f"{address}/token/{TOKEN}", json.dumps(QUESTIONS)]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["answers"] == [{"text": f"Answer {turn}.", "steps": 3} for turn in range(len(QUESTIONS))]

    requests = [request[FIELDS[provider]] for request in upstream.requests]
    assert len(requests) == 3 * len(QUESTIONS) + 3
    chat = requests[: 3 * len(QUESTIONS)]
    assert [CHECKS[provider](messages) for messages in chat] == [[]] * len(chat)
    for turn, question in enumerate(QUESTIONS):
        steps = [json.dumps(messages) for messages in chat[3 * turn : 3 * turn + 3]]
        assert all(question in step for step in steps)
        assert [step.count("Rome: 31") for step in steps[1:]] == [steps[0].count("Rome: 31") + 1] * 2
        assert steps[2].count("Bern: 31") == steps[0].count("Bern: 31") + 1
    assert len(chat[-1]) < len(result["lists"]["model"]) - 4, "most of the chat is left out"

    for name, check in (("model", check_ai_sdk), ("converted", check_ai_sdk), ("ui", check_ai_sdk_ui)):
        selected = result["selected"][name]
        assert check(selected) == []
        assert all(message in result["lists"][name] for message in selected)
        assert len(selected) < len(result["lists"][name])
    assert any(message["role"] == "tool" for message in result["selected"]["model"])
    assert result["problems"] == {
        "model": None, "ui": None, "converted": None, "cut": "AI_MissingToolResultsError",
    }  # fmt: skip
