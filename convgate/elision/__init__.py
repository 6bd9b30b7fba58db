"""Elision: tool results that are not needed in full any more become stubs, by evidence and not by age."""
