"""Connections to agent frameworks: one module each, which alone imports its framework."""
