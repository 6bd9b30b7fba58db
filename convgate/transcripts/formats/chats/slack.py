"""The export of a Slack workspace: a zip or folder with `users.json` and the days of each channel."""

from __future__ import annotations

import re
from collections import defaultdict
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
from convgate.transcripts.exports import objects_in, read_objects, share_of
from convgate.transcripts.fields import text_of, value_at
from convgate.transcripts.formats.layouts import Layout
from convgate.transcripts.json_text import Place
from convgate.transcripts.message_lists import described
from convgate.transcripts.source import Archive, FileGroup, LocatedConversations, Source

_TS = re.compile(r"[0-9]{9,11}\.[0-9]{6}")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_LINK = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")
_SPOKEN = (
    *(None, "bot_message", "me_message", "thread_broadcast", "reply_broadcast", "file_share"),
    *("file_comment", "assistant_app_thread"),
)
"""Subtypes of messages that somebody wrote; others tell who joined, left or renamed the channel."""

_NAMES = "profile.display_name|display_name|profile.real_name|real_name|profile.name|name"
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
        return share_of(source, _is_message)

    def read(self, source: Source) -> LocatedConversations:
        """Yield the conversations of one day."""
        return self._conversations("", [source], _Workspace())

    def parts(self, archive: Archive) -> Sequence[FileGroup]:
        """Return the channels, each with the files of its days in order."""
        folders: dict[PurePosixPath, list[Source]] = defaultdict(list)
        for name, source in sorted(archive.sources.items()):
            path = PurePosixPath(name)
            if path.suffix == ".json" and _DAY.fullmatch(path.stem):
                folders[path.parent].append(source)
        days = (source for sources in folders.values() for source in sources)
        if not any(map(self.match_share, islice(days, _N_DAYS_SAMPLED))):
            return []
        workspace = _read_workspace(archive)
        return [
            FileGroup(self.name, sources, partial(self._conversations, folder.name, sources, workspace))
            for folder, sources in folders.items()
        ]

    def _conversations(
        self, channel: str, sources: Sequence[Source], workspace: _Workspace
    ) -> LocatedConversations:
        """Yield what was said outside of threads, then each thread."""
        threads: dict[str, list[Turn]] = {"": []}
        for source in sources:
            with Place(source.report).skip_bad_value():
                for message, place in read_objects(source, "a message"):
                    with place.skip_bad_value():
                        said = list(_MESSAGE.message(_message_for(message, workspace), "", place))
                        threads.setdefault(text_of(message, "thread_ts") or "", []).extend(said)
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


def _is_message(value: Mapping[str, Any]) -> bool:
    return value.get("type") == "message" and _TS.fullmatch(str(value.get("ts"))) is not None


def _read_workspace(archive: Archive) -> _Workspace:
    """Return the names in `users.json`, `channels.json` and so on; what cannot be read is a bad place."""
    users: dict[str, Mapping[str, Any]] = {}
    channels: dict[str, Mapping[str, Any]] = {}
    for name, source in archive.sources.items():
        kind = PurePosixPath(name).name
        if kind in ("users.json", "channels.json", "groups.json", "mpims.json", "dms.json"):
            with Place(archive.report, prefix=name).skip_bad_value():
                entries = users if kind == "users.json" else channels
                entries |= {text_of(value, "id") or "": value for value, _ in source.need_json().values()}
    names = {id: text_of(user, _NAMES) or id for id, user in users.items()}
    return _Workspace(
        names,
        frozenset(
            id for id, user in users.items() if isinstance(user, Mapping) and user.get("is_bot") is True
        ),
        {id: text_of(each, "name") or _member_names(each, names) for id, each in channels.items()},
    )


def _member_names(channel: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Return the names of those in a chat that has none itself."""
    members = value_at(channel, "members")
    return join_words(names.get(str(id), str(id)) for id in (members if isinstance(members, list) else ()))


def _message_for(message: Mapping[str, Any], workspace: _Workspace) -> dict[str, Any]:
    """Return a message with what its ids stand for; raises TranscriptError for another value."""
    if not _is_message(message):
        raise TranscriptError(f"expected a message with a type and a ts; got {described(message)}")
    id = text_of(message, "user|bot_id") or ""
    is_bot = message.get("subtype") == "bot_message" or "bot_id" in message or id in workspace.bots
    profiles = "|".join(f"{kind}_profile.{key}" for kind in ("user", "bot") for key in _NAMES.split("|"))
    name = workspace.users.get(id) or text_of(message, f"username|{profiles}") or id
    return {**message, "is_bot": is_bot, "name": name, "workspace": workspace}


def _parts(message: Mapping[str, Any], field: str, place: Place) -> Iterator[ContentPart]:
    texts = [text_of(message, "text")]
    if not texts[0]:
        texts = [text_of(each, "fallback|text") for each in objects_in(message, "attachments", field)]
    yield from (ContentPart("text", _resolve(text, message["workspace"])) for text in texts if text)
    for file in objects_in(message, "files", field):
        kind = (text_of(file, "mimetype") or "").partition("/")[0]
        kind = kind if kind in ("image", "audio", "video") else "file"
        yield ContentPart(kind, placeholder(kind, file))


_MESSAGE = Layout(
    "slack", "Slack message", "", role="is_bot", roles={True: "assistant"}, everyone="user", speaker="name",
    time=("ts",), message_id="ts", spoken=("subtype", _SPOKEN), content=_parts,
)  # fmt: skip


def _resolve(text: str, workspace: _Workspace) -> str:
    """Return the text with names for ids and with its links.

    >>> _resolve("<@U1> &lt;3 <https://example.org|tea>", _Workspace({"U1": "Nadia"}))
    '@Nadia <3 tea (https://example.org)'
    """

    def replacement(match: re.Match[str]) -> str:
        sign, target, label = match.groups()
        if sign in ("@", "#"):
            names = workspace.users if sign == "@" else workspace.channels
            return f"{sign}{names.get(target) or label or target}"
        if sign == "!":
            return str(label or f"@{target.partition('^')[0]}")
        url = target.removeprefix("mailto:")
        return f"{label} ({url})" if label and label not in url else url

    resolved = _LINK.sub(replacement, text)
    return resolved.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
