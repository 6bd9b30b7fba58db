"""Guardrails at run time: a log of requests without their text, and rules for the fallback to GENERAL."""
