"""Label: say which earlier turns matter to a message, one key a turn."""

from convgate.ui.frame import page
from convgate.ui.label.page import label

PURPOSE = "Which earlier turns does a message need? Your answers teach the gate; each is stored at once."

with page("Label", PURPOSE) as app:
    label(app)
