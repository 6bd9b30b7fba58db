"""A policy with its parameters as a short piece of text: `last_k(k=5)`, `gate@mine`, `bm25`.

A pipeline's stages, the columns of a comparison and their addresses are written so.

>>> read_policy("last_k( k = 5 )")
Written(name='last_k', parameters={'k': 5}, version=None)
>>> to_text(read_policies("gatekeeper>session(idle_gap=3600) > gate@mine"))
'gatekeeper > session(idle_gap=3600) > gate@mine'
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from convgate.core.errors import PolicyError

Value = bool | int | float | str
Separator = Literal[">", ","]

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_VERSION = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9])?")  # a name and never a folder, such as ".."
_NUMBER = re.compile(r"[+-]?(inf\b|(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?)")
_WHOLE = re.compile(r"[+-]?\d{1,300}")  # Python reads no whole number of thousands of digits
_SPACE = re.compile(r"\s*")
_NO_TEXT = {"true": True, "false": False, "inf": float("inf")}


@dataclass(frozen=True)
class Written:
    """The name of a policy and what is set of it; whether there is such a policy is not asked here."""

    name: str
    parameters: Mapping[str, Value] = field(default_factory=dict)
    version: str | None = None  # of a gate; None: the one in use

    def to_text(self) -> str:
        """What `read_policy` reads as this.

        >>> Written("pipeline", {"stages": "bm25 > gate"}).to_text()
        'pipeline(stages="bm25 > gate")'
        """
        name = self.name if self.version is None else f"{self.name}@{self.version}"
        if not self.parameters:
            return name
        return f"{name}({', '.join(f'{key}={_written(value)}' for key, value in self.parameters.items())})"


def read_policy(text: str) -> Written:
    """The one policy that the text names.

    Values are numbers, `true`, `false`, single words, and other text in "quotes" as in JSON. Raises
    PolicyError, with the place, for what cannot be read, and for a parameter that is set twice.
    """
    reader = _Reader(text)
    read = reader.policy()
    if not reader.at_end:
        raise reader.problem("nothing more was expected")
    return read


def read_policies(text: str, separator: Separator = ">") -> tuple[Written, ...]:
    """The policies that stand one after the other; PolicyError when there is none, as for `read_policy`."""
    reader = _Reader(text)
    read = [reader.policy()]
    while not reader.at_end:
        if not reader.take(separator):
            raise reader.problem(f"{separator!r} or nothing was expected")
        read.append(reader.policy())
    return tuple(read)


def to_text(policies: Iterable[Written], separator: Separator = ">") -> str:
    """What `read_policies` reads as these."""
    return (", " if separator == "," else f" {separator} ").join(one.to_text() for one in policies)


class _Reader:
    """Reads from left to right; spaces mean nothing outside quotes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._skip()

    @property
    def at_end(self) -> bool:
        return self._at == len(self._text)

    def policy(self) -> Written:
        name = self._match(_WORD, "the name of a policy")
        version = self._match(_VERSION, "the name of a version") if self.take("@") else None
        parameters: dict[str, Value] = {}
        if self.take("(") and not self.take(")"):
            while True:
                key = self._match(_WORD, f"the name of a parameter of {name}")
                if key in parameters:
                    raise self.problem(f"{name}: {key} is set twice")
                if not self.take("="):
                    raise self.problem(f"'=' was expected behind {key}")
                parameters[key] = self._value(f"{name}: the value of {key}")
                if self.take(")"):
                    break
                if not self.take(","):
                    raise self.problem(f"',' or ')' was expected behind {name}: {key}")
        return Written(name, parameters, version)

    def take(self, mark: str) -> bool:
        """Whether the mark stands here; if so, what is behind it is read next."""
        if not self._text.startswith(mark, self._at):
            return False
        self._at += len(mark)
        self._skip()
        return True

    def problem(self, told: str) -> PolicyError:
        got = repr(self._text[self._at : self._at + 20]) if not self.at_end else "the end"
        return PolicyError(f"{self._text!r}, character {self._at + 1}: {told}; got {got}")

    def _value(self, what: str) -> Value:
        if self._text.startswith('"', self._at):
            try:
                value, self._at = json.JSONDecoder().raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                raise self.problem(f"{what} has no closing quote, or a \\ that JSON does not know") from error
            self._skip()
            return str(value)
        if number := _NUMBER.match(self._text, self._at):
            self._at = number.end()
            self._skip()
            written = number.group()
            return int(written) if _WHOLE.fullmatch(written) else float(written)
        word = self._match(_WORD, what)
        return _NO_TEXT.get(word, word)

    def _match(self, pattern: re.Pattern[str], what: str) -> str:
        found = pattern.match(self._text, self._at)
        if found is None:
            raise self.problem(f"{what} was expected")
        self._at = found.end()
        self._skip()
        return found.group()

    def _skip(self) -> None:
        space = _SPACE.match(self._text, self._at)
        assert space is not None  # it matches nothing too
        self._at = space.end()


def _written(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and not (_WORD.fullmatch(value) and value not in _NO_TEXT):
        return json.dumps(value, ensure_ascii=False)
    return value if isinstance(value, str) else repr(value)
