"""Run a batch with Ray Data.

    files ──a task each──▶ parts ──any of the workers──▶ files of the output folder ──▶ counts

Only counts come back, and parts wait in Ray's object store, so that memory does not grow with the input.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from convgate.batch.cluster import count_workers, ray_cluster
from convgate.batch.decisions import BatchDecider, BatchOptions
from convgate.batch.inputs import Block, Part, list_files, read_blocks
from convgate.batch.output import OutputFolder
from convgate.evaluation.judged_cases import EvaluationProgress, silent

_COUNTS = ("parts", "parts_skipped", "conversations", "turns", "decisions", "bad", "bytes")
_CPUS_PER_READER = 8  # one task that reads keeps so many workers busy


@dataclass(frozen=True)
class BatchSummary:
    """What one run did."""

    out: str
    files: int
    parts: int  # written by this run
    parts_skipped: int  # finished by earlier runs
    conversations: int
    turns: int
    decisions: int  # answered turns
    bad: int  # rows left out
    seconds: float


def run_batch(
    locations: Sequence[str],
    out: str,
    options: BatchOptions,
    *,
    address: str | None = None,
    workers: int | None = None,
    num_gpus: float = 0,
    progress: EvaluationProgress = silent,
) -> BatchSummary:
    """Decide about all conversations of the files and folders, and write the results to the folder `out`.

    Parts that an earlier run finished are passed over. address: of a Ray cluster, whose nodes reach the files
    and `out` by the same paths. workers: processes that decide; None: as many as fit. num_gpus: of each
    worker, whose encoder then runs on "cuda".

    Raises ConvgateError when files or `out` cannot be used, or the policy cannot be built.
    """
    started = time.monotonic()
    files = list_files(locations, out=out)
    folder = OutputFolder.open(out)
    finished = folder.begin(options, files)
    if num_gpus:
        options = replace(options, settings=options.settings.model_copy(update={"device": "cuda"}))
    totals = dict.fromkeys(_COUNTS, 0)
    n_bytes = sum(file.size for file in files)
    progress("Starting Ray", 0, n_bytes)
    with ray_cluster(address) as ray:
        n_workers = workers or count_workers(ray, num_gpus)
        read = partial(
            read_blocks,
            format=options.format,
            max_bytes=options.settings.upload_limit_mb << 20,
            part_turns=options.part_turns,
            finished=finished,
        )
        counts = (
            ray.data.from_items(
                [{"file": pickle.dumps(file)} for file in files], override_num_blocks=len(files)
            )
            .map_batches(
                read,
                batch_size=1,
                num_cpus=0,  # its work is small, and workers may have all processors
                compute=ray.data.TaskPoolStrategy(size=1 + n_workers // _CPUS_PER_READER),
            )
            .map_batches(
                _Worker,
                fn_constructor_args=(options, folder),
                batch_size=1,
                num_cpus=1,
                num_gpus=num_gpus,
                compute=ray.data.ActorPoolStrategy(size=n_workers),
            )
        )
        for row in counts.iter_rows():
            for name in totals:
                totals[name] += int(row[name])
            progress(f"{totals['turns']:,} turns decided", min(totals["bytes"], n_bytes), n_bytes)
    del totals["bytes"]
    return BatchSummary(out, len(files), **totals, seconds=time.monotonic() - started)


class _Worker:
    """A process that decides about parts and writes the results."""

    def __init__(self, options: BatchOptions, folder: OutputFolder) -> None:
        self._options, self._folder = options, folder

    @cached_property
    def _decider(self) -> BatchDecider:
        """Built by the first part, for Ray passes its errors on as they are, and those of __init__ not."""
        return BatchDecider(self._options)

    def __call__(self, block: Block) -> Block:
        """Return the counts of one part."""
        part: Part = pickle.loads(block["part"][0])
        return {name: np.array([n]) for name, n in write_part(part, self._decider, self._folder).items()}


def write_part(part: Part, decider: BatchDecider, folder: OutputFolder) -> dict[str, int]:
    """Write the results of a part, unless it only stands for a rest of its file; return counts."""
    counts = dict.fromkeys(_COUNTS, 0) | {"parts_skipped": part.n_skipped, "bytes": part.n_bytes}
    if not (part.conversations or part.bad):
        return counts
    tables = decider.decide(part)
    folder.write(part.name, tables)
    return counts | {
        "parts": 1,
        "conversations": len(part.conversations),
        "turns": sum(map(len, part.conversations)),
        "decisions": tables.decisions.num_rows,
        "bad": len(tables.bad),
    }
