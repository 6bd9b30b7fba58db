"""The folder that has the versions of the user's: their names, and who may change it at a time."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout

from convgate.errors import GateError
from convgate.home import make_home
from convgate.versions.names import automatic_name, check_name, is_name

_LOCK = ".lock"
_PATIENCE = 30.0  # seconds to wait for another program that changes versions


class Folder:
    """`home`/versions, one folder a version; GateError when it cannot be read or changed."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.root = home / "versions"

    def names(self) -> list[str]:
        """The names of the versions, sorted."""
        try:
            return sorted(path.name for path in self.root.iterdir() if is_name(path.name) and path.is_dir())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise GateError(f"the versions in {self.root} cannot be read: {error}") from error

    def free(self, name: str | None) -> str:
        """The name for a new version, or one made of the date; GateError when it is taken."""
        if name is None:
            return automatic_name(datetime.now(UTC).date(), self.names())
        if check_name(name) in self.names():
            raise GateError(
                f"there is a version {name} already, and versions never change; name it otherwise"
            )
        return name

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Alone among all programs; what one of them left half done is swept away."""
        try:
            make_home(self.home)
            make_home(self.root)
            with FileLock(self.root / _LOCK, timeout=_PATIENCE, mode=0o600):
                for left in self.root.glob(".*.partial"):
                    shutil.rmtree(left, ignore_errors=True)
                    if left.is_file():
                        left.unlink()
                yield
        except Timeout as error:
            raise GateError(
                f"another program has been changing the versions in {self.root} for {_PATIENCE:.0f} seconds;"
                " try again when it is done"
            ) from error
        except OSError as error:
            raise GateError(
                f"the versions in {self.root} cannot be changed: {error}; everything is as it was"
            ) from error
