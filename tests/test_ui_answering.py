"""The next turn to label, and which answers of others are shown."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.conversation import Conversation, Turn
from convgate.core.home import app_root
from convgate.store import ADJUDICATED, CurrentLabels, Labels, Store
from convgate.ui.shared import answering as answering_module
from convgate.ui.shared import keys
from convgate.ui.shared import transcript as component
from convgate.ui.shared.answering import MARKS, NAMES, Answering, Work
from convgate.ui.shared.scoring import OpenMessage

TURNS = 8
SCRIPTS = [Path(component.__file__).with_name(name) for name in ("transcript.js", "rows.js")]
STYLE = Path(answering_module.__file__).with_name("answering.css")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("labels") / "convgate.db")


def answering(
    store: Store,
    said: dict[int, dict[str, str]],
    asked: list[int] | None = None,
    *,
    by: str = "Ada",
    adjudicating: bool = False,
) -> Answering:
    said_first = Turn.of("system", "Be brief.")
    turns = (said_first, *(Turn.of("user", f"turn {number}") for number in range(TURNS)))
    current, history = Conversation("t", turns).at(TURNS)
    work = Work(dict.fromkeys(asked or [], ""), adjudicating)
    return Answering(Labels(store), OpenMessage("t", current, history), CurrentLabels(said), by, None, work)


TURN = st.integers(0, TURNS - 1)
SOME = st.lists(TURN, unique=True)


@given(SOME, SOME, TURN)
def test_every_turn_is_asked_about_once_those_asked_for_first(
    store: Store, done: list[int], asked: list[int], turn: int
) -> None:
    here = answering(store, {one: {"Ada": "unsure"} for one in done}, asked)
    assert sorted(here.ask) == sorted({*range(1, TURNS), *asked} - set(done)), "no instruction unless asked"
    first = [one for one in asked if one not in done]
    assert here.ask[: len(first)] == first
    assert here.ask[len(first) :] == sorted(here.ask[len(first) :], reverse=True)
    following = here.following(turn)
    assert following != turn
    assert (following is None) == (set(here.ask) <= {turn})
    if any(one != turn for one in first):
        assert following in first


@given(SOME, TURN)
def test_adjudicating_asks_about_disagreements_alone(store: Store, asked: list[int], turn: int) -> None:
    said = {turn: {"Ada": "relevant", "Bo": "not_relevant", ADJUDICATED: "unsure"}}
    here = answering(store, said, asked, adjudicating=True)
    assert here.mine == {turn: "unsure"}
    assert here.ask == [one for one in asked if one != turn]
    assert [one for one in range(TURNS + 1) if here.can_answer(one)] == sorted(asked)


def test_the_next_is_the_next_older_one_after_those_asked_for_the_newest(store: Store) -> None:
    here = answering(store, {6: {"Ada": "unsure"}}, [2])
    assert [here.following(turn) for turn in (2, 5)] == [7, 2]
    here = answering(store, {2: {"Ada": "unsure"}})
    assert [here.following(turn) for turn in (5, 3, 0)] == [4, 1, 7]


@given(SOME, TURN)
def test_an_answer_for_the_rest_is_for_turns_without_one_but_no_instruction(
    store: Store, done: list[int], turn: int
) -> None:
    here = answering(store, {one: {"Ada": "unsure"} for one in done})
    assert here.targets(turn, "rest") == [one for one in range(1, TURNS) if one not in done]
    assert here.targets(turn, "turn") == [turn]


def test_answers_of_others_are_shown_where_this_annotator_answered(store: Store) -> None:
    said = {
        1: {"Ada": "relevant", "Bo": "unsure", ADJUDICATED: "relevant"},
        2: {"Bo": "relevant"},
        3: {"Ada": "relevant"},
    }
    assert set(answering(store, said).others()) == {1, 3}
    assert answering(store, said).others()[1] == [("Bo", "unsure"), ("adjudicated", "relevant")]


def test_marks_and_keys_are_those_of_the_script() -> None:
    code = "".join(script.read_text(encoding="utf-8") for script in SCRIPTS)
    by_key = {keys.RELEVANT: "relevant", keys.NOT_RELEVANT: "not_relevant", keys.UNSURE: "unsure"}
    values = ", ".join(f'{key}: "{value}"' for key, value in by_key.items())
    assert f"const ANSWERS = {{ {values}, {keys.CLEAR}: null }}" in code
    actions = "".join([keys.UNDO, keys.REDO, keys.LATER]).lower()
    assert f'const ACTIONS = "{actions}"' in code
    for name, words in (("MARKS", MARKS), ("CALLED", NAMES)):
        values = ", ".join(f'{value}: "{shown}"' for value, shown in words.items())
        assert f"const {name} = {{ {values} }}" in code


def test_the_bar_of_answers_has_the_colours_of_the_page() -> None:
    theme = tomllib.loads((app_root() / ".streamlit" / "config.toml").read_text(encoding="utf-8"))["theme"]
    style = STYLE.read_text(encoding="utf-8")
    for name in ("backgroundColor", "borderColor"):
        assert f"light-dark({theme['light'][name]}, {theme['dark'][name]})" in style


def test_no_key_is_one_of_streamlits_and_no_two_are_alike() -> None:
    found = [value for name, value in vars(keys).items() if name.isupper()]
    assert len(found) == len(set(found))
    assert not {"C", "R"} & set(found)
