"""How often the gatekeeper's checks are right on labelled exchanges, and how many they decide a second.

    python -m tools.gatekeeper_figures tests/exchanges/work.jsonl [--wrong] [--speed]

A line is what `convgate gatekeep` reads, with its labels: {"user", "assistant", "previous"?, "keep",
"category", "categories"?: further ones that are right, "language"}. Three things are measured: keep or skip,
the category, and whether no category is reported that is not so; `all` is all three of one exchange.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from convgate.gatekeeper.checks import check
from convgate.gatekeeper.decision import GatekeeperDecision
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.exchange_file import exchange_of
from tools.labelled import Counts, read_lines

MEASURED = ("keep", "category", "no false", "all")
KNOWN = ("en", "fr", "de")


@dataclass(frozen=True)
class Labelled:
    """An exchange, and what is right about it."""

    exchange: Exchange
    keep: bool
    category: str
    right: frozenset[str]  # categories that may be reported
    language: str

    @classmethod
    def of(cls, line: Mapping[str, Any]) -> Labelled:
        """The exchange in a line of a labelled file."""
        right = frozenset({line["category"], *(line.get("categories") or ())})
        return cls(exchange_of(line), line["keep"], line["category"], right, line["language"])

    def judged(self, decision: GatekeeperDecision) -> dict[str, bool]:
        """What of a decision is right, by MEASURED."""
        correct = {
            "keep": decision.keep == self.keep,
            "category": decision.category == self.category,
            "no false": self.right.issuperset(decision.categories),
        }
        return {**correct, "all": all(correct.values())}


def main() -> None:
    """Print the table of each file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.jsonl")
    parser.add_argument("--wrong", action="store_true", help="list the exchanges that are decided wrongly")
    parser.add_argument("--speed", action="store_true", help="measure decisions a second, too")
    arguments = parser.parse_args()
    for file in arguments.files:
        labelled = read_labelled(file)
        judged = [example.judged(check(example.exchange)) for example in labelled]
        print(f"\n{file.name}\n")
        print("\n".join(table(labelled, judged)))
        if arguments.wrong:
            for example, correct in zip(labelled, judged, strict=True):
                if not correct["all"]:
                    categories = check(example.exchange).categories
                    expected = f"{example.language} {example.keep} {example.category}"
                    print(f"{expected} {categories} {example.exchange.user!r}")
        if arguments.speed:
            exchanges = [example.exchange for example in labelled]
            print(f"\n{decisions_a_second(exchanges):,.0f} decisions a second on one core")


def read_labelled(file: Path) -> list[Labelled]:
    """The exchanges of a labelled file."""
    return [Labelled.of(line) for line in read_lines(file)]


def table(labelled: Sequence[Labelled], judged: Sequence[Mapping[str, bool]]) -> Iterator[str]:
    """Rows of Markdown: shares that are right with their 95 % Wilson intervals, by language."""
    yield f"| language | {' | '.join(MEASURED)} |"
    yield "|---" + "|---" * len(MEASURED) + "|"
    groups = {code: [example.language == code for example in labelled] for code in KNOWN}
    groups["others"] = [example.language not in KNOWN for example in labelled]
    groups["all"] = [True] * len(labelled)
    for name, inside in groups.items():
        rows = [correct for correct, wanted in zip(judged, inside, strict=True) if wanted]
        if rows:
            counts = Counts({what: [correct[what] for correct in rows] for what in MEASURED})
            yield f"| {name} | {counts.cells(MEASURED)} |"


def decisions_a_second(exchanges: Sequence[Exchange], *, rounds: int = 10) -> float:
    """Of the fastest of some rounds, in this process's own time, language detection included."""
    for exchange in exchanges:
        check(exchange)
    fastest = min(_round(exchanges) for _ in range(rounds))
    return len(exchanges) / fastest


def _round(exchanges: Sequence[Exchange]) -> float:
    started = time.process_time()
    for exchange in exchanges:
        check(exchange)
    return time.process_time() - started


if __name__ == "__main__":
    main()
