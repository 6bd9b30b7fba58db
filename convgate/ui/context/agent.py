"""The settings and the lines of Python with which a program builds the context that the page shows."""

from __future__ import annotations

from convgate.agent_settings import FILE_NAME, AgentSettings
from convgate.ui.context.made import Made


def agent_of(made: Made) -> AgentSettings:
    """The settings as they are tried, for another program."""
    return AgentSettings.of(made.policy, made.settings, pair_answers=made.settings.pair_answers)


def context_lines(*, intent: str | None, asks: bool) -> str:
    """The lines of Python; `asks` when a question is put after the last turn."""
    arguments = ["messages", *["question=question"] * asks, *([f"intent={intent!r}"] if intent else [])]
    return "\n".join(
        [
            "import convgate",
            "",
            f'contexts = convgate.load_context(settings="{FILE_NAME}")  # once',
            f"context = contexts.build({', '.join(arguments)})  # a list of OpenAI messages",
            "context.messages  # what to send",
            "context.sections, context.invariants, context.decisions  # why",
            "",
            "convgate.record_outcome(context.request_id, ok=True)  # whether the answer was good",
        ]
    )
