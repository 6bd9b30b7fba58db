"""Guardrails at run time: a log of requests without their text, and rules for the fallback to GENERAL."""

from convgate.guardrails.guardrails import Guardrails, load_guard
from convgate.guardrails.outcomes import record_outcome
from convgate.guardrails.rules import divergence, set_baseline

__all__ = ["Guardrails", "divergence", "load_guard", "record_outcome", "set_baseline"]
