"""What is said in the conversation that tests of pages show."""

from __future__ import annotations

from convgate.core.conversation import Turn

TALK = (
    Turn.of("system", "You are a careful assistant."),
    Turn.of("user", "my loss is nan when the batch is empty"),
    Turn.of("assistant", "the mean of an empty batch is nan so the loss is nan"),
    Turn.of("user", "write a fibonacci function"),
    Turn.of("assistant", "def fibonacci of n returns n if n is small"),
    Turn.of("user", "is the loss still nan"),
    Turn.of("assistant", "check the batch before the mean"),
    Turn.of("user", "the loss is nan again with an empty batch"),
)
