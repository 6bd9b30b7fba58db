"""convgate: which earlier turns of a conversation should a language model see?

    selector = convgate.load()
    selection = selector.select(messages)  # OpenAI-style dicts; the last one is the current message
    selection.messages                     # what to send: valid, in order, the very same objects
    selection.decisions                    # why, for every turn

Importing convgate loads neither torch nor numpy nor streamlit; what needs them is imported when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from convgate.core.conversation import ContentPart, Conversation, CurrentMessage, History, ToolCall, Turn
from convgate.core.errors import ConvgateError

if TYPE_CHECKING:
    from convgate.core.decisions import Decision, TurnDecision, TurnDecisions
    from convgate.core.settings import Settings, load_settings
    from convgate.experiments.live import ArmSelection, LiveExperiment, load_experiment
    from convgate.gatekeeper.decision import GatekeeperDecision
    from convgate.gatekeeper.exchange import Exchange
    from convgate.gatekeeper.gatekeeper import Gatekeeper, load_gatekeeper
    from convgate.guardrails.outcomes import record_outcome
    from convgate.invariants.invariant import Invariant
    from convgate.labels.feedback import feedback, feedback_from_answer
    from convgate.rollouts.rollout import rollout
    from convgate.selection.added import Capsule
    from convgate.selection.load import load, load_gate
    from convgate.selection.originals import expand
    from convgate.selection.selection import Selection
    from convgate.selection.selector import Selector
    from convgate.sessions import SessionManager
    from convgate.transcripts import read_conversations

__version__ = "0.1.0"

__all__ = [
    "ArmSelection",
    "Capsule",
    "ContentPart",
    "Conversation",
    "ConvgateError",
    "CurrentMessage",
    "Decision",
    "Exchange",
    "Gatekeeper",
    "GatekeeperDecision",
    "History",
    "Invariant",
    "LiveExperiment",
    "Selection",
    "Selector",
    "SessionManager",
    "Settings",
    "ToolCall",
    "Turn",
    "TurnDecision",
    "TurnDecisions",
    "__version__",
    "expand",
    "feedback",
    "feedback_from_answer",
    "load",
    "load_experiment",
    "load_gate",
    "load_gatekeeper",
    "load_settings",
    "read_conversations",
    "record_outcome",
    "rollout",
]

_LAZY = {
    "ArmSelection": "convgate.experiments.live",
    "Capsule": "convgate.selection.added",
    "Decision": "convgate.core.decisions",
    "Exchange": "convgate.gatekeeper.exchange",
    "Gatekeeper": "convgate.gatekeeper.gatekeeper",
    "GatekeeperDecision": "convgate.gatekeeper.decision",
    "Invariant": "convgate.invariants.invariant",
    "LiveExperiment": "convgate.experiments.live",
    "Selection": "convgate.selection.selection",
    "Selector": "convgate.selection.selector",
    "SessionManager": "convgate.sessions",
    "Settings": "convgate.core.settings",
    "TurnDecision": "convgate.core.decisions",
    "TurnDecisions": "convgate.core.decisions",
    "expand": "convgate.selection.originals",
    "feedback": "convgate.labels.feedback",
    "feedback_from_answer": "convgate.labels.feedback",
    "load": "convgate.selection.load",
    "load_experiment": "convgate.experiments.live",
    "load_gate": "convgate.selection.load",
    "load_gatekeeper": "convgate.gatekeeper.gatekeeper",
    "load_settings": "convgate.core.settings",
    "read_conversations": "convgate.transcripts",
    "record_outcome": "convgate.guardrails.outcomes",
    "rollout": "convgate.rollouts.rollout",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'convgate' has no attribute {name!r}")
