"""How well invariants are found in labelled conversations, and how fast in a long one.

    python -m tools.invariant_figures tests/invariants/work.jsonl [--wrong] [--speed]

A line is a conversation with its labels: {"messages", "invariants": [{"type", "source", "active",
"superseded_by", "quote"}]}. A record that was found matches a labelled one when both have the same source and
its span overlaps the quote, or else by the source alone; each is matched once.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from convgate.core.conversation import Turn
from convgate.core.settings import load_settings
from convgate.invariants import find_invariants
from convgate.invariants.invariant import HELD, PRIORITIES, Invariant
from convgate.invariants.judge import KindJudge, load_judge
from convgate.transcripts.message_reader import turns_from_messages
from tools.labelled import Counts, read_lines

MEASURED = ("recall ≥ 800", "recall", "precision", "type", "active", "superseded_by")


def main() -> None:
    """Print the table of each file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.jsonl")
    parser.add_argument("--wrong", action="store_true", help="list what is missed, extra or otherwise wrong")
    parser.add_argument("--speed", action="store_true", help="measure a conversation of 1,000 turns, too")
    arguments = parser.parse_args()
    judging = load_judge(load_settings())
    for file in arguments.files:
        counts, lines = Counts(), read_lines(file)
        for place, line in enumerate(lines):
            for problem in judge(line, counts, judging):
                if arguments.wrong:
                    print(f"{place}: {problem}")
        print(f"\n{file.name}: {len(lines)} conversations\n")
        print("\n".join(table(counts)))
    if arguments.speed:
        print("\n" + "\n".join(speed(judging)))


def judge(line: dict[str, Any], counts: Counts, judging: KindJudge) -> list[str]:
    """Count one conversation; what is wrong in it, a sentence each."""
    turns = turns_from_messages(line["messages"])
    invariants, labelled = find_invariants(turns, judging), line["invariants"]
    wrong, left = [], list(invariants)
    for label, match in _matched(turns, labelled, left):
        counts.add("recall", right=match is not None)
        if PRIORITIES[label["type"]] >= HELD:
            counts.add("recall ≥ 800", right=match is not None)
        if match is None:
            wrong.append(f"missed {label['type']} {label['source']} {label['quote']!r}")
            continue
        for what, is_right in (
            ("type", match.type == label["type"]),
            ("active", match.active == label["active"]),
            ("superseded_by", match.superseded_by == label["superseded_by"]),
        ):
            counts.add(what, right=is_right)
            if not is_right:
                actual = {"type": match.type, "active": match.state, "superseded_by": match.superseded_by}[
                    what
                ]
                wrong.append(f"{what} {actual} for {label[what]} {label['source']} {label['quote']!r}")
    for invariant in invariants:
        counts.add("precision", right=invariant not in left)
    wrong += [
        f"extra {invariant.type} {invariant.source} {invariant.text[:160]!r} {invariant.reason}"
        for invariant in left
    ]
    return wrong


def _matched(
    turns: Sequence[Turn], labelled: Sequence[dict[str, Any]], left: list[Invariant]
) -> list[tuple[dict[str, Any], Invariant | None]]:
    """Each label with what was found for it, which is taken out of `left`."""
    matches: list[Invariant | None] = [None] * len(labelled)
    for strict in (True, False):
        for place, label in enumerate(labelled):
            if matches[place] is not None:
                continue
            start = turns[label["source"]].text.find(label["quote"])
            end = start + len(label["quote"])
            for invariant in left:
                if invariant.source == label["source"] and (
                    not strict or (start >= 0 and invariant.start < end and start < invariant.end)
                ):
                    matches[place] = invariant
                    left.remove(invariant)
                    break
    return list(zip(labelled, matches, strict=True))


def table(counts: Counts) -> Iterator[str]:
    """Rows of Markdown: shares with their 95 % Wilson intervals."""
    yield f"| {' | '.join(MEASURED)} |"
    yield "|---" * len(MEASURED) + "|"
    yield f"| {counts.cells(MEASURED)} |"


def speed(judging: KindJudge, turns: int = 1_000) -> Iterator[str]:
    """Seconds for a long conversation, and for each message that it then grows by."""
    question = "Part {n}: keep the report of case {n} under {words} words, please. It is for team {team}."
    answer = "Done, part {n} has {words} words now. Shall I go on with case {n}?"
    talk = [
        Turn.of("assistant" if n % 2 else "user", text.format(n=n, words=150 + n, team=n % 7))
        for n in range(turns)
        for text in (answer if n % 2 else question,)
    ]
    started = time.perf_counter()
    find_invariants(talk, judging)
    first = time.perf_counter() - started
    talk.append(Turn.of("user", "no, at most 90 words from now on"))
    started = time.perf_counter()
    invariants = find_invariants(talk, judging)
    again = time.perf_counter() - started
    grown = f"{again * 1e3:.1f} ms when it has grown by one"
    yield f"{turns:,} turns: {first * 1e3:.0f} ms first, {grown}, {len(invariants)} found"


if __name__ == "__main__":
    main()
