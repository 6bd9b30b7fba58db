"""Which turn is asked about next, and what of others' answers is shown."""

from __future__ import annotations

import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.app_files import app_root
from convgate.conversation import Conversation, Turn
from convgate.decisions import TurnDecisions
from convgate.store import ADJUDICATED, Saved, SituationKey, SituationLabels, Store
from convgate.store.label_log import Turned
from convgate.store.labels import Said
from convgate.ui import keys
from convgate.ui.answering import CALLED, MARKS, Answering, message, said_words
from convgate.ui.answering.words import saved_words
from convgate.ui.scoring import Moment
from convgate.ui.transcript import component

TURNS = 8
NOW = datetime(2026, 11, 22, tzinfo=UTC)
SCRIPT = Path(component.__file__).with_name("transcript.js")
STYLE = Path(message.__file__).with_name("answering.css")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("labels") / "convgate.db")


def answering(
    store: Store,
    said: dict[int, dict[str, str]],
    asked: list[int] | None = None,
    *,
    by: str | None = "Ada",
    settling: bool = False,
    later: list[int] | None = None,
) -> Answering:
    talk = Conversation("t", tuple(Turn.of("user", f"turn {number}") for number in range(TURNS + 1)))
    situation, history = talk.at(TURNS)
    decisions = TurnDecisions(
        policy="everything", rule="everything", indices=np.arange(TURNS), kept=np.ones(TURNS, dtype=bool),
        why_kept="kept.", why_dropped="",
    )  # fmt: skip
    answers = {
        turn: {who: Said(value, NOW, None) for who, value in by_whom.items()}
        for turn, by_whom in said.items()
    }
    return Answering(
        store, Moment("t", situation, history), decisions, SituationLabels(answers), by,
        go=lambda *_: None, asked=asked or [], settling=settling, later=later or [],
    )  # fmt: skip


TURN = st.integers(0, TURNS - 1)
SOME = st.lists(TURN, unique=True)


@given(SOME, SOME, SOME, TURN)
def test_every_turn_is_asked_about_once_those_asked_for_first_those_put_off_last(
    store: Store, done: list[int], asked: list[int], later: list[int], turn: int
) -> None:
    here = answering(store, {one: {"Ada": "unsure"} for one in done}, asked, later=later)
    assert sorted(here.ask) == sorted(set(range(TURNS)) - set(done))
    left = [one for one in asked if one not in done and one not in later]
    last = [one for one in later if one not in done]
    assert here.ask[: len(left)] == left
    assert here.ask[len(here.ask) - len(last) :] == last
    between = here.ask[len(left) : len(here.ask) - len(last)]
    assert between == sorted(between, reverse=True)
    following = here.following(turn)
    assert following != turn
    assert (following is None) == (set(here.ask) <= {turn})
    if any(one != turn for one in left):
        assert following in left


@given(SOME, TURN)
def test_who_settles_is_asked_about_what_is_disputed_alone(store: Store, asked: list[int], turn: int) -> None:
    said = {turn: {"Ada": "relevant", "Bo": "not_relevant", ADJUDICATED: "unsure"}}
    here = answering(store, said, asked, settling=True)
    assert here.mine == {turn: "unsure"}
    assert here.ask == [one for one in asked if one != turn]
    assert [one for one in range(TURNS + 1) if here.answers_for(one)] == sorted(asked)


def test_the_next_is_the_next_older_one_after_those_asked_for_the_newest(store: Store) -> None:
    here = answering(store, {6: {"Ada": "unsure"}}, [2])
    assert [here.following(turn) for turn in (2, 5)] == [7, 2]
    here = answering(store, {2: {"Ada": "unsure"}}, [2], later=[7, 3])
    assert [here.following(turn) for turn in (2, 5, 4, 0, 7)] == [6, 4, 1, 6, 6]
    done = {turn: {"Ada": "unsure"} for turn in range(TURNS) if turn not in (3, 7)}
    here = answering(store, done, later=[7, 3])
    assert [here.following(turn) for turn in (0, 7, 3)] == [7, 3, 7]


def test_what_others_say_is_shown_where_this_person_answered(store: Store) -> None:
    said = {
        1: {"Ada": "relevant", "Bo": "unsure", ADJUDICATED: "relevant"},
        2: {"Bo": "relevant"},
        3: {"Ada": "relevant"},
    }
    assert answering(store, said).theirs() == {1: [("Bo", "unsure"), ("settled", "relevant")], 3: []}
    settling = answering(store, said, settling=True).theirs()
    assert settling[1] == [("Ada", "relevant"), ("Bo", "unsure")]
    assert settling[2] == [("Bo", "relevant")]
    assert set(answering(store, said, by=None).theirs()) == {1, 2, 3}
    assert said_words(answering(store, said), 1) == "Bo: ? unsure · settled: ✓ relevant"
    assert said_words(answering(store, said), 2) == ""


def test_marks_and_keys_are_those_of_the_script() -> None:
    code = SCRIPT.read_text(encoding="utf-8")
    by_key = {
        keys.RELEVANT: "relevant", keys.NOT_RELEVANT: "not_relevant", keys.UNSURE: "unsure",
    }  # fmt: skip
    told = ", ".join(f'{key}: "{value}"' for key, value in by_key.items())
    assert f"const ANSWERS = {{ {told}, {keys.TAKE_BACK}: null }}" in code
    actions = "".join([keys.UNDO, keys.REDO, keys.LATER]).lower()
    assert f'const ACTIONS = "{actions}"' in code
    for name, values in (("MARKS", MARKS), ("CALLED", CALLED)):
        told = ", ".join(f'{value}: "{shown}"' for value, shown in values.items())
        assert f"const {name} = {{ {told} }}" in code


def test_the_bar_of_answers_has_the_colours_of_the_page() -> None:
    theme = tomllib.loads((app_root() / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
    style = STYLE.read_text(encoding="utf-8")
    for name in ("backgroundColor", "borderColor"):
        assert f"light-dark({theme['light'][name]}, {theme['dark'][name]})" in style


def test_no_key_is_one_of_streamlits_and_no_two_are_alike() -> None:
    found = [value for name, value in vars(keys).items() if name.isupper()]
    assert len(found) == len(set(found))
    assert not {"C", "R"} & set(found)


def test_nothing_is_known_of_a_message_without_answers(store: Store) -> None:
    here = answering(store, {})
    assert (here.mine, here.theirs()) == ({}, {})
    assert here.situation == SituationKey("t", TURNS)


def test_what_is_taken_back_in_a_deleted_conversation_is_named_and_leads_nowhere(store: Store) -> None:
    saved = Saved(7, NOW, 1, kind="undo", deleted="Tea *and* cake")
    told = saved_words(answering(store, {}), 3, saved)
    assert re.sub(r"\d\d", "00", told) == (
        r":material/check: Taken back 00:00:00, in “Tea \*and\* cake”, which was deleted since"
    )


@pytest.mark.parametrize(
    ("turned", "changed", "told"),
    [
        (Turned("import", "their*s.csv", ("Cy",)), 8, r": the import of their\*s\.csv, 8 answers by Cy"),
        (Turned("import", "a.csv", ("Bo", "Cy", "Di")), 8, r": the import of a\.csv, 8 answers by 3 people"),
        (Turned("adjudicate", "", ("adjudicated",)), 1, ": the settlement of turn 2"),
        (Turned("bulk", "", ("Ada",)), 8, ": 8 answers given at once"),
        (Turned("answer", "", ("Ada",)), 1, ", turn 2"),
    ],
)
def test_what_is_taken_back_is_said(store: Store, turned: Turned, changed: int, told: str) -> None:
    saved = Saved(7, NOW, changed, SituationKey("t", TURNS), 1, "undo", turned=turned)
    words = saved_words(answering(store, {}), 3, saved)
    assert re.sub(r"\d\d:\d\d:\d\d", "00", words) == f":material/check: Taken back 00{told}"
