"""Alerts posted as JSON to an address that a person chose."""

from __future__ import annotations

import logging
from urllib.parse import urlsplit

import urllib3
from urllib3.util import Retry, Timeout

from convgate import __version__
from convgate.store.request_records import Alert

log = logging.getLogger(__name__)

TIMEOUT = 5.0  # seconds for one attempt
RETRIES = 3  # attempts after the first
PAUSE = 0.5  # seconds before the second retry, doubled each time

_PASSING = (408, 425, 429, 500, 502, 503, 504)


def post(url: str, alert: Alert, *, timeout: float = TIMEOUT, pause: float = PAUSE) -> bool:
    """POST an alert; whether it was taken. What fails is tried again, then logged.

    Redirects are not followed. The body is that of `Alert.to_json` with `event` ("raised" or "cleared"):
    figures and a sentence made of them, nothing of any conversation.
    """
    if urlsplit(url).scheme not in ("http", "https"):
        log.warning("alerts are posted to http and https alone; guard_webhook is of another kind")
        return False
    body = {"event": "raised" if alert.open else "cleared", **alert.to_json()}
    if not alert.open:
        body["message"] = f"All is well again: {alert.because}"
    retries = Retry(
        RETRIES, redirect=False, status_forcelist=_PASSING, allowed_methods=None, backoff_factor=pause,
        raise_on_status=False, respect_retry_after_header=False,
    )  # fmt: skip
    with urllib3.PoolManager(retries=retries, timeout=Timeout(total=timeout)) as pool:
        try:
            response = pool.request(
                "POST",
                url,
                json=body,
                headers={"User-Agent": f"convgate/{__version__}"},
                preload_content=False,  # what it answers is of no interest, and may be without end
            )
        except urllib3.exceptions.HTTPError as error:
            why = getattr(error, "reason", None) or error  # what it says itself names the whole address
            log.warning(
                "an alert (%s) could not be posted to %s: %s", alert.kind, _place(url), type(why).__name__
            )
            return False
        response.close()
    if response.status >= 300:
        log.warning("an alert (%s) was refused by %s: status %d", alert.kind, _place(url), response.status)
        return False
    return True


def _place(url: str) -> str:
    """The host alone: paths and queries of webhooks are often secrets."""
    return urlsplit(url).hostname or "its address"
