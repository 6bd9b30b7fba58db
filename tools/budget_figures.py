"""How often every turn that the answer needs is sent, under a share of the history's tokens.

    python -m tools.budget_figures [FILE.jsonl ...] [--shares 0.15 0.35]

Files are relevance sets; what their cases have as `needed`, else as `relevant`, has to be sent. Without a
file, the held-out part of the written conversations is measured. The sections of a budget are compared with
rankings that fill the same budget best first: the newest turns, the user's turns first, cosine, and the
gate's use per token. The budget is the share of the history's tokens plus those of the current message. A
needed turn counts as sent when its message is, or when it states an invariant that must hold, whose words are
then sent in any case.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path

import numpy as np

from convgate.core.conversation import Conversation
from convgate.core.filling import fill, use_per_token
from convgate.messages.tokens import turn_tokens
from convgate.policies.gate import GatePolicy
from convgate.policies.search import cosine_scores
from convgate.selection.load import load
from convgate.selection.selector import Selector
from convgate.transcripts import turns_from_messages
from tools.labelled import read_lines

CHATS = Path(__file__).parent / "pretraining" / "texts" / "chats.dev.jsonl"


@dataclass(frozen=True, slots=True)
class Filled:
    """What one ranking, or the selection, sends of one case."""

    complete: bool  # whether every needed turn is sent
    used: float  # share of the history's tokens
    is_over: bool


def main() -> None:
    """Print a table for each file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, default=[CHATS], metavar="FILE.jsonl")
    parser.add_argument("--shares", nargs="+", type=float, default=[0.15, 0.35], metavar="SHARE")
    arguments = parser.parse_args()
    selector = replace(load(), around=())
    for file in arguments.files:
        print(f"\n{file.name}\n\n| tokens | by | cases | every needed turn | tokens used | over budget |")
        print("|---|---|---|---|---|---|")
        for (share, name), results in fill_budgets(file, arguments.shares, selector).items():
            complete, used, over = np.mean([astuple(each) for each in results], axis=0)
            print(f"| {share:.0%} | {name} | {len(results)} | {complete:.1%} | {used:.1%} | {over:.1%} |")


def fill_budgets(
    file: Path, shares: Sequence[float], selector: Selector
) -> Mapping[tuple[float, str], Sequence[Filled]]:
    """Return what each ranking, and the selection, sends of each case at each share."""
    rows: dict[tuple[float, str], list[Filled]] = defaultdict(list)
    policy = selector.policy
    assert isinstance(policy, GatePolicy)
    for conversation, needed in cases(file):
        current, history = conversation.at(len(conversation) - 1)
        costs = turn_tokens(conversation.turns)
        tokens, current_tokens = costs[:-1], int(costs[-1])
        places = np.arange(len(tokens), dtype=np.float64)
        scores = policy.decide(current, history).scores
        assert scores is not None
        rankings = {
            "newest": places,
            "user first": places + 1e6 * np.array([turn.role == "user" for turn in history]),
            "cosine": cosine_scores(policy.encoder, current, history),
            "gate": use_per_token(scores, tokens),
        }
        for share in shares:
            budget = int(share * tokens.sum())
            for name, values in rankings.items():
                kept = fill(values, tokens, budget)
                used = float(tokens[kept].sum() / tokens.sum())
                rows[share, name].append(Filled(bool(kept[sorted(needed)].all()), used, False))
            selection = selector.select_at(conversation, budget=budget + current_tokens)
            sent = {
                *selection.indices,
                *(invariant.source for invariant in selection.invariants if invariant.held),
            }
            used = (selection.tokens - current_tokens) / int(tokens.sum())
            rows[share, "sections"].append(Filled(needed <= sent, used, selection.over_budget > 0))
    return rows


def cases(file: Path) -> Iterator[tuple[Conversation, set[int]]]:
    """Conversations that end with the current message, and the turns that its answer needs, one or more."""
    lines = read_lines(file)
    messages = {line["id"]: line["messages"] for line in lines if line["type"] == "conversation"}
    for line in lines:
        needed = line.get("needed", line.get("relevant"))
        if line["type"] != "case" or not needed:
            continue
        spoken = messages[line["conversation"]]
        spoken = [*spoken, line["query"]] if "query" in line else spoken[: line["turn"] + 1]
        plain = [{"role": message["role"], "content": message["content"]} for message in spoken]
        yield Conversation(line["id"], turns_from_messages(plain)), set(needed)


if __name__ == "__main__":
    main()
