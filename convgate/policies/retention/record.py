"""What retention records of a message: its confidence, who says so, how long it stays, and its code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from convgate.core.conversation import Turn
from convgate.policies.retention.bands import Band
from convgate.policies.retention.code_blocks import CodeBlock, code_blocks
from convgate.policies.retention.confidence import confidences
from convgate.policies.retention.stated import Confidence, Source


@dataclass(frozen=True, slots=True)
class RetainedTurn:
    """The record of one message."""

    index: int  # 0-based, in its conversation
    confidence: Confidence
    code: tuple[CodeBlock, ...]

    @property
    def source(self) -> Source:
        """Who says so: "message", "logprobs", "estimate" or "absent"."""
        return self.confidence.source

    @property
    def band(self) -> Band:
        """How long the message stays."""
        return self.confidence.band

    def to_json(self) -> dict[str, Any]:
        """The record as plain JSON values."""
        return {
            "index": self.index,
            "confidence": self.confidence.value,
            "source": self.source,
            "answer": self.confidence.answer,
            "band": self.band,
            "code": [
                {"language": block.language, "line": block.line, "code": block.code} for block in self.code
            ],
        }


def records(turns: Sequence[Turn], *, estimate: bool = False, first: int = 0) -> tuple[RetainedTurn, ...]:
    """One record a turn, in order; `estimate` and `first` as in `confidences`.

    Raises ConfidenceError, naming the message and the field, for a value that is no confidence.
    """
    found = confidences(turns, estimate=estimate, first=first)
    return tuple(
        RetainedTurn(first + row, confidence, code_blocks(turn.text))
        for row, (turn, confidence) in enumerate(zip(turns, found, strict=True))
    )
