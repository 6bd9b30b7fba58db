"""Exports of chat programs."""
