"""The file of own rules on disk: written whole or not at all, with an undo."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from convgate.core.errors import ConvgateError
from convgate.core.files import write_whole
from convgate.core.home import make_home
from convgate.core.settings import Settings
from convgate.gatekeeper.gatekeeper import RULES_NAME


class RulesFileError(ConvgateError):
    """The file of own rules cannot be written, or was changed by another program."""

    code = "rules_file"


@dataclass(frozen=True, slots=True)
class StoredRules:
    """The file as it was read."""

    path: Path
    content: bytes | None  # None: there is no file
    problem: str = ""  # why it cannot be edited; empty when it can

    @property
    def text(self) -> str:
        """The text for an editor: line feeds only, no byte order mark; empty when it cannot be edited."""
        if self.content is None or self.problem:
            return ""
        return self.content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")

    @property
    def backup(self) -> Path:
        """Where the content before the last save is."""
        return self.path.with_name(f"{self.path.name}.previous")


def rules_path(settings: Settings) -> Path:
    """Return the path of the file of own rules."""
    return settings.gatekeeper_rules or settings.home / RULES_NAME


def read_file(path: Path) -> StoredRules:
    """Return the file of own rules, whatever state it is in."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return StoredRules(path, None)
    except OSError as error:
        return StoredRules(path, b"", f"{path} cannot be read: {error.strerror}.")
    try:
        content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return StoredRules(path, content, f"{path} is not UTF-8. Save it as UTF-8.")
    return StoredRules(path, content)


def save(stored: StoredRules, content: bytes) -> None:
    """Replace the file's content and keep the previous one for `undo`.

    Raises RulesFileError, with the file as it was, when it changed since it was read or cannot be written.
    """
    path = stored.path
    if read_file(path) != stored:
        raise RulesFileError(f"Not saved: {path} was changed by another program.")
    try:
        make_home(path.parent)
        write_whole(stored.backup, stored.content or b"", private=True)
        write_whole(path, content, private=True)
    except OSError as error:
        raise RulesFileError(f"Not saved: {path} cannot be written: {error.strerror}.") from error


def undo(stored: StoredRules) -> None:
    """Restore the content before the last save; a second undo restores the save.

    Without a file before it, an empty one is left: running agents keep the rules of a file that goes away.
    Raises RulesFileError.
    """
    try:
        content = stored.backup.read_bytes()
    except OSError as error:
        raise RulesFileError(f"{stored.backup} cannot be read: {error.strerror}.") from error
    save(stored, content)
