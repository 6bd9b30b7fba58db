"""Requests generated from /openapi.json: no failure of the server, and only documented responses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

schemathesis = pytest.importorskip("schemathesis")
pytest.importorskip("fastapi")
pytest.importorskip("prometheus_client")

from hypothesis import HealthCheck, settings
from schemathesis import checks

from convgate.server.app import create_app
from tests.adapters.serving import AUTHORIZED, TOKEN, settings_of

pytestmark = pytest.mark.adapters

CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]


@pytest.fixture
def generated(convgate_home: Path) -> Iterator[Any]:
    return schemathesis.openapi.from_asgi(
        "/openapi.json", create_app(settings_of(convgate_home), token=TOKEN)
    )


api = schemathesis.pytest.from_fixture("generated")


@api.parametrize()
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.filter_too_much,
    ],
)
def test_generated_requests_get_documented_responses(case: Any) -> None:
    response = case.call_and_validate(headers=AUTHORIZED, checks=CHECKS)
    assert response.status_code < 500
