"""The export of Claude.ai: `conversations.json`, alone or in the zip archive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from convgate.core.conversation import ContentPart, Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import Content, placeholder, read_blocks
from convgate.transcripts.characters import writable
from convgate.transcripts.exports import ConversationExport, objects_in, path_to, text_of
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.timestamps import time_of

_ROLES = {"human": "user", "assistant": "assistant"}
_NOTES = ("token_budget", "flag")  # types of blocks that nobody said


class ClaudeAIFormat(ConversationExport):
    """Conversations with `chat_messages`; of regenerated answers, the branch that was shown last."""

    name = "claude.ai"
    label = "Claude.ai export"

    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether it has `chat_messages`."""
        return isinstance(value.get("chat_messages"), list)

    def conversation(self, value: Mapping[str, Any], place: Place) -> Conversation:
        """Return the conversation of an object."""
        messages = _find_branch(value, place)
        turns: list[Turn] = []
        for index, message in place.report.watch(messages, "messages of a conversation"):
            with place.skip_bad_part():
                turns += self._turns(message, f"chat_messages[{index}]", place)
        title = text_of(value, "name")
        return Conversation(given_id(value, "uuid", "id") or "", tuple(turns), title, format=self.name)

    def _turns(self, message: Any, field: str, place: Place) -> Iterator[Turn]:
        if not isinstance(message, Mapping):
            raise TranscriptError(f"expected a message, got {kind(message)}", field=field)
        sender = text_of(message, "sender")
        if sender is None:
            raise TranscriptError("there is no sender", field=f"{field}.sender")
        blocks = message.get("content") or None
        if isinstance(blocks, list):
            blocks = [b for b in blocks if not isinstance(b, Mapping) or b.get("type") not in _NOTES]
        content = read_blocks(blocks, f"{field}.content")
        if not content.items and (text := text_of(message, "text")):
            content = Content((ContentPart("text", writable(text)),))
        content = Content((*content.items, *_attachments(message, field)))
        if not content.items:
            place.report.omit("message without content")
        moment = time_of(message, field, place.warn)[1]
        yield from content.turns(
            writable(_ROLES.get(sender, sender)), id=given_id(message, "uuid"), timestamp=moment
        )


def _find_branch(value: Mapping[str, Any], place: Place) -> list[tuple[int, Any]]:
    """Return the messages of the branch that ends at the current leaf; all of a conversation without one."""
    messages = list(enumerate(value["chat_messages"]))
    by_id = {
        id: (index, message)
        for index, message in messages
        if isinstance(message, Mapping) and (id := given_id(message, "uuid"))
    }
    parents = {id: message.get("parent_message_uuid") for id, (_, message) in by_id.items()}
    path = path_to(value.get("current_leaf_message_uuid"), parents)
    if not path:
        return messages
    place.report.omit("message of another branch", len(messages) - len(path))
    return [by_id[id] for id in path]


def _attachments(message: Mapping[str, Any], field: str) -> Iterator[ContentPart]:
    """Yield the text of attachments, and the names of files."""
    for attachment in objects_in(message, "attachments", field):
        name, text = placeholder("attachment", attachment), text_of(attachment, "extracted_content")
        yield ContentPart("text", writable(f"{name}\n{text}")) if text else ContentPart("attachment", name)
    for file in objects_in(message, "files" if message.get("files") else "files_v2", field):
        what = "image" if file.get("file_kind") == "image" else "file"
        yield ContentPart(what, placeholder(what, file))
