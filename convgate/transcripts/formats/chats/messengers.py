"""Chats of people as one object: of Telegram Desktop, DiscordChatExporter, Messenger and Instagram."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from convgate.core.conversation import ContentPart, Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import placeholder
from convgate.transcripts.characters import writable
from convgate.transcripts.exports import (
    ConversationExport,
    list_in,
    mapping_of,
    objects_in,
    read_messages,
    text_of,
)
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place
from convgate.transcripts.source import Source
from convgate.transcripts.timestamps import time_of

_DISCORD_SPOKEN = ("Default", "Reply", "ChatInputCommand", "ContextMenuCommand")  # types of messages
_SENDERS = frozenset({"sender_name", "senderName"})
_META_FILES = {"photos": "image", "gifs": "image", "videos": "video", "audio_files": "audio", "files": "file"}
_MEDIA = {"voice": "audio", "audio": "audio", "video": "video", "animation": "video", "sticker": "image"}


class _ChatFormat(ConversationExport):
    """Objects with `messages`; everybody but bots is a user with a name."""

    def conversation(self, value: Mapping[str, Any], place: Place) -> Conversation:
        """Return the conversation of a chat."""
        turns = read_messages(list_in(value, "messages", ""), "messages", place, self._turns)
        id, title = self.names(value)
        return Conversation(id or "", tuple(turns), title, format=self.name)

    def _turns(self, message: Mapping[str, Any], field: str, place: Place) -> Iterator[Turn]:
        """Yield what somebody said in a message."""
        turn = self.turn(message, field, place) if self.is_spoken(message) else None
        place.report.omit("reaction", len(list_in(message, "reactions", field)))
        if turn is None:
            place.report.omit("system message")
        elif turn.parts:
            yield turn
        else:
            place.report.omit("message without content")

    @abstractmethod
    def names(self, value: Mapping[str, Any]) -> tuple[str | None, str | None]:
        """Return a chat's id and title."""

    @abstractmethod
    def is_spoken(self, message: Mapping[str, Any]) -> bool:
        """Return whether somebody wrote the message, not the app."""

    @abstractmethod
    def turn(self, message: Mapping[str, Any], field: str, place: Place) -> Turn:
        """Return a message as a turn; raises TranscriptError naming the field."""


class TelegramFormat(_ChatFormat):
    """One chat, or all of an account in `chats.list`."""

    name = "telegram"
    label = "Telegram export"

    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether it is a chat with Telegram's texts, or holds some."""
        messages = value.get("messages")
        return bool(_chats(value)) or (
            isinstance(messages, list)
            and any(isinstance(message, Mapping) and "date_unixtime" in message for message in messages[:50])
        )

    def objects(self, source: Source) -> Iterator[tuple[Mapping[str, Any], Place]]:
        """Yield the chats with their places."""
        for value, place in super().objects(source):
            for index, chat in enumerate(_chats(value)):
                dot = "." if place.prefix else ""
                yield chat, replace(place, prefix=f"{place.prefix}{dot}chats.list[{index}]")
            if not _chats(value):
                yield value, place

    def names(self, value: Mapping[str, Any]) -> tuple[str | None, str | None]:
        """Return a chat's id and title."""
        return given_id(value, "id"), text_of(value, "name")

    def is_spoken(self, message: Mapping[str, Any]) -> bool:
        """Return whether it is a message."""
        return message.get("type") == "message"

    def turn(self, message: Mapping[str, Any], field: str, place: Place) -> Turn:
        """Return a message as a turn, with its time in UTC where the file has it."""
        texts = message.get("text", "")
        texts = texts if isinstance(texts, list) else [texts]
        runs = [text.get("text") if isinstance(text, Mapping) else text for text in texts]
        if not all(isinstance(run, str) for run in runs):
            raise TranscriptError("expected a text or a list of texts", field=f"{field}.text")
        said = "".join(map(str, runs)).strip()
        parts = [ContentPart("text", writable(said))] if said else []
        media = text_of(message, "media_type") or ""
        if "photo" in message:
            parts.append(ContentPart("image", "[image]"))
        elif "file" in message:
            what = _MEDIA.get(media.partition("_")[0], "file")
            parts.append(ContentPart(what, placeholder(what, message)))
        elif "poll" in message:
            parts.append(ContentPart("poll", placeholder("poll", {"title": _question(message)})))
        moment = time_of({"time": message.get("date_unixtime") or message.get("date")}, field, place.warn)[1]
        name = text_of(message, "from") or text_of(message, "from_id")
        edited = {"edited": True} if "edited" in message else {}
        return Turn(
            "user",
            tuple(parts),
            id=given_id(message, "id"),
            name=writable(name) if name else None,
            timestamp=moment,
            metadata=edited,
        )


class DiscordFormat(_ChatFormat):
    """One channel of a server, or one direct chat."""

    name = "discord"
    label = "DiscordChatExporter file"

    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether it has messages of a channel of a guild."""
        has_channel = isinstance(value.get("guild"), Mapping) and isinstance(value.get("channel"), Mapping)
        return has_channel and isinstance(value.get("messages"), list)

    def names(self, value: Mapping[str, Any]) -> tuple[str | None, str | None]:
        """Return a channel's id and title."""
        channel = mapping_of(value, "channel")
        name = text_of(channel, "name")
        return given_id(channel, "id"), f"#{name}" if name else None

    def is_spoken(self, message: Mapping[str, Any]) -> bool:
        """Return whether somebody wrote the message."""
        return message.get("type", "Default") in _DISCORD_SPOKEN

    def turn(self, message: Mapping[str, Any], field: str, place: Place) -> Turn:
        """Return a message as a turn; those of bots are the assistant's."""
        author = mapping_of(message, "author")
        forwarded = mapping_of(message, "forwardedMessage")
        content = text_of(message, "content") or text_of(forwarded, "content")
        parts = [ContentPart("text", writable(content))] if content else []
        for embed in objects_in(message, "embeds", field) if not content else ():
            texts = (text_of(embed, key) for key in ("title", "description"))
            if said := "\n".join(filter(None, texts)):
                parts.append(ContentPart("text", writable(said)))
        for key, what in (("attachments", "attachment"), ("stickers", "image")):
            for file in (*objects_in(message, key, field), *objects_in(forwarded, key, field)):
                named = {"name": file.get("fileName") or file.get("name")}
                parts.append(ContentPart(what, placeholder(what, named)))
        name = text_of(author, "nickname") or text_of(author, "name")
        return Turn(
            "assistant" if author.get("isBot") is True else "user",
            tuple(parts),
            id=given_id(message, "id"),
            name=writable(name) if name else None,
            timestamp=time_of(message, field, place.warn)[1],
            metadata={"edited": True} if message.get("timestampEdited") else {},
        )


class MessengerFormat(_ChatFormat):
    """One chat of Messenger or Instagram, in the download of an account; its texts are in broken Latin-1."""

    name = "messenger"
    label = "Messenger or Instagram download"

    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether it has participants, and messages with Meta's names of fields."""
        messages = value.get("messages")
        return (
            isinstance(value.get("participants"), list)
            and isinstance(messages, list)
            and any(isinstance(each, Mapping) and _SENDERS & each.keys() for each in messages[:50])
        )

    def names(self, value: Mapping[str, Any]) -> tuple[str | None, str | None]:
        """Return a chat's id and title."""
        title = text_of(value, "title") or text_of(value, "threadName")
        return given_id(value, "thread_path", "threadName"), _mended(title)

    def conversation(self, value: Mapping[str, Any], place: Place) -> Conversation:
        """Return the conversation of a chat, the oldest message first."""
        chat = super().conversation(value, place)
        times = [turn.timestamp for turn in chat.turns if turn.timestamp]
        is_reversed = bool(times) and times[0] > times[-1]
        return replace(chat, turns=chat.turns[::-1]) if is_reversed else chat

    def is_spoken(self, message: Mapping[str, Any]) -> bool:
        """Return whether it was not taken back."""
        return not (message.get("is_unsent") or message.get("isUnsent"))

    def turn(self, message: Mapping[str, Any], field: str, place: Place) -> Turn:
        """Return a message as a turn."""
        said = _mended(text_of(message, "content") or text_of(message, "text"))
        parts = [ContentPart("text", writable(said))] if said else []
        for key, what in _META_FILES.items():
            parts += [ContentPart(what, f"[{what}]")] * len(list_in(message, key, field))
        name = _mended(text_of(message, "sender_name") or text_of(message, "senderName"))
        moment = {"time": message.get("timestamp_ms", message.get("timestamp"))}
        return Turn(
            "user",
            tuple(parts),
            name=writable(name) if name else None,
            timestamp=time_of(moment, field, place.warn)[1],
        )


def _mended(text: str | None) -> str | None:
    """Return a text whose bytes in UTF-8 were written as if they were Latin-1.

    >>> _mended("Zo\u00c3\u00ab"), _mended("Zoë")
    ('Zoë', 'Zoë')
    """
    try:
        return text.encode("latin-1").decode() if text else None
    except UnicodeError:
        return text


def _chats(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the chats of an account's export."""
    chats = mapping_of(value, "chats").get("list")
    return [
        chat
        for chat in (chats if isinstance(chats, list) else [])
        if isinstance(chat, Mapping) and isinstance(chat.get("messages"), list)
    ]


def _question(message: Mapping[str, Any]) -> str | None:
    return text_of(mapping_of(message, "poll"), "question")
