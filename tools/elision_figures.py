"""What eliding tool results saves on generated runs, and how many results it shortens that are used next.

python -m tools.elision_figures --family bugs --runs 50
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from dataclasses import dataclass, field

from convgate.elision import elide
from convgate.elision.evidence import Evidence
from convgate.messages.tokens import turn_tokens
from convgate.transcripts import turns_from_messages
from tools.agent_runs import FAMILIES, AgentRun, make_run


@dataclass
class Figures:
    """Sums over all model calls of runs."""

    tokens: int = 0  # had everything been sent
    sent: int = 0
    used: int = 0  # results that calls used
    elided: int = 0  # of them, those that were shortened then
    by_reason: Counter[str] = field(default_factory=Counter)  # tokens saved
    wrong: Counter[str] = field(default_factory=Counter)  # used results that were shortened
    cases: list[str] = field(default_factory=list)

    def add(self, run: AgentRun) -> None:
        """Add a run: a request before each of the model's calls."""
        turns = turns_from_messages(run.messages)
        costs = turn_tokens(turns).cumsum()
        evidence, known = Evidence(), 0
        for call in run.calls:
            evidence = evidence.extend(turns[known : call.message])
            known = call.message
            found = {each.call_id: each for own in elide.find_elisions(evidence).values() for each in own}
            self.tokens += int(costs[known - 1])
            self.sent += int(costs[known - 1])
            for each in found.values():
                self.sent -= each.saved
                self.by_reason[_kind_of(each)] += each.saved
            self.used += len(call.uses)
            for id in (max(use) for use in call.uses if use <= found.keys()):
                self.elided += 1
                self.wrong[_kind_of(found[id])] += 1
                self.cases.append(f"{run.id}, message {call.message} uses {id}: {found[id].reason}")


def _kind_of(elision: elide.Elision) -> str:
    return re.sub(r" of \S+ covers| \(turn \d+\)", "", elision.reason)


def main() -> None:
    """Print the figures of each family."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--family", choices=[*FAMILIES], action="append")
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--cases", type=int, default=0, help="used results that were shortened to print")
    parser.add_argument("--unused", type=int, default=elide.UNUSED_CALLS)
    parser.add_argument("--unused-before", type=int, default=elide.UNUSED_CALLS_BEFORE)
    arguments = parser.parse_args()
    elide.UNUSED_CALLS, elide.UNUSED_CALLS_BEFORE = arguments.unused, arguments.unused_before
    for family in arguments.family or FAMILIES:
        figures = Figures()
        for seed in range(arguments.runs):
            figures.add(make_run(family, seed=seed))
        print(f"{family}: {figures.sent / figures.tokens:.1%} of the tokens sent;", end=" ")
        print(
            f"{figures.elided} of {figures.used} used results shortened ({figures.elided / figures.used:.2%})"
        )
        for reason, saved in figures.by_reason.most_common():
            print(
                f"  {reason}: {saved / figures.tokens:.1%} saved, {figures.wrong[reason]} shortened when used"
            )
        print(*figures.cases[: arguments.cases], sep="\n")


if __name__ == "__main__":
    main()
