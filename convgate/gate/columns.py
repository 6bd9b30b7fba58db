"""The facts of a conversation's turns as columns that grow turn by turn."""

from __future__ import annotations

import json
import math
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from convgate.gate.arrays import Floats, Integers
from convgate.gate.facts import Cues, TurnFacts
from convgate.text.words import stems, words

_MAX_SHARE = 0.02  # of turns; a more frequent stem says nothing about a topic
_UNSEEN_SHARE = 1e-4  # of a stem that is not in the table
_PRIOR_TURNS = 100  # the weight of the table

NAMED = 4  # max number of speakers that a turn names
NOBODY = -1  # pads the names of a turn that names fewer
STRANGER = -2  # a speaker without an earlier turn
NEVER = 2**31 - 1  # the index of a turn that does not exist
FORM = (*("question", "assistant", "length", "code", "typed"), *Cues._fields)
_FORM_OF_FACTS = FORM[: -len(Cues._fields)]
_SATURATION, _LENGTH_WEIGHT, _USUAL_LENGTH = 1.5, 0.75, 15.0  # BM25's k1 and b, and the mean words of a turn


@cache
def common_stems() -> dict[str, float]:
    """Return for each stem its share of the turns, 0…1, in the conversations that the gate was trained on."""
    table = resources.files("convgate.gate").joinpath("common_stems.json")
    shares: dict[str, float] = json.loads(table.read_text(encoding="utf-8"))
    return shares


def inverse_frequency(stem: str, matches: int, turns: int) -> float:
    """Return the weight of a stem, 0 or more, when `matches` of `turns` turns have it.

    ln(1 + (N − n + ½)/(n + ½)) as in BM25, with the shares of `common_stems` as a prior of 100 turns; 0 for a
    stem in more than 2% of all turns.
    """
    share = common_stems().get(stem, _UNSEEN_SHARE)
    if share > _MAX_SHARE:
        return 0.0
    n, total = matches + _PRIOR_TURNS * share, turns + _PRIOR_TURNS
    return math.log1p((total - n + 0.5) / (n + 0.5))


def is_rare(stem: str, max_share: float = 0.006) -> bool:
    """Return whether a stem is rare enough to be quoted: in at most that share of all turns."""
    return common_stems().get(stem, 0.0) <= max_share


def rarity(stem: str) -> float:
    """Return −ln of the share of all turns that have a stem; 9.2 for one that is not in the table."""
    return -math.log(common_stems().get(stem, _UNSEEN_SHARE))


class GrowableArray:
    """An array that rows are appended to; views of its first rows do not change.

    order: "C" keeps the numbers of a row together in memory, "F" those of a column.
    """

    def __init__(self, dtype: Any, *width: int, order: Literal["C", "F"] = "C", capacity: int = 64) -> None:
        self._order = order
        self._data = np.zeros((capacity, *width), dtype=dtype, order=order)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def append(self, row: Any) -> None:
        """Append one row: (*width), or one number for all of it."""
        self._reserve(self._size + 1)
        self._data[self._size] = row
        self._size += 1

    def extend(self, rows: Any) -> None:
        """Append (m, *width) rows."""
        size = self._size + len(rows)
        self._reserve(size)
        self._data[self._size : size] = rows
        self._size = size

    def first(self, n: int) -> NDArray[Any]:
        """Return a view of the first n rows."""
        return self._data[:n]

    def _reserve(self, size: int) -> None:
        if size > len(self._data):
            shape = (max(size, 2 * len(self._data)), *self._data.shape[1:])
            data = np.zeros(shape, dtype=self._data.dtype, order=self._order)
            data[: self._size] = self._data[: self._size]
            self._data = data


@dataclass(frozen=True, eq=False, slots=True)
class MessageFacts:
    """The facts of m messages for features with their earlier turns; each (m,) unless noted."""

    index: Integers  # how many turns are before it
    speaker: Integers  # id, or STRANGER
    names: Integers  # (m, NAMED) ids of earlier speakers whom it names, then STRANGER
    mass: Floats  # total weight of its stems
    new: Floats  # total weight of its stems that no earlier turn has
    form: Floats  # (m, len(FORM)) the numbers of FORM


class Columns:
    """Facts of the turns so far, oldest first, as arrays with one row a turn.

    Row j depends on turns up to j alone, except for the columns `next_*` and `naming_since`, which name later
    turns; readers compare them with their own turn. So one thread may append while others read first rows.
    """

    def __init__(self, facts: Iterable[TurnFacts] = ()) -> None:
        self.facts: list[TurnFacts] = []
        self.speaker, self.next_turn = GrowableArray(np.int32), GrowableArray(np.int32)
        self.names = GrowableArray(np.int32, NAMED, order="F")  # ids, the first to speak first, then NOBODY
        self.next_naming = GrowableArray(np.int32, NAMED, order="F")
        self.naming_since = GrowableArray(np.int32)  # the turn by which a speaker that it names has spoken
        self.first_turn = GrowableArray(np.int32)  # one row a speaker
        self.mass, self.new = GrowableArray(np.float32), GrowableArray(np.float32)
        self.form = GrowableArray(np.float32, len(FORM), order="F")
        self.first_entry = GrowableArray(np.int64)  # by turn, in the columns below (a row per stem)
        self.turn, self.stem = GrowableArray(np.int32), GrowableArray(np.int32)
        self.weight, self.count = GrowableArray(np.float32), GrowableArray(np.float32)
        self._speakers: dict[str, int] = {}
        self._stems: dict[str, int] = {}
        self._entries_with: list[array[int]] = []  # by stem
        self._last_turn: list[int] = []  # by speaker
        self._last_naming: dict[int, tuple[int, int]] = {}  # by speaker: turn and place among its names
        self._addressed: dict[str, int] = {}  # speaker by the token that others call them
        self._name_stems: dict[str, int] = {}  # by stem of a speaker's name: their first turn
        self.first_entry.append(0)
        for fact in facts:
            self.append(fact)

    def __len__(self) -> int:
        return len(self.facts)

    def append(self, fact: TurnFacts) -> None:
        """Append a turn."""
        turn = len(self.facts)
        self._add_words(fact, turn)
        self.facts.append(fact)
        speaker = self._speakers.get(fact.speaker)
        if speaker is None:
            speaker = self._add_speaker(fact, turn)
        else:
            self.next_turn.first(turn)[self._last_turn[speaker]] = turn
            self._last_turn[speaker] = turn
        self.speaker.append(speaker)
        self.next_turn.append(NEVER)
        named = self._find_named(fact, speaker)
        self.names.append(named + [NOBODY] * (NAMED - len(named)))
        self.next_naming.append(NEVER)
        self.naming_since.append(turn if named else NEVER)
        for place, other in enumerate(named):
            self._add_naming(other, turn, place)
        self.form.append(_form(fact))

    def rows(self, start: int, stop: int) -> MessageFacts:
        """Return the turns start…stop − 1 as messages."""
        names = self.names.first(stop)[start:]
        index = np.arange(start, stop, dtype=np.int32)
        known = (names != NOBODY) & (self._first_turns(names) < index[:, None])
        speaker = self.speaker.first(stop)[start:]
        return MessageFacts(
            index=index,
            speaker=np.where(self._first_turns(speaker) < index, speaker, STRANGER),
            names=np.where(known, names, STRANGER),
            mass=self.mass.first(stop)[start:],
            new=self.new.first(stop)[start:],
            form=self.form.first(stop)[start:],
        )

    def message(self, fact: TurnFacts, n: int) -> tuple[MessageFacts, list[int], list[float]]:
        """Return a message after the first n turns, then the ids and weights of its stems that earlier turns
        have."""
        speaker = self._speakers.get(fact.speaker, STRANGER)
        named = self._find_named(fact, speaker)
        first = self.first_turn.first(len(self.first_turn))
        if speaker != STRANGER and first[speaker] >= n:
            speaker = STRANGER
        named = [other for other in named if first[other] < n]
        ids, weights, mass = [], [], 0.0
        for _, id, weight in self._weigh(fact, n):
            mass += weight
            if id is not None and weight:
                ids.append(id)
                weights.append(weight)
        message = MessageFacts(
            index=np.array([n], dtype=np.int32),
            speaker=np.array([speaker], dtype=np.int32),
            names=np.array([named + [STRANGER] * (NAMED - len(named))], dtype=np.int32),
            mass=np.array([mass], dtype=np.float32),
            new=np.array([mass - sum(weights)], dtype=np.float32),
            form=np.array([_form(fact)], dtype=np.float32),
        )
        return message, ids, weights

    def weigh_stems(self, fact: TurnFacts, n: int) -> dict[str, float]:
        """Return the weights of the stems of a message that the first n turns have."""
        return {stem: weight for stem, id, weight in self._weigh(fact, n) if id is not None and weight}

    def _weigh(self, fact: TurnFacts, n: int) -> Iterator[tuple[str, int | None, float]]:
        """Yield each stem of a message after the first n turns, its id if they have it, and its weight."""
        end = int(self.first_entry.first(n + 1)[n])
        for stem in fact.stems:
            if self._name_stems.get(stem, NEVER) < n:
                continue
            id = self._stems.get(stem)
            count = 0 if id is None else bisect_left(self._entries_with[id], end)
            yield stem, id if count else None, inverse_frequency(stem, count + 1, n + 1)

    def match_stems(
        self, start: int, stop: int, ids: list[int], weights: list[float]
    ) -> tuple[Floats, Floats]:
        """Return BM25 and weight of the stems that turns start…stop − 1 share with a message, each (m,)."""
        low, high = self.first_entry.first(stop + 1)[[start, stop]].tolist()
        places, counts = array("q"), []
        for stem in ids:
            entries = self._entries_with[stem]
            inside = entries[bisect_left(entries, low) : bisect_left(entries, high)]
            places += inside
            counts.append(len(inside))
        rows = np.array(places)
        turns = self.turn.first(high)[rows] - start
        weight = np.repeat(np.array(weights, dtype=np.float32), counts)
        terms = (weight * self.count.first(high)[rows], weight)
        bm25, weight_sums = (
            np.bincount(turns, values, minlength=stop - start).astype(np.float32) for values in terms
        )
        return bm25, weight_sums

    def match_stems_of_rows(self, start: int, stop: int, width: int) -> NDArray[np.float32]:
        """Return the two of `match_stems`, (2, m, width), of turns start…stop − 1 as messages.

        width: the turns before each, newest last; 0 where there is none.
        """
        matches = np.zeros((2, stop - start, width), dtype=np.float32)
        entries = self.first_entry.first(stop + 1)[start:].tolist()
        for row, (first, high) in enumerate(pairwise(entries)):
            turn = start + row
            n_earlier = min(turn, width)
            own = [column.first(high)[first:] for column in (self.stem, self.weight)]
            ids, weights = (column[own[1] > 0].tolist() for column in own)
            matches[:, row, width - n_earlier :] = self.match_stems(turn - n_earlier, turn, ids, weights)
        return matches

    def _first_turns(self, speakers: NDArray[Any]) -> Integers:
        first: Integers = self.first_turn.first(len(self.first_turn))[np.maximum(speakers, 0)]
        return first

    def _add_speaker(self, fact: TurnFacts, turn: int) -> int:
        speaker = len(self._last_turn)
        self._last_turn.append(turn)
        self.first_turn.append(turn)
        if fact.named and (name := fact.speaker.split()):
            for stem in stems(words(fact.speaker)):
                self._name_stems.setdefault(stem, turn)
            if self._addressed.setdefault(name[0], speaker) == speaker:
                for earlier in self._turns_with(name[0], turn):  # they may name the speaker already
                    self._add_name(earlier, speaker)
        self._speakers[fact.speaker] = speaker
        return speaker

    def _turns_with(self, token: str, turn: int) -> list[int]:
        """Return the turns before `turn` that have the token."""
        turns = range(turn)
        if parts := stems(words(token)):
            entries = self._entries_with[self._stems[parts[0]]] if parts[0] in self._stems else []
            turns = self.turn.first(len(self.turn))[np.array(entries, dtype=np.int64)].tolist()
        return [earlier for earlier in turns if earlier < turn and token in self.facts[earlier].tokens]

    def _add_name(self, turn: int, speaker: int) -> None:
        names = self.names.first(turn + 1)[turn]
        places = np.flatnonzero(names == NOBODY)
        if len(places):
            names[places[0]] = speaker
            self._add_naming(speaker, turn, int(places[0]))
            since = self.naming_since.first(turn + 1)
            since[turn] = min(since[turn], self._last_turn[speaker])

    def _add_naming(self, speaker: int, turn: int, place: int) -> None:
        if previous := self._last_naming.get(speaker):
            self.next_naming.first(turn)[previous] = turn
        self._last_naming[speaker] = (turn, place)

    def _find_named(self, fact: TurnFacts, speaker: int) -> list[int]:
        named = {self._addressed[token] for token in self._addressed.keys() & fact.tokens}
        return sorted(named - {speaker})[:NAMED]

    def _add_words(self, fact: TurnFacts, turn: int) -> None:
        ids, weights, new = [], [], 0.0
        for stem in fact.stems:
            id = self._stems.setdefault(stem, len(self._entries_with))
            if id == len(self._entries_with):
                self._entries_with.append(array("q"))
            ids.append(id)
            count = len(self._entries_with[id])
            weights.append(0.0 if stem in self._name_stems else inverse_frequency(stem, count + 1, turn + 1))
            new += 0.0 if count else weights[-1]
        counts = np.fromiter(fact.stems.values(), dtype=np.float32, count=len(ids))
        length = _LENGTH_WEIGHT * counts.sum() / _USUAL_LENGTH + 1 - _LENGTH_WEIGHT
        for entry, id in enumerate(ids, len(self.stem)):
            self._entries_with[id].append(entry)
        self.turn.extend([turn] * len(ids))
        self.stem.extend(ids)
        self.weight.extend(weights)
        self.count.extend(counts * (_SATURATION + 1) / (counts + _SATURATION * length))
        self.first_entry.append(len(self.stem))
        self.mass.append(sum(weights))
        self.new.append(new)


def _form(fact: TurnFacts) -> list[float]:
    return [*(getattr(fact, name) for name in _FORM_OF_FACTS), *fact.cues]
