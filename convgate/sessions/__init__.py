"""Sessions of running agents: their messages, summaries, and recall of earlier conversations."""

from convgate.sessions.manager import Detection, SessionHistory, SessionManager

__all__ = ["Detection", "SessionHistory", "SessionManager"]
