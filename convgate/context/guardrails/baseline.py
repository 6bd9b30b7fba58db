"""The baseline: what requests are like when all is well, as somebody decided once."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from convgate.context.guardrails.limits import Limits
from convgate.context.guardrails.times import in_utc, wall_clock
from convgate.context.mode import MODES
from convgate.errors import ContextError
from convgate.settings import Settings
from convgate.store.database import Store
from convgate.store.guard_states import Baseline, GuardStates
from convgate.store.requests import Outcomes, RequestCounts


def set_baseline(
    store: Store,
    settings: Settings,
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    counts: Mapping[str, int] | None = None,
    now: datetime | None = None,
) -> Baseline:
    """Take the logged requests from `since` (None: the first) to `until` (None: now) for the baseline.

    counts: requests by mode, in place of those of the log. Raises ContextError, and leaves the baseline from
    before, when there are fewer than drift needs, or a mode is unknown.
    """
    moment = in_utc(now or wall_clock())
    least = Limits.of(settings).drift_least
    if counts is not None:
        baseline = Baseline(moment, _checked(counts))
    else:
        begin = in_utc(since) if since is not None else in_utc(datetime.min)
        end = moment if until is None else in_utc(until)
        found = RequestCounts(store)
        outcomes = found.outcomes(begin, end, MODES).values()
        baseline = Baseline(
            moment,
            found.classified(begin, end, MODES),
            Outcomes(sum(one.count for one in outcomes), sum(one.failures for one in outcomes)),
            begin,
            end,
        )
    if baseline.requests < least:
        raise ContextError(
            f"a baseline needs {least:,} requests (guard_drift_least), and there are {baseline.requests:,};"
            " the one from before, if any, stays"
        )
    GuardStates(store).put_baseline(baseline)
    return baseline


def clear_baseline(store: Store) -> Baseline | None:
    """Have none, so that there is no drift; the one that was there."""
    return GuardStates(store).put_baseline(None)


def _checked(counts: Mapping[str, int]) -> dict[str, int]:
    for mode, count in counts.items():
        if mode not in MODES:
            raise ContextError(f"there is no mode {mode!r}; there are {', '.join(MODES)}")
        if isinstance(count, bool) or not isinstance(count, int) or count < 0:
            raise ContextError(f"requests of {mode} are a whole number, 0 or more; got {count!r}")
    return dict(counts)
