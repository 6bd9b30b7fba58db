"""Session boundaries: where one conversation ends and the next begins, from events alone."""

from convgate.policies.sessions.boundaries import (
    Boundaries,
    Boundary,
    BoundaryKind,
    WorkflowState,
    with_moved,
)
from convgate.policies.sessions.rules import BoundaryRules
from convgate.policies.sessions.segmentation import segment

__all__ = [
    "Boundaries",
    "Boundary",
    "BoundaryKind",
    "BoundaryRules",
    "WorkflowState",
    "segment",
    "with_moved",
]
