"""Which tool results are sent as stubs.

| reason | evidence |
|---|---|
| superseded | a later read of the same file covers it, or a later run of the same command is there |
| duplicate | a later result has the same text |
| resolved | it is an error, and the same command succeeded later |
| used in part | later calls and answers repeat some lines, and for some time nothing new of it |

The stub keeps the lines with strings that turns after the result were the first to repeat, unless a later
result that is sent has them. Listings of paths are never used in part. Results of the last calls stay, and
those of which the last calls or the current message repeat something that nothing else has.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple

from convgate.elision.evidence import Evidence, ToolResult, rare_strings
from convgate.elision.stub import write_stub
from convgate.elision.tool_use import END
from convgate.messages.tokens import TokenCounter, default_token_counter
from convgate.messages.units import is_from_user

LAST_CALLS = 3
"""Responses with calls, the newest ones, whose results stay."""

UNUSED_CALLS = 8
"""Responses with calls since a result was last used, after which it is shortened to what was used."""

UNUSED_CALLS_BEFORE = 2
"""The same for results before the last message of the user. Both are fitted on the runs `bugs`."""

MIN_UNUSED_CHARACTERS = 1_000
"""Of a result that nothing but its use speaks against."""

MAX_SHARE = 0.5
"""Tokens of a stub, at most, as a share of the result's."""


MIN_SHOWN = 0.9
"""Lines that a later read to the end of a file has to show, as a share of those of an earlier one."""


_MAX_READS = 20  # later reads of a file that are compared with one


@dataclass(frozen=True, slots=True)
class Elision:
    """A tool result that is sent as a stub."""

    index: int  # of its turn, 0-based
    call_id: str  # of the call that it answers
    id: str  # of its text
    reason: str  # a sentence
    stub: str  # the text in its place
    text: str = field(repr=False)  # of the result
    n_shown: int = 0  # lines that are in the stub
    n_lines: int = 0  # of the result
    tokens_before: int = 0
    tokens_after: int = 0

    @property
    def saved(self) -> int:
        """Tokens that are not sent."""
        return self.tokens_before - self.tokens_after

    def to_json(self) -> dict[str, Any]:
        """Return all but the texts."""
        return {
            "index": self.index,
            "call_id": self.call_id,
            "id": self.id,
            "reason": self.reason,
            "lines": self.n_lines,
            "shown": self.n_shown,
            "tokens_before": self.tokens_before,
            "tokens_after": self.tokens_after,
        }


def result_id(text: str) -> str:
    """Return the id of a result: a hash of its text, of 12 hexadecimal digits."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def find_elisions(
    evidence: Evidence, kept: Collection[int] | None = None, counter: TokenCounter | None = None
) -> dict[int, tuple[Elision, ...]]:
    """Return the results to elide by their turns, increasing, each of them in the order of its message.

    kept: the turns that are sent; None: all. The last one is the message to answer.
    """
    if len(evidence.calling) <= LAST_CALLS or not evidence.results:
        return {}
    counter = counter or default_token_counter()
    if kept is not None:
        sent = frozenset(kept)
        if any(result.turn not in sent for result in evidence.results):
            return _search(evidence, counter, sent)
    known: dict[int, tuple[Elision, ...]] | None = evidence.elisions.get(counter)
    if known is None:
        known = evidence.elisions[counter] = _search(evidence, counter, None)
    return {**known}


def _search(
    evidence: Evidence, counter: TokenCounter, kept: frozenset[int] | None
) -> dict[int, tuple[Elision, ...]]:
    search = _Search(evidence, counter, kept)
    found = [elision for row in range(len(evidence.results) - 1, -1, -1) if (elision := search.visit(row))]
    by_turn: dict[int, tuple[Elision, ...]] = {}
    for elision in reversed(found):
        by_turn[elision.index] = (*by_turn.get(elision.index, ()), elision)
    return by_turn


_UNKNOWN: Any = object()


class _Stub(NamedTuple):
    elision: Elision
    shown: frozenset[str]  # rare strings that it shows


class _Search:
    """Goes over the results from the newest to the oldest; knows what the newer ones show."""

    def __init__(self, evidence: Evidence, counter: TokenCounter, kept: frozenset[int] | None) -> None:
        self._evidence, self._counter, self._kept = evidence, counter, kept
        places = range(len(evidence.turns) - 1, -1, -1)
        self._asked = next((place for place in places if is_from_user(evidence.turns[place])), 0)
        self._visible = set[str]()  # repeated strings that later results show
        self._runs: dict[str, ToolResult] = {}  # the newest result of a call
        self._successes: dict[str, int] = {}  # the same of a later result that is no error, by task
        self._texts: dict[str, int] = {}  # the turn of a later result with the same text
        self._reads: dict[str, list[ToolResult]] = {}  # later reads by tool and file, the newest first
        self._recent = evidence.calling[-LAST_CALLS]  # what was repeated from this turn on is used now

    def visit(self, row: int) -> Elision | None:
        """Return how a result is elided; None: it stays."""
        result, repeats = self._evidence.results[row], self._evidence.repeats[row]
        if self._kept is not None and result.turn not in self._kept:
            return None
        if result.is_short:
            self._note(result)
            return None
        used, why, stub = repeats.used.keys() - self._visible, None, None
        if result.turn < self._recent and not (
            used and max(map(repeats.used.__getitem__, used)) >= self._recent
        ):
            why = self._supersede(result) or self._abandon(result, repeats.last)
        if why is not None:
            stub = self._write(result, frozenset(used), *why)
        self._visible |= repeats.mentioned if stub is None else repeats.mentioned & stub.shown
        self._note(result)
        return stub and stub.elision

    def _supersede(self, result: ToolResult) -> tuple[str, int] | None:
        """Return why a later result stands for this one, and its turn."""
        use = result.use
        if (turn := self._texts.get(result.text)) is not None:
            return "a later result has the same text", turn
        if use.path is not None:
            later = (
                each.turn for each in self._reads.get(use.task, ())[:_MAX_READS] if _covers(each, result)
            )
            if (turn := next(later, None)) is not None:
                return f"a later read of {use.path} covers it", turn
        elif (
            (run := self._runs.get(use.key)) is not None
            and (run.use.cut == use.cut or len(run.text) >= len(result.text))
            and (result.is_error or not run.is_error)
        ):
            return "a later call did the same", run.turn
        if result.is_error and (turn := self._successes.get(use.task)) is not None:
            return "the error was resolved: the same succeeded later", turn
        return None

    def _abandon(self, result: ToolResult, last: int) -> tuple[str, None] | None:
        """Return why a result is not used any more; last: the turn that used something of it last."""
        calls = self._evidence.calling
        unused = UNUSED_CALLS_BEFORE if result.turn < self._asked else UNUSED_CALLS
        if (
            len(result.text) < MIN_UNUSED_CHARACTERS
            or result.is_listing
            or len(calls) < unused
            or calls[-unused] <= last
        ):
            return None
        return ("nothing of it was used" if last == result.turn else "nothing else of it was used"), None

    def _write(self, result: ToolResult, used: frozenset[str], why: str, turn: int | None) -> _Stub | None:
        key = (used, why, turn, self._counter)
        stub: _Stub | None = result.stubs.get(key, _UNKNOWN)  # other threads may empty it
        if stub is _UNKNOWN:
            stub = self._make(result, used, why, turn)
            if len(result.stubs) > 1:  # now, and at the last batch
                result.stubs.clear()
            result.stubs[key] = stub
        return stub

    def _make(self, result: ToolResult, used: frozenset[str], why: str, turn: int | None) -> _Stub | None:
        id, where = result_id(result.text), "" if turn is None else f" (turn {turn})"
        sentence = f"{why[0].upper()}{why[1:]}"
        stub = write_stub(result.label, result.text, used, f"{sentence}.", id, result.n_others)
        if len(stub.text) > len(result.text):
            return None
        before, after = self._counter(result.text), self._counter(stub.text)
        if after > MAX_SHARE * before:
            return None
        elision = Elision(
            result.turn, result.call_id, id, f"{sentence}{where}.", stub.text, result.text, stub.n_shown,
            stub.n_lines, before, after,
        )  # fmt: skip
        return _Stub(elision, rare_strings(stub.text))

    def _note(self, result: ToolResult) -> None:
        self._runs.setdefault(result.use.key, result)
        if not result.is_error:
            self._successes.setdefault(result.use.task, result.turn)
        if result.is_short:
            return
        self._texts.setdefault(result.text, result.turn)
        if result.use.path is not None and not result.is_error:
            self._reads.setdefault(result.use.task, []).append(result)


def _covers(later: ToolResult, result: ToolResult) -> bool:
    """Return whether a later read of the same file shows all lines that a result has.

    A read to the end may show fewer lines than one before, as tools cut long files and edits shorten them.
    """
    (later_first, later_last), (first, last) = later.use.lines, result.use.lines
    shown = first + result.text.count("\n")
    later_shown = later_first + later.text.count("\n")
    if last == END:
        return later_first <= first and later_last == END and later_shown >= MIN_SHOWN * shown
    return later_first <= first and min(last, shown) <= later_shown
