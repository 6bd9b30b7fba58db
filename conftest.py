"""Doctests are looked for where there are some: pytest imports what it looks through, needed or not."""

from __future__ import annotations

from pathlib import Path


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Passes over modules that are neither tests nor have an example."""
    if collection_path.suffix != ".py" or collection_path.name.startswith("test_"):
        return None
    return None if ">>>" in collection_path.read_text(encoding="utf-8") else True
