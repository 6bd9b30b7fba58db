"""Collect doctests only from modules that have one: pytest imports every module that it searches."""

from __future__ import annotations

from pathlib import Path


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Skip modules that are neither tests nor have an example."""
    if collection_path.suffix != ".py" or collection_path.name.startswith("test_"):
        return None
    return None if ">>>" in collection_path.read_text(encoding="utf-8") else True
