"""The page Errors: what is listed, and each error's way to a label, a training case, a held wish, Explore."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from convgate.core.conversation import Turn
from convgate.core.decisions import TurnDecisions
from convgate.evaluation.errors import OTHER_RULE, THRESHOLD
from convgate.figures.parts import PARTS
from convgate.labels.gold import gold_answers
from convgate.selection.selection import Selection
from convgate.selection.selector import Selector
from convgate.store import Answer, Conversations, CurrentKey, Labels
from convgate.store.edits import InvariantEdits
from convgate.ui.errors import page as errors_page
from convgate.ui.errors import results
from convgate.ui.errors.page import PER_PAGE
from convgate.ui.errors.results import LIBRARY
from convgate.ui.shared.label_sources import LABELS
from tests.fakes import FakeEncoder
from tests.page_app import (
    HOSTILE,
    TURNS,
    add_conversation,
    address,
    app_store,
    check,
    click,
    open_page,
    page_text,
    use_encoder,
    use_word_modes,
)
from tests.page_data import add_relevance_set

CURRENT = len(TURNS) - 1


@pytest.fixture(autouse=True)
def nothing_kept(convgate_home: Path, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gate that keeps nothing, for a person called grace."""
    use_encoder(fake_encoder, monkeypatch)
    use_word_modes(monkeypatch)
    keep(0, monkeypatch)
    monkeypatch.setattr("getpass.getuser", lambda: "grace")


def keep(k: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONVGATE_THRESHOLD_RULE", "top_k")
    monkeypatch.setenv("CONVGATE_THRESHOLD_PARAMETERS", f'{{"k": {k}}}')


@pytest.fixture
def key() -> str:
    """A conversation whose last message needs its second turn, as Ada said, and no other."""
    key = add_conversation(*TURNS[:1], Turn.of("user", HOSTILE), *TURNS[2:])
    answers: dict[int, Answer | None] = dict.fromkeys(range(2, CURRENT), "not_relevant")
    Labels(app_store()).answer(CurrentKey(key, CURRENT), answers | {1: "relevant"}, by="Ada")
    return key


def open_errors(**query: str) -> AppTest:
    return open_page("Errors", **query)


def buttons(app: AppTest, name: str) -> list[str]:
    return [str(each.key) for each in app.button if str(each.key).startswith(f"errors.{name}.")]


def cards(app: AppTest) -> list[str]:
    return [body for each in app.main.get("html") if "error-line turn" in (body := each.proto.body)]


def heads(app: AppTest) -> list[str]:
    return [body for each in app.main.get("html") if "error-line message" in (body := each.proto.body)]


def links(app: AppTest) -> list[dict[str, list[str]]]:
    queries = (link.proto.query_string for link in app.main.get("page_link"))
    return [parse_qs(query) for query in queries if query]


def test_a_missed_turn_is_listed_with_message_reason_and_cause_and_leads_to_explore(key: str) -> None:
    app = open_errors()
    text = page_text(app)
    assert "1 of 1 needed turn was not sent; nothing was sent." in text
    assert not [each.key for each in app.button if each.proto.type == "primary"]
    [card] = cards(app)
    assert ">Turn 2<" in card
    assert escape(HOSTILE.split()[0]) in card
    assert HOSTILE.split()[0] not in card, "texts are no HTML"
    [head] = heads(app)
    assert TURNS[-1].text in head
    assert "1 turn, " in head
    assert ">Not sent<" in card
    assert "Misled by" in card
    assert "labelled needed" in card
    assert [each.label for each in app.button if "relevant" in each.label] == ["✕ not relevant"]
    assert links(app) == [{"conversation": [key], "turn": [f"{CURRENT + 1}"], "selected": ["2"]}]
    explore = open_page("Explore", **{name: value for name, [value] in links(app)[0].items()})
    assert [each.value for each in explore.subheader] == ["Turn 2"]
    assert "Dropped, low score:" in page_text(explore)


def test_needless_turns_stand_apart_by_cause_on_pages(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(6, monkeypatch)
    app = open_errors()
    assert app.button_group(key="errors.kind").value == "needless", "there is nothing else"
    assert len(buttons(app, "relevant")) == 5
    assert not buttons(app, "hold"), "what is sent needs no holding"
    counts = dict(option.rsplit(": ", 1) for option in app.selectbox(key="errors.cause").options)
    assert len(counts) > 1
    assert sum(map(int, counts.values())) == 5
    [head] = heads(app)
    assert "5 turns, " in head, "the message once, above its turns"
    assert " for nothing" in head
    listed = {}
    for cause in {*PARTS, THRESHOLD, OTHER_RULE}:
        chosen = open_errors(kind="needless", cause=cause)
        causes = {card.rpartition("not relevant · ")[2].partition(" ·")[0] for card in cards(chosen)}
        if len(causes) == 1:
            listed[causes.pop()] = str(len(buttons(chosen, "relevant")))
    assert listed == counts


def test_a_page_has_ten_errors(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(100, monkeypatch)
    turns = [Turn.of("user", f"about {number}") for number in range(PER_PAGE + 4)]
    other, last = add_conversation(*turns, title="Long"), len(turns) - 1
    answers: dict[int, Answer | None] = dict.fromkeys(range(last), "not_relevant")
    Labels(app_store()).answer(CurrentKey(other, last), answers, by="Ada")
    total = last + 5
    assert len(buttons(open_errors(kind="needless"), "relevant")) == PER_PAGE
    assert len(buttons(open_errors(kind="needless", page="2"), "relevant")) == total - PER_PAGE


def test_an_answer_ends_an_error_without_deciding_again_and_undo_brings_it_back(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = open_errors()
    decided: list[int] = []
    select = Selector.select_current

    def count(self: Selector, *args: Any, **options: Any) -> Selection:
        decided.append(1)
        return select(self, *args, **options)

    monkeypatch.setattr(Selector, "select_current", count)
    [not_relevant] = buttons(app, "not_relevant")
    app = click(app, not_relevant)
    assert Labels(app_store()).of(CurrentKey(key, CURRENT)).of("grace") == {1: "not_relevant"}
    assert not cards(app)
    assert "Turn 2 is labelled not relevant." in page_text(app)
    app = click(app, "errors.undo")
    assert Labels(app_store()).of(CurrentKey(key, CURRENT)).of("grace") == {}
    assert len(cards(app)) == 1
    assert decided == []


def test_what_became_of_an_error_stands_where_its_card_was(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(6, monkeypatch)
    app = open_errors(kind="needless")
    third = buttons(app, "relevant")[2]
    app = click(app, third)
    order = [str(each.key) for each in app.button]
    after = order.index("errors.undo")
    assert [name for name in order[:after] if name.startswith("errors.relevant")] == buttons(app, "relevant")[
        :2
    ]
    assert third not in order


def test_labels_that_the_gate_finds_improbable_are_listed_and_corrected(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(100, monkeypatch)
    decide = results._decide

    def score(*args: Any) -> TurnDecisions:
        scores = np.array([0.5, 0.03, 0.5, 0.5, 0.95, *[0.5] * (CURRENT - 5)])
        return replace(decide(*args), scores=scores)

    monkeypatch.setattr(results, "_decide", score)
    app = open_errors()
    assert app.button_group(key="errors.kind").options[-1] == "Label wrong? 2"
    app = check(app.button_group(key="errors.kind").set_value("disputed").run())
    [first, second] = cards(app)
    assert "the gate gives that label 3.0%" in first
    assert "the gate gives that label 5.0%" in second
    [wrong] = buttons(app, "not_relevant")
    app = click(app, wrong)
    assert Labels(app_store()).of(CurrentKey(key, CURRENT)).of("grace") == {1: "not_relevant"}
    assert len(cards(app)) == 1


def test_always_send_holds_the_turn_and_its_undo_lets_it_go(key: str) -> None:
    app = open_errors()
    [hold] = buttons(app, "hold")
    app = click(app, hold)
    [[edit]] = InvariantEdits(app_store()).of(key).values()
    assert (edit.text, edit.pinned) == (HOSTILE, True)
    assert not buttons(app, "hold"), "it is sent now"
    assert "None of 1 needed turn were not sent" in page_text(app)
    app = click(app, "errors.undo")
    assert InvariantEdits(app_store()).of(key) == {}
    assert len(buttons(app, "hold")) == 1


def test_a_message_of_a_set_becomes_a_training_case_in_the_library(convgate_home: Path) -> None:
    data = add_relevance_set(convgate_home, conversations=1)
    app = open_errors(data=data)
    assert len(buttons(app, "open")) == 2, "its conversation is not in the library"
    app = click(app, buttons(app, "train")[0])
    [key] = Conversations(app_store()).keys()
    assert gold_answers(app_store()) == {
        CurrentKey(key, 6): {0: "relevant", 5: "relevant", **dict.fromkeys(range(1, 5), "not_relevant")}
    }
    assert not buttons(app, "open")
    assert {link["conversation"][0] for link in links(app)} == {key}
    click(app, "errors.undo")
    assert gold_answers(app_store()) == {}


def test_an_error_of_a_set_opens_in_explore_after_its_conversation_was_added(convgate_home: Path) -> None:
    app = open_errors(data=add_relevance_set(convgate_home, conversations=1))
    explore = click(app, buttons(app, "open")[0])
    [key] = Conversations(app_store()).keys()
    assert address(explore)["conversation"] == key
    assert address(explore)["turn"] == "7"


def test_without_labels_other_policies_suggest_what_may_be_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    key = add_conversation()
    app = open_errors()
    assert "Guesses, as nothing is labelled" in page_text(app)
    assert "hybrid search and the last exchange" in cards(app)[0], "what two suggest is surest"
    before = buttons(app, "relevant")
    app = click(app, before[-1])
    answered = gold_answers(app_store())
    assert [list(answers.values()) for answers in answered.values()] == [["relevant"]]
    assert [current.conversation for current in answered] == [key]
    assert buttons(app, "relevant") == before[:-1], "an answered guess is none"
    assert address(app) == {"data": LIBRARY}
    labelled = open_errors()
    assert address(labelled) == {"data": LABELS}
    assert "1 of 1 needed turn was not sent" in page_text(labelled)
    assert len(cards(labelled)) == 1


def test_errors_are_shown_while_others_are_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a", "b", "c"):
        add_conversation(*(Turn.of(turn.role, f"{turn.text} {name}") for turn in TURNS), title=name)
    everything = buttons(open_errors(), "relevant")
    summary = page_text(open_errors()).partition(" may be missing")[0]
    st.cache_resource.clear()
    monkeypatch.setattr(results, "_FIRST_SECONDS", 0)
    monkeypatch.setattr(results, "_SECONDS", 0)
    rerun, runs = st.rerun, []
    monkeypatch.setattr("streamlit.rerun", lambda: runs.append(1))
    app = open_errors()
    assert summary not in page_text(app)
    assert buttons(app, "relevant")
    assert "More messages are being decided." in [each.proto.text for each in app.get("progress")]
    assert runs == [1]
    monkeypatch.setattr("streamlit.rerun", rerun)
    app.run()
    assert summary in page_text(app)
    assert buttons(app, "relevant") == everything
    assert not app.get("progress")


def test_what_is_found_later_does_not_replace_what_is_read(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(1, monkeypatch)
    Labels(app_store()).answer(CurrentKey(key, CURRENT), {4: "relevant"}, by="Ada")
    compute, parts = errors_page.compute_errors, iter([1, 2])

    def compute_in_parts(*args: Any) -> results.Errors:
        found = compute(*args)
        done = next(parts, 3)
        needless = replace(found.report, errors=found.report.of_kind("needless"))
        report = needless if done == 1 else found.report
        return replace(found, report=report, progress=(done, 3) if done < 3 else None)

    monkeypatch.setattr(errors_page, "compute_errors", compute_in_parts)
    monkeypatch.setattr("streamlit.rerun", lambda: None)
    app = open_errors()
    needless = cards(app)
    assert needless
    assert cards(check(app.run())) == needless
    assert cards(check(app.run())) != needless, "missed turns come first in the end"


def test_the_first_error_is_shown_at_once_also_where_the_shortest_conversations_have_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    add_conversation(TURNS[1], title="Without a history")
    for name in ("a", "b"):
        add_conversation(*(Turn.of(turn.role, f"{turn.text} {name}") for turn in TURNS), title=name)
    monkeypatch.setattr(results, "_FIRST_SECONDS", 0)
    monkeypatch.setattr(results, "_SECONDS", 100)
    monkeypatch.setattr("streamlit.rerun", lambda: None)
    app = open_errors()
    assert not cards(app)
    check(app.run())
    assert cards(app)
    assert [each.proto.value for each in app.get("progress")] == [66], "one of three is not decided yet"


def test_a_labelled_conversation_that_leaves_the_library_stays_in_its_set(
    convgate_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "MAX_MESSAGES", 1)
    old = add_conversation(*TURNS[1:])
    add_conversation(*TURNS[:3], title="The newest")
    app = open_errors(data=add_relevance_set(convgate_home, conversations=1))
    listed = cards(app)
    assert old in str(links(app))
    Conversations(app_store()).delete([old])
    assert cards(check(app.run())) == listed
    assert not app.error
    assert old not in str(links(app))


def test_what_the_address_names_and_does_not_exist_is_said(key: str) -> None:
    app = open_errors(data="gone", version="gate@gone", cause="nonsense")
    assert len(app.warning) == 2
    assert len(cards(app)) == 1
