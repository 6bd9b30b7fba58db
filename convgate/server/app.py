"""The web application: endpoints, errors, documentation."""

from __future__ import annotations

import asyncio
import logging
import secrets
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from html import escape
from typing import Any

from fastapi import APIRouter, Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from convgate import __version__
from convgate.core.errors import (
    ConversationError,
    ConvgateError,
    MissingResultError,
    ReadOnlyError,
    RequestError,
    SessionError,
    StoreError,
    TranscriptError,
)
from convgate.core.settings import Settings
from convgate.embedding.base import Encoder
from convgate.guardrails.guardrails import GATHER_SECONDS
from convgate.labels.feedback import FeedbackError
from convgate.server import metrics
from convgate.server.limits import RequestLimits, error_response
from convgate.server.proxy import Proxy
from convgate.server.schemas import (
    ErrorReply,
    FeedbackLine,
    FeedbackReply,
    HealthReply,
    Outcome,
    OutcomeReply,
    ResultReply,
    Score,
    ScoreReply,
    Select,
    SelectReply,
)
from convgate.server.service import Service
from convgate.transcripts.message_lists import dump_json

log = logging.getLogger(__name__)

_STATUSES: tuple[tuple[type[ConvgateError], int], ...] = (
    (TranscriptError, 422), (ConversationError, 422), (RequestError, 422), (FeedbackError, 422),
    (ReadOnlyError, 403), (MissingResultError, 404), (SessionError, 409), (StoreError, 409),
)  # fmt: skip
_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorReply, "description": description}
    for status, description in {
        400: "The body is no JSON.",
        401: "The token is missing or wrong.",
        403: "The data folder is read-only.",
        404: "There is no such result.",
        408: "The body did not arrive in time.",
        409: "The library or the session has another state.",
        413: "The body is too large.",
        422: "A field is wrong.",
        429: "Too many requests at once.",
        500: "An error of the server; its log has more.",
        503: "The database cannot be used.",
    }.items()
}


def create_app(settings: Settings, *, token: str | None = None, encoder: Encoder | None = None) -> FastAPI:
    """Return the application of the settings, with its policy loaded.

    token: by default that of the settings, else a new one, in `app.state.token`. Raises ConvgateError for
    settings that cannot be had.
    """
    token = token or settings.server.token or secrets.token_urlsafe()
    service = Service(settings, encoder)
    proxy = Proxy(service)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await service.run(service.warm_up)
        yield
        await proxy.close()
        service.close()

    app = FastAPI(
        title="convgate", version=__version__, description=_DESCRIPTION, lifespan=lifespan,
        docs_url=None, redoc_url=None,
    )  # fmt: skip
    app.state.token = token
    app.add_middleware(
        RequestLimits,
        token=token,
        max_body=settings.server.max_body_mb << 20,
        max_requests=settings.server.max_requests,
    )
    for error, handler in (
        (RequestValidationError, _answer_invalid),
        (HTTPException, _answer_http),
        (ConvgateError, _answer_convgate),
        (Exception, _answer_unexpected),
    ):
        app.add_exception_handler(error, handler)
    app.include_router(_endpoints(service))
    app.include_router(proxy.router())
    app.add_api_route("/docs", lambda: HTMLResponse(_page(app.openapi())), include_in_schema=False)
    return app


def _endpoints(service: Service) -> APIRouter:
    """Return the routes; each body is read here, and answered in a thread."""

    async def answer(method: Callable[[Any], dict[str, Any]], body: Any) -> Response:
        text = await service.run(lambda: dump_json(method(body)))
        return Response(text, media_type="application/json")

    async def select(body: Select) -> Response:
        """Choose the messages to send for the current one: a valid list, with a reason for every turn.

        With a budget: by sections of the message's mode.
        """
        return await answer(service.select, body)

    async def score(body: Score) -> Response:
        """Score and decide about every earlier turn, with a reason, but send nothing."""
        return await answer(service.score, body)

    async def feedback(body: FeedbackLine) -> Response:
        """Store whether earlier messages mattered, as labels under the agent's name."""
        return await answer(service.keep_feedback, body)

    async def outcome(body: Outcome) -> Response:
        """Record how a request ended; it replaces an earlier outcome."""
        try:
            return await answer(service.record_outcome, body)
        except StoreError:  # another worker may have the request, and writes it in a moment
            await asyncio.sleep(2 * GATHER_SECONDS)
            return await answer(service.record_outcome, body)

    async def expand(id: str) -> Response:
        """Return the whole text of a tool result that was sent as a stub, by the id in that."""
        return await answer(service.expand, id)

    async def health() -> HealthReply:
        """Say that the server answers; needs no token."""
        return HealthReply(status="ok")

    async def show_metrics() -> Response:
        """Return metrics in Prometheus' text format."""
        return Response(metrics.exposition(), media_type="text/plain; version=0.0.4")

    router = APIRouter(responses=_ERRORS, dependencies=[Depends(HTTPBearer(auto_error=False))])
    for path, endpoint, reply in (
        ("/v1/select", select, SelectReply),
        ("/v1/score", score, ScoreReply),
        ("/v1/feedback", feedback, FeedbackReply),
        ("/v1/outcome", outcome, OutcomeReply),
    ):
        router.add_api_route(path, endpoint, methods=["POST"], response_model=reply)
    router.add_api_route("/v1/results/{id}", expand, response_model=ResultReply)
    text: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}
    router.add_api_route("/metrics", show_metrics, response_class=Response, responses=text)
    router.add_api_route("/healthz", health, response_model=HealthReply)
    return router


async def _answer_invalid(_: Request, error: RequestValidationError) -> Response:
    problems = (
        f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}" for detail in list(error.errors())[:3]
    )
    return error_response(422, "invalid_request", "; ".join(problems))


async def _answer_http(_: Request, error: HTTPException) -> Response:
    codes = {400: "invalid_json", 404: "not_found", 405: "method_not_allowed"}
    return error_response(
        error.status_code, codes.get(error.status_code, "http"), str(error.detail), error.headers
    )


async def _answer_convgate(_: Request, error: ConvgateError) -> Response:
    status = next((status for kind, status in _STATUSES if isinstance(error, kind)), 500)
    if isinstance(error.__cause__, sqlite3.Error):
        status = 503
    return error_response(status, error.code, str(error))


async def _answer_unexpected(_: Request, _error: Exception) -> Response:
    return error_response(500, "internal", "The server failed; its log has the error.")


_DESCRIPTION = (
    "Which earlier turns of a conversation should a language model see? Send the token as `Authorization:"
    " Bearer TOKEN`. With a session id, send new messages only. Requests of models"
    " (chat/completions, responses, messages, generateContent) are forwarded with the selected messages."
)


def _page(schema: dict[str, Any]) -> str:
    """Return the endpoints as a page that loads nothing else."""
    rows = [
        f"<h2>{method.upper()} {escape(path)}</h2><p>{escape(operation.get('description', ''))}</p>"
        for path, operations in schema["paths"].items()
        for method, operation in operations.items()
    ]
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>convgate</title>'
        '<body style="font: 1rem/1.5 system-ui; max-width: 48rem; margin: 2rem auto">'
        f"<h1>convgate {escape(schema['info']['version'])}</h1><p>{escape(schema['info']['description'])}</p>"
        f'{"".join(rows)}<p><a href="openapi.json">openapi.json</a> has all fields.</p></body></html>'
    )
