"""`convgate serve` and `convgate mcp`: selections over HTTP, a proxy, and tools for coding agents."""

from __future__ import annotations

import os
import secrets
import socket
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Option

from convgate.cli import options, output
from convgate.cli.result import show
from convgate.core.errors import ConvgateError, SettingsError
from convgate.core.extras import needs_extra

if TYPE_CHECKING:
    from starlette.applications import Starlette

SHUTDOWN_SECONDS = 30
"""How long requests that are being answered may take when the server is stopped."""


def serve(
    port: Annotated[int, Option(help="The port; 0 takes a free one.", min=0, max=65535)] = 8700,
    address: Annotated[str, Option(help="To listen on; 127.0.0.1: this machine only.")] = "127.0.0.1",
    upstream: Annotated[str | None, Option(help="OpenAI-compatible API behind it: https://HOST/v1.")] = None,
    candidate: Annotated[Path | None, Option(help="Settings that a rollout's candidate changes.")] = None,
    workers: Annotated[int, Option(help="Processes; each loads its own model.", min=1, max=64)] = 1,
    settings_file: options.SettingsFileOption = None,
) -> None:
    """Serve selections over HTTP, and forward model requests with the selected messages only.

    Requests need the token that is printed, or that of the setting server.token (CONVGATE_SERVER_TOKEN).
    """
    with needs_extra("serve", "`convgate serve`"):
        import fastapi  # noqa: F401
        import httpx  # noqa: F401
        import prometheus_client  # noqa: F401
        import uvicorn
        from uvicorn.supervisors import Multiprocess

    from convgate.core.settings import load_settings

    # Workers read the environment.
    if settings_file is not None:
        os.environ["CONVGATE_CONFIG"] = str(settings_file.absolute())
    if upstream is not None:
        if not upstream.startswith(("http://", "https://")):
            raise SettingsError("--upstream: expected an address that begins with http:// or https://")
        os.environ["CONVGATE_SERVER_UPSTREAM"] = upstream
    if candidate is not None:
        os.environ["CONVGATE_SERVER_CANDIDATE"] = str(candidate.absolute())
    settings = load_settings()
    token = settings.server.token or secrets.token_urlsafe()
    os.environ["CONVGATE_SERVER_TOKEN"] = token
    app: str | Starlette = f"{__name__}:create_worker_app"
    # A single worker is ended by its signal, and could not remove the folder.
    with tempfile.TemporaryDirectory(prefix="convgate-") if workers > 1 else nullcontext("") as folder:
        if workers == 1:
            from convgate.server.app import create_app

            app = create_app(settings, token=token)
        else:
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        config = uvicorn.Config(
            app, address, port, factory=workers > 1, workers=workers, access_log=False, server_header=False,
            date_header=False, log_level="warning", timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        )  # fmt: skip
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        try:
            listener = socket.create_server((address, port), family=family)
        except OSError as error:
            raise SettingsError(
                f"port {port} of {address} cannot be used ({error.strerror}); choose another one with --port"
            ) from error
        listener.set_inheritable(True)
        host = f"[{address}]" if ":" in address else address
        home = f"http://{host}:{listener.getsockname()[1]}"
        lines = [f"convgate serves at {home}", "Stop it with Ctrl+C."]
        if settings.server.token is None:
            lines[1:1] = [f"Token: {token}", f"The same in an address: {home}/token/{token}/v1"]
        show(*lines)
        sys.stdout.flush()
        if workers == 1:
            uvicorn.Server(config).run(sockets=[listener])
        else:
            Multiprocess(config, sockets=[listener]).run()


def create_worker_app() -> Starlette:
    """Return the application of a worker; end the server where its settings cannot be had."""
    from uvicorn.config import STARTUP_FAILURE

    from convgate.core.settings import load_settings
    from convgate.server.app import create_app

    try:
        app: Starlette = create_app(load_settings())
    except ConvgateError as error:
        output.print_error(error)
        sys.exit(STARTUP_FAILURE)
    return app


def mcp(settings_file: options.SettingsFileOption = None) -> None:
    """Serve tools for coding agents over standard input and output (MCP)."""
    from convgate.core.settings import load_settings
    from convgate.mcp import build_server

    build_server(load_settings(settings_file)).run()
