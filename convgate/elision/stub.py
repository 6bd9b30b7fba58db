"""The text that stands for a tool result: the call, its size, and the lines that are kept.

>>> text = "\\n".join(f"line {number}" for number in range(40))
>>> stub = write_stub('run({"cmd": "seq"})', text, frozenset({"line 20"}), "A later run has it.", "ab12")
>>> print(stub.text)
[Shortened by convgate, id ab12: run({"cmd": "seq"}) gave 40 lines of 309 characters. A later run has it.]
line 0
line 1
[… 16 lines]
line 18
line 19
line 20
line 21
line 22
[… 15 lines]
line 38
line 39
>>> stub.n_shown, stub.n_lines
(9, 40)
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from convgate.core.text import pluralize, to_line

_ENDS = 2  # lines that are kept at the start and at the end
_AROUND = 2  # lines that are kept before and after one that was used
_MAX_LINES_OF_A_STRING = 4  # a string on more lines tells none of them apart: the first of them is kept
_MAX_LINE = 300  # characters
_MAX_CALL = 160  # characters


@dataclass(frozen=True, slots=True)
class Stub:
    """A text in place of a result."""

    text: str
    n_shown: int  # lines of the result that are in it
    n_lines: int  # of the result


def write_stub(call: str, text: str, used: Collection[str], why: str, id: str, n_others: int = 0) -> Stub:
    """Return what stands for a result: its ends, and the lines that have a used string, with those around.

    call: the tool and its arguments. why: a sentence. n_others: parts of the result that are no text.
    """
    lines = text.splitlines()
    shown = _choose(lines, used)
    size = f"{pluralize(len(lines), 'line')} of {len(text):,} characters"
    others = (
        f" and {pluralize(n_others, 'part')} that {'is' if n_others == 1 else 'are'} no text"
        if n_others
        else ""
    )
    head = f"[Shortened by convgate, id {id}: {to_line(call, _MAX_CALL)} gave {size}{others}. {why}]"
    return Stub("\n".join([head, *_quote(lines, shown, used)]), len(shown), len(lines))


def _choose(lines: list[str], used: Collection[str]) -> list[int]:
    """Return the lines to show, increasing."""
    shown = {*range(min(_ENDS, len(lines))), *range(max(0, len(lines) - _ENDS), len(lines))}
    for string in used:
        places = [place for place, line in enumerate(lines) if string in line]
        for place in places if len(places) <= _MAX_LINES_OF_A_STRING else places[:1]:
            shown.update(range(max(0, place - _AROUND), min(len(lines), place + _AROUND + 1)))
    return sorted(shown)


def _quote(lines: list[str], shown: list[int], used: Collection[str]) -> Iterator[str]:
    before = -1
    for place in shown:
        if place > before + 1:
            yield f"[… {pluralize(place - before - 1, 'line')}]"
        yield _cut(lines[place], used)
        before = place


def _cut(line: str, used: Collection[str]) -> str:
    """Return a line; of a long one the start, and what is around used strings."""
    if len(line) <= _MAX_LINE:
        return line
    half, pieces, stop = _MAX_LINE // 2, [line[: _MAX_LINE // 2]], _MAX_LINE // 2
    for place in sorted(line.find(string) for string in used if string in line):
        if place >= stop:
            pieces.append(line[max(stop, place - half // 2) : place + half])
            stop = place + half
    return " … ".join([*pieces, ""]).rstrip()
