"""What the user said that has to hold on: found per turn, superseded, lifted or resolved later."""

from convgate.context.invariants.finding import find_invariants

__all__ = ["find_invariants"]
