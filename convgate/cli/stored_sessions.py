"""The sessions of running agents, as a list."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from convgate.cli.output import open_library, write_json

LIMIT = 20


def show_stored(workspace: str | None, *, json_output: bool, out: Path | None) -> None:
    """The last sessions of a workspace or of all, as a table or as JSON."""
    from convgate.store.sessions import Sessions

    found = Sessions(open_library()).recent(workspace, limit=LIMIT)
    if json_output or out:
        write_json({"sessions": [_plain(asdict(session)) for session in found]}, out)
        return
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from convgate.transcripts.characters import printable
    from convgate.ui.wording import ago, counted

    console = Console()
    if not found:
        where = f" of the workspace {printable(workspace)}" if workspace else ""
        console.print(
            f"No session{where} is stored yet. A running agent makes them: convgate.SessionManager.",
            highlight=False, markup=False,
        )  # fmt: skip
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    for name in ("session", "workspace", "last at work", "conversations"):
        table.add_column(name, overflow="fold", max_width=9 if name == "last at work" else None)
    table.add_column("state", ratio=1, min_width=10, overflow="fold")
    for session in found:
        state = "active" if session.is_active else f"ended: {printable(session.reason)}"
        count = str(session.conversation_count)
        table.add_row(
            session.id, Text(printable(session.workspace)), ago(session.last_activity), count, Text(state)
        )
    console.print(table)
    console.print(f"{counted(len(found), 'session')} shown, at most {LIMIT}", highlight=False)


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()
    }
