"""What a person should know before a training starts."""

from __future__ import annotations

from convgate.labels.agreement import training_warnings
from convgate.ui.frame import App


def warnings_before_training(app: App) -> list[str]:
    """A sentence for each reason not to train on the labels yet, such as people who do not agree."""
    return training_warnings(app.store)
