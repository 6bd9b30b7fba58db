"""The export of a Slack workspace: a zip or folder with `users.json` and the days of each channel."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

from convgate.core.conversation import ContentPart, Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.core.text import join_words, to_line
from convgate.transcripts.blocks import placeholder
from convgate.transcripts.characters import writable
from convgate.transcripts.fields import text_of
from convgate.transcripts.json_text import Place
from convgate.transcripts.message_lists import described
from convgate.transcripts.source import Archive, LocatedConversations, Part, Source
from convgate.transcripts.timestamps import parse_timestamp

_TS = re.compile(r"[0-9]{9,11}\.[0-9]{6}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_LINK = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")
_SPOKEN = (
    *(None, "bot_message", "me_message", "thread_broadcast", "reply_broadcast", "file_share"),
    *("file_comment", "assistant_app_thread"),
)
"""Subtypes of messages that somebody wrote; others tell who joined, left or renamed the channel."""

_N_DAYS_SAMPLED = 20


@dataclass(frozen=True)
class _Workspace:
    """Whom the ids of messages stand for."""

    users: Mapping[str, str] = field(default_factory=dict)  # names by id
    bots: frozenset[str] = frozenset()
    channels: Mapping[str, str] = field(default_factory=dict)


class SlackFormat:
    """Messages with `type` "message" and `ts`, whose threads are conversations of their own.

    People are users, bots are assistants. A file of one day can be read alone, without the names of users.
    """

    name = "slack"
    label = "Slack export"

    def match_share(self, source: Source) -> float:
        """Return the share of the first values that are messages, 0…1."""
        sample = source.json.sample if source.json else ()
        return sum(map(_is_message, sample)) / max(1, len(sample))

    def read(self, source: Source) -> LocatedConversations:
        """Yield the conversations of one day."""
        return self._conversations("", [source], _Workspace())

    def parts(self, archive: Archive) -> Sequence[Part]:
        """Return the channels, each with the files of its days in order."""
        folders: dict[PurePosixPath, list[Source]] = {}
        for name, source in sorted(archive.sources.items()):
            path = PurePosixPath(name)
            if path.suffix == ".json" and _DAY.fullmatch(path.stem):
                folders.setdefault(path.parent, []).append(source)
        days = (source for sources in folders.values() for source in sources)
        if not any(map(self.match_share, islice(days, _N_DAYS_SAMPLED))):
            return []
        workspace = _read_workspace(archive)
        return [
            Part(self.name, sources, partial(self._conversations, folder.name, sources, workspace))
            for folder, sources in folders.items()
        ]

    def _conversations(
        self, channel: str, sources: Sequence[Source], workspace: _Workspace
    ) -> LocatedConversations:
        """Yield what was said outside of threads, then each thread."""
        threads: dict[str, list[Turn]] = {"": []}
        for message, place in _messages(sources):
            if turn := _turn(message, workspace, place):
                threads.setdefault(text_of(message, "thread_ts") or "", []).append(turn)
        parents = {turn.id: turn for turn in threads[""]}
        for ts, turns in list(threads.items()):
            if ts and ts in parents:  # which does not say itself that it has replies
                turns.append(parents[ts])
            elif ts and len(turns) == 1:
                threads[""] += threads.pop(ts)
        id = next((id for id, name in workspace.channels.items() if name == channel), channel)
        name = workspace.channels.get(id, channel)
        title = name if id.startswith("D") or not name else f"#{name}"
        for ts, turns in threads.items():
            turns.sort(key=lambda turn: turn.id or "")
            if turns:
                first = f": {to_line(turns[0].text, 60)}" if ts else ""
                own_id = f"{id}-{ts}" if ts and id else id
                own_title = f"{title}{first}".removeprefix(": ") or None
                yield None, Conversation(own_id, tuple(turns), own_title, format=self.name)


def _is_message(value: Any) -> bool:
    ts = value.get("ts") if isinstance(value, Mapping) and value.get("type") == "message" else None
    return isinstance(ts, str) and _TS.fullmatch(ts) is not None


def _messages(sources: Sequence[Source]) -> Iterator[tuple[Mapping[str, Any], Place]]:
    for source in sources:
        with Place(source.report).skip_bad_value():
            for value, place in source.need_json("the messages of a day, as JSON").values():
                if _is_message(value):
                    yield value, place
                else:
                    error = f"expected a message with a type and a ts; got {described(value)}"
                    place.leave_out_all(TranscriptError(error))


def _read_workspace(archive: Archive) -> _Workspace:
    """Return the names in `users.json`, `channels.json` and so on; what cannot be read is a bad place."""
    entries: dict[str, dict[str, Mapping[str, Any]]] = {}
    for name, source in archive.sources.items():
        kind = PurePosixPath(name).name
        if kind in ("users.json", "channels.json", "groups.json", "mpims.json", "dms.json"):
            with Place(archive.report, prefix=name).skip_bad_value():
                values = [value for value, _ in source.need_json().values() if isinstance(value, Mapping)]
                by_id = {id: value for value in values if (id := text_of(value, "id"))}
                entries.setdefault("users" if kind == "users.json" else "channels", {}).update(by_id)
    people = entries.get("users", {})
    users = {id: _user_name(user) or id for id, user in people.items()}
    channels = {}
    for id, channel in entries.get("channels", {}).items():
        members = channel.get("members")
        ids = members if isinstance(members, list) else []
        channels[id] = text_of(channel, "name") or join_words(users.get(str(user), str(user)) for user in ids)
    bots = frozenset(id for id, user in people.items() if user.get("is_bot") is True)
    return _Workspace(users, bots, channels)


def _user_name(user: Mapping[str, Any]) -> str | None:
    profile = user.get("profile")
    fields = {**user, **profile} if isinstance(profile, Mapping) else user
    return next(
        (name for key in ("display_name", "real_name", "name") if (name := text_of(fields, key))), None
    )


def _turn(message: Mapping[str, Any], workspace: _Workspace, place: Place) -> Turn | None:
    """Return what somebody wrote; None for what Slack did, and for nothing at all."""
    subtype = message.get("subtype")
    if subtype not in _SPOKEN:
        place.report.omit("system message")
        return None
    parts = tuple(_parts(message, workspace))
    if not parts:
        place.report.omit("message without content")
        return None
    reactions, id = message.get("reactions"), text_of(message, "user") or text_of(message, "bot_id") or ""
    place.report.omit("reaction", len(reactions) if isinstance(reactions, list) else 0)
    profiles = (message.get("user_profile"), message.get("bot_profile"))
    names = (_user_name(profile) for profile in profiles if isinstance(profile, Mapping))
    name = workspace.users.get(id) or text_of(message, "username") or next(filter(None, names), None) or id
    is_bot = subtype == "bot_message" or "bot_id" in message or id in workspace.bots
    return Turn(
        "assistant" if is_bot else "user",
        parts,
        id=message["ts"],
        name=writable(name) or None,
        timestamp=parse_timestamp(message["ts"]),
        metadata={"edited": True} if message.get("edited") else {},
    )


def _parts(message: Mapping[str, Any], workspace: _Workspace) -> Iterator[ContentPart]:
    if text := text_of(message, "text"):
        yield ContentPart("text", writable(_resolve(text, workspace)))
    else:
        for attachment in _mappings(message, "attachments"):
            if text := text_of(attachment, "fallback") or text_of(attachment, "text"):
                yield ContentPart("text", writable(_resolve(text, workspace)))
    for file in _mappings(message, "files"):
        kind = (text_of(file, "mimetype") or "").partition("/")[0]
        kind = kind if kind in ("image", "audio", "video") else "file"
        yield ContentPart(kind, placeholder(kind, file))


def _mappings(message: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    values = message.get(key)
    return [value for value in values if isinstance(value, Mapping)] if isinstance(values, list) else []


def _resolve(text: str, workspace: _Workspace) -> str:
    """Return the text with names for ids and with its links.

    >>> _resolve("<@U1> &lt;3 <https://example.org|tea>", _Workspace({"U1": "Nadia"}))
    '@Nadia <3 tea (https://example.org)'
    """

    def replacement(match: re.Match[str]) -> str:
        sign, target, label = match.groups()
        if sign == "@":
            return f"@{workspace.users.get(target) or label or target}"
        if sign == "#":
            return f"#{workspace.channels.get(target) or label or target}"
        if sign == "!":
            return str(label or f"@{target.partition('^')[0]}")
        url = target.removeprefix("mailto:")
        return f"{label} ({url})" if label and label not in url else url

    resolved = _LINK.sub(replacement, text)
    return resolved.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
