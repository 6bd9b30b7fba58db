"""Alerts posted as JSON to an address that a person chose."""

from __future__ import annotations

import logging

from convgate.core.http import PostError, post_json
from convgate.store.guard_states import Alert

log = logging.getLogger(__name__)

TIMEOUT = 5.0  # seconds of an attempt


def post(url: str, alert: Alert, *, timeout: float = TIMEOUT, pause: float = 0.5) -> bool:
    """POST an alert and return whether it was accepted; what fails in the end is logged.

    The body is `Alert.to_json` with `event`, "raised" or "cleared". Only the kind of problem is logged:
    addresses and replies may hold secrets.
    """
    values = {"event": "raised" if alert.open else "cleared", **alert.to_json()}
    try:
        post_json(url, values, timeout=timeout, pause=pause)
    except PostError as error:
        log.warning("an alert (%s) could not be posted to guard_webhook: %s", alert.kind, error)
        return False
    return True
