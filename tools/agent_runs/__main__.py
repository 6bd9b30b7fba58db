"""Generate runs of agents as a relevance set with the true labels, and print their figures.

python -m tools.agent_runs bugs --count 50 --out bugs.jsonl
"""

from __future__ import annotations

import argparse
from pathlib import Path

from convgate.transcripts.relevance_sets import write_relevance_set
from tools.agent_runs import FAMILIES, make_run
from tools.agent_runs.labels import LabelFigures, measure_labels, true_set


def main() -> None:
    """Generate the runs, write the set, and print a line of figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("family", choices=FAMILIES)
    parser.add_argument("--count", type=int, default=20, help="how many runs")
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="the relevance set to write")
    parser.add_argument("--sessions", type=Path, help="a folder for the runs as Claude Code session files")
    words = parser.parse_args()
    seeds = range(words.first_seed, words.first_seed + words.count)
    runs = [make_run(words.family, seed=seed) for seed in seeds]
    tokens = [run.count_tokens() for run in runs]
    in_all, in_results = (sum(part) for part in zip(*tokens, strict=True))
    figures = sum((measure_labels(run) for run in runs), LabelFigures())
    print(
        f"{len(runs)} runs of {sum(run.n_tool_calls for run in runs) / len(runs):.0f} tool calls and"
        f" {in_all / len(runs):,.0f} tokens, {in_results / in_all:.0%} in results;"
        f" `convgate corpus agents` labels {figures.labelled_share:.0%} of the earlier results:"
        f" precision {figures.precision:.3f}, recall {figures.recall:.3f},"
        f" precision of not needed {figures.not_needed_precision:.3f}"
    )
    if words.sessions:
        words.sessions.mkdir(parents=True, exist_ok=True)
        for run in runs:
            (words.sessions / f"{run.id}.jsonl").write_text(run.session_lines(), encoding="utf-8")
    if words.out:
        write_relevance_set(true_set(runs, words.out.stem), words.out)


if __name__ == "__main__":
    main()
