"""The sets that choosers are measured on, as a menu has them."""

from __future__ import annotations

from convgate.training.library import RelevanceSets
from convgate.ui.frame import App
from convgate.ui.labelled import LABELS, label_counts
from convgate.ui.wording import counted


def set_labels(app: App) -> dict[str, str]:
    """What each set is called, by its name in addresses."""
    labelled = label_counts(app).situations
    own = {LABELS: f"Your labels: {counted(labelled, 'message')}"} if labelled else {}
    return own | {name: name for name in RelevanceSets(app.settings.home).names()}
