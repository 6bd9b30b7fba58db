"""convgate: which earlier turns of a conversation should a language model see?

    gate = convgate.load_gate()
    selection = gate.select(messages)      # OpenAI-style dicts; the last one is the current message
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
    from convgate.experiments.live import ArmSelection, LiveExperiment, load_experiment
    from convgate.gatekeeper.decision import GatekeeperDecision
    from convgate.gatekeeper.exchange import Exchange
    from convgate.gatekeeper.gatekeeper import Gatekeeper, load_gatekeeper
    from convgate.guardrails.outcomes import record_outcome
    from convgate.labels.feedback import feedback, feedback_from_answer
    from convgate.rollouts.rollout import rollout
    from convgate.selection.builder import ContextBuilder, load_context
    from convgate.selection.bundle import ContextBundle
    from convgate.selection.selector import Selection, Selector, load_gate, load_policy
    from convgate.sessions import SessionManager
    from convgate.transcripts import read_conversations

__version__ = "0.1.0"

__all__ = [
    "ArmSelection",
    "ContentPart",
    "ContextBuilder",
    "ContextBundle",
    "Conversation",
    "ConvgateError",
    "CurrentMessage",
    "Decision",
    "Exchange",
    "Gatekeeper",
    "GatekeeperDecision",
    "History",
    "LiveExperiment",
    "Selection",
    "Selector",
    "SessionManager",
    "ToolCall",
    "Turn",
    "TurnDecision",
    "TurnDecisions",
    "__version__",
    "feedback",
    "feedback_from_answer",
    "load_context",
    "load_experiment",
    "load_gate",
    "load_gatekeeper",
    "load_policy",
    "read_conversations",
    "record_outcome",
    "rollout",
]

_LAZY = {
    "ArmSelection": "convgate.experiments.live",
    "ContextBuilder": "convgate.selection.builder",
    "ContextBundle": "convgate.selection.bundle",
    "Decision": "convgate.core.decisions",
    "Exchange": "convgate.gatekeeper.exchange",
    "Gatekeeper": "convgate.gatekeeper.gatekeeper",
    "GatekeeperDecision": "convgate.gatekeeper.decision",
    "LiveExperiment": "convgate.experiments.live",
    "Selection": "convgate.selection.selector",
    "Selector": "convgate.selection.selector",
    "SessionManager": "convgate.sessions",
    "TurnDecision": "convgate.core.decisions",
    "TurnDecisions": "convgate.core.decisions",
    "feedback": "convgate.labels.feedback",
    "feedback_from_answer": "convgate.labels.feedback",
    "load_context": "convgate.selection.builder",
    "load_experiment": "convgate.experiments.live",
    "load_gate": "convgate.selection.selector",
    "load_gatekeeper": "convgate.gatekeeper.gatekeeper",
    "load_policy": "convgate.selection.selector",
    "read_conversations": "convgate.transcripts",
    "record_outcome": "convgate.guardrails.outcomes",
    "rollout": "convgate.rollouts.rollout",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(_LAZY[name]), name)
    raise AttributeError(f"module 'convgate' has no attribute {name!r}")
