"""Why a turn was kept or dropped, in words: the kinds of parts that changed its score most.

A reason names the two kinds that speak most for the decision, and the one that speaks most against it, each
by what is true of the turn. A kind is named only if its effect (`convgate.gate.effects`) and its parts in the
waterfall have the same sign, and only if a person can follow it: who speaks and how long a turn is are not
named. How far back a turn is is said only where that is the strongest part and no turn farther off is decided
otherwise; a turn near, only with what of it is near the message. Where no more is known, the reason says that
no link was found, or a weak one, with what the turn is about; of what is kept in case also how likely it is
to be needed, and its tokens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import CurrentMessage, Turn
from convgate.core.decisions import IN_CASE, LIKELY, Reason, say_likely
from convgate.core.text import pluralize
from convgate.gate.columns import is_rare
from convgate.gate.effects import KINDS, MIN_SHARE, Difference, Effects
from convgate.gate.quotes import as_text, quote_words
from convgate.gate.subjects import Subject, Subjects, names_subject

MIN_EFFECT = 0.15  # on the logit; less is not named
_MIN_OPPOSING = 0.4  # the same of what speaks against the decision
_MIN_LINK = 0.1  # the effect on the logit of a link that is named
_UNLIKELY = 0.1  # a turn with a lower score has hardly anything that speaks for it
_WEAK = 0.03  # the score from which a link is weak; below it there is hardly any
_ELSEWHERE_SCORE, _ELSEWHERE_EFFECT = 0.03, -1.0  # of turns said to have another subject: one of 40 is needed
_MAX_NEAR, _MAX_ONLY = 4, 6  # messages from a turn to one that is near it; back to one that is “only” so far
_MIN_RUN = 2  # turns after the first one of a run that is named
_FEW_RARE = 5.0  # weight of all stems; a rare one has about 4
_RARE = 0.7  # of the weight of the rarest shared stem; more frequent ones are not quoted
_SURE = 1.0  # log odds from which a cue is said of a text

_CLOSE, _NOT_CLOSE, _ELSEWHERE = "close in meaning", "not close in meaning", "another subject"

_BY_FEATURE: Mapping[str, tuple[str, str]] = {
    "same_speaker": ("also from {speaker}", ""),
    "last_of_speaker": ("the newest from {speaker}", ""),
    "own_last": ("the newest from {speaker}", ""),
    "names_speaker": ("the message names {speaker}", ""),
    "named_by_turn": ("it names {writer}, who wrote the message", ""),
    "names_other": ("the message names somebody else", ""),
    "turn_names_other": ("it names somebody else", ""),
    "same_named": ("both name the same person", ""),
    "last_named": ("the newest from {speaker}, whom the message names", ""),
    "last_naming": ("the newest that names {writer}, who wrote the message", ""),
    "turn_instruction": ("it may state a lasting wish", ""),
}
"""By whether the feature of the turn is higher or lower than in the others; empty ones are not said."""
_LAST = ("neighbours", "speaker")  # kinds that are named only where no other is


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
    current: CurrentMessage
    tokens: NDArray[np.int64] | None = None  # (n,) where the rule reads them

    def of(self, row: int) -> Reason:
        """Return the reason of a turn; links name rows."""
        clauses, kept = self.clauses(row), bool(self.kept[row])
        raising, lowering = ([clause.said for clause in clauses if clause.sign == sign] for sign in (1, -1))
        if not kept and (subject := self._elsewhere(row)):
            generic = [place for place, said in enumerate(lowering) if said.text == _ELSEWHERE]
            start, stop = (generic[0], generic[0] + 1) if generic else (1, 1)
            lowering[start:stop] = [subject]
        texts, opposing = (raising, lowering) if kept else (lowering, raising)
        texts.sort(key=_is_distance)
        if any(_CLOSE in said.text for said in texts):
            opposing = [said for said in opposing if _CLOSE not in said.text]
        is_in_case, is_unsaid = self._is_in_case(row), all(map(_is_distance, texts))
        if is_in_case or is_unsaid:
            texts.insert(len(texts) if kept else 0, self._likelihood(row))
        if is_in_case and is_unsaid if kept else self._elsewhere(row) is None:
            has_link = not kept and (bool(opposing) or self.effects.scores.scores[row] >= LIKELY)
            is_unlike = any(each.text == _NOT_CLOSE for each in texts)
            texts = [each for each in texts if each.text != _NOT_CLOSE]
            texts[:0] = self._weak_link(row, _NOT_CLOSE if is_unlike else "" if has_link else None)
        said = [*texts, *opposing]
        parts = [each.text for each in said]
        if opposing:
            parts[-len(opposing)] = f"but {parts[-len(opposing)]}"
        return Reason(
            f"{'; '.join(parts)}.",
            tuple(turn for each in said for turn in each.turns),
            tuple(place for each in said for place in each.words),
        )

    def clauses(self, row: int) -> list[Clause]:
        """Return what the reason of a turn says: what speaks for the decision, then what against it."""
        sign = 1 if self.kept[row] else -1
        if sign > 0 and not self._is_likely(row):
            return [] if self._names_nothing else self._clauses(row, 1, 1, _MIN_OPPOSING)
        clauses = self._clauses(row, sign, 2, MIN_EFFECT) or self._clauses(row, sign, 1, 0.0)
        opposing = self._clauses(row, -sign, 1, _MIN_OPPOSING)
        said = {clause.said.text for clause in clauses}
        opposing = [clause for clause in opposing if clause.said.text not in said]
        return clauses + [clause for clause in opposing if not _is_distance(clause.said)]

    def _weak_link(self, row: int, link: str | None) -> list[Reason]:
        """Return how little links a turn to the message, and what the turn is about where words say it.

        link: what is said of the link, in place of how strong it is.
        """
        score, named = self.effects.scores.scores[row], self._named(row)
        if named is None:
            return [Reason(said)] if (said := "no link found" if link is None else link) else []
        link = ("weak link" if score >= _WEAK else "hardly any link") if link is None else link
        text = f"it is about {named[0]}{', like message {}' * len(named[1])}"
        return [Reason(f"{link} ({text})" if link else text, named[1])]

    def _likelihood(self, row: int) -> Reason:
        """Return how likely a turn is to be needed, and why it was decided so all the same."""
        text = say_likely(score := float(self.effects.scores.scores[row]))
        tokens = 0 if self.tokens is None else int(self.tokens[row])
        lowest_kept, highest_dropped, usual_tokens = self._extremes
        if self._is_in_case(row):
            only = "only " if tokens <= usual_tokens and score < highest_dropped else ""
            cost = f", {only}{pluralize(tokens, 'token')}" if tokens else ""
            return Reason(f"sent {IN_CASE}: {text}{cost}")
        if self.kept[row]:
            return self._unsigned(row, text)
        is_long = bool(tokens > usual_tokens and score > lowest_kept)
        only = "only " if score < _UNLIKELY else ""
        return Reason(f"{only}{text}{f', too little for {tokens:,} tokens' * is_long}")

    @cached_property
    def _extremes(self) -> tuple[float, float, float]:
        """The lowest score of a kept turn, the highest of a dropped one, and the median of the tokens."""
        scores, usual = self.effects.scores.scores, 0.0 if self.tokens is None else np.median(self.tokens)
        return scores[self.kept].min(initial=1.0), scores[~self.kept].max(initial=0.0), float(usual)

    def _unsigned(self, row: int, likely: str) -> Reason:
        """Return that nothing in a kept turn stands out, and that the turns around it raise it if they do."""
        effects = (self.effects.by_kind(1), self._parts)
        if min(each.get("links", np.zeros(row + 1))[row] for each in effects) < MIN_EFFECT:
            return Reason(f"no strong link found; {likely}, by many weak ones together")
        said = f"no link of its own found; {likely}, by the turns around it"
        link = self.effects.strongest_link(row, 1)
        if (
            link
            and link.effect >= _MIN_LINK
            and self.kept[link.other]
            and (which := self._has(link.other, row))
        ):
            return Reason(f"{said}, most by message {{}}, which {which}", (link.other,))
        return Reason(said)

    def _is_in_case(self, row: int) -> bool:
        return bool(self.kept[row] and self.effects.scores.scores[row] < LIKELY)

    @cached_property
    def _elsewhere(self) -> Callable[[int], Reason | None]:
        return cache(lambda row: self._subject(row) if self._has_another_subject(row) else None)

    def _has_another_subject(self, row: int) -> bool:
        """Whether the message names a subject, and neither the words nor the meaning of a turn are of it.

        The turn and all that is linked to it must be unlikely, and the turn very much so, or very unlike.
        """
        facts = self.effects.message.facts
        if facts is None or not names_subject(facts.stems) or self._is_mentioned(row):
            return False
        if any(map(self._is_likely, (row, *self.effects.linked(row)))) or self._parts["content"][row] >= 0:
            return False
        raises, lowers = (self.effects.by_kind(sign)["content"][row] for sign in (1, -1))
        is_very = self.effects.scores.scores[row] < _ELSEWHERE_SCORE or lowers < _ELSEWHERE_EFFECT
        return bool(is_very and raises < MIN_EFFECT)

    def _is_likely(self, row: int) -> bool:
        return bool(self.effects.scores.scores[row] >= _UNLIKELY)

    @cached_property
    def _names_nothing(self) -> bool:
        rare = (stem for stem in self.effects.stems if stem.isalpha() and is_rare(stem))
        return self.effects.mass < _FEW_RARE and next(rare, None) is None

    def _clauses(self, row: int, sign: int, limit: int, min_effect: float) -> list[Clause]:
        """Return at most `limit` clauses on what raises the score (sign 1) or lowers it, strongest first."""
        effects = {kind: sign * float(effect[row]) for kind, effect in self.effects.by_kind(sign).items()}
        clauses: dict[str, Clause] = {}
        for kind in sorted(effects, key=lambda kind: (kind in _LAST, -effects[kind])):
            if len(clauses) == limit or (kind in _LAST and (clauses or min_effect != MIN_EFFECT)):
                break
            if effects[kind] < min_effect or sign * self._parts[kind][row] <= 0:
                continue
            said = self._clause(kind, row, sign)
            if said and not (clauses and _is_distance(said)):
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
        if kind == "content" and sign > 0 and (quoted := self._quote(row)):
            return quoted
        differences = self.effects.differences(kind, row, sign)
        if kind == "content":
            return self._content(row, sign, differences)
        if kind == "recency":
            return self._recency(row, sign, differences)
        if kind == "neighbours":
            return self._neighbours(row) if sign > 0 else None
        phrase = ""
        for difference in differences:
            if phrase or sign * difference.effect < sign * differences[0].effect / 2:
                break
            if sign > 0 or difference.feature != "turn_instruction":  # against a turn, it would be misread
                phrase = _phrase(difference, is_named=self.turns[row].name is not None)
        names = {"speaker": self._speaker(row), "writer": as_text(self.current.turn.speaker)}
        return Reason(phrase.format(**names)) if phrase else None

    def _content(self, row: int, sign: int, differences: Sequence[Difference]) -> Reason | None:
        """Return whether a turn is close in meaning, or has another subject."""
        parts = self.effects.scores.parts
        meaning = next((each for each in differences if each.part != "words"), None)
        is_so = sum(sign * float(parts[name][row]) for name in ("meaning", "passages") if name in parts) > 0
        is_so = meaning is None or (is_so and meaning.is_higher == (sign > 0))
        if sign < 0 and self._elsewhere(row):
            return Reason(_ELSEWHERE)
        if not is_so or (sign < 0 and self._names_nothing):
            return None
        return Reason(_CLOSE if sign > 0 else _NOT_CLOSE)

    def _quote(self, row: int) -> Reason | None:
        """Return the words that a turn shares with the message, where they raise its score."""
        effects, shared = self.effects, self.effects.shared_stems(row)
        if not shared or effects.scores.parts["words"][row] <= 0 or self._parts["content"][row] <= 0:
            return None
        rare = [stem for stem in shared if effects.stems[stem] >= _RARE * effects.stems[shared[0]]]
        return quote_words(self.turns[row].scored_text, rare, self.current)

    def _subject(self, row: int) -> Reason | None:
        """Return which subject other than the message a turn has, and where; None where no words say it."""
        if (named := self._named(row)) is None:
            return None
        about, near, subject = named
        is_run = subject.last - subject.first >= _MIN_RUN
        text = _ELSEWHERE if self.effects.has_begun(row) else "about something else"
        text += f"{', like message {}' * len(near)} ({about}{', messages {}–{}' * is_run})"
        return Reason(text, turns=(*near, *(subject.first, subject.last) * is_run))

    def _named(self, row: int) -> tuple[str, tuple[int, ...], Subject] | None:
        """Return words that say what a turn is about, and the turn that has them if it is another one."""
        facts = self.effects.message.facts
        if self._subjects is None or facts is None:
            return None
        subject = self._subjects.of(row, facts.stems)
        named = self._subjects.words(subject)
        near = () if subject.turn == row else (subject.turn,)
        return (as_text(", ".join(named)), near, subject) if named else None

    @cached_property
    def _subjects(self) -> Subjects | None:
        facts = self.effects.facts
        return None if facts is None else Subjects(self.turns, facts)

    def _is_mentioned(self, row: int) -> bool:
        return any(stem.isalpha() and is_rare(stem) for stem in self.effects.shared_stems(row))

    def _link(self, row: int, sign: int) -> Reason | None:
        """Return which turn near one changes its score, and why; None where nothing certain can be said."""
        link = self.effects.strongest_link(row, sign)
        if self._elsewhere(row):
            return Reason(_ELSEWHERE) if sign < 0 else None
        if link is None or sign * link.effect < _MIN_LINK or link.share < MIN_SHARE:
            return None
        other = link.other
        if self.turns[other].is_instruction or (sign > 0) != self.kept[other]:
            return None
        early, late = min(row, other), max(row, other)
        between = {turn.role for turn in self.turns[early:late]}
        if self.turns[late].role == "assistant" and "assistant" not in between:
            which = self._has(other, row) if sign > 0 else "is unlikely to be needed"
            if not which or (sign < 0 and self._is_likely(other)):
                return None
            said = f"it answers message {{}}, which {which}"
            return Reason(said if other == early else f"its answer, message {{}}, {which}", (other,))
        which = self._has(other, row) if sign > 0 and late - early <= _MAX_NEAR else ""
        return Reason(f"near message {{}}, which {which}", turns=(other,)) if which else None

    def _neighbours(self, row: int) -> Reason | None:
        """Return next to which kept turn one is; None without any."""
        near = [
            turn for turn in (row - 2, row - 1, row + 1) if 0 <= turn < len(self.kept) and self.kept[turn]
        ]
        best = max(near, key=lambda turn: float(self._parts["content"][turn]), default=None)
        if best is None or not (which := self._has(best, row)):
            return None
        return Reason(f"near message {{}}, which {which}", turns=(best,))

    def _has(self, other: int, row: int) -> str:
        """Return why another turn raises the score of one; empty where its own reason is only other turns."""
        scores, raises = self.effects.scores.scores, self.effects.by_kind(1)["content"]
        if self.turns[other].is_instruction:
            return ""
        if raises[other] >= MIN_EFFECT:
            if quoted := self._quote(other):
                if not self._quote(row):
                    return f"has {quoted.text}"
            elif raises[row] < MIN_EFFECT and self._content(
                other, 1, self.effects.differences("content", other, 1)
            ):
                return f"is {_CLOSE}"
        is_needed = scores[other] >= max(LIKELY, scores[row]) and self._has_reason(other)
        return "is likely needed itself" if is_needed else ""

    def _has_reason(self, row: int) -> bool:
        """Whether anything but other turns speaks for a turn."""
        effects = self.effects.by_kind(1)
        own = (kind for kind, part in self._parts.items() if min(effects[kind][row], part[row]) >= MIN_EFFECT)
        return any(self._clause(kind, row, 1) for kind in own if kind not in ("links", "neighbours"))

    def _recency(self, row: int, sign: int, differences: Sequence[Difference]) -> Reason | None:
        ago, strongest = len(self.kept) - row, next(iter(differences), None)
        if strongest is not None and strongest.feature == "first_turn" and row == 0:
            return Reason("the first message")
        if sign < 0:
            if strongest is not None and strongest.feature == "begun_since" and strongest.value >= _SURE:
                return Reason("a new subject began since")
            return Reason(f"{ago} messages back") if ago > 2 and not self.kept[:row].any() else None
        if ago > 2:
            is_near = ago <= min(_MAX_ONLY, len(self.kept) / 2) and self.kept[row:].all()
            return Reason(f"only {ago} messages back") if is_near else None
        return Reason("last exchange")

    def _speaker(self, row: int) -> str:
        turn = self.turns[row]
        return as_text(turn.name) if turn.name else f"the {turn.role}"


def _is_distance(said: Reason) -> bool:
    return said.text.endswith(" messages back")


def _phrase(difference: Difference, *, is_named: bool) -> str:
    """Return what is said of a feature; empty where that would not be true, or says nothing.

    is_named: whether the speaker has a name. Roles say nothing, and people in a chat state no wishes to it.
    """
    if difference.feature == "turn_instruction" and (is_named or difference.value < _SURE):
        return ""
    if difference.part == "speaker" and not is_named:
        return ""
    return _BY_FEATURE.get(difference.feature, ("", ""))[not difference.is_higher]
