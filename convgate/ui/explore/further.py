"""Further views, one at a time: messages to send, spread, parts, matrix, downloads, differences."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import streamlit as st

from convgate.core.conversation import Conversation, Situation
from convgate.core.decisions import TurnDecisions
from convgate.core.errors import TranscriptError
from convgate.core.text import pluralize, truncate
from convgate.messages import turn_tokens
from convgate.policies.agent_settings import AgentSettings
from convgate.policies.selector import write_selection
from convgate.transcripts import format_named
from convgate.transcripts.characters import writable
from convgate.ui import services
from convgate.ui.agent import draw_agent, draw_download
from convgate.ui.explore import state
from convgate.ui.explore.matrix import draw_matrix
from convgate.ui.explore.outcome import Outcome
from convgate.ui.explore.state import View
from convgate.ui.spreadsheet import plain_cell
from convgate.ui.text import literal

TEXT_SHOWN = 300
"""Characters of each turn's text in the CSV, enough to know it by."""


def decisions_csv(conversation: Conversation, decisions: TurnDecisions) -> str:
    """One row a turn; `index` is from 0. What a spreadsheet would take for a formula gets an apostrophe."""
    names = list(decisions.parts)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(
        ["index", "speaker", "role", "time", "kept", "forced", "score", "threshold", "margin", "logit",
         "tier1", "attention", *names, "rule", "stage", "reason", "text"]
    )  # fmt: skip
    for row, decision in enumerate(decisions):
        turn = conversation.turns[decision.item]
        writer.writerow(
            [
                decision.item,
                plain_cell(turn.speaker),
                plain_cell(turn.role),
                turn.timestamp.isoformat() if turn.timestamp else "",
                int(decision.kept),
                int(decision.forced),
                _number(decision.score),
                _number(decision.threshold),
                _number(decision.margin),
                _number(decision.logit),
                _number(decisions.value(decisions.tier1, row)),
                _number(decisions.value(decisions.attention, row)),
                *(_number(decision.parts.get(name)) for name in names),
                decision.rule,
                decision.stage,
                decision.reason,
                plain_cell(turn.scored_text[:TEXT_SHOWN]),
            ]
        )
    return out.getvalue()


def decisions_json(
    conversation: Conversation, situation: Situation, decisions: TurnDecisions, version: str | None
) -> str:
    """What `convgate score --json` prints, and each record in full; indices from 0."""
    turns: list[dict[str, Any]] = []
    for row, decision in enumerate(decisions):
        turns.append(
            {
                "role": conversation.turns[decision.item].role,
                "tier1": decisions.value(decisions.tier1, row),
                "attention": decisions.value(decisions.attention, row),
                **decision.to_json(),
            }
        )
    values = {
        "conversation": conversation.id,
        "turn": situation.index,
        "question": situation.turn.text if situation.index is None else None,
        "policy": decisions.policy,
        "version": version,
        "rule": decisions.rule,
        "threshold": decisions.threshold,
        "gate_activation": decisions.gate_activation,
        "turns": turns,
    }
    return writable(json.dumps(values, ensure_ascii=False, indent=2, allow_nan=False)) + "\n"


def _number(value: Any) -> str:
    return "" if value is None else f"{float(value):.6g}"


VIEWS = {
    "messages": "Messages to send",
    "matrix": "Relevance matrix",
    "download": "Download decisions",
}
"""The further views as addresses and as people call them."""

_LONGEST_CODE = 200_000  # characters; more would make the browser slow, and is better downloaded
_TEXT = 200  # characters of a turn in tables


def draw_further(view: View, outcome: Outcome, selected: int | None) -> None:
    """The menu of further views, and the one that is chosen."""
    draw: dict[str, Callable[[], None]] = {
        "messages": lambda: _draw_messages(view, outcome),
        "matrix": lambda: draw_matrix(outcome, selected),
        "download": lambda: _draw_downloads(outcome),
    }
    shown = view.show if view.show in draw else None
    st.segmented_control(
        "More", list(draw), format_func=lambda name: VIEWS[name], label_visibility="collapsed",
        **state.page.control("show", shown),
    )  # fmt: skip
    if view.show in draw:
        with st.container(key="explore-further"):
            draw[view.show]()


def _draw_messages(view: View, outcome: Outcome) -> None:
    selection, conversation = outcome.selection, outcome.moment.conversation
    st.caption(
        f"{pluralize(len(selection.messages), 'message')}, {pluralize(selection.tokens_kept, 'token')}: a list"
        " that chat APIs accept, with the current message last. What an instruction, a tool call or a limit"
        " brought in says so; it is not the policy's choice."
    )
    if selection.missing_results:
        names = literal(", ".join(selection.missing_results), limit=200)
        st.caption(f":material/hourglass_empty: The current turn still waits for results of: {names}.")
    decisions = outcome.decisions
    tokens = turn_tokens([conversation.turns[index] for index in selection.indices])
    rows: list[dict[str, Any]] = []
    for index, count in zip(selection.indices, tokens.tolist(), strict=True):
        turn = conversation.turns[index]
        forced = decisions.overrides.get(index)
        why = "current message" if index == outcome.moment.situation.index else "kept"
        why = writable(f"kept anyway: {forced.reason}") if forced else why
        text = writable(truncate(turn.scored_text, _TEXT))
        rows.append(
            {"turn": index + 1, "who": writable(turn.speaker), "why": why, "tokens": count, "text": text}
        )
    if outcome.moment.situation.index is None:
        question = outcome.moment.situation.turn.text
        rows.append(
            {"turn": None, "who": "asked here", "why": "current message", "tokens": None, "text": question}
        )
    st.dataframe(
        rows, hide_index=True, height=240, key="explore.messages", alt="The messages to send",
    )  # fmt: skip
    suffix, label = _format(conversation)
    agent = AgentSettings.of(outcome.deciding, services.settings(), pair_answers=view.pairs)
    with st.container(horizontal=True):
        st.download_button(
            f"Download as {label}", lambda: _written(outcome), file_name=f"selected{suffix}",
            on_click="ignore", icon=":material/download:", key="explore.download_messages",
        )  # fmt: skip
        draw_download(agent, page="explore")
    code = writable(json.dumps(selection.messages, ensure_ascii=False, indent=2, default=str))
    if len(code) <= _LONGEST_CODE:
        st.caption("To copy, as OpenAI messages:")
        st.code(code, language="json", height=320, wrap_lines=True)
    else:
        st.caption(f"At {len(code):,} characters the list is too long to be shown; download it.")
    draw_agent(agent, asks=bool(view.question))


def _format(conversation: Conversation) -> tuple[str, str]:
    """The suffix and the label of the format that the messages are written in."""
    try:
        chosen = format_named(conversation.format)
    except TranscriptError:  # one that only an earlier version wrote
        return ".json", "OpenAI messages"
    return chosen.suffix, chosen.label


def _written(outcome: Outcome) -> str:
    """The messages in the input's own format, else as OpenAI messages."""
    try:
        return writable(
            write_selection(outcome.moment.conversation, outcome.moment.situation, outcome.selection)
        )
    except TranscriptError:
        text = json.dumps(outcome.selection.messages, ensure_ascii=False, indent=2, default=str)
        return f"{writable(text)}\n"


def _draw_downloads(outcome: Outcome) -> None:
    st.caption("One record a turn, with score, threshold, parts and reason. Turns are numbered from 0 here.")
    conversation, decisions = outcome.moment.conversation, outcome.decisions
    situation, version = outcome.moment.situation, outcome.version
    with st.container(horizontal=True):
        st.download_button(
            "CSV", lambda: decisions_csv(conversation, decisions), file_name="decisions.csv", mime="text/csv",
            on_click="ignore", icon=":material/table:", key="explore.download_csv",
        )  # fmt: skip
        st.download_button(
            "JSON", lambda: decisions_json(conversation, situation, decisions, version),
            file_name="decisions.json", mime="application/json", on_click="ignore",
            icon=":material/data_object:", key="explore.download_json",
        )  # fmt: skip
