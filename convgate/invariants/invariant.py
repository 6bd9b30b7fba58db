"""An invariant: a statement of the user that must hold, with its state; and the check of what is sent."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from convgate.core.text import join_words, to_line
from convgate.transcripts import turns_from_messages

InvariantType = Literal["safety_requirement", "user_correction", "hard_constraint", "blocking_error"]
InvariantState = Literal["active", "superseded", "lifted", "resolved"]
FoundBy = Literal["words", "person"]

PRIORITIES: dict[InvariantType, int] = {
    "safety_requirement": 1000,
    "user_correction": 900,
    "hard_constraint": 800,
    "blocking_error": 700,
}

HELD = 800
"""From this priority on, an active invariant is sent whatever is decided."""

MIN_LIKELIHOOD = 0.3
"""And from this likelihood on; what is less likely is found and shown."""


def quote_line(text: str) -> str:
    """Return the beginning of a text in quotation marks, on one line.

    >>> quote_line("must work\\nwith LDAP.")
    '“must work with LDAP”'
    """
    return f"“{to_line(text, 80).rstrip('.')}”"


@dataclass(frozen=True, slots=True)
class Invariant:
    """A statement that must hold. Two of one turn are two invariants."""

    type: InvariantType
    source: int  # 0-based index of the turn that states it
    text: str  # verbatim, of that turn, or as a person edited it
    start: int  # characters of the turn's text, inclusive
    end: int  # exclusive
    scope: str  # the topic in the turn's words; "" for everything
    state: InvariantState
    reason: str  # a sentence: by which words, or by whom
    superseded_by: int | None = None  # the turn that corrects it
    ended_by: int | None = None  # the turn that lifts or resolves it
    changed_by: tuple[int, ...] = ()  # the turns that replace or lift parts of it; the rest holds
    found_by: FoundBy = "words"
    pinned: bool = False  # by a person: no later message ends it
    likelihood: float = 1.0  # 0…1, that its words hold from then on; 1 of a person's

    @property
    def priority(self) -> int:
        """The priority of its type."""
        return PRIORITIES[self.type]

    @property
    def label(self) -> str:
        """The type in words."""
        return self.type.replace("_", " ")

    @property
    def active(self) -> bool:
        """Whether it holds now."""
        return self.state == "active"

    @property
    def held(self) -> bool:
        """Whether it is sent whatever is decided."""
        is_likely = PRIORITIES[self.type] >= HELD and self.likelihood >= MIN_LIKELIHOOD
        return self.active and (self.pinned or is_likely)

    @property
    def state_text(self) -> str:
        """The state in words, with the message that ended it: "corrected by message 11"."""
        word = "corrected" if self.state == "superseded" else self.state
        by = self.ended_by if self.superseded_by is None else self.superseded_by
        return word if by is None else f"{word} by message {by}"

    @property
    def held_because(self) -> str:
        """Why its turn is sent: a sentence."""
        why = "you chose to always send it" if self.pinned else f"{self.label}, always sent"
        messages = join_words(str(turn) for turn in self.changed_by)
        part = f"; message {messages} may change a part of it" if messages else ""
        if len(self.changed_by) > 1:
            part = f"; messages {messages} may change parts of it"
        return f"{why} ({quote_line(self.text)}){part}."

    def explain_sent(self, turn: int) -> str:
        """Return why one of its `held_turns` is sent: a sentence."""
        if turn == self.source:
            return self.held_because
        return (
            f"it may change a part of message {self.source}, which is always sent ({quote_line(self.text)})."
        )

    def to_json(self) -> dict[str, Any]:
        """Return the record that `convgate invariants` prints."""
        return {
            "type": self.type,
            "priority": self.priority,
            "source": self.source,
            "text": self.text,
            "scope": self.scope,
            "active": self.active,
            "superseded_by": self.superseded_by,
            "likelihood": round(self.likelihood, 2),
            "held": self.held,
            "changed_by": list(self.changed_by),
        }


def held_turns(held: Sequence[Invariant]) -> dict[int, Invariant]:
    """Return the turns that state what is held or change parts of it, each with the first that it states."""
    turns = [(each.source, each) for each in held]
    turns += [(turn, each) for each in held for turn in each.changed_by]
    return dict(reversed(turns))


def find_missing(
    invariants: Sequence[Invariant],
    messages: Sequence[Mapping[str, Any]],
    places: Sequence[int | None],
    unsendable: Collection[int] = (),
) -> list[Invariant]:
    """Return the invariants that must hold and whose text, or a turn that changes a part, is not sent.

    The text must be in the message of its own turn, or in an added one. places: the index of each message in
    its conversation, None for an added one. unsendable: turns that may be missing. Independent of the
    packing: it reads only what is sent.
    """
    rows = {place: row for row, place in enumerate(places)}
    added = [message for message, place in zip(messages, places, strict=True) if place is None]
    missing = []
    for invariant in invariants:
        row = rows.get(invariant.source)
        own = [] if row is None else messages[row : row + 1]
        is_whole = rows.keys() | {*unsendable} >= {*invariant.changed_by}
        is_said = is_whole and (_contain(own, invariant.text) or _contain(added, invariant.text))
        if invariant.held and not is_said:
            missing.append(invariant)
    return missing


def _contain(messages: Sequence[Mapping[str, Any]], text: str) -> bool:
    for message in messages:
        content = message.get("content")
        if isinstance(content, str) and text in content:
            return True
    # content in parts is read as text
    return any(text in turn.text for turn in turns_from_messages(messages))
