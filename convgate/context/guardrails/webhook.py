"""Alerts posted as JSON to an address that a person chose."""

from __future__ import annotations

import json
import logging
import time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from convgate import __version__
from convgate.store.guard_states import Alert

log = logging.getLogger(__name__)

TIMEOUT = 5.0  # seconds without an answer that end an attempt
ATTEMPTS = 3
PAUSE = 0.5  # seconds before the second attempt, doubled each time

_RETRIED = (408, 425, 429, 500, 502, 503, 504)  # statuses


class _NoRedirects(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        """Follow nothing: a redirect is an error."""


_OPENER = build_opener(ProxyHandler({}), _NoRedirects)


def post(url: str, alert: Alert, *, timeout: float = TIMEOUT, pause: float = PAUSE) -> bool:
    """POST an alert; whether it was taken. What fails for now is tried again, then logged.

    The body is `Alert.to_json` with `event`, "raised" or "cleared". Only the kind of problem is logged:
    addresses and error messages may hold secrets.
    """
    body = json.dumps({"event": "raised" if alert.open else "cleared", **alert.to_json()}).encode()
    headers = {"Content-Type": "application/json", "User-Agent": f"convgate/{__version__}"}
    problem = "it is no http or https address"
    for attempt in range(ATTEMPTS if _is_usable(url) else 0):
        if attempt:
            time.sleep(pause * 2.0 ** (attempt - 1))
        try:
            with _OPENER.open(Request(url, body, headers), timeout=timeout):
                return True
        except HTTPError as error:
            error.close()
            problem = f"status {error.code}"
            if error.code not in _RETRIED:
                break
        except (OSError, HTTPException, ValueError) as error:
            problem = type(getattr(error, "reason", error)).__name__
    log.warning("an alert (%s) could not be posted to guard_webhook: %s", alert.kind, problem)
    return False


def _is_usable(url: str) -> bool:
    try:
        address = urlsplit(url)
        has_host = bool(address.hostname) and address.port != 0  # raises for a wrong port
    except ValueError:
        return False
    return address.scheme in ("http", "https") and has_host and "@" not in address.netloc
