"""Chats of people as one object: of Telegram Desktop, DiscordChatExporter, Messenger and Instagram."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from convgate.core.conversation import ContentPart
from convgate.core.errors import TranscriptError
from convgate.transcripts.blocks import placeholder
from convgate.transcripts.exports import objects_in
from convgate.transcripts.fields import mapping_of, text_of
from convgate.transcripts.formats.layouts import Layout
from convgate.transcripts.json_text import Place

_MEDIA = {"voice": "audio", "audio": "audio", "video": "video", "animation": "video", "sticker": "image"}


def _telegram_parts(message: Mapping[str, Any], field: str, place: Place) -> Iterator[ContentPart]:
    texts = message.get("text", "")
    texts = texts if isinstance(texts, list) else [texts]
    runs = [text.get("text") if isinstance(text, Mapping) else text for text in texts]
    if not all(isinstance(run, str) for run in runs):
        raise TranscriptError("expected a text or a list of texts", field=f"{field}.text")
    if said := "".join(map(str, runs)).strip():
        yield ContentPart("text", said)
    if "photo" in message:
        yield ContentPart("image", "[image]")
    elif "file" in message:
        what = _MEDIA.get((text_of(message, "media_type") or "").partition("_")[0], "file")
        yield ContentPart(what, placeholder(what, message))
    elif "poll" in message:
        yield ContentPart("poll", placeholder("poll", {"title": text_of(message, "poll.question")}))


def _discord_parts(message: Mapping[str, Any], field: str, place: Place) -> Iterator[ContentPart]:
    forwarded = mapping_of(message, "forwardedMessage")
    if content := text_of(message, "content|forwardedMessage.content"):
        yield ContentPart("text", content)
    for embed in objects_in(message, "embeds", field) if not content else ():
        if said := "\n".join(filter(None, (text_of(embed, "title"), text_of(embed, "description")))):
            yield ContentPart("text", said)
    for key, what in (("attachments", "attachment"), ("stickers", "image")):
        for file in (*objects_in(message, key, field), *objects_in(forwarded, key, field)):
            yield ContentPart(what, placeholder(what, {"name": file.get("fileName") or file.get("name")}))


def _name_channel(value: Mapping[str, Any], place: Place) -> Mapping[str, Any]:
    name = text_of(value, "channel.name")
    return {**value, "title": f"#{name}" if name else None}


def _mend(value: Any) -> Any:
    """Return a value in whose texts the bytes of UTF-8 are no longer written as if they were Latin-1.

    >>> _mend(["Zo\u00c3\u00ab", "Zoë"])
    ['Zoë', 'Zoë']
    """
    if isinstance(value, list):
        return [_mend(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _mend(item) for key, item in value.items()}
    try:
        return value.encode("latin-1").decode() if isinstance(value, str) else value
    except UnicodeError:
        return value


TELEGRAM = Layout(
    "telegram", "Telegram export", "messages", marks="date_unixtime", holder="chats.list",
    role="", everyone="user", speaker="from|from_id", time=("date_unixtime", "date"), title="name",
    spoken=("type", ("message",)), content=_telegram_parts,
)  # fmt: skip
DISCORD = Layout(
    "discord", "DiscordChatExporter file", "messages", ("guild", "channel"), marks="",
    role="author.isBot", roles={True: "assistant"}, everyone="user", speaker="author.nickname|author.name",
    id="channel.id", prepare=_name_channel, content=_discord_parts,
    spoken=("type", (None, "Default", "Reply", "ChatInputCommand", "ContextMenuCommand")),
)  # fmt: skip
MESSENGER = Layout(
    "messenger", "Messenger or Instagram download", "messages", ("participants",),
    marks="sender_name|senderName", role="", everyone="user", speaker="sender_name|senderName",
    text="content|text", time=("timestamp_ms", "timestamp"), id="thread_path|threadName",
    title="title|threadName",
    files={"photos": "image", "gifs": "image", "videos": "video", "audio_files": "audio", "files": "file"},
    spoken=("is_unsent|isUnsent", (None, False)), newest_first=True,
    prepare=lambda chat, place: _mend(chat),
)  # fmt: skip
