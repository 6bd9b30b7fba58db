"""The data of the transcript component: the rows around the focus, as JSON values.

The component draws all texts as text. Of a long conversation only a part is sent, to keep the page fast.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from typing import Any

import numpy as np

from convgate.core.conversation import Conversation, CurrentMessage, Turn
from convgate.core.decisions import IN_CASE, TurnDecision, TurnDecisions
from convgate.core.text import format_age, format_score, format_share, format_threshold, isolate
from convgate.figures.hover import on_screen
from convgate.gate.arrays import logistic
from convgate.gate.facts import facts_of
from convgate.gate.subjects import Subjects
from convgate.ui.shared.changes import Changes
from convgate.ui.shared.explore_state import COLUMNS

ROWS = 400
"""Max number of turns that are drawn at a time."""

EXCERPT = 600
"""Max characters of a turn that is not expanded."""

LONGEST_KEPT = 2_000
"""Max characters of a kept turn on the strip, likewise."""

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
    subjects: Subjects | None = None  # of a strip: kept turns in full, runs of others folded
    columns: Sequence[str] = ()  # of `COLUMNS`: numbers that each turn shows
    passage: Callable[[int], str] | None = None  # the best passage of a kept turn
    missed: Collection[int] = ()  # likely needed turns that are dropped: they are not folded


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
    reference = current.turn.timestamp
    # Without what all turns have in common, and without notes, for which a whole text may be tokenized.
    brief = replace(decisions, because="", note=None)
    rows = [
        _row(conversation.turns[index], index, position, brief, marks, reference)
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
        "message": current_name(place, current),
        "focus": focus,
        "threshold": None if decisions.logits is None else decisions.threshold,
        "labelling": labelling,
        "strip": marks.subjects is not None,
        "folds": _folds(marks, rows, current),
        "map": _minimap(count, decisions) if marks.subjects else None,
    }


def sent_data(
    messages: Sequence[tuple[str, str, str]],
    turns: Sequence[int | None],
    tokens: Sequence[int | None],
    *,
    selected: int | None,
    place: str,
    height: str,
) -> dict[str, Any]:
    """The newest `ROWS` messages that are sent, as `transcript_data` gives turns.

    messages: role, text and the rest as JSON of each. turns: 0-based; None for a message that is no turn.
    """
    rows = [
        {
            **_BLANK,
            "turn": QUESTION - 1 - number if turn is None else turn,
            "state": "sent",
            "outcome": "" if count is None else f"{count:,} tokens",
            "who": role,
            "text": text,
            "code": rest,
        }
        for number, ((role, text, rest), turn, count) in enumerate(zip(messages, turns, tokens, strict=True))
    ][-ROWS:]
    newest = rows[-1]["turn"] if rows else QUESTION
    return {
        "place": place, "label": f"Messages to send, {len(messages):,}", "count": len(messages),
        "height": height, "rows": rows, "older": 0, "newer": 0, "selected": selected, "current": newest,
        "message": place, "focus": newest, "threshold": None, "labelling": None, "strip": True,
        "folds": [], "map": None,
    }  # fmt: skip


def shown_part(count: int, focus: int) -> tuple[int, int]:
    """The turns shown, start and stop, for `focus` to have as many on either side as there are.

    >>> shown_part(2_000, 1_234), shown_part(300, 20)
    ((1000, 1400), (0, 300))
    """
    start = max(0, min((focus // _STEP - 2) * _STEP, count - ROWS))
    return start, min(count, start + ROWS)


def _folds(
    marks: RowMarks, rows: Sequence[Mapping[str, Any]], current: CurrentMessage
) -> list[dict[str, Any]]:
    """Return the runs of at least two turns that are dropped or sent in case, each with what it is about."""
    if (subjects := marks.subjects) is None:
        return []
    folds, message = [], facts_of(current.turn).stems
    words = {"dropped": "dropped", "cut": "dropped", IN_CASE: "sent in case"}

    def name(row: Mapping[str, Any]) -> str | None:
        return None if row["turn"] in marks.missed else words.get(row["state"], words.get(row["outcome"]))

    for word, run in groupby(rows, key=name):
        members = list(run) if word else []
        if len(members) > 1:
            turns = [row["turn"] for row in members]
            n_flipped = sum(bool(row["flip"]) for row in members)
            label = f"{len(turns):,} turns {word}: {isolate(subjects.name(turns, message, current.index))}"
            label += f" · {n_flipped:,} changed" if n_flipped else ""
            folds.append({"first": turns[0], "last": turns[-1], "label": label, "state": members[0]["state"]})
    return folds


def _minimap(count: int, decisions: TurnDecisions) -> dict[str, Any]:
    """Return how each turn of the conversation is drawn in small: its state's letter, its score 0…100."""
    states, bars = ["l"] * count, [0] * count
    shares = decisions.kept if decisions.logits is None else decisions.scores  # else no probabilities
    shares = np.nan_to_num(np.asarray(shares, dtype=float))
    for row, index in enumerate(decisions.indices.tolist()):
        is_kept, is_forced = bool(decisions.kept[row]), index in decisions.overrides
        states[index] = ("f" if is_forced else "k") if is_kept else "d"
        bars[index] = int(100 * shares[row])
    return {"states": "".join(states), "bars": bars}


def _state(decision: TurnDecision, decisions: TurnDecisions) -> str:
    """Return how one of the decisions is drawn."""
    if decision.index in decisions.overrides:
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


def excerpt(text: str, terms: Sequence[str], *, whole: bool, limit: int = EXCERPT) -> tuple[str, bool]:
    """Return a part of the text, with the first of the terms if possible, and whether text is left out."""
    if whole or len(text) <= limit:
        return text, False
    folded = text.casefold()
    places = [place for term in terms if (place := folded.find(term.casefold())) > limit * 2 // 3]
    start = max(0, min(places) - _BEFORE_HIT) if places else 0
    return f"{'…' if start else ''}{text[start : start + limit]}…", True


def current_name(place: str, current: CurrentMessage) -> str:
    """Return what identifies a message in answers from the browser."""
    return f"{place} {f'?{current.turn.text}' if current.index is None else current.index}"


def _row(
    turn: Turn,
    index: int,
    current: int,
    decisions: TurnDecisions,
    marks: RowMarks,
    reference: datetime | None,
) -> dict[str, Any]:
    place = index - int(decisions.indices[0]) if len(decisions) else -1
    is_decided = index != current and 0 <= place < len(decisions)
    is_kept = is_decided and bool(decisions.kept[place])
    passage = marks.passage(index) if marks.passage and is_kept else ""
    text, cut = excerpt(
        turn.scored_text.strip(),
        marks.terms or ([passage] if passage else ()),
        whole=index in marks.opened,
        limit=LONGEST_KEPT if marks.subjects and is_kept else EXCERPT,
    )
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
        "words": list(marks.terms),
        "passage": passage,
    }
    if index == current:
        return {**row, "state": "current", "outcome": "current"}
    if not is_decided:
        if place < 0 and len(decisions):
            return {**row, "state": "later", "outcome": "older", "reason": "Not read yet."}
        return {**row, "state": "later", "outcome": "later", "reason": "After the current message."}
    decision = decisions[place]
    if (score := decision.score) is not None and decision.logit is not None:  # others are no probabilities
        row |= {"score": format_score(score), "bar": score}
    if (labelling := marks.labelling) is not None:
        row |= {
            "mine": labelling.mine.get(index),
            "theirs": [list(pair) for pair in labelling.theirs.get(index, ())],
            "open": index in labelling.open,
            "aimed": index in labelling.targets,
        }
    row["columns"] = _columns(decisions, place, marks.columns)
    if marks.subjects and not marks.terms:
        named = (turn.scored_text[start:stop] for start, stop in decisions.words(index))
        row |= {"words": list(dict.fromkeys(named)), "whole": True}
    reason = on_screen(decision.explanation)
    reason = isolate(reason[:1].upper() + reason[1:], ltr=True)
    if index in marks.missed:
        reason += " Likely needed, by the gate."
    return {**row, "state": _state(decision, decisions), "outcome": decision.outcome_name, "reason": reason}


def _columns(decisions: TurnDecisions, row: int, names: Sequence[str]) -> list[list[str]]:
    """Return the chosen numbers of a turn, each with its label; a dash where the policy has none."""
    values = {
        "tier1": decisions.value(decisions.tier1, row),
        "tier2": decisions.value(decisions.attention, row),
        "threshold": decisions.threshold,
        "gate": decisions.gate_activation,
    }
    return [
        [
            COLUMNS[name],
            "–" if (value := values[name]) is None
            else format_share(value) if name == "gate"
            else format_threshold(value if name == "threshold" else float(logistic(value))),
        ]
        for name in names
    ]  # fmt: skip


_BLANK: dict[str, Any] = {
    "turn": QUESTION, "when": "", "exact": "", "mode": "", "cut": False, "score": "", "bar": None,
    "flip": "", "reason": "", "mine": None, "theirs": [], "aimed": False, "open": False, "words": [],
    "passage": "", "columns": [], "code": "",
}  # fmt: skip
"""A row without a decision or a label."""
