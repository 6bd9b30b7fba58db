"""Activate versions and roll back, each with its undo."""

from __future__ import annotations

from functools import partial

from convgate.ui.shared.actions import ActionResult
from convgate.ui.shared.annotator import annotator
from convgate.ui.shared.frame import App
from convgate.ui.shared.text import literal
from convgate.versions import UNTRAINED
from convgate.versions.catalog import Versions
from convgate.versions.pointers import Change


def bold(name: str) -> str:
    """Return a version's name as bold Markdown.

    >>> bold("mine")
    '**mine**'
    """
    return f"**{literal(name)}**"


def activate(app: App, name: str) -> ActionResult:
    """Activate a version, under the person's name.

    Raises GateError, with nothing changed, for a damaged, missing or foreign version, and EncoderError when
    the encoder cannot be loaded.
    """
    change = Versions(app.settings.home).activate(name, who=annotator(), encoder=app.encoder().identity)
    sentence = f"{bold(name)} is active."
    if app.settings.version not in (None, name):
        sentence += f" Your settings name {literal(str(app.settings.version))}, which has precedence."
    return ActionResult(sentence, partial(_undo, app, change) if change else None)


def roll_back(app: App) -> ActionResult:
    """Activate the version that was active before; errors as in `activate`."""
    versions = Versions(app.settings.home)
    name = versions.rollback(who=annotator(), encoder=app.encoder().identity) or UNTRAINED
    return ActionResult(f"Rolled back: {bold(name)} is active.", partial(_undo, app, versions.history[-1]))


def _undo(app: App, change: Change) -> ActionResult:
    versions = Versions(app.settings.home)
    versions.undo(change, who=annotator(), encoder=app.encoder().identity)
    return ActionResult(f"Undone: {bold(versions.active or UNTRAINED)} is active again.")
