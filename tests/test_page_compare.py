"""Compare on one conversation: policies in, a column each out, and every difference told."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from convgate.core.conversation import Turn
from convgate.core.errors import PolicyError
from convgate.policies.registry import policy_names
from convgate.policies.spec import PolicySpec, read_policies
from convgate.ui import state
from convgate.ui.compare.choosing import replaced
from convgate.ui.compare.columns import check_column, column_label
from convgate.ui.compare.state import View
from tests.compare_page import MESSAGES, add_talk, links, marks, opened, said, serve, sound, summary
from tests.fakes import FakeEncoder

THREE = "everything, last_k(k=2), last_k(k=4)"


@pytest.fixture(autouse=True)
def encoder(fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> FakeEncoder:
    serve(fake_encoder, monkeypatch)
    return fake_encoder


@pytest.fixture
def talk(convgate_home: Path) -> str:
    """The key of a conversation of seven turns in the library."""
    return add_talk()


def test_each_policy_is_a_column_and_a_row_and_is_held_against_the_reference(talk: str) -> None:
    app = opened(conversation=talk, policies=THREE)
    numbers = summary(app)
    assert list(numbers) == ["Everything", "Last k turns, k 2", "Last k turns, k 4"]
    assert [row[0] for row in numbers.values()] == ["6 of 6", "2 of 6", "4 of 6"]
    assert [row[3] for row in numbers.values()] == ["–", "33% :small[κ 0.00]", "67% :small[κ 0.00]"]
    assert [row[4:6] for row in numbers.values()] == [["–", "–"], ["0", "4"], ["0", "2"]]
    assert numbers["Everything"][2] == "0%"
    found = marks(app)
    assert found["2 Last k turns, k 2"] == ["○ dropped ▼"] * 4 + ["● kept"] * 2
    assert found["3 Last k turns, k 4"] == ["○ dropped ▼"] * 2 + ["● kept"] * 4
    assert found["turn"] == [1, 2, 3, 4, 5, 6]

    sound(app.selectbox(key="compare.reference").set_value("last_k(k=2)").run())
    assert marks(app)["1 Everything"] == ["● kept ▲"] * 4 + ["● kept"] * 2
    assert app.query_params["reference"] == "last_k(k=2)"


def test_choosing_policies_makes_columns_and_the_address(talk: str) -> None:
    app = opened(conversation=talk)
    assert [one.split(" ", 1)[1] for one in marks(app) if one[0].isdigit()] == [
        "Gate", "BM25", "Last k turns",
    ]  # fmt: skip
    assert "policies" not in app.query_params
    sound(app.multiselect(key="compare.policies").set_value(["bm25", "everything"]).run())
    assert list(summary(app)) == ["BM25", "Everything"]
    assert app.query_params["policies"] == "bm25, everything"
    offered = app.multiselect(key="compare.policies").options
    assert len(offered) == len(policy_names()), "every policy by the registry; there is no version here"


def test_a_run_that_was_asked_for_before_the_browser_had_the_new_address_keeps_what_was_chosen(
    talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened(conversation=talk, policies="everything, last_k(k=2)")
    sound(app.multiselect(key="compare.policies").set_value(["everything", "last_k(k=2)", "bm25"]).run())
    app.query_params["policies"] = "everything, last_k(k=2)"  # as a chart asks that is just drawn
    assert list(summary(sound(app.run()))) == ["Everything", "Last k turns, k 2", "BM25"]
    assert app.query_params["policies"] == "everything, last_k(k=2), bm25"

    monkeypatch.setattr(state, "SOON", 0)
    app.query_params["policies"] = "everything, last_k(k=2)"  # as the way back does, a while later
    assert list(summary(sound(app.run()))) == ["Everything", "Last k turns, k 2"]


def test_a_parameter_changes_a_number_and_leaves_the_policy_to_be_chosen_again(talk: str) -> None:
    app = opened(conversation=talk, policies="everything, last_k")
    assert summary(app)["Last k turns"][0] == "6 of 6"
    sound(app.number_input(key="compare.1.last_k.k").set_value(3).run())
    assert summary(app)["Last k turns, k 3"][0] == "4 of 6", "the third one answers a message"
    assert marks(app)["2 Last k turns, k 3"][2:4] == ["◆ kept", "● kept"]
    assert app.query_params["policies"] == "everything, last_k(k=3)"
    chosen = app.multiselect(key="compare.policies")
    sound(chosen.set_value([*chosen.value, "last_k"]).run())
    assert [row[0] for row in summary(app).values()] == ["6 of 6", "4 of 6", "6 of 6"]
    sound(app.button(key="compare.reset.1").click().run())
    assert list(summary(app)) == ["Everything", "Last k turns"], "what would stand there twice stands once"


def test_a_rule_of_the_gate_is_set_as_in_explore_and_goes_there(talk: str) -> None:
    app = opened(conversation=talk, policies="everything, gate")
    sound(app.selectbox(key="compare.1.rule").set_value("top_k").run())
    sound(app.slider(key="compare.1.top_k.k").set_value(0).run())
    assert summary(app)["Gate, top k, k 0"][0] == "0 of 6"
    assert app.query_params["policies"] == "everything, gate(rule=top_k, k=0)"
    assert "rule=top_k%2Ck%3D0" in links(app)[1]


def test_the_table_lists_all_those_that_differ_or_the_flips_of_one(talk: str) -> None:
    app = opened(conversation=talk, policies=THREE)
    filter = app.selectbox(key="compare.rows")
    assert filter.options == [
        "All turns: 6", "Where they differ: 4",
        "Last k turns, k 2 unlike the reference: 4", "Last k turns, k 4 unlike the reference: 2",
    ]  # fmt: skip
    sound(filter.set_value("last_k(k=4)").run())
    assert marks(app)["turn"] == [1, 2]
    assert app.query_params["rows"] == "last_k(k=4)"
    sound(app.selectbox(key="compare.rows").set_value("differ").run())
    assert marks(app)["turn"] == [1, 2, 3, 4]


def test_a_long_conversation_has_pages_and_is_drawn_again_quickly(
    convgate_home: Path, report_figure: Callable[[str], None]
) -> None:
    turns = [Turn.of("assistant" if index % 2 else "user", f"text {index}") for index in range(301)]
    policies = "everything, last_k, bm25, token_window, retention"
    app = opened(conversation=add_talk(*turns), policies=policies, page="3", selected="250")
    assert marks(app)["turn"] == list(range(201, 301))
    assert "300 turns, 201 to 300 here" in said(app)
    sound(app.selectbox(key="compare.rows").set_value("differ").run())
    assert marks(app)["turn"][:2] == [1, 2], "another list begins on its first page"
    assert "page" not in app.query_params
    start = time.process_time()
    sound(app.button(key="compare.older").click().run())
    report_figure(f"Compare: {time.process_time() - start:.2f} s for a rerun on 300 turns and 5 policies")


def test_a_click_shows_every_reason_with_a_way_into_explore(talk: str) -> None:
    app = opened(conversation=talk, policies=THREE)
    assert "Turn 4" in said(app), "the newest on which they differ"
    app = opened(conversation=talk, policies=THREE, selected="2")
    told = said(app)
    assert "● **Kept:** This policy keeps every turn." in told
    assert "○ **Dropped:** Older than the last 2 turns. :orange-badge[▼ unlike the reference]" in told
    assert f"conversation={talk}&turn=7&selected=2&policy=last_k" in links(app)[1]
    sound(app.button(key="compare.newer").click().run())
    assert app.query_params["selected"] == "3"
    sound(app.button(key="compare.next_different").click().run())
    assert app.query_params["selected"] == "4"


def test_forced_turns_and_session_boundaries_are_marked(convgate_home: Path) -> None:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    times = [start + timedelta(hours=hour) for hour in (0, 0, 0, 5, 5, 5)]
    turns = [Turn.of("system", "Be kind."), *MESSAGES[:5]]
    timed = [replace(turn, timestamp=time) for turn, time in zip(turns, times, strict=True)]
    app = opened(conversation=add_talk(*timed), policies="session, last_k(k=1)")
    found = marks(app)
    kept = found["1 Session: since the conversation began"]
    assert kept == ["◆ kept", "○ dropped", "○ dropped", "● kept", "● kept"]
    (chart,) = [one for one in app.get("plotly_chart") if "session begins" in one.proto.spec]
    assert "A session begins: 5 h since the last message" in chart.proto.spec


def test_bad_addresses_are_told_and_the_rest_is_shown(talk: str) -> None:
    app = opened(
        conversation=talk, policies="everything, gate@gone, last_k(k=1)", reference="bm25", rows="odd",
        turn="99", selected="x",
    )  # fmt: skip
    told = [warning.value.replace("\\", "").replace("\u2060", "") for warning in app.warning]
    assert [part for part in (
        "names the version gone, which does not exist",
        "compares with bm25, which is no column",
        "says rows=odd, not all, differ",
        "names turn 99, but this conversation has 7",
        "says selected=x, which is not a turn's number",
    ) if not any(part in one for one in told)] == [], told  # fmt: skip
    assert list(summary(app)) == ["Everything", "Last k turns, k 1"]

    for policies in ("last_k(k=", "everything, nobody", "everything, last_k(k=-1)", "last_k(size=3)"):
        app = opened(conversation=talk, policies=policies)
        assert "The address says policies=" in said(app)
        assert len(summary(app)) == 3, "as on a first visit"


def test_a_column_that_cannot_decide_is_left_out_and_says_why(talk: str) -> None:
    app = opened(
        conversation=talk, policies='everything, last_k, pipeline(stages="gatekeeper > gate@nobody")'
    )
    (error,) = [one.value.replace("\\", "") for one in app.error]
    assert "is left out" in error
    assert "nobody" in error
    assert list(summary(app)) == ["Everything", "Last k turns"]


def test_empty_states_have_the_button_that_helps(convgate_home: Path) -> None:
    assert "There is no conversation yet" in said(opened())
    talk = add_talk()
    app = opened(conversation=talk, policies="")
    sound(app.button(key="compare.start").click().run())
    assert list(summary(app)) == ["Gate", "BM25", "Last k turns"]
    app = opened(conversation=talk, policies="bm25")
    assert "Nothing to compare with yet" in said(app)
    assert list(summary(app)) == ["BM25"]
    sound(app.button(key="compare.add.last_k").click().run())
    assert list(summary(app)) == ["BM25", "Last k turns"]
    assert "nothing stands before it" in said(opened(conversation=talk, turn="1"))


def test_the_question_of_the_sidebar_is_decided_about_every_turn(talk: str) -> None:
    app = opened(conversation=talk, policies=THREE)
    sound(app.text_input(key="compare.question").set_value("and now?").run())
    assert summary(app)["Everything"][0] == "7 of 7"
    assert "ask=and+now%3F" in links(app)[0]
    sound(app.text_input(key="compare.question").set_value("").run())
    sound(app.button(key="compare.previous").click().run())
    assert app.query_params["turn"] == "5"
    assert summary(app)["Everything"][0] == "4 of 4"


def test_the_reference_and_the_filter_follow_a_column_that_is_changed() -> None:
    view = View(policies=read_policies("bm25, last_k", ","), reference=PolicySpec("last_k"), rows="last_k")
    changed = replaced(view, 1, PolicySpec("last_k", {"k": 3}))
    assert (changed.reference, changed.rows) == (PolicySpec("last_k", {"k": 3}), "last_k(k=3)")


def test_a_rule_needs_its_name_and_words_are_short() -> None:
    with pytest.raises(PolicyError, match="names no rule"):
        check_column(PolicySpec("gate", {"k": 3}))
    assert column_label(PolicySpec("pipeline", {"stages": "x" * 99})).endswith("…")
