"""Disagreements on Label, and what people come to in numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.testing.v1 import AppTest

from convgate.conversation import Turn
from convgate.labels.agreement import Pause, Week
from convgate.store import ADJUDICATED, Labels, SituationKey
from convgate.ui.label.settling import PER_PAGE
from tests.label_page import (
    HOSTILE,
    TALK,
    add,
    answer,
    click,
    entries,
    errors,
    given,
    held,
    labels,
    mine,
    opened,
    place,
    said,
    say,
    send,
    sound,
    store,
    transcript,
    trigger,
)
from tests.label_page import (
    label_page as label_page,
)

pytestmark = pytest.mark.usefixtures("label_page")


def disagree() -> tuple[str, str]:
    """Two conversations: in the first, people disagree about three turns of one message."""
    key, other = add(), add(*TALK[:6], title=HOSTILE)
    say(other, 5, Ada={3: "relevant"}, Bo={3: "not_relevant"})
    say(
        key,
        Ada={1: "relevant", 2: "relevant", 5: "unsure"},
        Bo={1: "not_relevant", 2: "not_relevant", 5: "relevant"},
    )
    return key, other


def listed(app: AppTest) -> list[tuple[str, int, int]]:
    """The disagreements in the list."""
    (table,) = [one.value for one in app.dataframe if "message" in one.value.columns]
    rows = table.to_dict("records")
    return [(row["conversation"], int(row["message"]), row["turn"]) for row in rows]


def test_disagreements_are_settled_one_after_the_other_and_what_people_said_is_kept() -> None:
    key, other = disagree()
    before = entries()
    app = opened("Cy", conversation=other, turn="2")
    assert "3 disagreements to be settled" in said(app)
    sound(app.selectbox(key="answering.scope").set_value("rest").run())
    sound(app.button_group(key="label.work").set_value("settle").run())
    assert transcript(app)["labelling"]["scope"] == "turn", "turns are settled one by one"
    assert listed(app) == [("Talk", 8, 2), ("Talk", 8, 3), (HOSTILE, 6, 4)]
    assert (app.query_params["conversation"], place(app)) == (key, (7, 1))
    assert "Settle: does turn 2 matter" in said(app)
    assert "Ada ✓ relevant, Bo ✕ not relevant" in said(app)
    assert not [one for one in app.button if one.key == "answering.prefill"]
    assert transcript(app)["rows"][1]["theirs"] == [["Ada", "relevant"], ["Bo", "not_relevant"]]
    assert not transcript(app)["rows"][6]["theirs"]

    answer(app, "not_relevant")
    assert place(app) == (7, 2)
    assert mine(app) == {1: "not_relevant"}
    send(app, given(app, 1, 2, "relevant"))
    assert (app.query_params["conversation"], place(app)) == (other, (5, 3))
    assert labels().of(SituationKey(key, 7)).of(ADJUDICATED) == {1: "not_relevant", 2: "relevant"}
    assert [one for one in entries() if one.annotator != ADJUDICATED] == before
    assert not held(key, "Cy")
    click(app, "answering.undo")
    assert (app.query_params["conversation"], place(app)) == (key, (7, 2))
    assert listed(app) == [("Talk", 8, 3), (HOSTILE, 6, 4)]
    click(app, "answering.redo")
    sound(app.toggle(key="label.disagreements.settled").set_value(True).run())
    assert sorted(listed(app)) == [("Talk", 8, 2), ("Talk", 8, 3)]
    assert "2 disagreements settled" in said(app)
    app.session_state["label.disagreements"] = {"selection": {"rows": [0]}}
    sound(app.toggle(key="label.disagreements.settled").set_value(False).run())
    sound(app.button_group(key="label.work").set_value("conversation").run())
    sound(app.button_group(key="label.work").set_value("settle").run())
    answer(app, "unsure")
    assert "Nobody disagrees" in said(app)
    assert "to be settled" not in said(app).replace("Nobody disagrees", "")
    assert "Settle: does" not in said(app)
    assert "Everything is settled." in said(app)
    assert not [one for one in app.button if one.key == "answering.relevant"]
    sound(app.toggle(key="label.disagreements.settled").set_value(True).run())
    assert "Settle: does" in said(app), "what was settled can be settled anew"
    assert app.button(key="answering.relevant")


def test_only_what_is_disputed_can_be_settled() -> None:
    key, _ = disagree()
    app = opened("Cy", conversation=key, settle="1")
    assert [row["turn"] for row in transcript(app)["rows"] if row["open"]] == [1, 2]
    trigger(app, "asked", {"what": "select", "turn": 4})
    assert "Nobody disagrees about this turn" in said(app)
    assert not [one for one in app.button if one.key == "answering.relevant"]
    send(app, given(app, 1, 4))
    assert "not asked about here" in errors(app)
    assert labels().of(SituationKey(key, 7)).of(ADJUDICATED) == {}


def test_pages_of_disagreements_end_where_they_end() -> None:
    key = add(*[Turn.of("user", f"turn {number} about nan") for number in range(30)])
    turns = range(PER_PAGE + 1)
    say(key, 29, Ada=dict.fromkeys(turns, "relevant"), Bo=dict.fromkeys(turns, "not_relevant"))
    labels().answer(SituationKey(key, 28), dict.fromkeys(turns, "relevant"), by="Ada")
    labels().answer(SituationKey(key, 28), dict.fromkeys(range(PER_PAGE), "not_relevant"), by="Bo")
    app = opened(conversation=key, settle="1")
    assert len(listed(app)) == PER_PAGE
    app.session_state["label.disagreements.page"] = 3
    sound(app.run())
    assert len(listed(app)) == 1
    labels().adjudicate(SituationKey(key, 29), {0: "relevant"}, by="Ada")
    sound(app.run())
    assert len(listed(app)) == PER_PAGE
    assert app.session_state["label.disagreements.page"] == 2


def test_a_row_of_the_list_leads_to_its_turn_and_without_a_name_nothing_is_settled() -> None:
    key, other = disagree()
    app = opened(None, conversation=key, settle="1")
    assert "To settle one, choose your name" in said(app)
    assert not transcript(app)["labelling"]["enabled"]
    assert len(listed(app)) == 3
    (table,) = [one for one in app.dataframe if one.proto.id]
    states = app._tree.get_widget_states()
    chosen = json.dumps({"selection": {"rows": [2], "columns": [], "cells": []}})
    states.widgets.append(WidgetState(id=table.proto.id, string_value=chosen))
    sound(app._run(states))
    assert (app.query_params["conversation"], place(app)) == (other, (5, 3))


def test_a_pause_stops_answering_but_not_settling(monkeypatch: pytest.MonkeyPatch) -> None:
    key, _ = disagree()
    week = Week(date(2026, 11, 2), 0.2, 30)
    pause = Pause(("Ada", "Bo"), (week, replace(week, monday=date(2026, 11, 9))), datetime.now(UTC), 3)
    monkeypatch.setattr("convgate.ui.explore.answers.labelling_pause", lambda *_: pause)
    app = opened(conversation=key)
    assert "Settle 17 more of the turns" in said(app)
    assert app.button(key="answering.relevant").disabled
    send(app, given(app, 1, 3))
    assert "not stored" in errors(app)
    assert 3 not in held(key)
    sound(app.button_group(key="label.work").set_value("settle").run())
    answer(app, "relevant")
    assert labels().of(SituationKey(key, 7)).of(ADJUDICATED) == {1: "relevant"}


def test_agreement_is_told_in_words_and_numbers() -> None:
    key = add(*[Turn.of("user", f"turn {number} about nan") for number in range(30)])
    app = opened(conversation=key, show="agreement")
    assert "Agreement needs two people" in said(app)
    ada: dict[int, Any] = {turn: "relevant" if turn % 2 else "not_relevant" for turn in range(24)}
    say(key, 29, Ada=ada, **{HOSTILE: ada | {0: "relevant", 2: "relevant"}}, Cy=ada)
    sound(app.run())
    assert "Ada and Cy agree well: kappa 1.00" in said(app)
    assert "alpha" in said(app)
    assert not [one for one in app.markdown if HOSTILE in one.value]
    (table,) = [one.value for one in app.dataframe if "who" in one.value.columns]
    assert sorted(table["who"]) == [f"{HOSTILE} and Ada", f"{HOSTILE} and Cy", "Ada and Cy"]
    assert sorted(table["alike"]) == [22, 22, 24]
    assert sorted(table["Cohen's kappa"]) == ["0.83", "0.83", "1.00"]
    assert set(table["from"]) == {"–"}
    assert "its 95% interval, from and to, takes" in said(app)


def test_who_is_trained_on_is_a_switch_and_changes_what_counts() -> None:
    key = add()
    say(key, Bo={1: "relevant"}, **{HOSTILE: {2: "unsure"}})
    app = opened(conversation=key, show="people")
    assert "**Bo** · person · 1 answer on 1 message · 1 in the last 14 days" in said(app)
    assert not [one for one in app.markdown if HOSTILE in one.value]
    with store().read() as db:
        assert db.execute("SELECT count(*) FROM gold WHERE answer = 'relevant'").fetchone() == (1,)
    sound(app.toggle(key="label.trains.Bo").set_value(False).run())
    with store().read() as db:
        assert db.execute("SELECT count(*) FROM gold WHERE answer = 'relevant'").fetchone() == (0,)
    assert not opened(conversation=key, show="people").toggle(key="label.trains.Bo").value
    Labels(store()).set_trains("Bo", trains=True)
    assert sound(app.run()).toggle(key="label.trains.Bo").value, "somebody else switched it back"
    sound(app.button_group(key="label.show").set_value("agreement").run())
    assert app.query_params["show"] == "agreement"
