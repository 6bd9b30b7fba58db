"""Invariants: statements of the user that must hold until they are superseded, lifted or resolved."""

from convgate.core.invariant_edit import InvariantEdit
from convgate.invariants.edits import edits_of, with_edits
from convgate.invariants.finding import find_invariants
from convgate.invariants.judge import load_judge

__all__ = ["InvariantEdit", "edits_of", "find_invariants", "load_judge", "with_edits"]
