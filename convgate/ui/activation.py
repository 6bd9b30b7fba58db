"""Which version decides: changed alike on every page, after a look at the encoder, under a person's name."""

from __future__ import annotations

from convgate.ui.annotator import person
from convgate.ui.frame import App
from convgate.versions.catalog import Versions
from convgate.versions.pointers import Change


def use(app: App, name: str) -> Change | None:
    """Use that version from now on; what changed, None when it was in use.

    Raises GateError when it is damaged, gone, or made for another encoder than the one of the settings, and
    EncoderError when that cannot be loaded; nothing is changed then. So do the others.
    """
    return Versions(app.settings.home).activate(name, who=person(), encoder=app.encoder().identity)


def go_back(app: App) -> str | None:
    """Use the version again that was in use before, and tell its name; None is the untrained gate."""
    return Versions(app.settings.home).rollback(who=person(), encoder=app.encoder().identity)


def take_back(app: App, change: Change) -> None:
    """Point to where that change, the last one of its pointer, pointed away from."""
    Versions(app.settings.home).undo(change, who=person(), encoder=app.encoder().identity)
