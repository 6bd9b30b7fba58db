"""How often a context has every turn that the answer needs, under a share of the history's tokens.

    python -m tools.context_figures [FILE.jsonl ...] [--shares 0.15 0.35]

Files are relevance sets whose cases have `needed`: turns without which the answer is wrong. Without a file,
the held-out part of the written conversations is measured. A context is compared with rankings that fill the
same budget best first: cosine, the gate, and the newest turns. The budget is the share of the history's
tokens plus those of the current message. A needed turn counts as sent when its message is, or when it
states an invariant that must hold, whose words are then sent in any case.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from convgate.context.builder import ContextBuilder
from convgate.context.memory import RequestMemory
from convgate.core.conversation import Conversation
from convgate.core.settings import load_settings
from convgate.messages.tokens import turn_tokens
from convgate.policies.build import EncoderOnDemand
from convgate.policies.cosine import cosine_scores
from convgate.transcripts import turns_from_messages

CHATS = Path(__file__).parent / "pretraining" / "texts" / "chats.dev.jsonl"


def main() -> None:
    """Print a table for each file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, default=[CHATS], metavar="FILE.jsonl")
    parser.add_argument("--shares", nargs="+", type=float, default=[0.15, 0.35], metavar="SHARE")
    arguments = parser.parse_args()
    encoder = EncoderOnDemand(load_settings())
    builder = ContextBuilder.of(load_settings(), encoder=encoder)
    for file in arguments.files:
        rows: dict[tuple[float, str], list[tuple[bool, float, bool]]] = defaultdict(list)
        for conversation, needed in cases(file):
            current, history = conversation.at(len(conversation) - 1)
            *tokens, current_tokens = turn_tokens(conversation.turns).tolist()
            rankings = {
                "newest": np.arange(len(tokens)),
                "cosine": cosine_scores(encoder(), current, history),
                "gate": np.asarray(builder.policy.decide(current, history).scores),
            }
            for share in arguments.shares:
                budget = int(share * sum(tokens))
                for name, scores in rankings.items():
                    sent = fill(scores, tokens, budget)
                    used = sum(tokens[index] for index in sent) / sum(tokens)
                    rows[share, name].append((needed <= sent, used, False))
                fresh = replace(builder, memory=RequestMemory())
                bundle = fresh.build_at(conversation, budget=budget + current_tokens)
                sent = {
                    *bundle.indices,
                    *(invariant.source for invariant in bundle.invariants if invariant.held),
                }
                used = (bundle.tokens - current_tokens) / sum(tokens)
                rows[share, "context"].append((needed <= sent, used, bundle.over_budget > 0))
        print(f"\n{file.name}\n\n| tokens | by | cases | every needed turn | tokens used | over budget |")
        print("|---|---|---|---|---|---|")
        for (share, name), results in rows.items():
            complete, used, over = np.mean(results, axis=0)
            print(f"| {share:.0%} | {name} | {len(results)} | {complete:.1%} | {used:.1%} | {over:.1%} |")


def cases(file: Path) -> Iterator[tuple[Conversation, set[int]]]:
    """Conversations that end with the current message, and the turns that its answer needs, one or more."""
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    messages = {line["id"]: line["messages"] for line in lines if line["type"] == "conversation"}
    for line in lines:
        if line["type"] != "case" or not line["needed"]:
            continue
        spoken = messages[line["conversation"]]
        spoken = [*spoken, line["query"]] if "query" in line else spoken[: line["turn"] + 1]
        plain = [{"role": message["role"], "content": message["content"]} for message in spoken]
        yield Conversation(line["id"], turns_from_messages(plain)), set(line["needed"])


def fill(scores: np.ndarray, tokens: Sequence[int], budget: int) -> set[int]:
    """Turns of the highest scores while their tokens fit; a turn too long is passed over."""
    sent = set()
    for index in np.argsort(-scores, kind="stable").tolist():
        if tokens[index] <= budget:
            sent.add(index)
            budget -= tokens[index]
    return sent


if __name__ == "__main__":
    main()
