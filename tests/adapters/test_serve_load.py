"""Fifty clients at once: no error, and times as multiples of scoring in this process."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("fastapi")
httpx = pytest.importorskip("httpx")
pytest.importorskip("prometheus_client")

from convgate.selection.load import load
from convgate.server.app import create_app
from tests.adapters.serving import AUTHORIZED, TOKEN, long_chat, running, settings_of

pytestmark = [pytest.mark.adapters, pytest.mark.slow, pytest.mark.shipped]

CLIENTS, REQUESTS, SECONDS = 50, 6, 120.0


def test_fifty_clients_at_once_get_no_error(
    convgate_home: Path, report_figure: Callable[[str], None]
) -> None:
    settings = settings_of(convgate_home, policy="gate", policy_parameters={})
    app = create_app(settings, token=TOKEN)
    gate, messages = load(policy="gate", settings=settings), long_chat(61)

    def body(client: int, number: int) -> list[dict[str, object]]:
        return [*messages, {"role": "user", "content": f"Question {number} of client {client}"}]

    alone = []
    for number in range(20):
        started = time.perf_counter()
        gate.select(body(-1, number))
        alone.append(time.perf_counter() - started)
    end = time.monotonic() + SECONDS

    def ask(client: int) -> list[float]:
        seconds = []
        with httpx.Client(base_url=address, headers=AUTHORIZED, timeout=60) as http:
            for number in range(REQUESTS):
                assert time.monotonic() < end
                started = time.perf_counter()
                response = http.post("/v1/select", json={"messages": body(client, number)})
                seconds.append(time.perf_counter() - started)
                assert response.status_code == 200, response.text
        return seconds

    with running(app) as address, ThreadPoolExecutor(CLIENTS) as pool:
        started = time.perf_counter()
        seconds = [value for values in pool.map(ask, range(CLIENTS)) for value in values]
        whole = time.perf_counter() - started
    assert len(seconds) == CLIENTS * REQUESTS
    unit = float(np.median(alone))
    p50, p99 = np.percentile(seconds, [50, 99])
    report_figure(
        f"{CLIENTS} clients, {len(seconds)} selections among {len(messages)} turns: p50 {p50 / unit:.1f}, p99"
        f" {p99 / unit:.1f} times a selection in this process ({unit * 1000:.0f} ms);"
        f" {len(seconds) / whole * unit:.2f} selections in that time"
    )
