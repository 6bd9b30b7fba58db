"""Alerts posted as JSON to an address that a person chose."""

from __future__ import annotations

import json
import logging
import time
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import SplitResult, quote, urlsplit

from convgate import __version__
from convgate.store.guard_states import Alert

log = logging.getLogger(__name__)

TIMEOUT = 5.0  # seconds without an answer that end an attempt
RETRIES = 3  # attempts after the first
PAUSE = 0.5  # seconds before the second attempt, doubled each time

_PASSING = (408, 425, 429, 500, 502, 503, 504)
_IN_PATHS = "/%:@!$&'()*+,;=~?"  # all else is quoted


def post(url: str, alert: Alert, *, timeout: float = TIMEOUT, pause: float = PAUSE) -> bool:
    """POST an alert; whether it was taken. What fails is tried again, then logged.

    Redirects are not followed. The body is that of `Alert.to_json` with `event` ("raised" or "cleared"):
    figures and a sentence made of them, nothing of any conversation.
    """
    body = {"event": "raised" if alert.open else "cleared", **alert.to_json()}
    if not alert.open:
        body["message"] = f"All is well again: {alert.because}"
    try:
        address = urlsplit(url)
        known = address.scheme in ("http", "https") and bool(address.hostname) and address.port != 0
    except ValueError:
        known = False
    if not known:
        log.warning("alerts are posted to http and https alone; guard_webhook is no such address")
        return False
    for attempt in range(1 + RETRIES):
        if attempt:
            time.sleep(pause * 2.0 ** (attempt - 1))
        try:
            status = _attempt(address, json.dumps(body).encode(), timeout)
        except (OSError, HTTPException, ValueError) as error:  # ValueError: a name that no host can have
            why = f"could not be posted to {address.hostname}: {type(error).__name__}"
            continue
        if status < 300:
            return True
        why = f"was refused by {address.hostname}: status {status}"
        if status not in _PASSING:
            break
    # Never the path, the query, or what an error says: they are often secrets, or have them.
    log.warning("an alert (%s) %s", alert.kind, why)
    return False


def _attempt(address: SplitResult, body: bytes, timeout: float) -> int:
    """The status of the answer, of which no more is read: it is of no interest, and may be without end.

    By the standard library: HTTP clients log the addresses that they ask.
    """
    assert address.hostname is not None
    kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
    connection = kind(address.hostname, address.port, timeout=timeout)
    path = quote(address.path or "/", safe=_IN_PATHS)
    query = f"?{quote(address.query, safe=_IN_PATHS)}" if address.query else ""
    headers = {"Content-Type": "application/json", "User-Agent": f"convgate/{__version__}"}
    try:
        connection.request("POST", path + query, body, headers)
        return connection.getresponse().status
    finally:
        connection.close()
