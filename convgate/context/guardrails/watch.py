"""Looks at the log now and then, keeps the alerts, and knows which modes are overruled."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from convgate.context.guardrails.judging import judge
from convgate.context.guardrails.limits import Limits
from convgate.context.guardrails.place import Place
from convgate.context.guardrails.seen import look
from convgate.context.guardrails.times import Clock, in_utc
from convgate.context.mode import MODES, Mode
from convgate.context.request import Fallback
from convgate.errors import StoreError
from convgate.store.guard_states import Alert, GuardStates

KNOWN_FOR = 3_600.0
"""Seconds after which what was seen no longer overrules anything: the last hour is another one by then."""


@dataclass(frozen=True)
class Overruling:
    """Which modes GENERAL takes the place of; replaced as a whole, so that any thread may read it."""

    fallbacks: Mapping[Mode, Fallback] = field(default_factory=dict)
    at: float = 0.0  # monotonic, when it was found


class Watch:
    """Applies the rules to what the log says. `refresh` is for one thread at a time, `overruling` for any."""

    def __init__(
        self,
        place: Place,
        limits: Limits,
        clock: Clock,
        *,
        changed: Callable[[Sequence[Alert]], object],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.overruling = Overruling()
        self._place, self._limits, self._clock = place, limits, clock
        self._changed, self._monotonic = changed, monotonic

    def refresh(self) -> bool:
        """Look, and change alerts by what is seen; whether the database could be asked.

        Never raises for what the database does. Alerts that cannot be stored count in this process alone, and
        nobody is told of them before they are.
        """
        try:
            states = GuardStates(self._place.store())
            alerts = states.open_alerts()
            changes = self._judged(alerts)
        except (StoreError, sqlite3.Error):
            return False
        told: list[Alert] = []
        if changes:
            try:
                with self._place.store().write():  # another process may have been quicker
                    alerts = states.open_alerts()
                    changes = self._judged(alerts)
                    stored = states.put_alerts(changes)
            except (StoreError, sqlite3.Error):
                alerts = _after(alerts, changes)
            else:
                alerts = _after(alerts, stored)
                told = [
                    now for before, now in zip(changes, stored, strict=True)
                    if before.number is None or not now.open
                ]  # fmt: skip
        self.overruling = Overruling(fallbacks_of(alerts), self._monotonic())
        if told:
            self._changed(told)
        return True

    def _judged(self, alerts: Sequence[Alert]) -> list[Alert]:
        store = self._place.store()
        return judge(look(store, self._limits, in_utc(self._clock()), alerts), alerts, self._limits)


def _after(alerts: Sequence[Alert], changes: Sequence[Alert]) -> list[Alert]:
    """The open alerts when changes are made."""
    changed = {(one.kind, one.mode): one for one in (*alerts, *changes)}
    return [one for one in changed.values() if one.open]


def fallbacks_of(alerts: Sequence[Alert]) -> dict[Mode, Fallback]:
    """By mode, why it is overruled. Drift goes before errors; errors overrule a mode while it is held."""
    found: dict[Mode, Fallback] = {}
    for mode in MODES:
        for one in alerts:
            if one.kind == "drift":
                found[mode] = Fallback("drift", one.message)
            elif one.kind == "errors" and one.mode == mode != "GENERAL" and one.phase == "held":
                found.setdefault(mode, Fallback("errors", one.message))
    return found
