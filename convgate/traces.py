"""OpenTelemetry spans of decisions, with the attributes of GenAI that Langfuse and Phoenix read.

    with span("convgate.select", operation="retrieval") as attributes:
        attributes["convgate.kept"] = 12

Without `trace_endpoint` in the settings, and without OpenTelemetry in the program, nothing is imported or
recorded. No span has text of a conversation.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from convgate.core.extras import needs_extra

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

    from convgate.core.settings import Settings

Value = str | bool | int | float | list[str]
Operation = Literal["retrieval", "guardrail", "chat"]

EXPORT_SECONDS = 5.0
"""For one export to the endpoint."""

_OWN = "convgate."  # in front of own attributes

_KINDS: Mapping[Operation, str] = {"retrieval": "RETRIEVER", "guardrail": "GUARDRAIL", "chat": "LLM"}

_lock = threading.Lock()
_providers: dict[str, TracerProvider] = {}  # by endpoint
_active: list[TracerProvider] = []  # the one that spans go to, if any


def start_traces(settings: Settings) -> None:
    """Send spans to the endpoint of the settings from now on; without one, change nothing.

    Raises MissingExtraError when the extra `otel` is not installed.
    """
    if (endpoint := settings.trace_endpoint) is None:
        return
    with _lock:
        if endpoint not in _providers:
            _providers[endpoint] = _make_provider(endpoint)
        _active[:] = [_providers[endpoint]]


@contextmanager
def span(name: str, *, operation: Operation) -> Iterator[dict[str, Value | None]]:
    """Record a span around the block; the attributes that it puts into the mapping are the span's.

    Attributes of None are left out. An exception is recorded by its type alone, and propagates.
    """
    attributes: dict[str, Value | None] = {}
    if not _active and "opentelemetry.trace" not in sys.modules:
        yield attributes
        return
    from opentelemetry import trace

    provider = _active[0] if _active else trace.get_tracer_provider()
    tracer = provider.get_tracer("convgate")
    with tracer.start_as_current_span(name, record_exception=False, set_status_on_exception=False) as current:
        try:
            yield attributes
        except Exception as error:
            current.set_status(trace.StatusCode.ERROR)
            attributes["error.type"] = type(error).__name__
            raise
        finally:
            current.set_attribute("gen_ai.operation.name", operation)
            current.set_attribute("openinference.span.kind", _KINDS[operation])
            known = {key: value for key, value in attributes.items() if value is not None}
            current.set_attributes(known)
            # Langfuse filters by first-level metadata alone, which other attributes are not
            own = {key.removeprefix(_OWN): value for key, value in known.items() if key.startswith(_OWN)}
            current.set_attribute("langfuse.observation.metadata", json.dumps(own))


def _make_provider(endpoint: str) -> TracerProvider:
    with needs_extra("otel", "trace_endpoint"):
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    provider = TracerProvider(resource=Resource.create({"service.name": "convgate"}))
    exporter = OTLPSpanExporter(endpoint=endpoint, timeout=EXPORT_SECONDS)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider
