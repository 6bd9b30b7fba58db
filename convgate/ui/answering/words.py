"""What answers are called, and what is said of those that were stored."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from convgate.labels.scopes import Scope
from convgate.store import Saved
from convgate.store.label_log import Turned
from convgate.store.labels import Said
from convgate.ui.text import literal
from convgate.ui.wording import ago, counted

if TYPE_CHECKING:
    from convgate.ui.answering.message import Answering

MARKS: dict[str, str] = {"relevant": "✓", "not_relevant": "✕", "unsure": "?"}
CALLED: dict[str, str] = {"relevant": "relevant", "not_relevant": "not relevant", "unsure": "unsure"}
SCOPES: dict[Scope, str] = {
    "turn": "this turn alone",
    "before": "all before it",
    "topic": "its whole topic",
    "above": "all above the threshold",
    "rest": "all without an answer",
}

_DONE = {"undo": "Taken back", "redo": "Done again", "later": "Put off"}


def saved_words(answering: Answering, turn: int | None, saved: Saved | None) -> str:
    """What was stored last in this window, or else what is known of the turn, as Markdown."""
    if saved is not None and saved.action is None:
        return ":material/check: Nothing to change: it was stored already"
    if saved is not None:
        what = _turned_words(saved, saved.turned) if saved.turned else _what_words(saved)
        left = f"; {saved.left:,} changed since and left as they are" if saved.left else ""
        when = f"{saved.at.astimezone():%H:%M:%S}"
        if saved.deleted:
            left += f", in “{literal(saved.deleted)}”, which was deleted since"
        return f":material/check: {_DONE.get(saved.kind, 'Saved')} {when}{what}{left}"
    if turn is not None and answering.by is not None:
        said = answering.held.answers.get(turn, {}).get(answering.by)
        if said is not None:
            return f":material/check: Saved {ago(said.at)}"
    return "Nothing answered here yet" if not answering.mine else ""


def elsewhere_words(turn: int, said: Said, *, settling: bool) -> str:
    """That a turn, 0-based, had got an answer that this window did not show."""
    who = "Somebody settled" if settling else "You answered"
    seconds = (datetime.now(UTC) - said.at).total_seconds()
    when = f"{max(seconds, 0):.0f} s ago" if seconds < 60 else ago(said.at)
    return (
        f"{who} turn {turn + 1:,} “{CALLED.get(said.value, said.value)}” in another window, {when}. What was"
        " said here is newer and counts. Both are in the log; undo brings the other one back."
    )


def said_words(answering: Answering, turn: int) -> str:
    """What others say of a turn, as Markdown; empty when nothing, or not yet to be seen."""
    said = answering.theirs().get(turn, [])
    return " · ".join(f"{literal(who)}: {MARKS[value]} {CALLED[value]}" for who, value in said)


def _turned_words(saved: Saved, turned: Turned) -> str:
    """What an undo or redo was about."""
    if turned.kind == "import":
        names = [literal(name) for name in turned.whose]
        whose = " and ".join(names) if len(names) < 3 else f"{len(names):,} people"
        what = f"{counted(saved.changed, 'answer')}{f' by {whose}' if whose else ''}"
        return f": the import of {literal(turned.origin)}, {what}"
    if turned.kind == "adjudicate":
        return f": the settlement{f' of turn {saved.turn + 1:,}' if saved.turn >= 0 else ''}"
    if turned.kind == "bulk":
        return f": {counted(saved.changed, 'answer')} given at once"
    return _what_words(saved)


def _what_words(saved: Saved) -> str:
    several = saved.changed > 1 or saved.left
    return f", {counted(saved.changed, 'answer')}" if several else _turn_words(saved)


def _turn_words(saved: Saved) -> str:
    return f", turn {saved.turn + 1:,}" if saved.turn >= 0 else ""
