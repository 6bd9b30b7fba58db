"""The figures of docs/sessions.md on changes of subject.

python -m tools.subject_figures mix.dev.jsonl tiage.dev.jsonl           precision and recall on labelled sets
python -m tools.subject_figures --fit mix.train.jsonl tiage.train.jsonl     the coefficients

A set is a relevance set. A message begins a subject where its `source` differs from that of the message
before, or, without sources, where a case says that no earlier turn is relevant.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from convgate.core.conversation import Conversation, Turn
from convgate.core.settings import load_settings
from convgate.embedding.cache import default_encoder
from convgate.policies.build import build_policy
from convgate.policies.gate import GatePolicy
from convgate.policies.subject_changes import change_features, find_subject_changes

_MAX = 120  # conversations of a set, for the fit


def main() -> None:
    """Run what the words of the command line ask for."""
    files = [Path(word) for word in sys.argv[1:] if word != "--fit"]
    settings = load_settings()
    with TemporaryDirectory() as home:
        encoder = default_encoder(settings.encoder, home=Path(home))
        gate = build_policy(GatePolicy.name, settings, encoder)
        assert isinstance(gate, GatePolicy)
        if "--fit" in sys.argv:
            _fit(gate, files)
            return
        print(
            "| set | messages | begin one | precision | recall | would cut off |\n|---|---|---|---|---|---|"
        )
        for file in files:
            _measure(gate, file)


def read_changes(file: Path) -> Iterator[tuple[Conversation, dict[int, bool], dict[int, list[int]]]]:
    """Yield conversations, whether messages of the user begin a subject, and which turns messages need."""
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    cases: dict[str, dict[int, list[int]]] = {}
    for line in lines:
        if line["type"] == "case" and "turn" in line:
            cases.setdefault(line["conversation"], {})[line["turn"]] = line["relevant"]
    for line in lines:
        if line["type"] == "conversation":
            messages = line["messages"]
            turns = tuple(Turn.of(message["role"], message["content"]) for message in messages)
            needed = cases.get(line["id"], {})
            begins = {row: not relevant for row, relevant in needed.items()}
            if "source" in messages[0]:
                sources = [message["source"] for message in messages]
                begins = {row: sources[row] != sources[row - 1] for row in range(1, len(turns))}
            users = {row: value for row, value in begins.items() if turns[row].role == "user"}
            yield Conversation(line["id"], turns), users, needed


def _measure(gate: GatePolicy, file: Path) -> None:
    n_hits = n_found = n_begin = n_messages = n_labelled = n_cut = 0
    for conversation, begins, needed in read_changes(file):
        found = find_subject_changes(gate, conversation).keys() & begins.keys()
        n_hits += sum(begins[row] for row in found)
        n_found += len(found)
        n_begin += sum(begins.values())
        n_messages += len(begins)
        for row in found:
            later = [relevant for message, relevant in needed.items() if message >= row]
            n_labelled += bool(later)
            n_cut += any(turn < row for relevant in later for turn in relevant)
    print(
        f"| {file.stem} | {n_messages:,} | {n_begin:,} | {n_hits / max(n_found, 1):.2f}"
        f" | {n_hits / max(n_begin, 1):.2f} | {n_cut:,} of {n_labelled:,} |"
    )


def _fit(gate: GatePolicy, files: list[Path]) -> None:
    features: list[NDArray[np.float64]] = []
    labels: list[bool] = []
    for file in files:
        for conversation, begins, _ in list(read_changes(file))[:_MAX]:
            rows, values, _ = change_features(gate, conversation)
            known = [row in begins for row in rows]
            features.append(values[np.array(known, dtype=bool)])
            labels += [begins[row] for row in rows if row in begins]
    model = LogisticRegression(C=100).fit(np.concatenate(features), labels)
    print(f"best near logit, depth: {model.coef_[0].round(2)}; bias {model.intercept_.round(2)}")


if __name__ == "__main__":
    main()
