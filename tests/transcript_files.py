"""Samples of the formats that can only be read, and ZIP archives of files."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from convgate.core.conversation import Conversation
from convgate.transcripts import Transcript, read_conversations

FOLDER = Path(__file__).with_name("transcripts")
FILES = {  # by file: the format's name, and how many turns each conversation has
    "anthropic.json": ("openai", [5]),
    "chatgpt.json": ("chatgpt", [5, 2]),
    "grok.json": ("grok", [2]),
    "deepseek.json": ("deepseek", [2]),
    "vscode.json": ("vscode", [6]),
    "gemini_cli.json": ("gemini", [5]),
    "gemini_request.json": ("openai", [5]),
    "ai_studio.json": ("ai-studio", [2]),
    "claude_ai.json": ("claude.ai", [5]),
    "locomo.json": ("locomo", [5]),
    "longmemeval.json": ("longmemeval", [4, 2]),
    "slack.json": ("slack", [2]),
    "whatsapp_android.txt": ("whatsapp", [5]),
    "whatsapp_ios.txt": ("whatsapp", [6]),
    "gemini_cli.jsonl": ("gemini", [6]),
    "vscode_log.jsonl": ("vscode", [4]),
    "pi.jsonl": ("pi", [6]),
    "opencode.json": ("opencode", [5]),
    "copilot_cli.jsonl": ("copilot-cli", [4]),
    "aider.md": ("aider", [4, 2]),
    "strands_message.json": ("strands", [1]),
    "llama_cpp.json": ("llama.cpp", [3]),
    "open_webui.json": ("open-webui", [5]),
    "oasst.jsonl": ("oasst", [4]),
    "telegram.json": ("telegram", [4]),
    "messenger.json": ("messenger", [3]),
    "discord.json": ("discord", [3]),
    "claude_code.jsonl": ("claude-code", [8]),
    "claude_code_agent.jsonl": ("claude-code", [2]),
    "cline_api_history.json": ("cline", [10]),
    "codex.jsonl": ("codex", [8]),
    "codex_older.jsonl": ("codex", [5]),
    "responses.json": ("openai-responses", [13]),
    "langchain_messages.json": ("langchain", [8]),
    "langchain_dumpd.json": ("langchain", [5]),
    "langgraph_messages.json": ("langchain", [5]),
    "langgraph_state.json": ("langchain", [5]),
    "langgraph_history.json": ("langchain", [5]),
    "llama_index_store.json": ("llama-index", [5, 4]),
    "llama_index_buffer.json": ("llama-index", [2]),
    "pydantic_ai.json": ("pydantic-ai", [9]),
    "otel_spans.json": ("otel-spans", [7, 2]),
    "otel_events.jsonl": ("otel-spans", [5]),
    "otel_logs.json": ("otel-spans", [2]),
    "openinference_spans.jsonl": ("otel-spans", [7]),
    "langfuse_trace.json": ("langfuse", [5]),
    "langfuse_observations.jsonl": ("langfuse", [7, 3]),
    "langfuse_session.json": ("langfuse", [4]),
    "langsmith_tree.json": ("langsmith", [7]),
    "langsmith_runs.jsonl": ("langsmith", [3, 2]),
}


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    """Return a ZIP archive of contents by their names."""
    with io.BytesIO() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        return file.getvalue()


def said(conversation: Conversation) -> list[tuple[str, str]]:
    """Return the role and the text of each turn."""
    return [(turn.role, turn.text) for turn in conversation.turns]


def read_sample(name: str) -> Any:
    """Return the JSON of a sample."""
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


def read_value(value: Any, **options: Any) -> Transcript:
    """Return what is read of a file with this JSON."""
    return read_conversations(json.dumps(value).encode(), **options)
