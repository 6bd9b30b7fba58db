"""Files of one object a conversation whose messages are a plain list: each format is a row of LAYOUTS.

A row says where the list is, which other fields the object has, and what its items are: messages with a role
and a text, pairs of a question and its answer, texts of two who take turns, or one text with its speakers.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from convgate.core.conversation import CHAT_ROLES, Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.characters import writable
from convgate.transcripts.exports import ConversationExport, list_in, objects_in, read_messages, text_of
from convgate.transcripts.formats.openai_messages import content_parts, turn_from_message
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.roles import role_of
from convgate.transcripts.timestamps import time_of

_IDS = ("id", "conversation_id", "call_id", "dialogue_id", "question_id", "task_id", "uuid")
_TAG, _BREAK = re.compile(r"<[^<>]{0,1000}>"), re.compile(r"<br */?>|</(?:p|div|li)>", re.IGNORECASE)
_SPEAKER = re.compile(r"\n\n(Human|Assistant): ?")
_AGENT = {"agent": "assistant"}  # of a voice agent, which is also a person's job elsewhere


@dataclass(frozen=True)
class Layout:
    """Where a format has what."""

    name: str
    label: str
    path: str  # to the list: fields with dots between them
    has: tuple[str, ...] = ()  # other fields that an object has
    items: Literal["messages", "pairs", "texts", "text"] = "messages"
    role: str | None = "role"  # a path; None: everybody is a user
    text: tuple[str, ...] = ("content",)  # paths, of which the first is taken that is there
    speaker: str | None = None  # a path to a name
    roles: Mapping[str, str] = field(default_factory=dict)  # names of roles that mean others elsewhere
    other: str | None = None  # the field of another answer, which is left out


LAYOUTS = (
    Layout("retell", "Retell call", "transcript_object", roles=_AGENT),
    Layout("elevenlabs", "ElevenLabs call", "transcript", ("agent_id",), text=("message",), roles=_AGENT),
    Layout("vapi", "Vapi call", "artifact.messages", text=("message", "content")),
    Layout("arena", "Chatbot Arena", "conversation_a", ("model_a",), other="conversation_b"),
    Layout("preferences", "Preference data", "chosen", ("rejected",), other="rejected"),
    Layout("hh-rlhf", "HH-RLHF", "chosen", ("rejected",), items="text", other="rejected"),
    Layout("capybara", "Capybara", "conversation", items="pairs", text=("input", "output")),
    Layout("alpaca", "Alpaca with history", "history", ("instruction", "output"), items="pairs"),
    Layout("dailydialog", "DailyDialog", "dialog", ("act", "emotion"), items="texts"),
    Layout("ultrachat", "UltraChat", "data", ("id",), items="texts"),
    Layout("tau-bench", "tau-bench", "traj", ("task_id",)),
    Layout("swe-agent", "SWE-agent trajectory", "history", ("trajectory",)),
    Layout(
        "multiwoz", "MultiWOZ 2.2", "turns", ("dialogue_id",), role="speaker", text=("utterance",),
        roles={"system": "assistant"},
    ),
    Layout("taskmaster", "Taskmaster", "utterances", role="speaker", text=("text",)),
    Layout("continue", "Continue session", "history", role="message.role", text=("message.content",)),
    Layout("google-chat", "Google Chat", "messages", role=None, text=("text",), speaker="creator.name"),
    Layout(
        "teams", "Microsoft Teams", "value", role=None, text=("body.content",),
        speaker="from.user.displayName",
    ),
)  # fmt: skip


class LayoutFormat(ConversationExport):
    """The format of a row of LAYOUTS."""

    def __init__(self, layout: Layout) -> None:
        self.layout, self.name, self.label = layout, layout.name, layout.label

    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether it has the fields, and items of the kind."""
        listed = _at(value, self.layout.path)
        if not listed or not all(name in value for name in self.layout.has):
            return False
        if isinstance(listed, str):
            return self.layout.items == "text" and _SPEAKER.match(listed) is not None
        return isinstance(listed, list) and any(map(self._is_item, listed[:20]))

    def conversation(self, value: Mapping[str, Any], place: Place) -> Conversation:
        """Return the conversation of an object."""
        layout = self.layout
        listed = _at(value, layout.path)
        whole = objects_in(value, "transcript_with_tool_calls", "")  # of Retell
        calls = [each for each in whole if str(each.get("role")).startswith("tool_call")]
        place.report.omit("call or result of a tool", len(calls))
        if layout.other is not None and value.get(layout.other):
            place.report.omit("alternative answer")
        if layout.name == "preferences" and isinstance(listed, list):
            listed = [*_prompt(value.get("prompt"), listed), *listed]
        if isinstance(listed, str):
            turns = list(_split(listed))
        elif layout.items == "messages":
            turns = list(read_messages(listed or (), layout.path, place, self._message))
        else:
            turns = list(self._texts(listed or (), value))
        system = text_of(value, "system")
        if system and not any(turn.is_instruction for turn in turns):
            turns.insert(0, Turn.of("system", writable(system)))
        return Conversation(
            given_id(value, *_IDS) or "", tuple(turns), text_of(value, "title"), format=self.name
        )

    def _is_item(self, item: Any) -> bool:
        kind = self.layout.items
        if kind == "texts":
            return isinstance(item, str) and " " in item
        if kind == "pairs" and isinstance(item, list):
            return len(item) == 2
        if not isinstance(item, Mapping):
            return False
        if kind == "pairs":
            return all(name in item for name in self.layout.text)
        layout = self.layout
        who = _at(item, layout.role or layout.speaker or "")
        is_known = isinstance(who, str) and (not layout.role or who.lower() in layout.roles or role_of(who))
        return bool(is_known) and any(_at(item, path) is not None for path in layout.text)

    def _message(self, message: Mapping[str, Any], field: str, place: Place) -> Iterator[Turn]:
        """Yield one message as a turn."""
        layout = self.layout
        named = _at(message, layout.role) if layout.role else "user"
        named = named if isinstance(named, str) else ""
        role = layout.roles.get(named.lower()) or role_of(named)
        moment = time_of(message, field, place.warn)[1]
        if role in CHAT_ROLES and layout.text == ("content",):
            answered = message.get("tool_call_ids")
            own = {"tool_call_id": answered[0]} if isinstance(answered, list) and answered else {}
            turn = turn_from_message({**message, **own, "role": role}, field, place.warn)
            yield replace(turn, source=None, metadata={})
            return
        text = next((said for path in layout.text if (said := _at(message, path)) is not None), None)
        if _at(message, "body.contentType") == "html" and isinstance(text, str):
            text = html.unescape(_TAG.sub("", _BREAK.sub("\n", text))).strip()
        parts = () if text is None else content_parts(text, f"{field}.{layout.text[0]}")
        for key in ("tool_calls", "tool_results", "attachments", "attached_files"):
            what = "call or result of a tool" if key.startswith("tool") else "attachment"
            place.report.omit(what, len(list_in(message, key, field)))
        name = _at(message, layout.speaker) if layout.speaker else None
        if role is None or (layout.speaker and not isinstance(name, str)):
            place.report.omit("message of no known role" if role is None else "system message")
        elif parts:
            named = writable(name) if isinstance(name, str) else None
            yield Turn(role, parts, id=given_id(message, "id", "message_id"), name=named, timestamp=moment)
        else:
            place.report.omit("message without content")

    def _texts(self, items: Iterable[Any], value: Mapping[str, Any]) -> Iterator[Turn]:
        """Yield the texts of two who take turns, or of pairs, as the user's and the assistant's."""
        texts: list[Any] = []
        for item in items:
            if isinstance(item, Mapping):
                texts += [item.get(name) for name in self.layout.text]
            else:
                texts += item if isinstance(item, list) else [item]
        if "instruction" in self.layout.has:
            asked = "\n".join(filter(None, (text_of(value, "instruction"), text_of(value, "input"))))
            texts += [asked, value.get("output")]
        for place, text in enumerate(texts):
            if not isinstance(text, str):
                raise TranscriptError(
                    f"expected a text, got {kind(text)}", field=f"{self.layout.path}[{place}]"
                )
            if text:
                yield Turn.of(("user", "assistant")[place % 2], writable(text.strip()))


def _prompt(prompt: Any, chosen: list[Any]) -> list[Any]:
    """Return what stands before an answer, where the answer does not repeat it."""
    if isinstance(prompt, list):
        return [] if chosen[: len(prompt)] == prompt else prompt
    begins = isinstance(chosen[0], Mapping) and chosen[0].get("role") == "assistant" if chosen else False
    return [{"role": "user", "content": prompt}] if isinstance(prompt, str) and prompt and begins else []


def _at(value: Any, path: str) -> Any:
    """Return what is at a path of fields with dots; None where nothing is."""
    for key in path.split("."):
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _split(text: str) -> Iterator[Turn]:
    """Yield the turns of a text with the speakers in it."""
    _, *pieces = _SPEAKER.split(text)
    for named, said in zip(pieces[::2], pieces[1::2], strict=True):
        if said.strip():
            yield Turn.of(role_of(named) or "user", writable(said.strip()))
