"""Activate a version, roll back and undo: under the person's name, with a check of the encoder.

All raise GateError when a version is damaged, missing or made for another encoder, and EncoderError when the
encoder cannot be loaded; nothing is changed then.
"""

from __future__ import annotations

from convgate.ui.annotator import person
from convgate.ui.frame import App
from convgate.versions.catalog import Versions
from convgate.versions.pointers import Change


def activate(app: App, name: str) -> Change | None:
    """Activate that version; return the change, None when it was active already."""
    return Versions(app.settings.home).activate(name, who=person(), encoder=app.encoder().identity)


def roll_back(app: App) -> str | None:
    """Activate the version that was active before, and return its name; None is the untrained gate."""
    return Versions(app.settings.home).rollback(who=person(), encoder=app.encoder().identity)


def undo_activation(app: App, change: Change) -> None:
    """Undo that change, the last one of its pointer."""
    Versions(app.settings.home).undo(change, who=person(), encoder=app.encoder().identity)
