"""What makes a list of messages one that chat APIs accept, and what it costs in tokens."""

from __future__ import annotations

from convgate.messages.check import check_valid
from convgate.messages.tokens import (
    TOKENS_PER_MESSAGE,
    CachedTokenCounter,
    TokenCounter,
    default_token_counter,
    turn_tokens,
)
from convgate.messages.units import ToolUnit, ToolUnits, find_tool_units
from convgate.messages.validity import ValidSelection, make_valid

__all__ = [
    "TOKENS_PER_MESSAGE",
    "CachedTokenCounter",
    "TokenCounter",
    "ToolUnit",
    "ToolUnits",
    "ValidSelection",
    "check_valid",
    "default_token_counter",
    "find_tool_units",
    "make_valid",
    "turn_tokens",
]
