"""Sessions of Codex: `rollout-….jsonl`, in its older form bare items behind a line about the session, and the
events of `codex exec --json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from convgate.core.conversation import Conversation, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import json_parts
from convgate.transcripts.dialects.openai_responses import is_item
from convgate.transcripts.exports import FunctionFormat, join_turns, read_objects, share_of
from convgate.transcripts.fields import text_of, value_at
from convgate.transcripts.formats.agents.responses import item_turns
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place
from convgate.transcripts.message_lists import described
from convgate.transcripts.openai_messages import content_parts
from convgate.transcripts.source import LocatedConversations, Source

_LINES = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
_STREAM = frozenset({"thread.started", "turn.started", "turn.completed", "item.started", "item.completed"})
_SAID = {
    **{"UserMessage": "user", "user_message": "user"},
    **{"AgentMessage": "assistant", "agent_message": "assistant"},
}
_NOTES = ("<environment_context>", "<turn_aborted>", "<subagent_notification>", "<user_action>")
_INSTRUCTIONS = ("<user_instructions>", "# AGENTS.md instructions")
"""How the parts of messages begin that Codex writes in the user's name."""


def _match(source: Source) -> float:
    """Return the share of the first lines that are of a session, 0…1; 0 without any of Codex alone."""
    is_older = share_of(source, _is_older_line) and share_of(source, is_item)
    if not is_older and not share_of(source, lambda line: _is_line(line) or _is_event(line)):
        return 0.0
    kinds = (_is_line, _is_event, _is_older_line, is_item)
    return share_of(source, lambda line: any(is_kind(line) for is_kind in kinds))


def _read(source: Source) -> LocatedConversations:
    """Yield the session without the turns that were rolled back; bad places go to its report."""
    session = _CodexSession()
    for line, place in read_objects(source, "a line of a session"):
        with place.skip_bad_value():
            session.add(line, place)
    turns = session.turns
    if all(turn.is_instruction for turn in turns):  # otherwise the events repeat what the items say
        turns = [*turns, *session.events]
        source.report.omit("item without a message", session.n_silent)
    yield None, Conversation(session.id, tuple(join_turns(turns)), format=CODEX.name)


CODEX = FunctionFormat("codex", "Codex session", _match, _read)


class _CodexSession:
    def __init__(self) -> None:
        self.id = ""
        self.turns: list[Turn] = []
        self.events: list[Turn] = []  # what the events say
        self.n_silent = 0  # events of other items

    def add(self, line: Mapping[str, Any], place: Place) -> None:
        """Add what a line holds."""
        moment = place.time(line)
        if _is_event(line):
            self.id = self.id or given_id(line, "thread_id") or ""
            if line["type"] == "item.completed":
                self._add_event(line.get("item"), moment)
        elif _is_older_line(line):
            self._begin(line)
        elif not _is_line(line):
            if not is_item(line) and "type" not in line:
                raise TranscriptError(f"expected a line of a session, got {described(line)}")
            self._add_turns(item_turns(line, "", place, moment), place)
        elif line["type"] == "session_meta":
            self._begin(line["payload"])
        elif line["type"] == "response_item":
            self._add_turns(item_turns(line["payload"], "payload", place, moment), place)
        elif line["type"] == "compacted":
            place.report.omit("summary of earlier messages")
        elif line["payload"].get("type") == "thread_rolled_back":
            self._roll_back(line["payload"].get("num_turns"), place)
        elif line["type"] == "event_msg":
            event = line["payload"]
            self._add_event(event.get("item", event), moment)

    def _add_event(self, item: Any, moment: datetime | None) -> None:
        turns = list(_event_turns(item, moment))
        self.events += turns
        self.n_silent += not turns and value_at(item, "id") is not None

    def _add_turns(self, turns: Iterable[Turn], place: Place) -> None:
        """Add turns; of a user's, instructions are the system's and notes of Codex are left out."""
        for turn in turns:
            if turn.held_because:  # the file has the messages that it stands for
                place.report.omit("summary of earlier messages")
                continue
            if turn.role == "user" and turn.parts:
                parts = tuple(part for part in turn.parts if not part.text.startswith(_NOTES))
                place.report.omit("note of the app", len(turn.parts) - len(parts))
                is_instruction = all(part.text.startswith(_INSTRUCTIONS) for part in parts)
                turn = replace(turn, parts=parts, role="system" if is_instruction else "user")
                if not parts:
                    continue
            self.turns.append(turn)

    def _begin(self, meta: Mapping[str, Any]) -> None:
        """Take id and instructions of the session; those of one that it was forked from come later."""
        if self.id or not (id := given_id(meta, "id")):
            return
        self.id = id
        if text := text_of(meta, "base_instructions.text|instructions"):
            self.turns.append(Turn.of("system", text))

    def _roll_back(self, n_turns: Any, place: Place) -> None:
        """Leave out the user's last messages, and everything behind the first of them."""
        starts = [index for index, turn in enumerate(self.turns) if turn.role == "user"]
        if isinstance(n_turns, int) and n_turns > 0 and starts:
            start = starts[max(0, len(starts) - n_turns)]
            place.report.omit("message of another branch", len(self.turns) - start)
            del self.turns[start:]


def _is_event(value: Mapping[str, Any]) -> bool:
    """Return whether it is of the stream of `codex exec --json`."""
    return text_of(value, "type") in _STREAM


def _event_turns(item: Any, moment: datetime | None) -> Iterator[Turn]:
    """Yield what an event says: a message, or a command with its output."""
    type_, id = str(value_at(item, "type")), given_id(item, "id")
    if type_ in _SAID:
        content = next((item[key] for key in ("content", "text", "message") if item.get(key)), "")
        if isinstance(content, list):
            content = [
                {**part, "type": part_type.lower()} if (part_type := text_of(part, "type")) else part
                for part in content
            ]
        if parts := content_parts(content, "content"):
            yield Turn(_SAID[type_], parts, id=id, timestamp=moment)
    elif type_ == "command_execution":
        call = ToolCall(id or "", "shell", text_of(item, "command") or "")
        yield Turn("assistant", tool_calls=(call,), id=id, timestamp=moment)
        output = json_parts(item.get("aggregated_output"), "aggregated_output")
        yield Turn("tool", output, tool_call_id=id or "", timestamp=moment)


def _is_line(value: Mapping[str, Any]) -> bool:
    return text_of(value, "type") in _LINES and isinstance(value.get("payload"), Mapping)


def _is_older_line(value: Mapping[str, Any]) -> bool:
    """Return whether it is the first line of an older session, or one about its state."""
    return "record_type" in value or ("instructions" in value and {"id", "timestamp"} <= value.keys())
