"""OpenTelemetry spans: attributes in memory, at a local OTLP collector, and none without a reason."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from tests.selectors import plain

pytest.importorskip("opentelemetry.sdk")
pytest.importorskip("opentelemetry.exporter.otlp.proto.http")

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from convgate import traces
from convgate.core.settings import Settings
from convgate.experiments.live import LiveExperiment
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.gatekeeper import Gatekeeper
from convgate.gatekeeper.model import ExchangeModel
from convgate.language_model import LanguageModel
from convgate.policies.window import LastK
from convgate.selection.load import load
from convgate.sessions import SessionManager
from convgate.store import Store
from tests import selectors
from tests.experiments import new_experiment
from tests.llm_server import ChatServer, decision_reply, raw_reply

pytestmark = pytest.mark.adapters

SECRET = "zebrafish"


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(traces, "_active", [provider])
    return exporter


def attributes(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


def test_an_experiment_has_a_span_with_the_arm(memory: InMemorySpanExporter, store: Store) -> None:
    stored = new_experiment(store)
    same = replace(stored.arms[1], settings=stored.arms[0].settings)
    experiment = LiveExperiment(store, replace(stored, arms=(stored.arms[0], same)))
    chosen = experiment.select("session-1", [{"role": "user", "content": SECRET}])
    *_, span = memory.get_finished_spans()  # one of each selection before it
    assert span.name == "convgate.experiment"
    values = attributes(span)
    assert (values["convgate.experiment"], values["convgate.arm"]) == ("pilot", chosen.arm)
    assert (values["convgate.tokens_sent"], values["session.id"]) == (chosen.tokens, "session-1")
    assert SECRET not in str(values)


def test_a_selection_is_a_retrieval_with_its_figures(memory: InMemorySpanExporter) -> None:
    plain(LastK(k=1)).select(selectors.chat(SECRET, "two", "three"))
    [span] = memory.get_finished_spans()
    assert span.name == "convgate.select"
    values = attributes(span)
    assert values["gen_ai.operation.name"] == "retrieval"
    assert values["openinference.span.kind"] == "RETRIEVER"
    assert (values["convgate.policy"], values["convgate.turns"]) == ("last_k", 2)
    assert 0 < values["convgate.tokens_sent"] <= values["convgate.tokens_total"]


def test_a_selection_names_its_session_mode_and_invariants_but_no_text(
    memory: InMemorySpanExporter, store: Store
) -> None:
    sessions = SessionManager(store, workspace="shop", selector=selectors.make_selector())
    id = sessions.add_message(f"TASK You must never delete {SECRET}.").session.id
    sessions.select(request_id="r1")
    [span] = memory.get_finished_spans()
    values = attributes(span)
    assert span.name == "convgate.select"
    assert values["gen_ai.conversation.id"] == values["session.id"] == id
    assert (values["convgate.request_id"], values["convgate.mode"]) == ("r1", "TASK")
    assert values["convgate.invariants"] == ("hard_constraint",)
    assert values["convgate.breaches"] == 0
    metadata = json.loads(values["langfuse.observation.metadata"])
    assert metadata == {
        key.removeprefix("convgate."): list(value) if isinstance(value, tuple) else value
        for key, value in values.items()
        if key.startswith("convgate.")
    }
    assert (metadata["mode_source"], metadata["fallbacks"]) == ("classifier", [])
    assert SECRET not in span.to_json()


def test_a_gatekeeper_call_contains_the_call_of_its_model(memory: InMemorySpanExporter) -> None:
    server = ChatServer()
    server.set_script(decision_reply(keep=True))
    gatekeeper = Gatekeeper(mode="llm", model=ExchangeModel(LanguageModel("tiny", base_url=server.url)))
    gatekeeper.decide(Exchange(f"I breed {SECRET}", "Nice."))
    server.set_script(raw_reply(b"no"))
    gatekeeper.decide(Exchange("and birds", "Nice."))
    server.close()
    chat, decision, failed, second = memory.get_finished_spans()
    assert chat.name == "chat tiny"
    assert chat.parent.span_id == decision.context.span_id
    values = attributes(chat)
    assert (values["gen_ai.operation.name"], values["gen_ai.provider.name"]) == ("chat", "openai")
    assert (values["gen_ai.usage.input_tokens"], values["gen_ai.usage.output_tokens"]) == (100, 20)
    assert attributes(decision)["convgate.outcome"] == "keep"
    assert attributes(failed)["error.type"] == "ModelError"
    assert not failed.status.is_ok
    assert second.status.is_ok, "the gatekeeper decides without its model"
    assert SECRET not in "".join(span.to_json() for span in memory.get_finished_spans())


@pytest.fixture
def collector() -> Iterator[tuple[str, list[ExportTraceServiceRequest]]]:
    """A local OTLP collector: its address, and what it received."""
    requests: list[ExportTraceServiceRequest] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path == "/v1/traces":
                requests.append(ExportTraceServiceRequest.FromString(body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/v1/traces", requests
    server.shutdown()
    server.server_close()
    thread.join()


def test_spans_go_to_the_endpoint_of_the_settings(
    collector: tuple[str, list[ExportTraceServiceRequest]], monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint, requests = collector
    monkeypatch.setattr(traces, "_active", [])
    monkeypatch.setattr(traces, "_providers", {})
    selector = load(policy="last_k", settings=Settings(trace_endpoint=endpoint))
    for _ in range(2):
        selector.select(selectors.chat("one", "two", "three"))
    traces._providers[endpoint].force_flush()
    spans = [
        span
        for request in requests
        for of_resource in request.resource_spans
        for of_scope in of_resource.scope_spans
        for span in of_scope.spans
    ]
    assert [span.name for span in spans] == ["convgate.select"] * 2
    resource = {
        item.key: item.value.string_value for item in requests[0].resource_spans[0].resource.attributes
    }
    assert resource["service.name"] == "convgate"
    for provider in traces._providers.values():
        provider.shutdown()


def test_spans_join_the_trace_of_the_program_that_has_one(
    memory: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    [provider] = traces._active
    with provider.get_tracer("agent").start_as_current_span("agent") as outer:
        plain(LastK(k=1)).select(selectors.chat("one", "two", "three"))
    inner, _ = memory.get_finished_spans()
    assert inner.parent.span_id == outer.get_span_context().span_id


def test_without_a_reason_opentelemetry_is_not_imported() -> None:
    code = (
        "import sys; from convgate.selection.load import load;"
        "load(policy='last_k').select([{'role': 'user', 'content': 'hi'}]);"
        "assert not any(name.startswith('opentelemetry') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
