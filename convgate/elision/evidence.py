"""What turns say of each other: rare strings of tool results, and the first calls and texts that repeat them.

A rare string is a path, a name of code, or a number: something that nobody writes without having seen it.

>>> sorted(rare_strings("See src/app.py: load_gate fails with 8443."))
['8443', 'app.py', 'load_gate', 'src/app.py']
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

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
    """A result that is long enough to be elided."""

    turn: int
    call: int  # the number of the response that called, from 0
    call_id: str
    label: str  # the call, such as `read_file({"path": "app.py"})`
    use: ToolUse
    text: str
    n_others: int  # parts that are no text, such as images
    is_error: bool
    strings: frozenset[str]
    stubs: dict[object, object] = field(default_factory=dict)  # what was computed of it, by what it depends on


@dataclass(frozen=True, eq=False)
class Evidence:
    """Facts about the turns of a conversation. Immutable; a longer conversation costs what it adds."""

    turns: Sequence[Turn] = ()
    results: tuple[ToolResult, ...] = ()  # in order
    short: Mapping[str, int] = field(default_factory=dict)
    """By `ToolUse.key`, the last turn with a result that is too short to be elided."""
    successes: Mapping[str, int] = field(default_factory=dict)
    """By `ToolUse.task`, the last turn with a result that is no error."""
    mentions: Mapping[str, int] = field(default_factory=dict)
    """The rare strings of calls and of what was said, by the first turn that has them."""
    held: tuple[Mapping[str, int], ...] = ()  # of each result, those of its strings that are among `mentions`
    calls: tuple[int, ...] = ()  # the turns that call, increasing
    open_calls: Mapping[str, tuple[int, ToolCall]] = field(default_factory=dict)  # the last ones, by id

    def first(self, n: int) -> Evidence:
        """Return the facts about the first n turns."""
        return Evidence().extend(self.turns[:n]) if n < len(self.turns) else self

    def extend(self, new: Sequence[Turn]) -> Evidence:
        """Return these facts and those about further turns."""
        start, results, calls = len(self.turns), list(self.results), list(self.calls)
        mentions, open_calls, added = dict(self.mentions), dict(self.open_calls), dict[str, int]()
        short, successes = dict(self.short), dict(self.successes)
        for index, turn in enumerate(new, start):
            made = calls_of(turn)
            own = [_own_use(part) for part in turn.parts if part.kind == "tool" and part.call_id]
            if made or own:
                calls.append(index)
            open_calls |= {call.id or call.name: (len(calls) - 1, call) for call in made}
            open_calls |= {call.id: (len(calls) - 1, call) for call, _ in own}
            for string in rare_strings(_said(turn, [*made, *(call for call, _ in own)])):
                if string not in mentions:
                    mentions[string] = added[string] = index
            for call_id, parts in _results(turn, own):
                number, call = open_calls.get(call_id, (len(calls) - 1, ToolCall(call_id, "tool", "")))
                text = "\n".join(part.text for part in parts if not part.is_placeholder)
                use = read_use(call.name, call.arguments)
                is_error = bool(_ERROR.search(text[:_ENDS]) or _ERROR.search(text[-_ENDS:]))
                if not is_error:
                    successes[use.task] = index
                if len(text) < MIN_CHARACTERS:
                    short[use.key] = index
                    continue
                results.append(
                    ToolResult(
                        index, number, call_id, f"{call.name}({call.arguments})", use, text,
                        sum(part.is_placeholder for part in parts), is_error, rare_strings(text),
                    )
                )  # fmt: skip
        return Evidence(
            [*self.turns, *new], tuple(results), short, successes, mentions,
            (*_hold_more(self.results, self.held, added), *_hold(results[len(self.results) :], mentions)),
            tuple(calls), open_calls,
        )  # fmt: skip


def _hold(results: Iterable[ToolResult], mentions: Mapping[str, int]) -> list[Mapping[str, int]]:
    return [{string: mentions[string] for string in result.strings & mentions.keys()} for result in results]


def _hold_more(
    results: Sequence[ToolResult], held: Sequence[Mapping[str, int]], added: Mapping[str, int]
) -> list[Mapping[str, int]]:
    names = frozenset(added)
    return [
        strings
        if names.isdisjoint(result.strings)
        else {**strings, **{string: added[string] for string in names & result.strings}}
        for result, strings in zip(results, held, strict=True)
    ]


def _said(turn: Turn, calls: Sequence[ToolCall]) -> str:
    """Return what is said and asked for in a turn, without results."""
    if is_result(turn):
        return turn.users_text
    texts = [part.text for part in turn.parts if part.kind not in ("tool", "tool_result")]
    return "\n".join([*texts, *(call.arguments.replace("\\n", "\n") for call in calls)])


def _results(
    turn: Turn, own: Sequence[tuple[ToolCall, str]]
) -> list[tuple[str, Sequence[ContentPart]]]:
    """Return the results of a turn, each with the id of its call."""
    found: list[tuple[str, Sequence[ContentPart]]] = [
        (call.id, [ContentPart("text", text)]) for call, text in own if text
    ]
    if not is_result(turn):
        return found
    by_call: dict[str, list[ContentPart]] = {}
    for part in turn.parts:
        if part.call_id is not None and part.kind != "tool":
            by_call.setdefault(part.call_id, []).append(part)
    if not by_call and not turn.also_answers and (id := turn.tool_call_id or turn.name):
        by_call[id] = list(turn.parts)
    return [*found, *by_call.items()]


def _own_use(part: ContentPart) -> tuple[ToolCall, str]:
    """Return the call and the text of a result that stand in one part."""
    name, _, rest = part.text.partition("(")
    try:
        _, end = json.JSONDecoder().raw_decode(rest)
    except ValueError:
        end = max(0, rest.find(")" + RESULT_OF_CALL))
    return ToolCall(part.call_id or "", name, rest[:end]), rest[end:].removeprefix(")").removeprefix(RESULT_OF_CALL)
