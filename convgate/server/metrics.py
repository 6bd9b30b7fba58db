"""Prometheus metrics; with several workers, GET /metrics of any of them has the sums of all."""

from __future__ import annotations

import os

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from convgate.selection.caching import CacheReport

FOLDER_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Environment variable of the folder that workers share; read when prometheus_client is imported."""

REQUESTS = Counter("convgate_requests", "Requests.", ["endpoint", "status"])
REQUEST_SECONDS = Histogram("convgate_request_seconds", "Until the last byte.", ["endpoint"])
SELECT_SECONDS = Histogram("convgate_select_seconds", "Selecting the messages of a request.")
MESSAGES = Counter("convgate_messages", "Messages of selections.", ["outcome"])
TOKENS = Counter("convgate_tokens", "Tokens of selections.", ["outcome"])
DOLLARS = Counter("convgate_dollars", "Input of requests by the prices of the settings.", ["outcome"])
EXPANDED = Counter("convgate_expanded", "Calls of the tool expand_result.", ["outcome"])
EXPAND_TOKENS = Counter("convgate_expand_tokens", "Of answers that called it, by `usage`.", ["kind"])
TOKEN_RATIO = Gauge(
    "convgate_token_ratio",
    "Tokens of the provider by those counted.",
    ["model"],
    multiprocess_mode="mostrecent",
)
FALLBACKS = Counter("convgate_fallbacks", "Requests that the proxy forwarded unchanged.", ["reason"])
UPSTREAM_FAILURES = Counter("convgate_upstream_failures", "Requests without a whole response.", ["kind"])


def count_selection(*, kept: int, dropped: int, tokens_kept: int, tokens_total: int) -> None:
    """Count the messages and tokens of a selection."""
    MESSAGES.labels("kept").inc(kept)
    MESSAGES.labels("dropped").inc(dropped)
    TOKENS.labels("kept").inc(tokens_kept)
    TOKENS.labels("dropped").inc(max(0, tokens_total - tokens_kept))  # messages may be added


def count_dollars(cache: CacheReport | None) -> None:
    """Count with prices what the input of a request costs."""
    if cache is not None:
        DOLLARS.labels("sent").inc(cache.cost)
        DOLLARS.labels("everything").inc(cache.cost_all)


def exposition() -> bytes:
    """Return all metrics in Prometheus' text format."""
    registry = REGISTRY
    if os.environ.get(FOLDER_VARIABLE):
        registry = CollectorRegistry()
        MultiProcessCollector(registry)
    return bytes(generate_latest(registry))
