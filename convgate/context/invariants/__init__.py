"""Invariants: statements of the user that must hold until they are superseded, lifted or resolved."""

from convgate.context.invariants.edits import edits_of, with_edits
from convgate.context.invariants.finding import find_invariants
from convgate.context.invariants.judge import load_judge
from convgate.core.invariant_edit import InvariantEdit

__all__ = ["InvariantEdit", "edits_of", "find_invariants", "load_judge", "with_edits"]
