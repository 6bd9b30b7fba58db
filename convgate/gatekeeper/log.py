"""The debug log: a line of JSON for each decision, text included, for the eyes of its owner alone.

It keeps to a bounded size, and whatever happens to it, decisions are made. Only one process should write to a
file: two that rotate it lose lines.
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

from convgate.gatekeeper.decision import GatekeeperDecision
from convgate.gatekeeper.exchange import Exchange
from convgate.home import make_home, make_private

log = logging.getLogger(__name__)

LARGEST = 5_000_000  # bytes of one file
KEPT_FILES = 3  # older files beside it
LONGEST = 2_000  # characters of each message


class DecisionLog:
    """Writes decisions to a file; `problem` says why it cannot. Thread-safe."""

    def __init__(self, path: Path, *, largest: int = LARGEST) -> None:
        self.path = path
        self._handler = _PrivateHandler(path, largest)

    @property
    def problem(self) -> str | None:
        """Why the last line could not be written; None when it was."""
        return self._handler.problem

    def write(self, decision: GatekeeperDecision, exchange: Exchange, seconds: float) -> None:
        """One line; that it cannot be written is told once, and breaks nothing."""
        record = {
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
            "item": decision.item,
            **decision.to_json(),
            "rule": decision.rule,
            "language": decision.language,
            "milliseconds": round(1000 * seconds, 3),
            "user": exchange.user[:LONGEST],
            "assistant": exchange.assistant[:LONGEST],
        }
        self._handler.handle(logging.makeLogRecord({"msg": json.dumps(record)}))  # ASCII: takes any text

    def close(self) -> None:
        """Close the file; a later line opens it again."""
        self._handler.close()


class _PrivateHandler(RotatingFileHandler):
    def __init__(self, path: Path, largest: int) -> None:
        super().__init__(path, maxBytes=largest, backupCount=KEPT_FILES, encoding="utf-8", delay=True)
        self.problem: str | None = None

    def emit(self, record: logging.LogRecord) -> None:
        before = self.problem
        self._forget()
        super().emit(record)
        if self.problem and not before:
            log.warning(
                "the gatekeeper's debug log %s cannot be written: %s", self.baseFilename, self.problem
            )

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name is logging's
        """Remembers what went wrong, instead of a traceback on standard error for each decision."""
        self.problem = str(sys.exc_info()[1])
        stream, self.stream = self.stream, None
        with suppress(OSError):
            if stream is not None:
                stream.close()

    def _forget(self) -> None:
        self.problem = None

    def _open(self) -> TextIOWrapper:
        path = Path(self.baseFilename)
        make_home(path.parent)
        make_private(path)
        return super()._open()
