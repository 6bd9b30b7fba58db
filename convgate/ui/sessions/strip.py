"""The conversation as a strip in parts: where something begins, or the subject may change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import streamlit as st

from convgate.core.conversation import Conversation
from convgate.core.decisions import TurnDecisions
from convgate.core.errors import ConvgateError
from convgate.core.text import format_share, isolate, to_line
from convgate.figures.hover import on_screen
from convgate.gate.subjects import Subjects
from convgate.messages.tokens import turn_tokens
from convgate.policies.sessions import Boundary
from convgate.policies.subject_changes import find_subject_changes
from convgate.ui.sessions.boundaries import ConversationBoundaries, boundary_at
from convgate.ui.shared import scoring
from convgate.ui.shared.frame import App, show_problem
from convgate.ui.shared.modes import statement_reader
from convgate.ui.shared.results_cache import compute_once, digest
from convgate.ui.shared.transcript import draw_transcript, focused_turn, opened_turns
from convgate.ui.shared.transcript_rows import RowMarks, transcript_data

STRIP = "sessions.strip"
_MAX_OPEN = 12  # turns of a conversation of which all parts are open at first
_EXCERPT = 110  # characters of the message that begins a part


@dataclass(frozen=True)
class Part:
    """Turns between two places where something begins, or may begin."""

    turns: range  # 0-based
    begins: Boundary | None  # None: perhaps another subject
    share: float = 1.0  # how probable that is, 0…1


@st.cache_resource(max_entries=16, show_spinner=False)
def tokens_of(key: str, _conversation: Conversation) -> list[int]:
    """Return the tokens of each turn."""
    counts: list[int] = turn_tokens(_conversation.turns).tolist()
    return counts


def subject_changes(app: App, boundaries: ConversationBoundaries) -> dict[int, float]:
    """Return how probable it is that a turn begins another subject, where no rule and nobody says anything.

    None at a correction. Empty, with the problem shown, when the gate cannot be loaded.
    """
    try:
        gate = scoring.load_gate(app)
        key = f"subjects {boundaries.key} {digest(gate)}"
        found = compute_once(
            key,
            lambda report: find_subject_changes(
                gate, boundaries.conversation, progress=partial(report, "Reading turns for the first time")
            ),
        )
    except ConvgateError as error:
        show_problem(error)
        return {}
    found_statements = statement_reader(app.settings).read(list(boundaries.conversation.turns))
    corrections = {each.source for each in found_statements if each.type == "user_correction"}
    return {
        turn: share
        for turn, share in found.items()
        if turn not in corrections and boundary_at(boundaries.shown, turn) is None
    }


def parts_of(boundaries: ConversationBoundaries, changes: dict[int, float]) -> list[Part]:
    """Return the parts of the conversation, in order."""
    conversation, shown = boundaries.conversation, boundaries.shown
    begins = {record.index: record for record in shown.records}
    return [
        Part(range(start, stop), begins.get(start), changes.get(start, 1.0))
        for start, stop in pairwise([*sorted({0, *begins, *changes}), len(conversation)])
    ]


def _first_words(conversation: Conversation, part: Part) -> str:
    """Return the beginning of what the user says first in a part, else of its first text."""
    turns = sorted(
        conversation.turns[part.turns.start : part.turns.stop], key=lambda turn: turn.role != "user"
    )
    text = next((turn.scored_text for turn in turns if turn.scored_text.strip()), "")
    return f"“{isolate(to_line(text, _EXCERPT))}”" if text else "no text"


@st.cache_resource(max_entries=16, show_spinner=False)
def _subjects(key: str, _conversation: Conversation) -> Subjects:
    return Subjects(_conversation.turns)


def draw_strip(
    boundaries: ConversationBoundaries,
    parts: Sequence[Part],
    selected: int,
    decisions: TurnDecisions,
    now: TurnDecisions | None,
) -> None:
    """Draw the turns in their parts; decisions: of Session; now: what a model gets now, where it is known."""
    conversation = boundaries.conversation
    current, _ = conversation.at(conversation.current_index())
    marks = RowMarks(
        selected=selected, focus=focused_turn(boundaries.key), opened=opened_turns(boundaries.key),
        subjects=_subjects(boundaries.key, conversation),
    )  # fmt: skip
    data = transcript_data(
        conversation, current, decisions, marks, place=f"{boundaries.key} sessions", height="fill"
    )
    for row in data["rows"]:
        row["reason"] = ""  # the part has it
    shown = [row["turn"] for row in data["rows"]]
    data["folds"] = [
        {**fold, "first": max(fold["first"], shown[0])}
        for fold in _folds(boundaries, parts, decisions, now)
        if shown[0] <= fold["last"] and fold["first"] <= shown[-1]
    ]
    draw_transcript({**data, "fixed": True}, key=STRIP, address=boundaries.page)


def _folds(
    boundaries: ConversationBoundaries,
    parts: Sequence[Part],
    decisions: TurnDecisions,
    now: TurnDecisions | None,
) -> list[dict[str, Any]]:
    folds = []
    for part in parts:
        start, stop = part.turns.start, part.turns.stop
        turns = f"turn {stop}" if len(part.turns) == 1 else f"turns {start + 1:,}–{stop:,}"
        n_kept, n_earlier = _count(decisions, part)
        sent = f"Session sends {n_kept:,} of {n_earlier:,}" if n_earlier else "the message to answer"
        if now is not None and n_earlier:
            sent += f", the default {_count(now, part)[0]:,}"
        folds.append(
            {
                "first": start,
                "last": stop - 1,
                "label": _first_words(boundaries.conversation, part),
                "note": " · ".join(filter(None, (turns.capitalize(), sent, explain_part(part)))),
                "state": "kept" if n_kept or not n_earlier else "dropped",
                "open": len(boundaries.conversation) <= _MAX_OPEN or part is parts[-1],
            }
        )
    return folds


def _count(decisions: TurnDecisions, part: Part) -> tuple[int, int]:
    """Return how many turns of a part are sent, of how many before the message to answer."""
    within = np.isin(decisions.indices, part.turns)
    return int(decisions.kept[within].sum()), int(within.sum())


def explain_part(part: Part) -> str:
    """Return why a part begins, in a few words (the inspector has all of them); empty for the first one."""
    if part.begins is None:
        return f"perhaps a new subject, {format_share(part.share)} sure"
    reason = on_screen(part.begins.explanation).partition(",")[0].rstrip(".")
    return f"new {part.begins.kind}: {reason}" if part.turns.start else ""
