"""Why a turn was kept or dropped, in words: the kinds of parts that changed its score most.

A reason names the two kinds that speak most for the decision, and the one that speaks most against it, each
by what is true of the turn. A kind is named only if its effect (`convgate.gate.effects`) and its parts in the
waterfall have the same sign. What is kept although it is unlikely to be needed is said to be kept to be safe,
with what speaks against it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import CurrentMessage, Turn
from convgate.core.decisions import Reason
from convgate.core.text import isolate, truncate
from convgate.gate.effects import KINDS, Difference, Effects
from convgate.text.words import find_stems

MIN_EFFECT = 0.15  # on the logit; less is not named
_MIN_OPPOSING = 0.4  # the same of what speaks against the decision
_MIN_LINK, _MIN_SHARE = 0.1, 0.2  # the effect of a link on the logit, and its share, to be named
_UNLIKELY = 0.1  # a turn with a lower score is kept to be safe
_MAX_WORDS, _MAX_STEMS, _MAX_QUOTES, _MAX_QUOTE = 2_000, 3, 3, 40  # the last one in characters
_FEW_RARE = 3.0  # weight of all stems; a rare one has about 5
_RARE = 0.7  # of the weight of the rarest shared stem; more frequent ones are not quoted

Phrases = Mapping[str, tuple[str, str]]

_BY_SIGN: Phrases = {
    "content": ("close in meaning", "about something else"),
    "neighbours": ("among messages close in meaning", "among messages about something else"),
    "links": ("in the thread of the message", "not in the thread of the message"),
}
"""By the sign of the effect: what raises the score, what lowers it."""

_BY_FEATURE: Phrases = {
    "same_speaker": ("from {speaker}", "from {speaker}"),
    "last_of_speaker": ("the newest from {speaker}", ""),
    "own_last": ("the newest from {speaker}", ""),
    "names_speaker": ("the message names {speaker}", ""),
    "named_by_turn": ("it names who wrote the message", ""),
    "names_other": ("the message names somebody else", ""),
    "turn_names_other": ("it names somebody else", ""),
    "same_named": ("both name the same person", ""),
    "last_named": ("the newest from {speaker}, whom the message names", ""),
    "last_naming": ("the newest that names who wrote the message", ""),
    "turn_question": ("a question", ""),
    "turn_assistant": ("from {speaker}", "from {speaker}"),
    "turn_length": ("long", "short"),
    "turn_code": ("it has code or a link", ""),
    "turn_mass": ("it has many rare words", "it has hardly any rare words"),
    "turn_needs": ("it refers to earlier messages", ""),
    "turn_instruction": ("it states a lasting wish", ""),
}
"""By whether the feature of the turn is higher or lower than in the others; empty ones are not said."""
_SURE = {"turn_needs": 1.0, "turn_instruction": 1.0, "begun_since": 1.0}
"""Log odds from which a cue is said of a turn."""


class Clause(NamedTuple):
    """What a reason says of one kind of parts."""

    kind: str
    sign: int  # 1: it raises the score; −1: it lowers it
    said: Reason  # without a full stop


@dataclass(frozen=True, eq=False)
class GateReasons:
    """The reasons of one message's turns, each made when it is read."""

    effects: Effects
    kept: NDArray[np.bool_]  # (n,) by the rule
    turns: Sequence[Turn]  # (n,)
    whose: str  # whose words the message has: "your"

    def of(self, row: int) -> Reason:
        """Return the reason of a turn; links name rows."""
        clauses, kept = self.clauses(row), bool(self.kept[row])
        texts = [clause.said.text for clause in clauses if (clause.sign > 0) == kept]
        opposing = [clause.said.text for clause in clauses if (clause.sign > 0) != kept]
        if self._is_kept_to_be_safe(row):
            texts = ["to be safe"]
        elif not texts:
            texts = ["no single part stands out" if kept else "little speaks for it"]
        if opposing:
            texts.append(f"but {'; '.join(opposing)}")
        return Reason(
            f"{'; '.join(texts)}.",
            tuple(turn for clause in clauses for turn in clause.said.turns),
            tuple(place for clause in clauses for place in clause.said.words),
        )

    def clauses(self, row: int) -> list[Clause]:
        """Return what the reason of a turn says: what speaks for the decision, then what against it."""
        if self._is_kept_to_be_safe(row):
            return self._clauses(row, -1, 2, MIN_EFFECT)
        sign = 1 if self.kept[row] else -1
        clauses = self._clauses(row, sign, 2, MIN_EFFECT)
        said = {clause.said.text for clause in clauses}
        opposing = self._clauses(row, -sign, 1, _MIN_OPPOSING)
        return clauses + [clause for clause in opposing if clause.said.text not in said]

    def _is_kept_to_be_safe(self, row: int) -> bool:
        return bool(self.kept[row] and self.effects.scores.scores[row] < _UNLIKELY)

    def _clauses(self, row: int, sign: int, limit: int, min_effect: float) -> list[Clause]:
        """Return at most `limit` clauses on what raises the score (sign 1) or lowers it, strongest first."""
        effects = {kind: sign * float(effect[row]) for kind, effect in self.effects.by_kind(sign).items()}
        clauses: dict[str, Clause] = {}
        for kind in sorted(effects, key=lambda kind: -effects[kind]):
            if effects[kind] < min_effect or len(clauses) == limit:
                break
            if sign * self._parts[kind][row] > 0 and (said := self._clause(kind, row, sign)):
                clauses.setdefault(said.text, Clause(kind, sign, said))
        return list(clauses.values())

    @cached_property
    def _parts(self) -> Mapping[str, NDArray[np.float64]]:
        parts = {kind: self.effects.part(kind) for kind in KINDS}
        return {kind: part for kind, part in parts.items() if part is not None}

    def _clause(self, kind: str, row: int, sign: int) -> Reason | None:
        """Return what is said of a kind of parts; None when nothing true can be."""
        if kind == "links":
            return self._link(row, sign)
        differences = self.effects.differences(kind, row, sign)
        if kind == "content":
            return self._content(row, sign, differences)
        if kind == "recency":
            return self._recency(row, sign, differences)
        phrase = "" if differences and kind not in _BY_SIGN else _BY_SIGN.get(kind, ("", ""))[sign < 0]
        if phrase and differences and differences[0].is_higher != (sign > 0):
            return None
        for difference in differences:
            if phrase or sign * difference.effect < sign * differences[0].effect / 2:
                break
            phrase = _phrase(difference)
        return Reason(phrase.format(speaker=self._speaker(row))) if phrase else None

    def _content(self, row: int, sign: int, differences: Sequence[Difference]) -> Reason | None:
        """Return the words that a turn shares with the message, else whether it is close in meaning."""
        parts, effects = self.effects.scores.parts, self.effects
        shared = effects.shared_stems(row)
        if sign > 0 and shared and parts["words"][row] > 0:
            rare = [stem for stem in shared if effects.stems[stem] >= _RARE * effects.stems[shared[0]]]
            return quote_words(self.turns[row].scored_text, rare, self.whose)
        meaning = next((each for each in differences if each.part != "words"), None)
        is_so = sum(sign * float(parts[name][row]) for name in ("meaning", "passages") if name in parts) > 0
        if meaning is None or (is_so and meaning.is_higher == (sign > 0)):
            return Reason(_BY_SIGN["content"][sign < 0])
        if sign < 0 and effects.stems and parts["words"][row] < 0:
            return Reason(f"{'few' if shared else 'none'} of {self.whose} words")
        return None

    def _link(self, row: int, sign: int) -> Reason:
        link, generic = self.effects.strongest_link(row, sign), Reason(_BY_SIGN["links"][sign < 0])
        if link is None or sign * link.effect < _MIN_LINK or link.share < _MIN_SHARE:
            return generic
        if self.turns[link.other].is_instruction or (sign < 0 and self.kept[link.other]):
            return generic
        early, late = min(row, link.other), max(row, link.other)
        between = {turn.role for turn in self.turns[early:late]}
        is_answer = self.turns[late].role == "assistant" and "assistant" not in between
        verb = "answers" if is_answer else "continues"
        dropped = "" if sign > 0 else ", also dropped"
        text = f"it {verb} message {{}}" if link.other == early else f"message {{}} {verb} it"
        return Reason(f"{text}{dropped}", turns=(link.other,))

    def _recency(self, row: int, sign: int, differences: Sequence[Difference]) -> Reason | None:
        ago, strongest = len(self.kept) - row, next(iter(differences), None)
        if strongest is not None and strongest.feature == "first_turn" and row == 0:
            return Reason("the first message")
        if sign < 0:
            if strongest is not None and strongest.feature == "begun_since" and _is_sure(strongest):
                return Reason("a new subject began since")
            return Reason(f"{ago} messages back") if ago > 2 else None
        if ago > 2:
            return Reason(f"only {ago} messages back")
        names_nothing = self.effects.mass < _FEW_RARE
        return Reason(f"last exchange{'; the message names no subject of its own' * names_nothing}")

    def _speaker(self, row: int) -> str:
        turn = self.turns[row]
        name = isolate(truncate(turn.name, _MAX_QUOTE)) if turn.name else f"the {turn.role}"
        return name.replace("{", "{{").replace("}", "}}")  # a reason is a template


def quote_words(text: str, stems: Sequence[str], whose: str) -> Reason | None:
    """Return a clause on the words of a text that have the first of these stems; None when it has none."""
    quotes: dict[str, str] = {}
    places = find_stems(text, stems[:_MAX_STEMS], max_words=_MAX_WORDS)
    for start, stop in places:
        if len(quotes) < _MAX_QUOTES:
            quotes.setdefault(text[start:stop].casefold(), text[start:stop])
    if not quotes:
        return None
    quoted = ", ".join(f"“{isolate(truncate(quote, _MAX_QUOTE))}”" for quote in quotes.values())
    named = tuple(place for place in places if text[slice(*place)].casefold() in quotes)
    return Reason(f"{whose} {'words' if len(quotes) > 1 else 'word'} {quoted}", words=named)


def whose_words(current: CurrentMessage) -> str:
    """Return whose words those of a message are, in front of them."""
    return "your" if current.turn.role == "user" and not current.turn.name else "the message's"


def _phrase(difference: Difference) -> str:
    """Return what is said of a feature; empty where that would not be true, or says nothing."""
    phrases = _BY_FEATURE.get(difference.feature, ("", ""))
    return phrases[not difference.is_higher] if _is_sure(difference) else ""


def _is_sure(difference: Difference) -> bool:
    return abs(difference.value) >= _SURE.get(difference.feature, 0.0)
