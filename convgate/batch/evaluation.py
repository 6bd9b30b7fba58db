"""Measure policies on relevance sets with Ray: workers decide, and the figures come from all decisions."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from convgate.batch.cluster import count_workers, ray_cluster
from convgate.batch.decisions import load_encoder, resolve_version
from convgate.core.settings import Settings
from convgate.evaluation.evaluate import evaluate_judged
from convgate.evaluation.judged_cases import (
    EvaluationProgress,
    JudgedSet,
    cases_in_order,
    join_sets,
    judge_all,
    silent,
)
from convgate.evaluation.results import Evaluation
from convgate.policies.base import Policy
from convgate.policies.build import build_policy
from convgate.transcripts import Case, RelevanceSet

_SHARDS_PER_WORKER = 4


def evaluate_with_ray(
    sets: Sequence[RelevanceSet],
    policies: Sequence[str],
    settings: Settings,
    *,
    version: str | None = None,
    address: str | None = None,
    workers: int | None = None,
    progress: EvaluationProgress = silent,
) -> Evaluation:
    """Return what `evaluate` returns for these policies, the same figures; its errors.

    version: of the gate. address, workers: as in `run_batch`.
    """
    version = resolve_version(policies, settings, version)
    progress("Starting Ray", 0, 1)
    with ray_cluster(address) as ray:
        n_workers = workers or count_workers(ray, 0)

        def judge(relevance_set: RelevanceSet) -> Mapping[str, JudgedSet]:
            shards = split_set(relevance_set, n_workers * _SHARDS_PER_WORKER)
            rows = [{"index": index, "set": pickle.dumps(shard)} for index, shard in enumerate(shards)]
            judged = ray.data.from_items(rows, override_num_blocks=len(rows)).map_batches(
                _Judge,
                fn_constructor_args=(list(policies), settings, version),
                batch_size=1,
                num_cpus=1,
                compute=ray.data.ActorPoolStrategy(size=n_workers),
            )
            parts: dict[int, dict[str, JudgedSet]] = {}
            for row in judged.iter_rows():
                parts[row["index"]] = pickle.loads(row["judged"])
                progress(f"{relevance_set.name}: judged", len(parts), len(shards))
            return {name: join_sets([parts[index][name] for index in sorted(parts)]) for name in policies}

        return evaluate_judged(sets, judge)


def split_set(relevance_set: RelevanceSet, n_shards: int) -> list[RelevanceSet]:
    """Return at most so many sets, at least one, that hold the set's cases in the order of `cases_in_order`.

    All cases of a conversation are in one of them.
    """
    cases: dict[str, list[Case]] = {}
    for case in cases_in_order(relevance_set):
        cases.setdefault(case.conversation, []).append(case)
    ids = list(cases)
    size = max(1, -(-len(ids) // n_shards))
    shards = [ids[start : start + size] for start in range(0, len(ids), size)]
    return [
        RelevanceSet(
            relevance_set.name,
            {id: relevance_set.conversations[id] for id in shard},
            tuple(case for id in shard for case in cases[id]),
        )
        for shard in shards or [ids]
    ]


class _Judge:
    """A process that holds the policies."""

    def __init__(self, policies: Sequence[str], settings: Settings, version: str | None) -> None:
        self._names, self._settings, self._version = policies, settings, version

    @cached_property
    def _policies(self) -> dict[str, Policy]:
        """Built by the first shard, for the reason of a batch's worker."""
        settings, encoder = self._settings, load_encoder(self._settings)
        return {name: build_policy(name, settings, encoder, version=self._version) for name in self._names}

    def __call__(self, block: dict[str, Any]) -> dict[str, Any]:
        """Return the decisions on one shard."""
        judged = judge_all(pickle.loads(block["set"][0]), self._policies)
        return {"index": block["index"], "judged": np.array([pickle.dumps(judged)], dtype=object)}
