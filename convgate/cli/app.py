"""`convgate app`: starts the web app."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer

from convgate.app_files import app_root


def open_app(
    port: Annotated[
        int | None,
        typer.Option(help="The port; the first free one from 8501 unless given.", min=1, max=65535),
    ] = None,
    address: Annotated[
        str, typer.Option(help="Who may connect: 127.0.0.1 is this machine alone; the app has no log-in.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser window.")] = True,
) -> None:
    """Start the web app on this machine."""
    from convgate.settings import load_settings

    settings = load_settings()  # a wrong setting is told here, before a browser opens
    command = [sys.executable, "-m", "streamlit", "run", "app.py"]
    command += [f"--server.address={address}", "--browser.gatherUsageStats=false"]
    if not browser:
        command += ["--server.headless=true"]
    command += [f"--server.maxUploadSize={settings.upload_limit_mb}"]
    if port is not None:
        command += [f"--server.port={port}"]
    # Streamlit reads .streamlit/config.toml from its working directory, so no path may depend on ours.
    environment = {**os.environ, "CONVGATE_HOME": str(settings.home), "CONVGATE_ENCODER": settings.encoder}
    if Path(settings.encoder).is_dir():
        environment["CONVGATE_ENCODER"] = str(Path(settings.encoder).absolute())
    if config := os.environ.get("CONVGATE_CONFIG"):
        environment["CONVGATE_CONFIG"] = str(Path(config).expanduser().absolute())
    os.chdir(app_root())
    if sys.platform == "win32":  # there, exec would leave the terminal to two programs at once
        raise typer.Exit(subprocess.call(command, env=environment))
    os.execve(sys.executable, command, environment)  # one process: whoever ends convgate ends the app
