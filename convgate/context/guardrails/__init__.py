"""Guardrails at run time: a log of requests without their text, and rules for when GENERAL takes over."""

from convgate.context.guardrails.baseline import clear_baseline, set_baseline
from convgate.context.guardrails.drift import divergence
from convgate.context.guardrails.guardrails import Guardrails, load_guard
from convgate.context.guardrails.outcome import record_outcome
from convgate.store.guard_states import Alert, Baseline
from convgate.store.requests import Outcomes

__all__ = [
    "Alert",
    "Baseline",
    "Guardrails",
    "Outcomes",
    "clear_baseline",
    "divergence",
    "load_guard",
    "record_outcome",
    "set_baseline",
]
