"""The file of own rules on disk: written atomically, with an undo."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from convgate.core.errors import ConvgateError
from convgate.core.files import write_whole
from convgate.core.home import make_home
from convgate.core.settings import Settings
from convgate.gatekeeper.gatekeeper import RULES_NAME


class RulesFileError(ConvgateError):
    """The file of own rules cannot be read or written."""

    code = "rules_file"


@dataclass(frozen=True, slots=True)
class EditorFile:
    """The file as it was read."""

    path: Path
    text: str = ""  # line feeds only, no byte order mark; empty when it cannot be edited
    problem: str = ""  # why it cannot be edited; empty when it can

    @property
    def backup(self) -> Path:
        """Where the content before the last save is."""
        return self.path.with_name(f"{self.path.name}.previous")


def rules_path(settings: Settings) -> Path:
    """Return the path of the file of own rules."""
    return settings.gatekeeper.rules or settings.home / RULES_NAME


def read_file(path: Path) -> EditorFile:
    """Return the file of own rules; a missing one is empty."""
    try:
        return EditorFile(path, path.read_text("utf-8-sig"))
    except FileNotFoundError:
        return EditorFile(path)
    except OSError as error:
        return EditorFile(path, problem=f"{path} cannot be read: {error.strerror}.")
    except UnicodeDecodeError:
        return EditorFile(path, problem=f"{path} is not UTF-8. Save it as UTF-8.")


def save(file: EditorFile, content: bytes) -> None:
    """Replace the file's content, and keep the previous one for `undo`; of a missing file an empty one.

    Raises RulesFileError, with the file as it was, when it cannot be written.
    """
    path = file.path
    try:
        make_home(path.parent)
        write_whole(file.backup, path.read_bytes() if path.exists() else b"", private=True)
        write_whole(path, content, private=True)
    except OSError as error:
        raise RulesFileError(f"Not saved: {path} cannot be written: {error.strerror}.") from error


def undo(file: EditorFile) -> None:
    """Restore the content before the last save; a second undo restores the save. Raises RulesFileError."""
    try:
        content = file.backup.read_bytes()
    except OSError as error:
        raise RulesFileError(f"{file.backup} cannot be read: {error.strerror}.") from error
    save(file, content)
