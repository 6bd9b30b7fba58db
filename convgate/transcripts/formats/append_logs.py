"""Files of lines that write an object and change it: sessions of Gemini CLI, as they end up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from convgate.transcripts.exports import ConversationExport
from convgate.transcripts.json_text import Place
from convgate.transcripts.problems import Report
from convgate.transcripts.source import Source

IGNORED = "line that changes nothing that is known"


class LoggedExport(ConversationExport):
    """An export that may also be a log of what was written, read as the object that it ends up as."""

    is_log: Callable[[Source], bool]
    read_log: Callable[[Iterable[Any], Report], dict[str, Any]]

    def match_share(self, source: Source) -> float:
        """Return the same as of any export, 1 for a log."""
        return 1.0 if self.is_log(source) else super().match_share(source)

    def objects(self, source: Source) -> Iterator[tuple[Mapping[str, Any], Place]]:
        """Yield the objects, or the one of a log."""
        if self.is_log(source):
            lines = (value for value, _ in source.need_json().values())
            yield self.read_log(lines, source.report), Place(source.report)
        else:
            yield from super().objects(source)


def is_gemini_log(source: Source) -> bool:
    """Return whether the first line is a session of Gemini CLI without its messages."""
    first = first_value(source)
    return "projectHash" in first and "sessionId" in first and "messages" not in first


def read_gemini_log(lines: Iterable[Any], report: Report) -> dict[str, Any]:
    """Return a session with its messages: written again, set together, or taken back up to one."""
    session: dict[str, Any] = {}
    messages: dict[str, Any] = {}
    for line in lines:
        if not isinstance(line, Mapping):
            report.omit(IGNORED)
        elif isinstance(changed := line.get("$set"), Mapping):
            if isinstance(listed := changed.get("messages"), list):
                messages = {_id(message): message for message in listed}
            session |= {key: value for key, value in changed.items() if key != "messages"}
        elif "$rewindTo" in line:
            ids = list(messages)
            kept = ids[: ids.index(line["$rewindTo"])] if line["$rewindTo"] in ids else ids
            report.omit("message that was taken back", len(ids) - len(kept))
            messages = {id: messages[id] for id in kept}
        elif "id" in line and "type" in line:
            messages[_id(line)] = line
        elif "projectHash" in line:
            session |= line
        else:
            report.omit(IGNORED)
    return {**session, "messages": list(messages.values())}


def _id(message: Any) -> str:
    return str(message.get("id")) if isinstance(message, Mapping) else ""


def first_value(source: Source) -> Mapping[str, Any]:
    """Return the first object of a source, an empty one when there is none."""
    sample = source.json.sample if source.json else ()
    return sample[0] if sample and isinstance(sample[0], Mapping) else {}
