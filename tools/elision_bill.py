"""What generated runs cost under a prompt cache: sent whole, with stubs at once, and with stubs in batches.

python -m tools.elision_bill --first 8 --runs 48 --model claude-sonnet-4-5
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass, field

from convgate.core.settings import Settings
from convgate.costs.cache import PromptCache
from convgate.costs.prices import Price, find_price
from convgate.elision.batches import Batches
from convgate.elision.elide import find_elisions
from convgate.messages.tokens import turn_tokens
from convgate.transcripts import turns_from_messages
from tools.agent_runs import FAMILIES, AgentRun, make_run

WAYS = ("everything", "at once", "batches")


@dataclass
class Figures:
    """Sums over all model calls of runs, by the way of sending."""

    cost: dict[str, float] = field(default_factory=lambda: dict.fromkeys(WAYS, 0.0))  # dollars
    tokens: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)  # uses whose results are all shortened
    uses: int = 0
    dearer: int = 0  # runs that cost more in batches than everything

    def add(self, run: AgentRun, price: Price) -> None:
        """Add a run: a request before each of the model's calls."""
        turns = turns_from_messages(run.messages)
        tokens = turn_tokens(turns).tolist()
        caches = {way: PromptCache(price) for way in WAYS}
        cost, batches, known = dict.fromkeys(WAYS, 0.0), Batches(), 0
        for call in run.calls:
            batches = batches.extend(turns[known : call.message], price, None)
            known = call.message
            self.uses += len(call.uses)
            sources = (None, batches.evidence, batches.choose(price, None))
            for way, evidence in zip(WAYS, sources, strict=True):
                found = {} if evidence is None else find_elisions(evidence)
                pieces = [
                    (
                        (place, tuple(each.stub for each in own)),
                        tokens[place] - sum(each.saved for each in own),
                    )
                    for place in range(known)
                    for own in [found.get(place, ())]
                ]
                cost[way] += price.cost(caches[way].request(0, pieces))
                self.tokens[way] += sum(count for _, count in pieces)
                self.lost[way] += call.lost_uses({each.call_id for own in found.values() for each in own})
        self.cost = {way: self.cost[way] + cost[way] for way in WAYS}
        self.dearer += cost["batches"] > cost["everything"]


def main() -> None:
    """Print the figures of each family."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--family", choices=[*FAMILIES], action="append")
    parser.add_argument("--first", type=int, default=8, help="seed of the first run")
    parser.add_argument("--runs", type=int, default=48)
    parser.add_argument("--model", default="claude-sonnet-4-5")
    arguments = parser.parse_args()
    price = find_price(Settings(costs={"model": arguments.model}))
    assert price is not None
    for family in arguments.family or FAMILIES:
        figures = Figures()
        for seed in range(arguments.first, arguments.first + arguments.runs):
            figures.add(make_run(family, seed=seed), price)
        print(f"{family}: ${figures.cost['everything']:.2f}; dearer in batches: {figures.dearer} runs")
        for way in WAYS[1:]:
            print(
                f"  {way}: {figures.cost[way] / figures.cost['everything']:.1%} of the bill,"
                f" {figures.tokens[way] / figures.tokens['everything']:.1%} of the tokens,"
                f" {figures.lost[way]} of {figures.uses} uses lost"
            )


if __name__ == "__main__":
    main()
