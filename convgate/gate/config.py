"""What a gate is built from: its preset, sizes, and the encoder and situation it was made for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from convgate.embedding.base import EncoderIdentity
from convgate.errors import GateError
from convgate.gate.situation import SITUATIONS

PRESETS = ("reference", "full")


@dataclass(frozen=True, slots=True)
class GateConfig:
    """Everything besides the weights that a gate needs to be built again, checked when made."""

    preset: str = "reference"
    dimension: int = 384  # of the encoder's vectors
    hidden: int = 64  # width of the attention tier
    heads: int = 2  # of the links between turns; the reference has one
    band: int = 64  # turns before a turn that it can be linked with; the reference has no limit
    window: int = 256  # newest turns that the attention tier sees; the reference has no limit
    situation: str = "current"  # how the situation's text is built, one of SITUATIONS
    encoder: EncoderIdentity | None = None  # None: not yet tied to an encoder

    def __post_init__(self) -> None:
        if self.preset not in PRESETS:
            raise GateError(f"preset must be one of {', '.join(PRESETS)}; got {self.preset!r}")
        for name in ("dimension", "hidden", "heads", "band", "window"):
            if (value := getattr(self, name)) < 1:
                raise GateError(f"{name} must be 1 or more; got {value}")
        if self.situation not in SITUATIONS:
            raise GateError(f"situation must be one of {', '.join(SITUATIONS)}; got {self.situation!r}")
        if self.encoder is not None and self.encoder.dimension != self.dimension:
            raise GateError(
                f"the gate reads {self.dimension} dimensions, its encoder {self.encoder} gives"
                f" {self.encoder.dimension}"
            )

    def to_json(self) -> dict[str, Any]:
        """The config as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The config that `to_json` gave; GateError names a missing or unknown field."""
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(values) - known):
            raise GateError(f"unknown field in a gate's config: {', '.join(unknown)}")
        values = dict(values)
        try:
            if values.get("encoder") is not None:
                values["encoder"] = EncoderIdentity(**values["encoder"])
            return cls(**values)
        except TypeError as error:
            raise GateError(f"a gate's config cannot be read: {error}") from error
