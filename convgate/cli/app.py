"""`convgate app`: starts the web app."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer


def open_app(
    port: Annotated[
        int | None,
        typer.Option(help="The port; the first free one from 8501 unless given.", min=1, max=65535),
    ] = None,
    address: Annotated[
        str,
        typer.Option(help="The address to listen at. 127.0.0.1 is reachable from this machine alone."),
    ] = "127.0.0.1",
    host: Annotated[
        list[str],
        typer.Option(help="A further host name by which browsers may reach the app, such as a proxy's."),
    ] = [],  # noqa: B006
    read_only: Annotated[
        bool,
        typer.Option("--read-only", help="Look at the data folder without changing it."),
    ] = False,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser window.")] = True,
) -> None:
    """Start the web app on this machine."""
    from convgate.settings import load_settings

    settings = load_settings()  # a wrong setting is told here, before a browser opens
    # The server changes the working directory, so no path may depend on it.
    encoder = Path(settings.encoder)
    os.environ["CONVGATE_HOME"] = str(settings.home)
    os.environ["CONVGATE_ENCODER"] = str(encoder.absolute()) if encoder.is_dir() else settings.encoder
    if file := os.environ.get("CONVGATE_CONFIG"):
        os.environ["CONVGATE_CONFIG"] = str(Path(file).expanduser().absolute())
    if read_only:
        os.environ["CONVGATE_READ_ONLY"] = "true"

    from convgate.ui.server import serve

    serve(settings, address=address, port=port, hosts=host, browser=browser)
