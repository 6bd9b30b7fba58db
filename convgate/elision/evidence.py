"""What turns say of each other: rare strings of tool results, and the first calls and texts that repeat them.

A rare string is a path, a name of code, or a number: something that nobody writes without having seen it.

>>> sorted(rare_strings("See src/app.py: load_gate fails with 8443."))
['8443', 'app.py', 'load_gate', 'src/app.py']
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from convgate.core.conversation import ContentPart, ToolCall, Turn
from convgate.elision.tool_use import ToolUse, read_use
from convgate.messages.units import calls_of, is_result
from convgate.transcripts.dialects.base import RESULT_OF_CALL

MIN_CHARACTERS = 400
"""Of a result; a shorter one saves too little."""

_RUN = re.compile(r"[\w][\w./\-]{2,}")
_PIECE = re.compile(r"\w+")
_NUMBER = re.compile(r"[\d.\-/]+")
_ERROR = re.compile(
    r"^(?:error\b|fatal\b|exit code:? [1-9]|traceback)|^\s*[\w.]*(?:Error|Exception)\b"
    r"|\b[1-9]\d* (?:failed|errors?)\b|^FAILED\b|Traceback \(most recent|command not found|No such file",
    re.IGNORECASE | re.MULTILINE,
)
_LISTED = re.compile(
    r"[\s│├└─]*(?:"
    r"[-bcdlps][-rwxsStT]{9}\S* .+"  # `ls -l`
    r"|(?:(?:[A-Z]{1,2}|\?\?|modified:|new file:|deleted:)\s+)?"  # `git status`
    r"(?:\d[\d.,]*[KMGT]?i?B?\s+)*"  # numbers and sizes: `du -h`, `wc -l`
    r"(?=.*[^\W\d_])(?:[\w.\-]*/[\w.\-/]*|(?:[\w.\-]*/[\w.\-/ ]*|[\w.\-]*)\.[^\W\d_]\w*))\s*"
)
_MIN_LISTED = 0.8  # lines of a listing that are listed, as a share of those that are not blank
_ENDS = 1_500  # characters at the start and at the end of a result in which an error is looked for


def rare_strings(text: str) -> frozenset[str]:
    """Return the paths, names of code and numbers of a text."""
    return frozenset(string for run in set(_RUN.findall(text)) for string in _split(run))


@lru_cache(maxsize=200_000)
def _split(run: str) -> tuple[str, ...]:
    """Return the rare strings of a run of letters, digits and `_./-`."""
    run = run.rstrip("./-")
    pieces = {run, run.rpartition("/")[2], *_PIECE.findall(run)}
    return tuple(piece for piece in pieces if _is_rare(piece))


def _is_rare(string: str) -> bool:
    if _NUMBER.fullmatch(string):
        return sum(map(str.isdigit, string)) >= 4
    if len(string) < 5:
        return False
    is_camel = any(map(str.isupper, string[1:])) and any(map(str.islower, string))
    return is_camel or any(character in "_./" or character.isdigit() for character in string)


@dataclass(frozen=True, eq=False, slots=True)
class ToolResult:
    """What a tool gave back."""

    turn: int
    since: int  # the first turn that may repeat what it has: its own, where an answer stands beside it
    call_id: str
    label: str  # the call, such as `read_file({"path": "app.py"})`
    use: ToolUse
    text: str
    n_others: int  # parts that are no text, such as images
    is_error: bool
    is_listing: bool  # whether most of its lines are paths, behind sizes or states of files
    strings: frozenset[str]  # none of a result that is too short to be elided
    stubs: dict[Any, Any] = field(default_factory=dict)  # what was last computed of it, by arguments

    @property
    def is_short(self) -> bool:
        """Whether it is too short to be elided."""
        return len(self.text) < MIN_CHARACTERS


@dataclass(frozen=True, eq=False, slots=True)
class Repeats:
    """What turns repeat of a result."""

    mentioned: frozenset[str]  # rare strings of it that calls or what was said have, before or after it
    used: Mapping[str, int]  # those that are in no turn before it, by the first turn after it
    last: int  # the turn that was the first to repeat one, the last of these; without any that of the result


def _find_repeats(result: ToolResult, mentions: Mapping[str, int]) -> Repeats:
    mentioned = result.strings & mentions.keys()
    used = {string: turn for string in mentioned if (turn := mentions[string]) >= result.since}
    return Repeats(mentioned, used, max(used.values(), default=result.turn))


@dataclass(frozen=True, eq=False)
class Evidence:
    """Facts about the turns of a conversation. Immutable; a longer conversation costs what it adds."""

    turns: Sequence[Turn] = ()
    results: tuple[ToolResult, ...] = ()  # in order
    mentions: Mapping[str, int] = field(default_factory=dict)
    """The rare strings of calls and of what was said, by the first turn that has them."""
    repeats: tuple[Repeats, ...] = ()  # of each result
    calling: tuple[int, ...] = ()  # the turns that call tools, increasing
    calls: Mapping[str, ToolCall] = field(default_factory=dict)  # the last one of each id
    elisions: dict[Any, Any] = field(default_factory=dict)
    """By token counter, what is elided where all turns are sent, once it was searched."""

    def first(self, n: int) -> Evidence:
        """Return the facts about the first n turns."""
        if n == len(self.turns):
            return self
        results = self.results[: bisect_left(self.results, n, key=lambda result: result.turn)]
        mentions = {string: turn for string, turn in self.mentions.items() if turn < n}
        repeats = (_find_repeats(result, mentions) for result in results)
        calling = self.calling[: bisect_left(self.calling, n)]
        calls = {call.id or call.name: call for place in calling for call in _calls(self.turns[place])}
        return Evidence(self.turns[:n], results, mentions, tuple(repeats), calling, calls)

    def extend(self, new: Sequence[Turn]) -> Evidence:
        """Return these facts and those about further turns."""
        start, results, calling = len(self.turns), list[ToolResult](), list(self.calling)
        mentions, added = dict(self.mentions), dict[str, int]()
        calls = dict(self.calls)
        for index, turn in enumerate(new, start):
            if made := _calls(turn):
                calling.append(index)
                calls |= {call.id or call.name: call for call in made}
            for string in rare_strings(_said(turn, made)):
                if string not in mentions:
                    mentions[string] = added[string] = index
            for call_id, parts in _results(turn):
                call = calls.get(call_id, ToolCall(call_id, "tool", ""))
                results.append(_read_result(index, call_id, call, parts, since=index + is_result(turn)))
        return Evidence(
            [*self.turns, *new],
            (*self.results, *results),
            mentions,
            (*self._repeat_more(added, mentions), *(_find_repeats(result, mentions) for result in results)),
            tuple(calling),
            calls,
        )

    def _repeat_more(self, added: Mapping[str, int], mentions: Mapping[str, int]) -> Iterator[Repeats]:
        """Yield the repeats of the results when strings are mentioned for the first time."""
        names = frozenset(added)
        for result, repeats in zip(self.results, self.repeats, strict=True):
            if names.isdisjoint(result.strings):
                yield repeats
            else:
                yield _find_repeats(result, mentions)


def _read_result(
    index: int, call_id: str, call: ToolCall, parts: Sequence[ContentPart], *, since: int
) -> ToolResult:
    text = "\n".join(part.text for part in parts if not part.is_placeholder)
    return ToolResult(
        index,
        since,
        call_id,
        f"{call.name}({call.arguments})",
        read_use(call.name, call.arguments),
        text,
        sum(part.is_placeholder for part in parts),
        bool(_ERROR.search(text[:_ENDS]) or _ERROR.search(text[-_ENDS:])),
        _is_listing(text),
        rare_strings(text) if len(text) >= MIN_CHARACTERS else frozenset(),
    )


def _is_listing(text: str) -> bool:
    """Return whether most lines are a path or a name with an extension, behind sizes or states of files."""
    lines = [line for line in text[:_ENDS].splitlines() if line.strip()]
    return sum(_LISTED.fullmatch(line) is not None for line in lines) >= _MIN_LISTED * max(1, len(lines))


def _calls(turn: Turn) -> list[ToolCall]:
    """Return the calls of a turn, also those whose results stand beside them."""
    return [*calls_of(turn), *(call for call, _ in map(_split_use, _uses(turn)))]


def _said(turn: Turn, calls: Sequence[ToolCall]) -> str:
    """Return what is said and asked for in a turn, without results."""
    if is_result(turn):
        return turn.users_text
    texts = [part.text for part in turn.parts if part.kind not in ("tool", "tool_result")]
    return "\n".join([*texts, *(call.arguments.replace("\\n", "\n") for call in calls)])


def _results(turn: Turn) -> Iterable[tuple[str, Sequence[ContentPart]]]:
    """Return the results of a turn, each with the id of its call."""
    if not is_result(turn):
        return [(call.id, [ContentPart("text", text)]) for call, text in map(_split_use, _uses(turn))]
    by_call: dict[str, list[ContentPart]] = {}
    for part in turn.parts:
        if part.call_id is not None:
            by_call.setdefault(part.call_id, []).append(part)
    if not by_call and not turn.also_answers and (id := turn.tool_call_id or turn.name):
        by_call[id] = list(turn.parts)
    return by_call.items()


def _uses(turn: Turn) -> list[ContentPart]:
    return [part for part in turn.parts if part.kind == "tool" and part.call_id]


def _split_use(part: ContentPart) -> tuple[ToolCall, str]:
    """Return the call and the text of its result, which are one part."""
    name, _, rest = part.text.partition("(")
    try:
        _, end = json.JSONDecoder().raw_decode(rest)
    except ValueError:
        end = max(0, rest.find(f"){RESULT_OF_CALL}"))
    text = rest[end:].removeprefix(")").removeprefix(RESULT_OF_CALL)
    return ToolCall(part.call_id or "", name, rest[:end]), text
