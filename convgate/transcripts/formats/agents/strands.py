"""Sessions of Strands Agents: a folder for each agent, with a file for each message as of Bedrock."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.transcripts.dialects.bedrock import BedrockConverse
from convgate.transcripts.fields import value_at
from convgate.transcripts.json_text import Place
from convgate.transcripts.source import Archive, FileGroup, LocatedConversations, Source

_NUMBERED = re.compile(r"message_(\d{1,9})\.json")


class StrandsFormat:
    """Files `session_ID/agents/agent_ID/messages/message_N.json`; one alone is a conversation."""

    name = "strands"
    label = "Strands session"

    def match_share(self, source: Source) -> float:
        """Return 1 for a file of a message with its number."""
        sample = source.json.sample if source.json else ()
        return float(any(_is_message(value) for value in sample[:1]))

    def read(self, source: Source) -> LocatedConversations:
        """Yield the message as a conversation."""
        return self._conversations("", [source])

    def parts(self, archive: Archive) -> Sequence[FileGroup]:
        """Return the agents, each with its messages in order."""
        agents: dict[PurePosixPath, dict[int, Source]] = defaultdict(dict)
        for name, source in archive.sources.items():
            path = PurePosixPath(name)
            if path.parent.name == "messages" and (match := _NUMBERED.fullmatch(path.name)):
                agents[path.parent.parent][int(match[1])] = source
        parts = []
        for agent, numbered in agents.items():
            sources = [source for _, source in sorted(numbered.items())]
            if self.match_share(sources[0]):
                session = next((part for part in agent.parts if part.startswith("session_")), agent.name)
                id = session.removeprefix("session_")
                parts.append(FileGroup(self.name, sources, partial(self._conversations, id, sources)))
        return parts

    def _conversations(self, id: str, sources: Iterable[Source]) -> LocatedConversations:
        turns = []
        for source in sources:
            with Place(source.report).skip_bad_value():
                for value, place in source.need_json().values():
                    turns.append(_turn(value, place))
        yield None, Conversation(id, tuple(turns), format=self.name)


def _is_message(value: Any) -> bool:
    return value_at(value, "message_id") is not None and isinstance(value.get("message"), Mapping)


def _turn(value: Any, place: Place) -> Turn:
    if not _is_message(value):
        raise TranscriptError("expected a message with its message_id")
    turn = BedrockConverse().read(value["message"], "message")
    return replace(turn, timestamp=place.time(value), source=None)
