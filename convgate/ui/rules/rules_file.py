"""The file of own rules on disk: read as text, written whole or not at all, with the way back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from convgate.errors import ConvgateError
from convgate.files import write_whole
from convgate.gatekeeper.gatekeeper import RULES_NAME
from convgate.gatekeeper.rules_reading import LARGEST
from convgate.home import make_home
from convgate.settings import Settings

FORMER = "gatekeeper-former.json"
"""In the home folder: what the file said before the last save, and what it was saved as."""


class RulesFileError(ConvgateError):
    """The file of own rules cannot be read or written, or is no longer what it was."""

    code = "rules_file"


@dataclass(frozen=True, slots=True)
class RulesFile:
    """The file as it was found."""

    path: Path
    content: bytes | None  # None: there is no file
    problem: str = ""  # why it cannot be read as text; empty when it can

    @property
    def text(self) -> str:
        """What an editor shows: line feeds alone, no byte order mark; empty when there is nothing to show."""
        if self.content is None or self.problem:
            return ""
        return self.content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")

    def bytes_of(self, text: str) -> bytes:
        """An edited text as the file would hold it, with the file's own line ends."""
        if self.content is not None and b"\r\n" in self.content:
            text = text.replace("\n", "\r\n")
        return text.encode()


def rules_path(settings: Settings) -> Path:
    """Where own rules stand."""
    return settings.gatekeeper_rules or settings.home / RULES_NAME


def read_file(path: Path) -> RulesFile:
    """The file of own rules, whatever state it is in."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return RulesFile(path, None)
    except OSError as error:
        return RulesFile(path, b"", f"{path} cannot be read: {error.strerror}.")
    if len(content) > LARGEST:
        return RulesFile(
            path, content, f"{path} has {len(content):,} bytes; {LARGEST:,} are the most for rules."
        )
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = (
            f"{path}, line {line}: this is not UTF-8. Save the file as UTF-8 in the editor that wrote it."
        )
        return RulesFile(path, content, problem)
    return RulesFile(path, content)


def save(settings: Settings, before: RulesFile, text: str) -> None:
    """Write the text in place of what `before` found, and keep the latter to be taken back.

    Raises RulesFileError, with the file as it was, when it is no longer what `before` found, or cannot be
    written.
    """
    _replace(settings, before, before.bytes_of(text))


def former(settings: Settings, now: RulesFile) -> str | None:
    """What the file said before the last save; None when nothing was saved, or it was changed since."""
    record = _record(settings, now)
    return None if record is None else record[0] or ""


def undo(settings: Settings, now: RulesFile) -> None:
    """Put back what the file was before the last save; done again, that is taken back too.

    Where there was no file an empty one is left: agents that run keep the rules of a file that goes away.
    Raises as `save`.
    """
    record = _record(settings, now)
    if record is None:
        raise RulesFileError(f"{now.path} was changed since it was saved here, so nothing is taken back.")
    before = record[0]
    _replace(settings, now, (before or "").encode("utf-8", "surrogateescape"))


def _record(settings: Settings, now: RulesFile) -> tuple[str | None] | None:
    try:
        record = json.loads((settings.home / FORMER).read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(record, dict) or record.get("path") != str(now.path):
        return None
    before, saved = record.get("before"), record.get("saved")
    if not all(text is None or isinstance(text, str) for text in (before, saved)):
        return None
    return (before,) if saved == _told(now.content) else None


def _replace(settings: Settings, before: RulesFile, content: bytes) -> None:
    path = before.path
    if read_file(path) != before:
        raise RulesFileError(
            f"{path} was changed by another program since it was read here, so it was left as it is."
        )
    record = {"path": str(path), "before": _told(before.content), "saved": _told(content)}
    try:
        make_home(settings.home)
        write_whole(settings.home / FORMER, json.dumps(record).encode(), private=True)
        make_home(path.parent)
        write_whole(path, content, private=True)
    except OSError as error:
        raise RulesFileError(f"{path} cannot be written: {error.strerror}. It is as it was.") from error


def _told(content: bytes | None) -> str | None:
    return None if content is None else content.decode("utf-8", "surrogateescape")
