"""What a run's folder stores as JSON: the request, the record after each epoch, and the status."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any, Literal, Self

from pydantic import AwareDatetime, JsonValue, TypeAdapter, with_config

from convgate.core.validation import STORED
from convgate.gate.config import GateConfig
from convgate.training.epochs import Epoch, TrainingSettings
from convgate.versions.card import DataSet, Sha256

Activate = Literal["always", "better", "never"]
"""Whether a new version is activated: "better" when it is certainly better than its parent."""

Ended = Literal["done", "stopped", "failed"]
"""How a run ended."""

_LIBRARIES = ("numpy", "scipy", "sentence-transformers", "torch")


def utc_now() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


@with_config(STORED)
@dataclass(frozen=True)
class RunRequest:
    """`plan.json`: the words of a command, and what a list shows of them."""

    arguments: tuple[str, ...]  # of `convgate`; the run resumes with the same
    parent: str | None  # name of a version; None from scratch
    sets: tuple[str, ...]  # names of what is trained on
    replay: tuple[str, ...] = ()  # names of what is replayed beside them
    epochs: int = 0  # max; 0 for the default
    name: str = ""  # of the version; empty for the date
    note: str = ""
    who: str = ""
    started: AwareDatetime = field(default_factory=utc_now)


@with_config(STORED)
@dataclass(frozen=True)
class Status:
    """`status.json`: what a run does now, or how it ended."""

    stage: str = ""
    done: int = 0  # of the stage
    total: int = 0  # 0 while it is not known
    share: float = 0.0  # of the whole run that is done, 0…1; never less than before
    seconds_left: float | None = None  # None while no epoch tells how fast it is
    ended: Ended | None = None
    result: Mapping[str, JsonValue] = field(default_factory=dict)
    """When it is done, what `convgate train --json` prints; else `message`."""
    updated: AwareDatetime = field(default_factory=utc_now)


@with_config(STORED)
@dataclass(frozen=True)
class RunRecord:
    """`run.json`: what was trained, on what, how, and how it went."""

    started: str  # UTC, ISO 8601
    parent: str | None
    config: GateConfig
    settings: TrainingSettings
    data: tuple[DataSet, ...]
    libraries: Mapping[str, str]
    epochs: tuple[Epoch, ...] = ()
    state_sha256: Sha256 = ""  # of the tensors after the last of them
    seconds: float = 0.0  # of training, without interruptions

    @classmethod
    def new(
        cls, config: GateConfig, settings: TrainingSettings, data: tuple[DataSet, ...], parent: str | None
    ) -> Self:
        """Return the record of a run that starts now."""
        libraries = {"python": platform.python_version()} | {name: version(name) for name in _LIBRARIES}
        started = datetime.now(UTC).isoformat(timespec="seconds")
        return cls(started, parent, config, settings, data, libraries)

    def plan(self) -> dict[str, Any]:
        """Return what must stay the same when the run is resumed, by name."""
        config = self.config.to_json()
        encoder = config.pop("encoder") or {}
        return {
            "parent": self.parent,
            **config,
            **{f"encoder {name}": value for name, value in encoder.items()},
            **asdict(self.settings),
            **{f"set {each.name}": each.sha256[:12] for each in self.data},
        }


REQUEST_TYPE, STATUS_TYPE = TypeAdapter(RunRequest), TypeAdapter(Status)
RECORD_TYPE = TypeAdapter(RunRecord)
