"""How long the server needs for a question and for an answer, measured on the real page without a browser."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from streamlit.testing.v1 import AppTest

from convgate.conversation import Conversation
from convgate.store import Answer, Conversations, Entry, Labels, NewConversation, SituationKey, Store
from convgate.ui.timing import bench, long_talk, timed

PAGES = {
    "Label": "pages/2_Label.py",
    "Tune": "pages/3_Tune.py",
    "Train": "pages/4_Train.py",
    "Explore": "pages/1_Explore.py",
}
_PEOPLE = ("Ada", "Bo")
_PUT_OFF = 30  # turns
_TURNS = 100  # of each conversation that the many labels are about
_ANSWERS: tuple[Answer, ...] = ("relevant", "not_relevant", "not_relevant", "not_relevant", "unsure")


@dataclass(frozen=True, slots=True)
class LabellingTime:
    """Seconds on the server; a question is one on a message with that many turns before it."""

    turns: int
    first: float  # the page, everything to be scored, texts already encoded
    question: float  # another message of the same conversation, never scored before; the median
    answer: float  # from a key to the end of the page's run, the next question with it; the median
    store: float  # of that, until the answer is in the database; the median
    labels: int  # in the library afterwards, and then again:
    store_full: float
    pages: dict[str, float]  # a run of each page with few labels
    pages_full: dict[str, float]  # and with all of them
    goal_question: float = 0.5
    goal_store: float = 0.05

    def to_json(self) -> dict[str, Any]:
        """The numbers as plain JSON values."""
        return asdict(self)


def measure_labelling(turns: int = 2_000, *, labels: int = 100_000, rounds: int = 9) -> LabellingTime:
    """Label a conversation of that many turns, then fill the library with labels and look again.

    Without labels the pages are not looked at. The encoder is a stand-in. Raises ConvgateError when a page
    fails.
    """
    with bench() as place:
        page, store = place.page, place.store
        (added,) = Conversations(store).add([NewConversation(long_talk(turns))])
        page.query_params["conversation"] = added.key
        page.query_params["turn"] = str(turns)
        page.switch_page(PAGES["Label"])
        first = timed(page)
        page.text_input(key="annotator.typed").set_value(_PEOPLE[0])
        timed(page)
        questions, answers = [], []
        for number in range(rounds):
            page.number_input(key="explore.turn").set_value(turns - 1 - number)
            questions.append(timed(page))
            page.button(key="answering.relevant").click()
            answers.append(timed(page))
        stored = _stored(store, added.key, turns, rounds)
        if not labels:
            question, answer = statistics.median(questions), statistics.median(answers)
            return LabellingTime(turns, first, question, answer, stored, 0, stored, {}, {})
        pages = _pages(page, added.key, rounds)
        _fill(store, labels, SituationKey(added.key, turns - 1 - rounds))
        return LabellingTime(
            turns, first, statistics.median(questions), statistics.median(answers), stored, labels,
            _stored(store, added.key, turns, rounds), pages, _pages(page, added.key, rounds),
        )  # fmt: skip


def _stored(store: Store, key: str, turns: int, rounds: int) -> float:
    """The median time for one answer to be in the database."""
    times = []
    for number in range(rounds * 5):
        answer = _ANSWERS[number % 2]
        begun = time.perf_counter()
        Labels(store).answer(SituationKey(key, turns - 1), {number: answer}, by=_PEOPLE[1])
        times.append(time.perf_counter() - begun)
        Labels(store).undo(_PEOPLE[1])
    return statistics.median(times)


def _pages(page: AppTest, key: str, rounds: int) -> dict[str, float]:
    """The median of so many runs of each page, three at most, the first one left aside."""
    found = {}
    for name, path in PAGES.items():
        page.query_params.clear()
        if name in ("Label", "Explore"):
            page.query_params["conversation"] = key
        page.switch_page(path)
        timed(page)
        found[name] = statistics.median(timed(page) for _ in range(min(3, rounds)))
    return found


def _fill(store: Store, labels: int, shown: SituationKey) -> None:
    """Put answers of two people into the library, about as many conversations as they need.

    Before them, one of the two puts off turns of the message that is shown.
    """
    each = _TURNS * (_TURNS // 10) // 2 * len(_PEOPLE)
    talks = [_talk(number) for number in range(-(-labels // each))]
    added = Conversations(store).add(NewConversation(talk) for talk in talks)
    with store.write():
        for turn in range(min(_PUT_OFF, shown.turn or 0)):
            Labels(store).put_off(shown, turn, by=_PEOPLE[0])
        for _, entries in groupby(_entries([one.key for one in added], labels), lambda one: one.situation):
            Labels(store).record(entries, by=_PEOPLE[0], kind="bulk")


def _talk(number: int) -> Conversation:
    return long_talk(_TURNS, seed=number + 1)


def _entries(keys: list[str], labels: int) -> Iterator[Entry]:
    given = 0
    for key in keys:
        for current in range(9, _TURNS, 10):
            for turn in range(current):
                for place, who in enumerate(_PEOPLE):
                    if given == labels:
                        return
                    answer = _ANSWERS[(turn * 7 + place * (turn % 11 == 0)) % len(_ANSWERS)]
                    yield Entry(SituationKey(key, current), turn, who, answer)
                    given += 1
