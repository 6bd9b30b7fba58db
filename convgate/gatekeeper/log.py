"""The debug log: a line of JSON for each decision, text included, readable for its owner only.

It keeps to a bounded size, and its failures change no decision. Only one process should write to a file.
"""

from __future__ import annotations

import json
import logging
import sys
from contextlib import suppress
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

from convgate.core.errors import StoreError
from convgate.core.home import make_home, make_private
from convgate.gatekeeper.decision import GatekeeperDecision
from convgate.gatekeeper.exchange import Exchange

log = logging.getLogger(__name__)

MAX_BYTES = 5_000_000  # of one file
_MAX_FILES = 3  # older files beside it
_MAX_MESSAGE = 2_000  # characters of each message


def remove_logs(path: Path | None) -> None:
    """Remove a debug log, if there is one, and its older files. Raises StoreError when it cannot."""
    try:
        for suffix in ("", *(f".{number}" for number in range(1, _MAX_FILES + 1))) if path else ():
            Path(f"{path}{suffix}").unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{error.filename} cannot be removed ({error.strerror}); delete it") from error


class DecisionLog(RotatingFileHandler):
    """Writes decisions to a file; the first failure is logged as a warning. Thread-safe."""

    def __init__(self, path: Path, *, max_bytes: int = MAX_BYTES) -> None:
        super().__init__(path, maxBytes=max_bytes, backupCount=_MAX_FILES, encoding="utf-8", delay=True)
        self._has_failed = False

    def write(self, decision: GatekeeperDecision, exchange: Exchange, seconds: float) -> None:
        """Write one decision and the time it took."""
        record = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "index": decision.index,
            **decision.to_json(),
            "rule": decision.rule,
            "language": decision.language,
            "milliseconds": round(1000 * seconds, 3),
            "user": exchange.user[:_MAX_MESSAGE],
            "assistant": exchange.assistant[:_MAX_MESSAGE],
        }
        self.handle(logging.makeLogRecord({"msg": json.dumps(record)}))  # ASCII, so any text can be written

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is logging's
        """Warn once, instead of a traceback on standard error for each decision."""
        if not self._has_failed:
            self._has_failed = True
            log.warning("the debug log %s cannot be written: %s", self.baseFilename, sys.exc_info()[1])
        stream, self.stream = self.stream, None
        with suppress(OSError):
            if stream is not None:
                stream.close()

    def _open(self) -> TextIOWrapper:
        path = Path(self.baseFilename)
        make_home(path.parent)
        make_private(path)
        return super()._open()
