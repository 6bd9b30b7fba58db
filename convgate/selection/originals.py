"""The original texts of results that were sent as stubs: stored in the library, returned by their ids."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path

from convgate.core.errors import StoreError
from convgate.core.settings import Settings, resolve_settings
from convgate.elision.elide import Elision
from convgate.store.database import Store
from convgate.store.results import ElidedResults

log = logging.getLogger(__name__)

_RENEW = timedelta(days=1)  # after which a result that is still elided is noted again
_MAX_KNOWN = 100_000


class Originals:
    """The originals in the library of the settings; it is opened when there is one to store. Thread-safe.

    They are removed `session.retention_days` after their stubs were sent last, when this process stores the
    first one, and with old sessions.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._known: dict[str, datetime] = {}  # when each was stored

    def keep(self, elisions: Iterable[Elision]) -> bool:
        """Store the originals; return whether all of them are stored. What goes wrong is logged."""
        now = datetime.now(UTC)
        new = {
            each.id: each.text
            for each in elisions
            if each.id not in self._known or now - self._known[each.id] > _RENEW
        }
        if not new:
            return True
        try:
            with self._lock:
                if not self._known:
                    self._results.clean_up(now - timedelta(days=self._settings.session.retention_days))
                self._results.put(new, now)
        except StoreError as error:
            log.warning("tool results are sent whole, because their originals cannot be stored: %s", error)
            return False
        if len(self._known) > _MAX_KNOWN:
            self._known = {}
        self._known |= dict.fromkeys(new, now)
        return True

    def expand(self, id: str) -> str:
        """Return the text of a result; MissingResultError when no stub has the id."""
        return self._results.get(id)

    @cached_property
    def _results(self) -> ElidedResults:
        return ElidedResults(Store(self._settings.database))


def expand(id: str, *, settings: Settings | str | Path | None = None) -> str:
    """Return the whole text of a tool result that was sent as a stub, which has its id.

    settings: whose library has it; default: those of this machine.

    Raises MissingResultError for an unknown id.
    """
    return Originals(resolve_settings(settings)).expand(id)
