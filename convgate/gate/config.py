"""What a gate is built from: its preset, sizes, and the encoder and current message it was made for."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pydantic import TypeAdapter, with_config

from convgate.core.errors import GateError
from convgate.core.text import quote
from convgate.core.validation import STORED, parse
from convgate.embedding.base import EncoderIdentity

PRESETS = ("reference", "full")

# The largest encoders have 8,192 dimensions. A turn costs 2·heads·(band + 1) numbers, and a message up to
# window·heads·band steps: limits for configs from elsewhere.
_MAX = {"dimension": 8_192, "hidden": 4_096, "heads": 16, "band": 512, "window": 4_096}


@with_config(STORED)
@dataclass(frozen=True, slots=True)
class GateConfig:
    """Everything besides the weights that a gate needs to be built again, checked when made."""

    preset: str = "reference"
    dimension: int = 384  # of the encoder's vectors
    hidden: int = 64  # width of the attention tier
    heads: int = 2  # of the links between turns; the reference has one
    band: int = 64  # turns before a turn that it can be linked with; the reference has no limit
    window: int = 512  # newest turns that the attention tier sees; the reference has no limit
    text_rule: str = "current"  # the text of the current message is embedded as it is; no other rule
    encoder: EncoderIdentity | None = None  # None: not yet tied to an encoder

    def __post_init__(self) -> None:
        if self.preset not in PRESETS:
            raise GateError(f"preset must be one of {', '.join(PRESETS)}; got {quote(self.preset)}")
        for name, max_value in _MAX.items():
            if not 1 <= (value := getattr(self, name)) <= max_value:
                raise GateError(f"{name} must be from 1 to {max_value:,}; got {quote(value)}")
        if self.text_rule != "current":
            raise GateError(f"text_rule must be current; got {quote(self.text_rule)}")
        if self.encoder is not None and self.encoder.dimension != self.dimension:
            raise GateError(
                f"the gate reads {self.dimension} dimensions, its encoder {self.encoder} gives"
                f" {self.encoder.dimension}"
            )

    def to_json(self) -> dict[str, Any]:
        """Return the config as plain JSON values."""
        return asdict(self)


def parse_config(content: bytes, where: str) -> GateConfig:
    """Return the config in the content of its file; GateError naming `where` and each wrong field."""
    return parse(_KIND, content, where)


_KIND = TypeAdapter(GateConfig)
