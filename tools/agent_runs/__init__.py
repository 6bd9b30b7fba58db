"""Generated runs of scripted agents with real tools, each with the truth about which results it needed later.

>>> from tools.agent_runs import make_run
>>> run = make_run("bugs", seed=0)
>>> run.n_tool_calls >= 60
True
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

from tools.agent_runs.bug_fixing import make_bug_fixing_run
from tools.agent_runs.data_questions import make_data_run
from tools.agent_runs.run import AgentRun, ModelCall

FAMILIES: dict[str, Callable[[int, Path], AgentRun]] = {"bugs": make_bug_fixing_run, "data": make_data_run}
"""Scripts by name; they share the tools and the notes of what was used, nothing else."""

__all__ = ["FAMILIES", "AgentRun", "ModelCall", "make_run"]


def make_run(family: str, *, seed: int) -> AgentRun:
    """Return the run of a family (a key of FAMILIES) with a seed; the same every time."""
    with tempfile.TemporaryDirectory() as folder:
        return FAMILIES[family](seed, Path(folder))
