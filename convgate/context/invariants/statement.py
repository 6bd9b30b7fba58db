"""What the words of one statement say of it, whatever was said before."""

from __future__ import annotations

from dataclasses import dataclass

from convgate.context.invariants.words import About


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement, and what its words alone say of it. Spans are characters of the message."""

    start: int
    end: int
    about: About
    words: str  # that tell what it is, as the message has them
    scope: str
    obliges: bool = False  # something has to be, or may not be
    fact: bool = False  # binds without being an order: an allergy
    critical: str = ""  # what it is about that is safety-critical; "" when nothing
    corrects: bool = False  # says that something was not so
    contrasts: bool = False  # one thing and not another
    objects: bool = False  # says how something should be
    modifies: bool = False  # orders or tells a change
    moved: bool = False  # tells that something has become otherwise
    plain: bool = False  # a short statement that could correct by its value alone
    ordered: bool = (
        False  # an order or a question to the assistant, so that its numbers are what is wanted of it
    )
    admits: bool = False  # tells of a slip
    checked: bool = False  # tells where a value stands, or that it was looked up
    leads: bool = False  # begins with a number or a day that stands by itself
    names: frozenset[bytes] = frozenset()  # stems of the names in it
    dismissed: frozenset[bytes] = frozenset()  # what it tells of as of something else: "exports is the topic"
    points: bool = False  # begins with "it's", "they are", …
    old: frozenset[bytes] = frozenset()  # stems and numbers that it says are not so
    error: bool = False
    printed: bool = False  # the error is in a program's words
    firm: bool = False  # obliges by more than that it holds from now on
    bound: About | None = None  # of the part that forbids, where only a part of it does
    asked: bool = False  # ends as a question
    permits: bool = False  # says of something that it may be
    lifts: bool = False
    lifts_now: bool = False  # tells that it was otherwise before
    resolves: bool = False
    repeats: bool = False  # says again what was said
    same: bool = False  # tells the same trouble as before
    adds: bool = False  # says that it comes on top
    likely: float = 0.0  # 0…1: how likely it is what the model alone found; 0 where words say it
