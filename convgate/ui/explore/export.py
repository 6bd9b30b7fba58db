"""Decisions as files: CSV for spreadsheets, JSON for programs."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from convgate.conversation import Conversation, Situation
from convgate.decisions import TurnDecisions
from convgate.transcripts.characters import writable
from convgate.ui.spreadsheet import plain_cell

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
