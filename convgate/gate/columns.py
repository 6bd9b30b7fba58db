"""The facts of a conversation's turns as columns that grow turn by turn."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sparse
from numpy.typing import NDArray

from convgate.gate.facts import TurnFacts
from convgate.gate.words import inverse_frequency, stems

NAMED = 4  # speakers that one turn can name; further ones are left aside
NOBODY = -1
NEVER = 2**31 - 1  # an index that no turn has
_SATURATION, _LENGTH_WEIGHT, _USUAL_LENGTH = 1.5, 0.75, 15.0  # BM25's k1 and b, and the words of a usual turn

Floats = NDArray[np.float32]
Integers = NDArray[np.int32]


class Growing:
    """An array that rows are appended to; views of its first rows stay what they are."""

    def __init__(self, dtype: Any, *width: int) -> None:
        self._data = np.zeros((64, *width), dtype=dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def extend(self, rows: Any) -> None:
        """Append (m, *width) rows."""
        rows = np.asarray(rows, dtype=self._data.dtype)
        need = self._size + len(rows)
        if need > len(self._data):
            bigger = np.zeros((max(need, 2 * len(self._data)), *self._data.shape[1:]), dtype=self._data.dtype)
            bigger[: self._size] = self._data[: self._size]
            self._data = bigger
        self._data[self._size : need] = rows
        self._size = need

    def first(self, n: int) -> NDArray[Any]:
        """A view of the first n rows."""
        return self._data[:n]


@dataclass(frozen=True, eq=False, slots=True)
class Present:
    """The facts of m messages as their history has to be seen from: each (m,) unless said otherwise."""

    index: Integers  # how many turns are before it
    speaker: Integers  # id, or NOBODY when they have not spoken before
    names: Integers  # (m, NAMED) ids of the speakers that it names and that have spoken before, or NOBODY
    mass: Floats  # what its stems weigh
    minutes: NDArray[np.float64]
    form: Floats  # (m, 7) question, assistant, length, code, pointing, comparing, typed


class Columns:
    """Facts of the turns so far, oldest first, as arrays with one row a turn.

    What is known at turn j depends on turns up to j alone, so a conversation that grows keeps its rows; the
    columns `next_*` name later turns, and readers compare them with the turn they stand at.
    """

    def __init__(self, facts: Iterable[TurnFacts] = ()) -> None:
        self.facts: list[TurnFacts] = []
        self.speaker, self.next_turn = Growing(np.int32), Growing(np.int32)
        self.names, self.next_naming = Growing(np.int32, NAMED), Growing(np.int32, NAMED)
        self.first_turn = Growing(np.int32)  # one row a speaker
        self.mass, self.minutes, self.form = Growing(np.float32), Growing(np.float64), Growing(np.float32, 7)
        self.first_entry = Growing(np.int64)  # of each turn in the columns below, which have a row a stem
        self.stem, self.weight, self.count = Growing(np.int32), Growing(np.float32), Growing(np.float32)
        self._speakers: dict[str, int] = {}
        self._stems: dict[str, int] = {}
        self._turns_with: list[list[int]] = []  # by stem
        self._last_turn: list[int] = []  # by speaker
        self._last_naming: dict[int, tuple[int, int]] = {}  # by speaker: turn and place among its names
        self._addressed: dict[str, int] = {}  # speaker by the token that others call them
        self._name_stems: set[str] = set()  # which say who is spoken to, not what about
        self.first_entry.extend([0])
        for fact in facts:
            self.append(fact)

    def __len__(self) -> int:
        return len(self.facts)

    def append(self, fact: TurnFacts) -> None:
        """One more turn."""
        turn = len(self.facts)
        self.facts.append(fact)
        speaker = self._speakers.get(fact.speaker)
        if speaker is None:
            speaker = self._new_speaker(fact, turn)
        else:
            self.next_turn.first(turn)[self._last_turn[speaker]] = turn
            self._last_turn[speaker] = turn
        self.speaker.extend([speaker])
        self.next_turn.extend([NEVER])
        named = self._named(fact, speaker)
        self.names.extend([named + [NOBODY] * (NAMED - len(named))])
        self.next_naming.extend([[NEVER] * NAMED])
        for place, other in enumerate(named):
            self._note_naming(other, turn, place)
        ids, weights = self._weighed(fact, turn)
        for stem in ids:
            self._turns_with[stem].append(turn)
        counts = np.fromiter(fact.stems.values(), dtype=np.float32, count=len(ids))
        length = _LENGTH_WEIGHT * counts.sum() / _USUAL_LENGTH + 1 - _LENGTH_WEIGHT
        self.stem.extend(ids)
        self.weight.extend(weights)
        self.count.extend(counts * (_SATURATION + 1) / (counts + _SATURATION * length))
        self.first_entry.extend([len(self.stem)])
        self.mass.extend([sum(weights)])
        self.minutes.extend([fact.minutes])
        self.form.extend([_form(fact)])

    def rows(self, start: int, stop: int) -> Present:
        """The turns start…stop − 1 as messages."""
        names = self.names.first(stop)[start:]
        index = np.arange(start, stop, dtype=np.int32)
        known = (names != NOBODY) & (self._first_turns(names) < index[:, None])
        speaker = self.speaker.first(stop)[start:]
        return Present(
            index=index,
            speaker=np.where(self._first_turns(speaker) < index, speaker, NOBODY),
            names=np.where(known, names, NOBODY),
            mass=self.mass.first(stop)[start:],
            minutes=self.minutes.first(stop)[start:],
            form=self.form.first(stop)[start:],
        )

    def message(self, fact: TurnFacts, n: int) -> tuple[Present, Integers, Floats]:
        """A message after the first n turns, the ids of its stems that are known, and their weights."""
        speaker = self._speakers.get(fact.speaker, NOBODY)
        if speaker != NOBODY and self.first_turn.first(speaker + 1)[speaker] >= n:
            speaker = NOBODY
        named = [other for other in self._named(fact, speaker) if self._first_turns(np.array([other]))[0] < n]
        ids, weights, mass = [], [], 0.0
        for stem in fact.stems:
            if stem in self._name_stems:
                continue
            known = self._stems.get(stem)
            found = 0 if known is None else bisect_left(self._turns_with[known], n)
            weight = inverse_frequency(stem, found + 1, n + 1)
            mass += weight
            if found:
                ids.append(known)
                weights.append(weight)
        present = Present(
            index=np.array([n], dtype=np.int32),
            speaker=np.array([speaker], dtype=np.int32),
            names=np.array([named + [NOBODY] * (NAMED - len(named))], dtype=np.int32),
            mass=np.array([mass], dtype=np.float32),
            minutes=np.array([fact.minutes]),
            form=np.array([_form(fact)], dtype=np.float32),
        )
        return present, np.array(ids, dtype=np.int32), np.array(weights, dtype=np.float32)

    def shared(self, start: int, stop: int, ids: Integers, weights: Floats) -> tuple[Floats, Floats]:
        """BM25 and plain weight of the stems that turns start…stop − 1 share with a message: each (m,)."""
        query = np.zeros(max(1, len(self._stems)), dtype=np.float32)
        query[ids] = weights
        counted, present = self._matrix(start, stop)
        return counted @ query, present @ query

    def shared_rows(self, start: int, stop: int, oldest: int) -> tuple[Floats, Floats]:
        """The same for each of the turns start…stop − 1 as message, with turns oldest…stop − 1: (m, k)."""
        entries = self.first_entry.first(stop + 1)
        low, high = int(entries[start]), int(entries[stop])
        queries = sparse.csr_matrix(
            (self.weight.first(high)[low:], self.stem.first(high)[low:], entries[start:] - low),
            shape=(stop - start, max(1, len(self._stems))),
        )
        counted, present = self._matrix(oldest, stop)
        return (queries @ counted.T).toarray(), (queries @ present.T).toarray()

    def _matrix(self, start: int, stop: int) -> tuple[sparse.csr_matrix, sparse.csr_matrix]:
        entries = self.first_entry.first(stop + 1)
        low, high = int(entries[start]), int(entries[stop])
        shape = (stop - start, max(1, len(self._stems)))
        columns, pointers = self.stem.first(high)[low:], entries[start:] - low
        ones = np.ones(high - low, dtype=np.float32)
        return (
            sparse.csr_matrix((self.count.first(high)[low:], columns, pointers), shape=shape),
            sparse.csr_matrix((ones, columns, pointers), shape=shape),
        )

    def _first_turns(self, speakers: NDArray[Any]) -> Integers:
        first: Integers = self.first_turn.first(len(self._last_turn))[np.maximum(speakers, 0)]
        return first

    def _new_speaker(self, fact: TurnFacts, turn: int) -> int:
        speaker = self._speakers[fact.speaker] = len(self._speakers)
        self._last_turn.append(turn)
        self.first_turn.extend([turn])
        if fact.named and fact.speaker:
            token = fact.speaker.split()[0]
            self._name_stems.update(stems(fact.speaker))
            if self._addressed.setdefault(token, speaker) == speaker:
                for earlier in range(turn):  # who named them before they spoke
                    if token in self.facts[earlier].tokens and self.speaker.first(turn)[earlier] != speaker:
                        self._add_name(earlier, speaker)
        return speaker

    def _add_name(self, turn: int, speaker: int) -> None:
        names = self.names.first(turn + 1)[turn]
        free = np.flatnonzero(names == NOBODY)
        if len(free):
            names[free[0]] = speaker
            self._note_naming(speaker, turn, int(free[0]))

    def _note_naming(self, speaker: int, turn: int, place: int) -> None:
        if before := self._last_naming.get(speaker):
            self.next_naming.first(turn)[before] = turn
        self._last_naming[speaker] = (turn, place)

    def _named(self, fact: TurnFacts, speaker: int) -> list[int]:
        if len(fact.tokens) < len(self._addressed):
            found = {self._addressed[token] for token in fact.tokens if token in self._addressed}
        else:
            found = {other for token, other in self._addressed.items() if token in fact.tokens}
        return sorted(found - {speaker})[:NAMED]

    def _weighed(self, fact: TurnFacts, turn: int) -> tuple[list[int], list[float]]:
        ids, weights = [], []
        for stem in fact.stems:
            known = self._stems.get(stem)
            if known is None:
                known = self._stems[stem] = len(self._stems)
                self._turns_with.append([])
            ids.append(known)
            found = len(self._turns_with[known])
            weights.append(0.0 if stem in self._name_stems else inverse_frequency(stem, found + 1, turn + 1))
        return ids, weights


def _form(fact: TurnFacts) -> list[float]:
    return [
        fact.question,
        fact.assistant,
        fact.length,
        fact.code,
        fact.pointing,
        fact.comparing,
        fact.typed,
    ]
