"""Calibrate the promise of a version, and measure it on kinds of conversations that it was not calibrated on.

    python -m tools.promise VERSION SET.jsonl… [--check SET.jsonl…] [--name NAME] [--promise 0.02]

Each SET is a kind of conversations. The table has what each kind loses by levels that were calibrated on all
other kinds, and what the sets after --check lose by those of all kinds; NAME is added as a version with them.
What must hold and whole groups of turns are sent beside what the rule keeps, here as in `select`.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import numpy as np

from convgate.core.parameters import parameter_values
from convgate.core.settings import load_settings
from convgate.core.text import join_words
from convgate.evaluation.risk_control import Losses, fit_levels
from convgate.evaluation.sending import Sending
from convgate.evaluation.tuning import ScoredCases, score_cases
from convgate.gate.promise import write_levels
from convgate.gate.thresholds import MaxMissed
from convgate.policies.build import EncoderOnDemand, build_policy
from convgate.policies.gate import GatePolicy
from convgate.transcripts.relevance_sets import read_relevance_set
from convgate.versions import Draft, Versions


def main() -> None:
    """Print the table, and add the version if it has a name."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("version")
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--check", nargs="*", type=Path, default=[])
    parser.add_argument("--name")
    parser.add_argument("--promise", type=float, default=MaxMissed().max_missed)
    arguments = parser.parse_args()
    settings = load_settings()
    policy = build_policy("gate", settings, EncoderOnDemand(settings), version=arguments.version)
    assert isinstance(policy, GatePolicy)
    sending = Sending.of(settings)
    scored = {
        file.stem: score_cases([read_relevance_set(file)], policy, sending=sending)
        for file in (*arguments.sets, *arguments.check)
    }
    kinds = [file.stem for file in arguments.sets]
    rule = _calibrated(scored, kinds, arguments.promise)
    sys.stdout.write("| set | calibrated on | missed | all sent | tokens |\n|---|---|---|---|---|\n")
    for name, cases in scored.items():
        others = [kind for kind in kinds if kind != name]
        by = _calibrated(scored, others, arguments.promise) if name in kinds else rule
        sys.stdout.write(_row(name, "the other kinds" if name in kinds else "all kinds", cases, by))
    sys.stdout.write(f"\nlevels: {rule.levels}\n")
    if arguments.name:
        versions = Versions(settings.home)
        parent = versions.get(arguments.version)
        card = {field.name: getattr(parent.card, field.name) for field in fields(Draft)}
        values = parameter_values(rule)
        draft = Draft(**card | {"threshold_rule": rule.name, "threshold_parameters": values})
        versions.add(parent.load(), draft, name=arguments.name)


def _row(name: str, calibrated_on: str, scored: ScoredCases, rule: MaxMissed) -> str:
    """Return the line of a set; the loss is the mean over conversations, the rest as in `evaluate`."""
    kept = scored.kept(rule)
    figures = scored.figures(kept)
    losses = defaultdict(list)
    columns = zip(scored.cases, scored.split(kept), scored.clusters.tolist(), strict=True)
    for case, is_kept, cluster in columns:
        if case.needed.any():
            losses[cluster].append((case.needed & ~is_kept).sum() / case.needed.sum())
    missed = np.mean([np.mean(each) for each in losses.values()])
    share = figures.tokens_kept / figures.tokens
    return f"| {name} | {calibrated_on} | {missed:.3f} | {figures.answerable.value:.3f} | {share:.2f} |\n"


def _calibrated(scored: dict[str, ScoredCases], kinds: Sequence[str], promise: float) -> MaxMissed:
    levels = fit_levels([Losses(scored[kind]) for kind in kinds], promise)
    return MaxMissed(promise, levels=write_levels(levels), fitted_on=join_words(kinds))


if __name__ == "__main__":
    main()
