"""Files of lines that write an object and change it: sessions of Gemini CLI and VS Code, as they end up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from convgate.transcripts.exports import ConversationExport
from convgate.transcripts.json_text import Place
from convgate.transcripts.problems import Report
from convgate.transcripts.source import Source

_IGNORED = "line that changes nothing that is known"


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
    first = _first(source)
    return "projectHash" in first and "sessionId" in first and "messages" not in first


def is_vscode_log(source: Source) -> bool:
    """Return whether the first line is a whole session of VS Code."""
    state = _first(source).get("v")
    return _first(source).get("kind") == 0 and isinstance(state, Mapping) and "requests" in state


def read_gemini_log(lines: Iterable[Any], report: Report) -> dict[str, Any]:
    """Return a session with its messages: written again, set together, or taken back up to one."""
    session: dict[str, Any] = {}
    messages: dict[str, Any] = {}
    for line in lines:
        if not isinstance(line, Mapping):
            report.omit(_IGNORED)
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
            report.omit(_IGNORED)
    return {**session, "messages": list(messages.values())}


def read_vscode_log(lines: Iterable[Any], report: Report) -> dict[str, Any]:
    """Return a session after its changes: a value is set, added to a list, or removed, at a path of keys."""
    holder: dict[str, Any] = {}
    for line in lines:
        kind = line.get("kind") if isinstance(line, Mapping) else None
        if kind == 0:
            holder["session"] = line.get("v")
            continue
        path = line.get("k") if isinstance(line, Mapping) else None
        if not (isinstance(path, list) and path and _change(holder, ["session", *path], kind, line)):
            report.omit(_IGNORED)
    session = holder.get("session")
    return dict(session) if isinstance(session, Mapping) else {}


def _change(holder: Any, path: list[Any], kind: Any, line: Mapping[str, Any]) -> bool:
    """Make one change; return whether it could be made."""
    *path, last = path
    for key in path:
        if not _has(holder, key):
            return False
        holder = holder[key]
    if kind == 1 and isinstance(holder, dict) and isinstance(last, str):
        holder[last] = line.get("v")
    elif not _has(holder, last):
        return False
    elif kind == 1:
        holder[last] = line.get("v")
    elif kind == 2 and isinstance(holder[last], list) and isinstance(line.get("v", []), list):
        size = line.get("i")
        kept = holder[last][:size] if isinstance(size, int) and size >= 0 else holder[last]
        holder[last] = kept + line.get("v", [])
    elif kind == 3 and isinstance(holder, dict):
        del holder[last]
    else:
        return False
    return True


def _has(holder: Any, key: Any) -> bool:
    if isinstance(holder, list):
        return isinstance(key, int) and 0 <= key < len(holder)
    return isinstance(holder, dict) and isinstance(key, str) and key in holder


def _id(message: Any) -> str:
    return str(message.get("id")) if isinstance(message, Mapping) else ""


def _first(source: Source) -> Mapping[str, Any]:
    sample = source.json.sample if source.json else ()
    return sample[0] if sample and isinstance(sample[0], Mapping) else {}
