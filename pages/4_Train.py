"""Train: a version of the gate that learned from the person's own labels."""

from convgate.ui.frame import page
from convgate.ui.train.page import train

PURPOSE = "Let the gate learn from your labels, and see turn by turn what it does better before you use it."

with page("Train", PURPOSE) as app:
    train(app)
