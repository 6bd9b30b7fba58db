"""Files of one object a conversation: a format is a `Layout`, which says where the messages are.

They are in a list or by their ids. Items are messages with a role and a text, pairs of a question and its
answer, texts of two who take turns, or one text with its speakers.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from convgate.core.conversation import CHAT_ROLES, ContentPart, Conversation, ToolCall, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import Content, Item, ToolResult, json_parts, placeholder
from convgate.transcripts.exports import (
    BRANCH,
    EMPTY,
    ConversationExport,
    ReadMessage,
    list_in,
    objects_in,
    path_to,
    read_fields,
)
from convgate.transcripts.fields import text_of, value_at
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.openai_messages import arguments_text, content_parts, turn_from_message
from convgate.transcripts.problems import Report
from convgate.transcripts.roles import role_of
from convgate.transcripts.source import Source
from convgate.transcripts.timestamps import TIMESTAMP_FIELDS, time_of, to_utc

_TAG, _BREAK = re.compile(r"<[^<>]{0,1000}>"), re.compile(r"<br */?>|</(?:p|div|li)>", re.IGNORECASE)
_SPEAKER = re.compile(r"\n\n(Human|Assistant): ?")
_COUNTED = {
    **dict.fromkeys(("tool_calls", "tool_results"), "call or result of a tool"),
    **dict.fromkeys(("attachments", "attached_files"), "attachment"),
}
"""Lists beside a text that are counted, not read."""

IsLog = Callable[[Mapping[str, Any]], bool]
"""Returns whether the first line of a file begins a log."""
ReadLog = Callable[[Iterable[Any], Report], Mapping[str, Any]]
"""Returns the object that the lines of a log end up as."""
ReadContent = Callable[[Mapping[str, Any], str, Place], Iterable[Any]]
"""Returns parts, calls and results of a message, given its field."""


@dataclass(eq=False)
class Layout(ConversationExport):
    """Where a format has what, in paths of `value_at`: alternatives have bars between them."""

    name: str
    label: str
    path: str  # to the items: a list, or an object by their ids
    has: tuple[str, ...] = ()  # other fields that an object has
    marks: str | None = None  # of which an item has one; "": whatever the items are
    items: Literal["messages", "pairs", "texts", "text"] = "messages"
    inside: str = ""  # to the message of an item
    role: str = "role"
    roles: Mapping[Any, str] = field(default_factory=dict)  # what means others than elsewhere
    everyone: str | None = None  # the role of those who have none
    text: str = "content"
    speaker: str = ""  # to a name
    time: Sequence[str] = TIMESTAMP_FIELDS
    message_id: str = "id|message_id"
    files: Mapping[str, str] = field(default_factory=dict)  # what is in lists of files, by their paths
    spoken: tuple[str, tuple[Any, ...]] | None = None  # what is where in messages that the app did not write
    parent: str = ""  # of an item, its id; the branch that ends at the leaf is read, or at the latest message
    leaf: str = ""
    id: str = "id|conversation_id|call_id|dialogue_id|question_id|task_id|uuid"
    title: str = "title"
    system: str = "system"
    other: str = ""  # another answer, which is left out
    holder: str = "conversations"
    prepare: Callable[[Mapping[str, Any], Place], Mapping[str, Any]] | None = None  # changes the object
    content: ReadContent | None = None  # reads what is not in `text` and `files` alone
    turns: ReadMessage | None = None  # reads a whole message
    finish: Callable[[Iterable[Turn]], Iterable[Turn]] = tuple  # joins what is one turn
    newest_first: bool = False  # where the first message is later than the last
    log: tuple[IsLog, ReadLog] | None = None  # of files of lines that write an object and change it

    def _is_log(self, source: Source) -> bool:
        first = source.json.sample[:1] if source.json else ()
        return any(self.log and isinstance(line, Mapping) and self.log[0](line) for line in first)

    def match_share(self, source: Source) -> float:
        """Return the same as of any export, 1 for a log."""
        return 1.0 if self._is_log(source) else super().match_share(source)

    def objects(self, source: Source) -> Iterator[tuple[Mapping[str, Any], Place]]:
        """Yield the objects, or the one of a log."""
        if self.log and self._is_log(source):
            lines = (value for value, _ in source.need_json().values())
            yield self.log[1](lines, source.report), Place(source.report)
        else:
            yield from super().objects(source)

    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether it has the fields, and items of the kind."""
        listed = value_at(value, self.path)
        if not all(name in value for name in self.has):
            return False
        if isinstance(listed, str):
            return self.items == "text" and _SPEAKER.match(listed) is not None
        items = list(listed.values()) if self.parent and isinstance(listed, Mapping) else listed
        return isinstance(items, list) and (self.marks == "" or any(map(self._is_item, items[:50])))

    def can_read(self, value: Mapping[str, Any]) -> bool:
        """Return whether it has items, or may have some."""
        listed = value_at(value, self.path)
        is_empty = isinstance(listed, list | Mapping) and not listed
        return is_empty or (isinstance(listed, Mapping) and bool(self.parent)) or self.is_conversation(value)

    def conversation(self, value: Mapping[str, Any], place: Place) -> Conversation:
        """Return the conversation of an object."""
        if self.prepare:
            value = self.prepare(value, place)
        if self.other and value.get(self.other):
            place.report.omit("alternative answer")
        is_list = not self.parent and self.items != "text"
        listed = list_in(value, self.path, "") if is_list else value_at(value, self.path)
        if isinstance(listed, str):
            turns = list(_split(listed))
        elif self.items != "messages":
            turns = list(self._take_turns(listed or ()))
        else:
            shown = self._shown(value, listed or (), place)
            turns = list(self.finish(read_fields(shown, place, self.message)))
        times = [turn.timestamp for turn in turns if turn.timestamp]
        if self.newest_first and times and times[0] > times[-1]:
            turns.reverse()
        system = text_of(value, self.system)
        if system and not any(turn.is_instruction for turn in turns):
            turns.insert(0, Turn.of("system", system))
        id = given_id(value, *self.id.split("|")) or ""
        return Conversation(id, tuple(turns), text_of(value, self.title), format=self.name)

    def _is_item(self, item: Any) -> bool:
        if self.items == "texts":
            return isinstance(item, str) and " " in item
        if self.items == "pairs" and isinstance(item, list):
            return len(item) == 2
        if not isinstance(item, Mapping):
            return False
        if self.items == "pairs":
            return all(name in item for name in self.text.split("|"))
        if self.marks:
            return value_at(item, self.marks) is not None
        message = value_at(item, self.inside) if self.inside else item
        who = value_at(message, self.role or self.speaker)
        is_known = isinstance(who, str) and (not self.role or who.lower() in self.roles or role_of(who))
        return bool(is_known) and value_at(message, self.text) is not None

    def _shown(
        self, value: Mapping[str, Any], listed: Iterable[Any], place: Place
    ) -> Sequence[tuple[str, Any]]:
        """Return the items with their fields: of a tree, those of the branch that was shown."""
        path = next((each for each in self.path.split("|") if value_at(value, each) is not None), self.path)
        if isinstance(listed, Mapping):
            entries = [(f"{path}.{id}", item) for id, item in listed.items()]
            ids = list(listed)
        else:
            entries = [(f"{path}[{index}]", item) for index, item in enumerate(listed)]
            if not self.parent:
                return entries
            ids = [given_id(item, self.message_id) or "" for _, item in entries]
        by_id = {id: entry for id, entry in zip(ids, entries, strict=True) if id}
        messages = {id: self._message_in(item) for id, (_, item) in by_id.items()}
        parents = {id: given_id(item, self.parent) for id, (_, item) in by_id.items()}
        shown = path_to(given_id(value, self.leaf), parents)
        is_tree = isinstance(listed, Mapping) or not parents.keys().isdisjoint(parents.values())
        if not shown and is_tree:
            times = {
                id: to_utc(time_of(message, "", None, self.time)[1])
                for id, message in reversed(messages.items())
                if isinstance(message, Mapping)
            }
            shown = path_to(max(times, key=times.__getitem__, default=None), parents)
        if not shown:
            return entries
        kept = [by_id[id] for id in shown if messages[id] is not None]
        n_messages = sum(self._message_in(item) is not None for _, item in entries)
        place.report.omit(BRANCH, n_messages - len(kept))
        return kept

    def _message_in(self, item: Any) -> Any:
        return value_at(item, self.inside) if self.inside and isinstance(item, Mapping) else item

    def message(self, item: Mapping[str, Any], field: str, place: Place) -> Iterator[Turn]:
        """Yield one message as turns; what the app says itself, and what is empty, is counted."""
        message = self._message_in(item)
        field = f"{field}.{self.inside}" if self.inside else field
        if not isinstance(message, Mapping):
            raise TranscriptError(f"expected a message, got {kind(message)}", field=field)
        if self.turns:
            for turn in self.turns(message, field, place):
                yield turn if turn.id else replace(turn, id=given_id(item, self.message_id))
            return
        if "reactions" in message:
            place.report.omit("reaction", len(list_in(message, "reactions", field)))
        named = value_at(message, self.role) if self.role else None
        name = text_of(message, self.speaker) if self.speaker else None
        if self.spoken:
            is_spoken = value_at(message, self.spoken[0]) in self.spoken[1]
        else:
            is_spoken = not self.speaker or isinstance(value_at(message, self.speaker), str)
        if not is_spoken:
            place.report.omit("system message")
            return
        if not isinstance(named, str | bool | None):
            raise TranscriptError(f"a role is a text, got {kind(named)}", field=f"{field}.{self.role}")
        role = self.roles.get(named.lower() if isinstance(named, str) else named)
        role = role or role_of(str(named)) or self.everyone
        if role is None:
            place.report.omit("message of no known role")
            return
        if role in CHAT_ROLES and self.text == "content" and not self.content and not self.files:
            answered = message.get("tool_call_ids")
            own = {"tool_call_id": answered[0]} if isinstance(answered, list) and answered else {}
            turn = turn_from_message({**message, **own, "role": role}, field, place.warn)
            yield replace(turn, source=None, metadata={})
            return
        content = Content(tuple((self.content or self.plain_parts)(message, field, place)))
        if not content.items:
            place.report.omit(EMPTY)
        yield from content.turns(
            role,
            id=given_id(message, self.message_id),
            name=name,
            timestamp=place.time(message, field, self.time),
        )

    def plain_parts(self, message: Mapping[str, Any], field: str, place: Place) -> Iterator[ContentPart]:
        """Yield the text of a message, and its files as placeholders."""
        text = value_at(message, self.text)
        if value_at(message, "body.contentType") == "html" and isinstance(text, str):
            text = html.unescape(_TAG.sub("", _BREAK.sub("\n", text))).strip()
        if text is not None:
            yield from content_parts(text, f"{field}.{self.text.partition('|')[0]}")
        for path, what in self.files.items():
            for file in list_in(message, path, field):
                yield ContentPart(what, placeholder(what, file if isinstance(file, Mapping) else {}))
        for key, what in _COUNTED.items():
            if key not in self.files:
                place.report.omit(what, len(list_in(message, key, field)))

    def _take_turns(self, items: Iterable[Any]) -> Iterator[Turn]:
        """Yield the texts of two who take turns, or of pairs, as the user's and the assistant's."""
        texts: list[Any] = []
        for item in items:
            if isinstance(item, Mapping):
                texts += [item.get(name) for name in self.text.split("|")]
            else:
                texts += item if isinstance(item, list) else [item]
        for index, text in enumerate(texts):
            if not isinstance(text, str):
                raise TranscriptError(f"expected a text, got {kind(text)}", field=f"{self.path}[{index}]")
            if text:
                yield Turn.of(("user", "assistant")[index % 2], text.strip())


def _split(text: str) -> Iterator[Turn]:
    """Yield the turns of a text with the speakers in it."""
    _, *pieces = _SPEAKER.split(text)
    for named, said in zip(pieces[::2], pieces[1::2], strict=True):
        if said.strip():
            yield Turn.of(role_of(named) or "user", said.strip())


_CALL, _RESULT, _CALLS = "tool_call_invocation", "tool_call_result", "tool_calls"  # roles of no words
_VOICE_ROLES = {"agent": "assistant", _CALL: "assistant", _CALLS: "assistant", _RESULT: "tool"}
"""What voice agents call roles; an agent is also a person's job elsewhere."""

_CALL_IDS = ("request_id", "tool_call_id", "toolCallId", "id")
_CALL_NAME, _ARGUMENTS = "tool_name|function.name|name", "params_as_json|function.arguments|arguments"
_RETURNED = "result_value|result|content"


def _voice_items(message: Mapping[str, Any], field: str, place: Place) -> Iterator[Item]:
    """Yield what is said in a message, the calls in it, and the results; a call without a name is counted."""
    role = message.get("role")
    text = value_at(message, "message|content")
    if text is not None and role not in (_CALL, _RESULT, _CALLS):
        yield from content_parts(text, f"{field}.message")
    calls = [call for key in ("tool_calls", "toolCalls") for call in objects_in(message, key, field)]
    for call in [message] if role == _CALL else calls:
        if (name := text_of(call, _CALL_NAME)) is None:
            place.report.omit("call of a tool without a name")
            continue
        arguments = arguments_text(value_at(call, _ARGUMENTS), f"{field}.arguments")
        yield ToolCall(given_id(call, *_CALL_IDS) or "", name, arguments)
    results = objects_in(message, "tool_results", field)
    for result in [message] if role == _RESULT else results:
        name = text_of(result, _CALL_NAME)
        parts = json_parts(value_at(result, _RETURNED), f"{field}.result")
        yield ToolResult(given_id(result, *_CALL_IDS), parts, name or None)


def _with_calls(value: Mapping[str, Any], place: Place) -> Mapping[str, Any]:
    """Return a call of Retell with the list that has the calls of tools too, where there is one."""
    whole = list_in(value, "transcript_with_tool_calls", "")
    return {**value, "transcript_object": whole} if whole else value


def _put_prompt_first(value: Mapping[str, Any], place: Place) -> Mapping[str, Any]:
    """Return preference data with the prompt before the answer, where the answer does not repeat it."""
    prompt, chosen = value.get("prompt"), value.get("chosen")
    if not isinstance(chosen, list) or not chosen:
        return value
    if isinstance(prompt, str) and prompt and text_of(chosen[0], "role") == "assistant":
        prompt = [{"role": "user", "content": prompt}]
    if not isinstance(prompt, list) or chosen[: len(prompt)] == prompt:
        return value
    return {**value, "chosen": [*prompt, *chosen]}


def _add_instruction(value: Mapping[str, Any], place: Place) -> Mapping[str, Any]:
    """Return an instruction of Alpaca with its answer as the last pair of the history."""
    asked = "\n".join(filter(None, (text_of(value, "instruction"), text_of(value, "input"))))
    return {**value, "history": [*(value["history"] or ()), [asked, value.get("output")]]}


LAYOUTS = (
    Layout(
        "retell", "Retell call", "transcript_object", roles=_VOICE_ROLES, content=_voice_items,
        prepare=_with_calls,
    ),
    Layout(
        "elevenlabs", "ElevenLabs call", "transcript", ("agent_id",), text="message", roles=_VOICE_ROLES,
        content=_voice_items,
    ),
    Layout(
        "vapi", "Vapi call", "artifact.messages", text="message|content", roles=_VOICE_ROLES,
        content=_voice_items,
    ),
    Layout("arena", "Chatbot Arena", "conversation_a", ("model_a",), other="conversation_b"),
    Layout(
        "preferences", "Preference data", "chosen", ("rejected",), other="rejected",
        prepare=_put_prompt_first,
    ),
    Layout("hh-rlhf", "HH-RLHF", "chosen", ("rejected",), items="text", other="rejected"),
    Layout("capybara", "Capybara", "conversation", items="pairs", text="input|output"),
    Layout(
        "alpaca", "Alpaca with history", "history", ("instruction", "output"), items="pairs",
        prepare=_add_instruction,
    ),
    Layout("dailydialog", "DailyDialog", "dialog", ("act", "emotion"), items="texts"),
    Layout("ultrachat", "UltraChat", "data", ("id",), items="texts"),
    Layout("tau-bench", "tau-bench", "traj", ("task_id",)),
    Layout("swe-agent", "SWE-agent trajectory", "history", ("trajectory",)),
    Layout(
        "multiwoz", "MultiWOZ 2.2", "turns", ("dialogue_id",), role="speaker", text="utterance",
        roles={"system": "assistant"},
    ),
    Layout("taskmaster", "Taskmaster", "utterances", role="speaker", text="text"),
    Layout("continue", "Continue session", "history", inside="message"),
    Layout(
        "google-chat", "Google Chat", "messages", role="", everyone="user", text="text",
        speaker="creator.name",
    ),
    Layout(
        "teams", "Microsoft Teams", "value", role="", everyone="user", text="body.content",
        speaker="from.user.displayName",
    ),
)  # fmt: skip
"""Formats that need no functions of their own, or one line of them."""
