"""The OpenAI Agents SDK: what a run sends of its session's history.

    config = RunConfig(session_input_callback=session_input_callback())
    result = await Runner.run(agent, "…", session=session, run_config=config)

The session keeps the full history. `session_input_callback` selects once, at the start of a run;
`call_model_input_filter` selects before every model call, with or without a session. One of them is enough.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from convgate.adapters.openai import select_messages, to_dict
from convgate.adapters.selection import MessageSelector, Source

if TYPE_CHECKING:
    from agents.run_config import CallModelData, ModelInputData

Items = list[Any]


def session_input_callback(
    source: Source | None = None, *, budget: int | None = None
) -> Callable[[Items, Items], Awaitable[Items]]:
    """Return a callback for `RunConfig(session_input_callback=…)`: the selected history, then the new input.

    All new items are sent, and stored in the session. `source` and `budget` as in `MessageSelector.of`.

    Raises the errors of `MessageSelector.of`.
    """
    selector = MessageSelector.of(source, budget)

    async def select(history: Items, new: Items) -> Items:
        items = [*history, *new]
        always = range(len(history), len(items))
        kept = await selector.akeep(items, to_dict, always)  # the session stores whatever else is returned
        return [*(history[index] for index in kept if index < len(history)), *new]

    return select


def call_model_input_filter(
    source: Source | None = None, *, budget: int | None = None
) -> Callable[[CallModelData[Any]], Awaitable[ModelInputData]]:
    """Return a filter for `RunConfig(call_model_input_filter=…)`: the selected input, the same instructions.

    All items of the current run are sent, with the setting `elide` stubs of tool results. `source` and
    `budget` as in `MessageSelector.of`; a budget does not count the instructions of the agent.

    Raises the errors of `MessageSelector.of`.
    """
    selector = MessageSelector.of(source, budget)

    async def select(data: CallModelData[Any]) -> ModelInputData:
        kept = await asyncio.to_thread(select_messages, data.model_data.input, selector)
        return replace(data.model_data, input=kept)

    return select
