"""A policy with its parameters as a short piece of text: `last_k(k=5)`, `gate@mine`, `bm25`.

The stages of a pipeline, the columns of a comparison and their addresses are written in this form.

>>> read_policy("last_k( k = 5 )")
PolicySpec(name='last_k', parameters={'k': 5}, version=None)
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
_INTEGER = re.compile(r"[+-]?\d{1,300}")  # Python reads no integer of thousands of digits
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_SPACE = re.compile(r"\s*")
_NO_TEXT = {"true": True, "false": False, "inf": float("inf")}


@dataclass(frozen=True)
class PolicySpec:
    """The name of a policy and its parameters; whether there is such a policy is checked elsewhere."""

    name: str
    parameters: Mapping[str, Value] = field(default_factory=dict)
    version: str | None = None  # of a gate; None: the active one

    def to_text(self) -> str:
        """Return what `read_policy` reads as this.

        >>> PolicySpec("pipeline", {"stages": "bm25 > gate"}).to_text()
        'pipeline(stages="bm25 > gate")'
        """
        name = self.name if self.version is None else f"{self.name}@{self.version}"
        values = ", ".join(f"{key}={_to_text(value)}" for key, value in self.parameters.items())
        return f"{name}({values})" if values else name


def read_policy(text: str) -> PolicySpec:
    """Return the one policy that the text names.

    Values are numbers, `true`, `false`, single words, and other text in "quotes" as in JSON. Raises
    PolicyError, with the place, for what cannot be read, and for a parameter that is set twice.
    """
    reader = _Reader(text)
    spec = reader.read_policy()
    if not reader.at_end:
        raise reader.error("nothing more was expected")
    return spec


def read_policies(text: str, separator: Separator = ">") -> tuple[PolicySpec, ...]:
    """Return the policies one after the other; PolicyError when there is none, as for `read_policy`."""
    reader = _Reader(text)
    specs = [reader.read_policy()]
    while not reader.at_end:
        reader.expect(separator, f"{separator!r} or nothing")
        specs.append(reader.read_policy())
    return tuple(specs)


def to_text(specs: Iterable[PolicySpec], separator: Separator = ">") -> str:
    """Return what `read_policies` reads as these."""
    return (", " if separator == "," else f" {separator} ").join(spec.to_text() for spec in specs)


class _Reader:
    """Reads from left to right; spaces mean nothing outside quotes."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._match(_SPACE)

    @property
    def at_end(self) -> bool:
        return self._at == len(self._text)

    def read_policy(self) -> PolicySpec:
        name = self._require(_WORD, "the name of a policy")
        version = self._require(_VERSION, "the name of a version") if self._take("@") else None
        parameters: dict[str, Value] = {}
        if self._take("(") and not self._take(")"):
            while True:
                key = self._require(_WORD, f"the name of a parameter of {name}")
                if key in parameters:
                    raise self.error(f"{name}: {key} is set twice")
                self.expect("=", f"'=' after {key}")
                parameters[key] = self._value(f"{name}: the value of {key}")
                if self._take(")"):
                    break
                self.expect(",", f"',' or ')' after {name}: {key}")
        return PolicySpec(name, parameters, version)

    def expect(self, mark: str, what: str) -> None:
        if not self._take(mark):
            raise self.error(f"{what} was expected")

    def error(self, problem: str) -> PolicyError:
        got = repr(self._text[self._at : self._at + 20]) if not self.at_end else "the end"
        return PolicyError(f"{self._text!r}, character {self._at + 1}: {problem}; got {got}")

    def _value(self, what: str) -> Value:
        if (string := self._match(_STRING)) is not None:
            try:
                return str(json.loads(string))
            except json.JSONDecodeError as error:
                raise self.error(f"{what} has a \\ or a character that JSON does not allow") from error
        if (number := self._match(_NUMBER)) is not None:
            return int(number) if _INTEGER.fullmatch(number) else float(number)
        word = self._require(_WORD, what)
        return _NO_TEXT.get(word, word)

    def _take(self, mark: str) -> bool:
        return self._match(re.compile(re.escape(mark))) is not None

    def _require(self, pattern: re.Pattern[str], what: str) -> str:
        match = self._match(pattern)
        if match is None:
            raise self.error(f"{what} was expected")
        return match

    def _match(self, pattern: re.Pattern[str]) -> str | None:
        """Return what matches here, None where nothing does; the space after it is skipped."""
        match = pattern.match(self._text, self._at)
        if match is None:
            return None
        space = _SPACE.match(self._text, match.end())
        self._at = space.end() if space else match.end()
        return match.group()


def _to_text(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and not (_WORD.fullmatch(value) and value not in _NO_TEXT):
        return json.dumps(value, ensure_ascii=False)
    return value if isinstance(value, str) else repr(value)
