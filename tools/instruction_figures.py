"""How many lasting instructions of users are held, and how many of the held statements are needed.

    python -m tools.instruction_figures tools/pretraining/texts/chats.dev.jsonl

A file has lines of two kinds: conversations, {"type": "conversation", "id", "messages", "instructions"?},
and cases, {"type": "case", "conversation", "turn", "instruction", "needed"}. Each case is measured at its
turn, each conversation that labels its instructions at its end. A statement is an instruction's when their
characters overlap. An instruction with `until` holds no longer at the end.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from convgate.core.conversation import Turn
from convgate.core.settings import load_settings
from convgate.invariants import find_invariants, load_judge
from convgate.invariants.invariant import Invariant
from convgate.transcripts.message_reader import turns_from_messages
from tools.labelled import Counts, read_lines


@dataclass(frozen=True, slots=True)
class Moment:
    """Turns with the instructions that hold after them."""

    turns: Sequence[Turn]
    holding: Sequence[dict[str, Any]]
    ended: Sequence[dict[str, Any]] = ()
    needed: Sequence[int] = ()  # turns without which the answer is wrong


def main() -> None:
    """Print the shares of each file with their 95 % Wilson intervals."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE.jsonl")
    judge = load_judge(load_settings())
    for file in parser.parse_args().files:
        counts = Counts()
        for moment in moments(file):
            measure(moment, find_invariants(moment.turns, judge), counts)
        print(f"\n{file.name}\n\n| | |\n|---|---|")
        for name in counts.outcomes:
            print(f"| {name} | {counts.cells([name])} |")


def moments(file: Path) -> Iterator[Moment]:
    """Yield what a file's labels say."""
    conversations: dict[str, Sequence[Turn]] = {}
    for line in read_lines(file):
        if line["type"] == "conversation":
            turns = conversations[line["id"]] = turns_from_messages(line["messages"])
            if labels := line.get("instructions"):
                holding = [label for label in labels if label.get("until") is None]
                yield Moment(turns, holding, [label for label in labels if label not in holding])
        elif "instruction" in line:
            earlier = conversations[line["conversation"]][: line["turn"]]
            holding = [label for label in line["instruction"] if label["index"] < line["turn"]]
            yield Moment(earlier, holding, needed=line["needed"])


def measure(moment: Moment, invariants: Sequence[Invariant], counts: Counts) -> None:
    """Count what is held at a moment."""
    held = [invariant for invariant in invariants if invariant.held]
    for label in moment.holding:
        is_held = any(_overlap(invariant, label, moment.turns) for invariant in held)
        counts.add("instructions held", right=is_held)
    for label in moment.ended:
        if matches := [invariant for invariant in invariants if _overlap(invariant, label, moment.turns)]:
            counts.add(
                "ended or replaced, of those found", right=not any(invariant.active for invariant in matches)
            )
    for invariant in held:
        stated = any(_overlap(invariant, label, moment.turns) for label in moment.holding)
        counts.add("held that are an instruction", right=stated)
        is_needed = stated or invariant.source in moment.needed
        counts.add("held that are an instruction or needed", right=is_needed)


def _overlap(invariant: Invariant, label: dict[str, Any], turns: Sequence[Turn]) -> bool:
    words: str = label["text"]
    start = turns[label["index"]].text.find(words)
    is_same = bool(invariant.source == label["index"]) and start >= 0
    return is_same and invariant.start < start + len(words) and start < invariant.end


if __name__ == "__main__":
    main()
