"""Why a turn was kept or dropped, in words: the kinds of parts that changed its score most.

A reason names the two kinds that speak most for the decision, and the one that speaks most against it, each by what
is true of the turn. A kind is named only if its effect (`convgate.gate.effects`) and its parts in the waterfall
have the same sign.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import CurrentMessage, Turn
from convgate.core.decisions import Reason
from convgate.core.text import isolate, truncate
from convgate.gate.effects import Effects
from convgate.text.words import find_stems

MIN_EFFECT = 0.15  # on the logit; less is not named
_MIN_AGAINST = 0.4  # the same of what speaks against the decision
_MIN_LINK = 0.1
_UNLIKELY = 0.1  # a turn with a lower score is kept to be safe
_MAX_WORDS, _MAX_STEMS, _MAX_QUOTES, _MAX_QUOTE = 2_000, 3, 3, 40  # the last one in characters
_FEW_RARE = 3.0  # weight of all stems; a rare one has about 5

Phrases = Mapping[str, tuple[str, str]]

_BY_SIGN: Phrases = {
    "meaning": ("close in meaning", "about something else"),
    "neighbours": ("beside messages that fit", "beside messages about something else"),
    "recency": ("{ago}", "{ago}"),
    "links": ("in the same thread", "not in the thread of the message"),
}
"""By the sign of the effect: what raises the score, what lowers it."""

_BY_FEATURE: Phrases = {
    "same_speaker": ("from the same speaker", "from another speaker"),
    "last_of_speaker": ("the newest from {speaker}", "not the newest from {speaker}"),
    "own_last": ("the message before from {speaker}", "not the sender's last message"),
    "names_speaker": ("the message names {speaker}", "the message does not name {speaker}"),
    "named_by_turn": ("it names who sends the message", "it does not name who sends the message"),
    "names_other": ("the message names others", "the message names nobody else"),
    "turn_names_other": ("it names somebody else", "it names nobody else"),
    "same_named": ("it names the same person", "it does not name the same person"),
    "last_named": ("the newest from {speaker}, whom the message names", ""),
    "last_naming": ("the newest that names who sends the message", ""),
    "first_turn": ("the first message", ""),
    "begun_since": ("another subject began since", "no other subject began since"),
    "turn_question": ("a question", "not a question"),
    "turn_assistant": ("an answer", "not an answer"),
    "turn_length": ("long", "short"),
    "turn_code": ("has code or a link", "has no code"),
    "turn_mass": ("has many rare words", "has few rare words"),
    "turn_needs": ("refers to earlier messages", "understood without earlier messages"),
    "turn_instruction": ("states a lasting wish", "states no lasting wish"),
}
"""By whether the feature of the turn is higher or lower than in the other turns; empty ones are not said."""


@dataclass(frozen=True, eq=False)
class GateReasons:
    """The reasons of one message's turns, each made when it is read."""

    effects: Effects
    kept: NDArray[np.bool_]  # (n,) by the rule
    turns: Sequence[Turn]  # (n,)
    whose: str  # whose words the message has: "your"

    def of(self, row: int) -> Reason:
        """Return the reason of a turn; links name rows."""
        kept = bool(self.kept[row])
        sign = 1 if kept else -1
        clauses: list[Reason] = []
        for kind in self._kinds(row, sign, MIN_EFFECT):
            if clause := self._clause(kind, row, sign):
                clauses.append(clause)
            if len(clauses) == 2:
                break
        against = (self._clause(kind, row, -sign) for kind in self._kinds(row, -sign, _MIN_AGAINST))
        other = next((clause for clause in against if clause), None)
        lead = []
        if not clauses:
            lead = ["to be safe" if kept else "little speaks for it"]
        elif kept and self.effects.scores.scores[row] < _UNLIKELY:
            lead = ["to be safe"]
        said = [*clauses, *([other] if other else [])]
        texts = [*lead, *(clause.text for clause in clauses)]
        text = "; ".join([*texts, *([f"but {other.text}"] if other else [])])
        return Reason(
            f"{text}.",
            tuple(turn for clause in said for turn in clause.turns),
            tuple(place for clause in said for place in clause.words),
        )

    def _kinds(self, row: int, sign: int, min_effect: float) -> list[str]:
        """Return the kinds with such an effect on the turn's logit, the strongest first."""
        effects = {kind: sign * float(effect[row]) for kind, effect in self.effects.by_kind.items()}
        return sorted(
            (
                kind
                for kind, effect in effects.items()
                if effect >= min_effect and sign * float(self._parts[kind][row]) > 0
            ),
            key=lambda kind: -effects[kind],
        )

    @cached_property
    def _parts(self) -> Mapping[str, NDArray[np.float64]]:
        parts = {kind: self.effects.part(kind) for kind in self.effects.by_kind}
        return {kind: part for kind, part in parts.items() if part is not None}

    def _clause(self, kind: str, row: int, sign: int) -> Reason | None:
        """Return what is said of a kind of parts; None when nothing true can be."""
        if kind == "words":
            return self._words(row, sign)
        if kind == "links":
            return self._link(row, sign)
        differences = self.effects.differences(kind, row)
        strongest = next((each for each in differences if sign * each.effect > 0), None)
        if strongest is None and differences:
            return None
        phrase = ""
        if strongest is not None and strongest.feature in _BY_FEATURE:
            phrase = _BY_FEATURE[strongest.feature][0 if strongest.is_higher else 1]
        elif kind in _BY_SIGN:
            is_expected = kind == "recency" or strongest is None or strongest.is_higher == (sign > 0)
            phrase = _BY_SIGN[kind][0 if sign > 0 else 1] if is_expected else ""
        if not phrase:
            return None
        return Reason(phrase.format(ago=self._ago(row, sign), speaker=self._speaker(row)))

    def _words(self, row: int, sign: int) -> Reason | None:
        effects, shared = self.effects, self.effects.shared_stems(row)
        if sign < 0:
            if not effects.stems:
                return None
            return Reason(f"{'few' if shared else 'none'} of {self.whose} words")
        text = self.turns[row].scored_text
        named = shared[:_MAX_STEMS]
        places = find_stems(text, named, max_words=_MAX_WORDS)
        quotes: dict[str, str] = {}
        for start, stop in places:
            quotes.setdefault(text[start:stop].casefold(), text[start:stop])
        quotes = dict(list(quotes.items())[:_MAX_QUOTES])
        if not quotes:
            return None
        quoted = ", ".join(f"“{isolate(truncate(quote, _MAX_QUOTE))}”" for quote in quotes.values())
        words = [place for place in places if text[slice(*place)].casefold() in quotes]
        return Reason(f"{self.whose} {'words' if len(quotes) > 1 else 'word'} {quoted}", words=tuple(words))

    def _link(self, row: int, sign: int) -> Reason:
        link, generic = (
            self.effects.strongest_link(row, sign),
            Reason(_BY_SIGN["links"][0 if sign > 0 else 1]),
        )
        if link is None or sign * link.effect < _MIN_LINK:
            return generic
        if sign < 0 and self.kept[link.other]:
            return generic
        later, earlier = (self.turns[each] for each in (max(row, link.other), min(row, link.other)))
        is_answer = later.role == "assistant" != earlier.role
        verb = "answers" if is_answer else "continues"
        dropped = "" if sign > 0 else ", dropped too"
        if link.other < row:
            return Reason(f"it {verb} message {{}}{dropped}", turns=(link.other,))
        return Reason(f"message {{}} {verb} it{dropped}", turns=(link.other,))

    def _ago(self, row: int, sign: int) -> str:
        ago = len(self.kept) - row
        if ago > 2 or sign < 0:
            return f"{ago} messages back" if ago > 1 else "the message just before"
        names_nothing = self.effects.mass < _FEW_RARE
        return f"last exchange{'; the message names no subject of its own' * names_nothing}"

    def _speaker(self, row: int) -> str:
        turn = self.turns[row]
        name = isolate(truncate(turn.name, _MAX_QUOTE)) if turn.name else f"the {turn.role}"
        return name.replace("{", "{{").replace("}", "}}")  # a reason is a template


def whose_words(current: CurrentMessage) -> str:
    """Return whose words those of a message are, in front of them."""
    return "your" if current.turn.role == "user" and not current.turn.name else "the message's"
