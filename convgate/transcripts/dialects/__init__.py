"""Dialects: the shapes in which the APIs and SDKs of agents take lists of messages, one class each."""
