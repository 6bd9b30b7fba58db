"""How often a rollout is rolled back or stopped when requests of a session are alike.

    python -m tools.rollout_figures --runs 300

Each run is the 22 days of a rollout whose phases a person begins, with looks at the rules of the package
every 30 minutes. A session has 5 requests at one time; its completion and its error rate are drawn from
beta distributions whose intraclass correlation is `icc`. "by request" is what comes of it when each request
counts as a session.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from convgate.rollouts import figures
from convgate.rollouts.phases import PHASES
from convgate.store import Store
from convgate.store.requests import ArmFigures
from convgate.store.rollouts import StoredRollout

START = datetime(2026, 1, 1, tzinfo=UTC)
SIZE = 5  # requests of a session
COMPLETION, ERRORS = 0.8, 0.02
LOOK = timedelta(minutes=30)


@dataclass(frozen=True)
class Candidate:
    """A candidate of a simulated rollout."""

    completion: float = COMPLETION
    errors: float = ERRORS


class SimulatedLog:
    """Stands for `Requests`: figures of sessions that were drawn."""

    def __init__(
        self,
        chance: np.random.Generator,
        candidate: Candidate,
        icc: float,
        per_hour: float,
        *,
        by_request: bool,
    ) -> None:
        self._arms = {}
        for arm in ("candidate", "control"):
            rates = candidate if arm == "candidate" else Candidate()
            times, begin = [], 0.0
            for phase in PHASES[:-1]:
                hours = cast(timedelta, phase.length) / timedelta(hours=1)
                share = phase.share if arm == "candidate" else 1 - phase.share
                n = chance.poisson(per_hour * share * hours)
                times.append(begin + np.sort(chance.uniform(0, hours, n)))
                begin += hours
            at = np.concatenate(times)
            ok, failed = (_draw(chance, len(at), rate, icc) for rate in (rates.completion, rates.errors))
            if by_request:
                at, ok, failed = np.repeat(at, SIZE), ok.reshape(-1, 1), failed.reshape(-1, 1)
            columns = np.column_stack([ok.mean(1), failed.mean(1), failed.any(1)])
            self._arms[arm] = at, np.vstack([np.zeros(3), np.cumsum(columns, axis=0)])

    def arm_figures(self, arm: str, since: datetime, until: datetime) -> ArmFigures:
        """Return the figures of an arm, without latencies."""
        hours, sums = self._arms[arm]
        first, last = np.searchsorted(hours, [(at - START) / timedelta(hours=1) for at in (since, until)])
        n = int(last - first)
        completed, errors, with_error = (sums[last] - sums[first]).tolist()
        completion, error_rate = (completed / n, errors / n) if n else (None, None)
        return ArmFigures(n, 0, n, n, completion, error_rate, int(with_error), 0, None)


def _draw(chance: np.random.Generator, n: int, rate: float, icc: float) -> NDArray[np.bool_]:
    """Return (n, SIZE) outcomes, alike within a row."""
    scale = (1 - icc) / icc
    rates = chance.beta(rate * scale, (1 - rate) * scale, n)
    return chance.random((n, SIZE)) < rates[:, None]


def simulate(log: SimulatedLog) -> tuple[str, float]:
    """Return how a rollout ended, "rolled back", "stopped" or "advanced", and after how many hours."""
    store = cast(Store, None)
    with patch.object(figures, "Requests", lambda _: log):
        for rollout, end in _phases():
            now = rollout.phase_started
            while now < end:
                now += LOOK
                if any(rule.state == "failed" for rule in figures.check_rules(store, rollout, now)):
                    return "rolled back", (now - START) / timedelta(hours=1)
            if rollout.phase > 1:
                checks = figures.check_conditions(store, rollout, end)
                if any(check.state == "failed" for check in checks):
                    return "stopped", (end - START) / timedelta(hours=1)
    return "advanced", (end - START) / timedelta(hours=1)


def _phases() -> Iterator[tuple[StoredRollout, datetime]]:
    begin = START
    for phase in PHASES[:-1]:
        end = begin + cast(timedelta, phase.length)
        yield StoredRollout("", ("",) * 4, 0, "running", phase.number, START, begin, None, begin), end
        begin = end


def main() -> None:
    """Print one line for each setting."""
    parser = argparse.ArgumentParser(description="Simulate rollouts.")
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--per-hour", type=float, default=300, help="sessions")
    arguments = parser.parse_args()
    candidates = {
        "equal": Candidate(),
        "completion 60%": Candidate(completion=0.6),
        "errors 10%": Candidate(errors=0.1),
    }
    for name, candidate in candidates.items():
        for icc in (0.05, 0.3):
            for by_request in (False, True):
                runs: list[Any] = [
                    simulate(
                        SimulatedLog(
                            np.random.default_rng(run),
                            candidate,
                            icc,
                            arguments.per_hour,
                            by_request=by_request,
                        )
                    )
                    for run in range(arguments.runs)
                ]
                ends = [end for end, _ in runs]
                hours = [hours for end, hours in runs if end == "rolled back"]
                print(
                    f"{name}, icc {icc}, by {'request' if by_request else 'session'}:",
                    f"rolled back {ends.count('rolled back') / len(ends):.1%}",
                    f"(median {np.median(hours):.0f} h)," if hours else ",",
                    f"stopped {ends.count('stopped') / len(ends):.1%}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
