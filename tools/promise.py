"""Calibrate the promise of a version, and measure it on kinds of conversations that it was not calibrated on.

    python -m tools.promise VERSION SET.jsonl… [--check SET.jsonl…] [--name NAME] [--promise 0.02]

Each SET is a kind of conversations. The table has what each kind loses by levels that were calibrated on all
other kinds, and what the sets after --check lose by those of all kinds; NAME is added as a version with them.
Turns that state what must hold are sent whatever the rule decides (`hold_invariants`), here as in `select`.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from convgate.core.parameters import parameter_values
from convgate.core.settings import load_settings
from convgate.core.text import join_words
from convgate.evaluation.metrics import Bools
from convgate.evaluation.risk_control import Losses, fit_levels
from convgate.evaluation.tuning import ScoredCase, ScoredCases, score_cases
from convgate.gate.promise import write_levels
from convgate.gate.thresholds import MaxMissed
from convgate.policies.build import EncoderOnDemand, build_policy
from convgate.policies.gate import GatePolicy
from convgate.selection.hold import InvariantHold
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
    hold = InvariantHold.of(policy, settings)
    scored = {file.stem: Scored.of(file, policy, hold) for file in (*arguments.sets, *arguments.check)}
    kinds = [file.stem for file in arguments.sets]
    rule = _calibrated(scored, kinds, arguments.promise)
    sys.stdout.write("| set | calibrated on | missed | all sent | tokens |\n|---|---|---|---|---|\n")
    for name, cases in scored.items():
        others = [kind for kind in kinds if kind != name]
        by = _calibrated(scored, others, arguments.promise) if name in kinds else rule
        sys.stdout.write(cases.row(name, "the other kinds" if name in kinds else "all kinds", by))
    sys.stdout.write(f"\nlevels: {rule.levels}\n")
    if arguments.name:
        versions = Versions(settings.home)
        parent = versions.get(arguments.version)
        card = {field.name: getattr(parent.card, field.name) for field in fields(Draft)}
        values = parameter_values(rule)
        draft = Draft(**card | {"threshold_rule": rule.name, "threshold_parameters": values})
        versions.add(parent.load(), draft, name=arguments.name)


@dataclass(frozen=True)
class Scored:
    """The cases of a set with the gate's scores."""

    cases: ScoredCases
    held: Bools  # (judged turns,) sent whatever the rule decides

    @classmethod
    def of(cls, file: Path, policy: GatePolicy, hold: InvariantHold | None) -> Scored:
        """Score the set of a file, and read what its conversations hold."""
        relevance_set = read_relevance_set(file)
        scored = score_cases([relevance_set], policy)
        held = [np.zeros(0, dtype=np.bool_)]
        for case in scored.cases:
            indices = [] if hold is None else [*hold.held(*relevance_set.current(case.case))]
            held.append(np.isin(case.rows + case.start, indices))
        return cls(scored, np.concatenate(held))

    @cached_property
    def losses(self) -> Losses:
        """What the rule can lose: held turns are not its to lose."""
        cases = [replace(case, needed=case.needed & ~held) for case, held in self._of_each_case(self.held)]
        return Losses(replace(self.cases, cases=tuple(cases)))

    def row(self, name: str, calibrated_on: str, rule: MaxMissed) -> str:
        """Return the line of the set; the loss is the mean over conversations, the rest as in `evaluate`."""
        kept = self.cases.kept(rule) | self.held
        figures = self.cases.figures(kept)
        losses = defaultdict(list)
        for cluster, (case, own) in zip(self.cases.clusters.tolist(), self._of_each_case(kept), strict=True):
            if case.needed.any():
                losses[cluster].append((case.needed & ~own).sum() / case.needed.sum())
        missed = np.mean([np.mean(each) for each in losses.values()])
        share = figures.tokens_kept / figures.tokens
        return f"| {name} | {calibrated_on} | {missed:.3f} | {figures.answerable.value:.3f} | {share:.2f} |\n"

    def _of_each_case(self, column: Bools) -> Iterator[tuple[ScoredCase, Bools]]:
        ends = np.cumsum([len(case.rows) for case in self.cases.cases])
        return zip(self.cases.cases, np.split(column, ends[:-1]), strict=True)


def _calibrated(scored: dict[str, Scored], kinds: Sequence[str], promise: float) -> MaxMissed:
    levels = fit_levels([scored[kind].losses for kind in kinds], promise)
    return MaxMissed(promise, levels=write_levels(levels), fitted_on=join_words(kinds))


if __name__ == "__main__":
    main()
