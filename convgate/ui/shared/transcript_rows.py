"""The data of the transcript component: the rows around the focus, as JSON values.

The component draws all texts as text. Of a long conversation only a part is sent, to keep the page fast.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import numpy as np

from convgate.core.conversation import Conversation, CurrentMessage, Turn
from convgate.core.decisions import TurnDecision, TurnDecisions
from convgate.core.text import format_age, format_threshold, isolate
from convgate.figures.hover import on_screen
from convgate.ui.shared.changes import Changes

ROWS = 400
"""Max number of turns that are drawn at a time."""

EXCERPT = 600
"""Max characters of a turn that is not expanded."""

QUESTION = -1
"""Turn number of a typed question."""

_STEP = 100  # the drawn part moves in steps, so that it stays while one reads
_BEFORE_HIT = 120  # characters shown before the first word that was searched


@dataclass(frozen=True)
class Labelling:
    """Answers for the turns before a message, and whether more can be given."""

    mine: Mapping[int, str] = field(default_factory=dict)  # answers by turn
    theirs: Mapping[int, Sequence[tuple[str, str]]] = field(default_factory=dict)  # (who, answer) by turn
    enabled: bool = False  # whether answers can be given
    open: Collection[int] = field(default_factory=frozenset)  # the turns that can be answered for
    scope: str = "turn"  # what an answer is for: that turn alone, or more of them
    targets: Collection[int] = field(default_factory=frozenset)  # which, when it is for more
    client: str = ""  # the list that gave answers last
    stored: int = 0  # the number of its last answer that was handled
    message: str = ""  # what identifies the message in answers, see `current_name`


@dataclass(frozen=True)
class RowMarks:
    """What the transcript shows besides the decisions."""

    selected: int | None = None
    focus: int | None = None  # the turn to have in sight; the selected or the current one unless given
    flips: Changes | None = None
    terms: Sequence[str] = ()  # words that are searched for
    opened: Collection[int] = field(default_factory=frozenset)  # turns whose whole text was asked for
    labelling: Labelling | None = None
    modes: Mapping[int, str] = field(default_factory=dict)  # by turn
    only: Sequence[int] | None = None  # the turns that are shown, increasing; None: all


def transcript_data(
    conversation: Conversation,
    current: CurrentMessage,
    decisions: TurnDecisions,
    marks: RowMarks,
    *,
    place: str,
    height: str,
) -> dict[str, Any]:
    """The rows around `marks.focus`, and what they have in common, as JSON values. Turns are 0-based.

    `place` names the conversation: the list keeps its scroll as long as that stays. `height` is CSS.
    """
    count = len(conversation)
    position = QUESTION if current.index is None else current.index
    focus = next((turn for turn in (marks.focus, marks.selected) if turn is not None), None)
    if focus is None:
        focus = position if position != QUESTION else max(0, count - 1)
    turns: Sequence[int] = range(count)
    if marks.only is not None:
        turns = sorted({*marks.only, position} - {QUESTION})
    start, stop = shown_part(len(turns), bisect_left(turns, focus))
    scale = score_scale(decisions)
    reference = current.turn.timestamp
    # Without what all turns have in common, and without notes, for which a whole text may be tokenized.
    brief = replace(decisions, because="", note=None)
    rows = [
        _row(conversation.turns[index], index, position, brief, marks, scale, reference)
        for index in turns[start:stop]
    ]
    if position == QUESTION and stop == len(turns):
        question = {"state": "current", "outcome": "asked", "who": "asked here", "text": current.turn.text}
        rows.append({**_BLANK, **question})
    labelling = None
    if marks.labelling is not None:
        names = ("enabled", "scope", "client", "stored")
        labelling = {name: getattr(marks.labelling, name) for name in names}
        labelling["current"] = marks.labelling.message
    threshold = decisions.threshold if decisions.scores is not None else None
    return {
        "place": place,
        "label": f"Transcript, {count} turns",
        "count": count,
        "height": height,
        "rows": rows,
        "older": start,
        "newer": len(turns) - stop,
        "selected": marks.selected,
        "current": position,
        "focus": focus,
        "threshold": None if threshold is None else float(np.clip(threshold / scale, 0, 1)),
        "terms": list(marks.terms),
        "labelling": labelling,
    }


def shown_part(count: int, focus: int) -> tuple[int, int]:
    """The turns shown, start and stop, for `focus` to have as many on either side as there are.

    >>> shown_part(2_000, 1_234), shown_part(300, 20)
    ((1000, 1400), (0, 300))
    """
    start = max(0, min((focus // _STEP - 2) * _STEP, count - ROWS))
    return start, min(count, start + ROWS)


def score_scale(decisions: TurnDecisions) -> float:
    """Return the score of a full bar: 1 for scores within 0…1, else the highest score."""
    if decisions.scores is None or np.isnan(decisions.scores).all():
        return 1.0
    highest = float(np.nanmax(decisions.scores))
    is_share = highest <= 1.0 and decisions.policy != "hybrid"
    return 1.0 if is_share or highest <= 0 else highest


def _state(decision: TurnDecision) -> str:
    """Return how a decision is drawn."""
    if decision.forced:
        return "forced" if decision.kept else "cut"
    return decision.outcome


def when(time: datetime | None, reference: datetime | None) -> tuple[str, str]:
    """Return a time relative to another, and exactly: ("2 hours before", "Mon 3 May 2027, 14:02:05")."""
    if time is None:
        return "", ""
    exact = f"{time:%a} {time.day} {time:%b %Y, %H:%M:%S}" + (f" {time:%Z}" if time.tzinfo else "")
    if reference is None or (time.tzinfo is None) != (reference.tzinfo is None):
        return f"{time.day} {time:%b, %H:%M}", exact
    if time <= reference:
        return format_age(time, reference).replace(" ago", " before").replace(
            "just now", "just before"
        ), exact
    return format_age(reference, time).replace(" ago", " later").replace("just now", "just after"), exact


def excerpt(text: str, terms: Sequence[str], *, whole: bool) -> tuple[str, bool]:
    """Return a part of the text, with the first search term if possible, and whether text is left out."""
    if whole or len(text) <= EXCERPT:
        return text, False
    folded = text.casefold()
    places = [place for term in terms if (place := folded.find(term.casefold())) > EXCERPT * 2 // 3]
    start = max(0, min(places) - _BEFORE_HIT) if places else 0
    return f"{'…' if start else ''}{text[start : start + EXCERPT]}…", True


def current_name(place: str, current: CurrentMessage) -> str:
    """Return what identifies a message in answers from the browser."""
    return f"{place} {f'?{current.turn.text}' if current.index is None else current.index}"


def _row(
    turn: Turn,
    index: int,
    current: int,
    decisions: TurnDecisions,
    marks: RowMarks,
    scale: float,
    reference: datetime | None,
) -> dict[str, Any]:
    text, cut = excerpt(turn.scored_text.strip(), marks.terms, whole=index in marks.opened)
    relative, exact = when(turn.timestamp, None if index == current else reference)
    row: dict[str, Any] = {
        **_BLANK,
        "turn": index,
        "who": turn.speaker if turn.speaker == turn.role else f"{isolate(turn.speaker)} · {turn.role}",
        "when": relative,
        "exact": exact,
        "mode": marks.modes.get(index, ""),
        "text": text,
        "cut": cut,
        "flip": marks.flips.of(index) if marks.flips else "",
    }
    place = index - int(decisions.indices[0]) if len(decisions) else -1
    if index == current:
        return {**row, "state": "current", "outcome": "current"}
    if not 0 <= place < len(decisions):
        if place < 0 and len(decisions):
            return {**row, "state": "later", "outcome": "older", "reason": "Not read yet."}
        return {**row, "state": "later", "outcome": "later", "reason": "After the current message."}
    decision = decisions[place]
    if (score := decision.score) is not None:
        row |= {"score": format_threshold(score), "bar": float(np.clip(score / scale, 0, 1))}
    if (labelling := marks.labelling) is not None:
        row |= {
            "mine": labelling.mine.get(index),
            "theirs": [list(pair) for pair in labelling.theirs.get(index, ())],
            "open": index in labelling.open,
            "aimed": index in labelling.targets,
        }
    reason = on_screen(decision.explanation)
    reason = isolate(reason[:1].upper() + reason[1:], ltr=True)
    return {**row, "state": _state(decision), "outcome": decision.outcome_name, "reason": reason}


_BLANK: dict[str, Any] = {
    "turn": QUESTION, "when": "", "exact": "", "mode": "", "cut": False, "score": "", "bar": None,
    "flip": "", "reason": "", "mine": None, "theirs": [], "aimed": False, "open": False,
}  # fmt: skip
"""A row without a decision or a label."""
