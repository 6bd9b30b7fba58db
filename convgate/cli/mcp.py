"""`convgate mcp`: tools for coding agents."""

from __future__ import annotations

from convgate.cli import options


def mcp(settings_file: options.SettingsFileOption = None) -> None:
    """Serve tools for coding agents over standard input and output (MCP)."""
    from convgate.core.settings import load_settings
    from convgate.mcp import build_server

    build_server(load_settings(settings_file)).run()
