"""Session boundaries: where one conversation ends and the next begins, from events alone.

    boundaries = segment(conversation.turns)
    boundaries.conversation_starts, boundaries.session_starts      # 0-based indices of messages

`SessionManager` applies the same rules to a running agent, on the library's database.
"""

from convgate.policies.sessions.boundaries import Boundaries, Boundary, Kind, WorkflowState, with_moved
from convgate.policies.sessions.rules import BoundaryRules
from convgate.policies.sessions.segmentation import segment

__all__ = ["Boundaries", "Boundary", "BoundaryRules", "Kind", "WorkflowState", "segment", "with_moved"]
