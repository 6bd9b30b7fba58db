"""How values are written to an address and read from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import NoneType
from typing import Any, Literal, get_args, get_origin


@dataclass(frozen=True)
class Codec:
    """How a value is written to an address and read from it.

    `read` raises ValueError for invalid text, described by `expected`, or a ConvgateError with a message.
    """

    write: Callable[[Any], str]
    read: Callable[[str], Any]
    expected: str = ""
    is_turn: bool = False


def number(low: int = 1, high: int = 999_999_999) -> Codec:
    """Return the codec of an integer within these bounds."""

    def read(text: str) -> int:
        value = int(text) if text.isascii() and text.isdecimal() and len(text) < 12 else low - 1
        if not low <= value <= high:
            raise ValueError(text)
        return value

    return Codec(str, read, f"a whole number from {low:,} to {high:,}")


def share(low: float = 0.0, high: float = 1.0) -> Codec:
    """Return the codec of a float within these bounds."""

    def read(text: str) -> float:
        value = float(text)
        if not low <= value <= high:
            raise ValueError(text)
        return value

    return Codec(lambda value: f"{value:.12g}", read, f"a number from {low:g} to {high:g}")


def one_of(names: Iterable[str]) -> Codec:
    """Return the codec of one of these names."""
    known = tuple(names)
    return Codec(str, lambda text: known[known.index(text)], f"one of {', '.join(known)}")


def names_of(names: Iterable[str]) -> Codec:
    """Return the codec of several of these names, in their order."""
    return _several(one_of(names))


def words(longest: int) -> Codec:
    """Return the codec of text, cut after this number of characters."""
    return Codec(lambda text: str(text)[:longest], lambda text: text.strip()[:longest])


TURN = Codec(
    lambda turn: str(turn + 1), lambda text: number().read(text) - 1, "a turn's number, from 1", is_turn=True
)
"""A turn, 0-based; addresses count turns from 1, as the screen does."""

_CODECS: dict[Any, Codec] = {
    str: Codec(str, str),
    int: number(),
    bool: Codec(lambda value: str(int(value)), lambda text: bool(("0", "1").index(text)), "0 or 1"),
    float: share(-math.inf, math.inf),
}


def codec_of(kind: Any) -> Codec:
    """Return the codec of a type: str, int, float, bool, Literal, tuple[X, ...], or one of them or None."""
    if get_origin(kind) is Literal:
        return one_of(get_args(kind))
    if get_origin(kind) is tuple:
        return _several(codec_of(get_args(kind)[0]))
    kinds = [option for option in get_args(kind) if option is not NoneType]
    return codec_of(kinds[0]) if len(kinds) == 1 else _CODECS[kind]


def _several(item: Codec) -> Codec:
    return Codec(
        lambda values: ",".join(map(item.write, values)),
        lambda text: tuple(dict.fromkeys(item.read(part) for part in text.split(",") if part)),
        item.expected,
    )
