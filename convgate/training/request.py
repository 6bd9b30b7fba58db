"""What a training was asked for: written into its run's folder, so that it can be listed and gone on with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from pydantic import TypeAdapter, ValidationError, with_config

from convgate.checked import STORED
from convgate.home import make_home
from convgate.training.progress import put

REQUEST = "plan.json"


def new_id() -> str:
    """A name for a run's folder: when it was begun, to the microsecond, in UTC."""
    return f"{datetime.now(UTC):%Y-%m-%d-%H%M%S-%f}"


@with_config(STORED)
@dataclass(frozen=True)
class Request:
    """The words of a command, and what a person wants to read of them in a list."""

    arguments: tuple[str, ...]  # of `convgate`; the run goes on with the very same
    parent: str | None  # name of a version; None from scratch
    sets: tuple[str, ...]  # names of what is learned from
    replay: tuple[str, ...] = ()  # names of what is repeated so that it is not forgotten
    epochs: int = 0  # at most
    name: str = ""  # wanted for the version; empty for the day's date
    note: str = ""
    who: str = ""
    learning_curve: bool = False
    started: str = ""  # UTC, ISO 8601

    def write(self, folder: Path) -> None:
        """Put it into the run's folder, which is made. Raises OSError."""
        make_home(folder)
        put(folder / REQUEST, asdict(self))

    @classmethod
    def read(cls, folder: Path) -> Request | None:
        """What is in the run's folder; None when it was not written or is damaged."""
        try:
            return _KIND.validate_json((folder / REQUEST).read_bytes())
        except (OSError, ValidationError):
            return None

    def finishing(self, epochs: int) -> Sequence[str]:
        """The arguments of the command that ends after so many epochs, without a learning curve."""
        words = [word for word in self.arguments if word != "--learning-curve"]
        if "--epochs" in words:
            place = words.index("--epochs")
            del words[place : place + 2]
        return [*words, "--epochs", str(epochs)]


_KIND = TypeAdapter(Request)
