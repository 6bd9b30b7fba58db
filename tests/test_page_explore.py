"""The page Explore, one test per task."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import convgate
from convgate.core.conversation import Conversation, Turn
from convgate.core.decisions import NEEDED
from convgate.core.home import app_root
from convgate.core.text import format_dollars, format_share
from convgate.embedding.cache import CachedEncoder
from convgate.gate.explain import WordEffect
from convgate.gate.model import Gate
from convgate.gate.thresholds import RULES
from convgate.policies.registry import policy_names
from convgate.store import Conversations, CurrentKey, Labels, NewConversation
from convgate.ui.explore import alternatives
from convgate.ui.explore.inspector import describe_sureness, notable_words
from convgate.ui.explore.message import PICKER, QUESTION
from convgate.ui.shared.annotator import annotator
from convgate.ui.shared.outcome import PolicyOutcome
from convgate.ui.shared.policy_options import option_label
from convgate.ui.shared.samples import load_samples
from convgate.versions import Draft, Metric, MetricSet, Versions
from tests.fakes import FakeEncoder
from tests.gates import trained_gate
from tests.label_page import trigger
from tests.page_app import (
    HOSTILE,
    IS_TRAINED,
    PAGES,
    TURNS,
    add_conversation,
    address,
    app_store,
    check,
    choose,
    click,
    go_back,
    open_page,
    page_text,
    stated,
    turn_table,
    use_encoder,
)
from tests.page_app import downloads as downloads
from tests.page_app import encoder as encoder

THRESHOLD = "explore.threshold"

Open = Callable[..., AppTest]


@pytest.fixture
def open_explore(convgate_home: Path, encoder: FakeEncoder) -> Open:
    """Opens Explore on a conversation, with more of the address when given."""

    def open_new(*turns: Turn, title: str = "Talk", format: str = "openai", **query: str) -> AppTest:
        key = add_conversation(*turns, title=title, format=format)
        return open_page("Explore", **{"conversation": key, **query})

    return open_new


def turns_before(app: AppTest) -> str:
    return stated(app, "Of")


def threshold(app: AppTest) -> str:
    return stated(app, "Lowest kept" if "Lowest kept" in page_text(app) else "Threshold")


def promised_share(app: AppTest) -> float:
    """Return the promise from which on the selected turn is dropped, in percent; 50 where none is named."""
    (share,) = re.findall(r"“lose at most ([\d.]+)%”", page_text(app)) or ("50",)
    return float(share)


def states(app: AppTest) -> list[str]:
    return [row["state"] for row in turn_table(app)["rows"]]


def test_every_turn_before_the_current_one_has_a_decision_with_a_reason(open_explore: Open) -> None:
    app = open_explore()
    rows = turn_table(app)["rows"]
    assert [row["state"] for row in rows[:1] + rows[-1:]] == ["forced", "current"]
    assert {row["state"] for row in rows[1:-1]} == {"kept", "dropped"}
    likely = ["likely needed"] * 2
    assert [row["outcome"] for row in rows[:4]] == ["rule", *likely, "dropped, low score"]
    assert "above the threshold" in rows[1]["reason"]
    assert "below the threshold" in rows[3]["reason"]
    assert (turns_before(app), stated(app, "Kept")) == ("7", str(states(app).count("kept") + 1))
    assert "This gate is untrained" not in page_text(app)


@pytest.mark.parametrize(
    ("text", "share"), [("Ok, what do you recommend?", "9"), ("Who invented paper?", "")]
)
def test_what_a_message_needs_by_its_wording_is_said(open_explore: Open, text: str, share: str) -> None:
    turns = Turn.of("user", "Our boiler loses pressure."), Turn.of("assistant", "A valve may leak.")
    text_of_page = page_text(open_explore(*turns, Turn.of("user", text)))
    assert re.search(rf"needs something said before: {share}\d%; .*; something earlier: \d", text_of_page)


def test_every_rule_decides_and_each_of_its_sliders_is_read(open_explore: Open) -> None:
    app = open_explore()
    for name in RULES:
        check(app.selectbox(key="explore.rule").set_value(name).run())
        own = {str(slider.key): slider for slider in app.slider if slider.key != "explore.limits"}
        assert own
        for key, slider in own.items():
            kept, before = [], slider.value
            for value in (slider.min, slider.max):
                check(app.slider(key=key).set_value(value).run())
                kept.append((stated(app, "Kept"), threshold(app)))
            assert kept[0] != kept[1], f"{key} changed nothing"
            check(app.slider(key=key).set_value(before).run())  # at its end it may hide another


def test_another_current_message_is_decided_anew(open_explore: Open) -> None:
    app = open_explore()
    check(app.selectbox(key=PICKER).set_value(5).run())
    assert turns_before(app) == "5"
    assert states(app)[5:] == ["current", "later", "later"]
    assert app.query_params["turn"] == "6"
    check(app.button(key="explore.previous").click().run())
    assert app.query_params["turn"] == "4", "the assistant's turns are passed over"
    check(app.button(key="explore.next").click().run())
    assert app.query_params["turn"] == "6"


def test_the_arrows_end_at_the_first_and_the_last_message(open_explore: Open) -> None:
    app = open_explore()
    assert app.button(key="explore.next").disabled, "the last message leads nowhere"
    app = open_explore(turn="2")
    assert app.button(key="explore.previous").disabled
    assert not app.button(key="explore.next").disabled


def test_a_typed_question_is_decided(open_explore: Open) -> None:
    app = open_explore()
    assert turns_before(app) == "7"
    check(app.chat_input(key=QUESTION).set_value("write the fibonacci function again").run())
    rows = turn_table(app)["rows"]
    assert turns_before(app) == "8"
    assert (rows[-1]["text"], rows[-1]["turn"]) == ("write the fibonacci function again", -1)
    assert rows[3]["state"] == "kept"
    best = max(rows[:-1], key=lambda row: float(row["score"]))["turn"]
    assert (turn_table(app)["selected"], turn_table(app)["focus"]) == (best, best), (
        "the best turn is in sight"
    )
    assert "answering your question" in page_text(app)
    assert app.chat_input(key=QUESTION).proto.value == "write the fibonacci function again", "to be changed"
    assert not check(app.run()).chat_input(key=QUESTION).proto.set_value, "what is typed since stays"
    app.chat_input(key=QUESTION).set_value("write the fibonacci function again").run()
    assert app.chat_input(key=QUESTION).proto.value == "write the fibonacci function again", "not emptied"
    check(app.button(key="explore.previous").click().run())
    assert turns_before(app) == "7", "back to the last message"
    assert app.chat_input(key=QUESTION).proto.value == TURNS[-1].text
    check(app.chat_input(key=QUESTION).set_value(TURNS[-1].text).run())
    assert turns_before(app) == "7", "the message itself is no question"


@pytest.mark.parametrize(
    "query",
    [
        {"rule": "stricter,deviations=-1.2"},
        {"rule": "blended,weight=0.3,deviations=0.15,max_turns=3"},
        {"rule": "top_k,k=1,min_turns=4"},
        {"rule": "token_budget,budget=40", "pairs": "1"},
        {"rule": "absolute"},
        {"rule": "relative", "turn": "6"},
    ],
)
def test_an_agent_with_the_downloaded_settings_decides_the_very_same(
    open_explore: Open,
    downloads: dict[str, Any],
    fake_encoder: FakeEncoder,
    tmp_path: Path,
    query: dict[str, str],
) -> None:
    app = open_explore(list="sent", **query)
    file = tmp_path / "convgate-agent.toml"
    file.write_text(downloads["explore.download_settings"](), encoding="utf-8")
    code = app.code[-1].value

    selector = convgate.load(file, encoder=fake_encoder)
    asked = TURNS[: int(query.get("turn", len(TURNS)))]
    messages = [{"role": turn.role, "content": turn.text} for turn in asked]
    selection = selector.select(messages)

    records = json.loads(downloads["explore.download_json"]())["turns"]
    for decision, record in zip(selection.decisions, records, strict=True):
        assert decision.to_json().items() <= record.items()
    assert selection.indices == [row["turn"] for row in turn_table(app)["rows"]], "as sent"
    assert "convgate.load(" in code


def test_moving_the_threshold_flips_turns_without_encoding(
    open_explore: Open, encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_encoder(CachedEncoder(encoder, None), monkeypatch)
    app = open_explore()
    before, kept, selected = stated(app, "Kept"), states(app), turn_table(app)["selected"]
    calls = len(encoder.calls)
    check(app.select_slider(key=THRESHOLD).set_value("0.01").run())
    assert int(stated(app, "Kept")) > int(before)
    assert turn_table(app)["selected"] == selected, "the panel stays"
    flipped = [row["turn"] for row in turn_table(app)["rows"] if row["flip"] == "up"]
    assert flipped == [i for i, state in enumerate(states(app)) if (kept[i], state) == ("dropped", "kept")]
    assert flipped
    assert app.query_params["rule"] == "absolute,threshold=0.01"
    assert len(encoder.calls) == calls
    check(app.button(key="explore.next_flipped").click().run())
    assert turn_table(app)["rows"][turn_table(app)["selected"]]["flip"] == "up"

    check(app.button(key="explore.reset").click().run())
    assert stated(app, "Kept") == before
    assert "rule" not in app.query_params


@pytest.mark.parametrize(
    "rule",
    [
        "anchored,anchor=1,threshold=0.27",
        "absolute,threshold=0.001",
        "expected,strictness=4",
        "top_k,k=2",
    ],
)
def test_the_metric_has_the_threshold_at_which_the_slider_stands(open_explore: Open, rule: str) -> None:
    app = open_explore(rule=rule)
    assert stated(app, "Threshold") == app.select_slider(key=THRESHOLD).value
    if rule.startswith("absolute"):
        assert stated(app, "Threshold") == "0.001"


def test_spreading_scores_gives_room_to_low_thresholds_and_is_remembered(open_explore: Open) -> None:
    app = open_explore(rule="absolute,threshold=0.001")

    def n_below_a_tenth() -> int:
        slider = app.select_slider(key=THRESHOLD)
        return sum(float(option) < 0.1 for option in slider.options)

    n_linear = n_below_a_tenth() / len(app.select_slider(key=THRESHOLD).options)
    check(app.toggle(key="explore.logit").set_value(True).run())
    assert n_below_a_tenth() / len(app.select_slider(key=THRESHOLD).options) > 1.5 * n_linear
    assert stated(app, "Threshold") == app.select_slider(key=THRESHOLD).value == "0.001"
    assert app.query_params["logit"] == "1"


def test_when_nothing_is_kept_the_best_turn_is_named_and_can_be_shown(open_explore: Open) -> None:
    query = {"rule": "absolute,threshold=1"}
    app = open_explore(*TURNS[1:], **query)
    assert "No turn reaches 1.00. Best: turn " in page_text(app)
    best = turn_table(app)["selected"]
    check(app.button(key="explore.lower").click().run())
    assert [row["turn"] for row in turn_table(app)["rows"] if row["state"] == "kept"] == [best]
    assert "No turn reaches" not in page_text(app)
    assert "No other turn reaches 1.00. Best: turn " in page_text(open_explore(**query)), (
        "an instruction is sent"
    )
    app = open_explore(*TURNS[1:], **query)
    check(app.button(key="explore.show_top").click().run())
    assert states(app).count("kept") == 5


def test_one_sentence_says_what_is_sent_and_another_what_is_not(open_explore: Open) -> None:
    app = open_explore(turn="6")
    assert (stated(app, "Kept"), turns_before(app)) == ("3", "5")
    text = page_text(app)
    assert "Not sent: 2 turns (fibonacci). 2 later turns, not decided about." in text
    assert "Chosen by" not in text
    assert "Chosen by Last 2 turns" in page_text(open_explore(turn="6", policy="last_k(k=2)"))
    app = open_explore(turn="6", rule="top_k,k=3")
    assert "Not sent: 1 turn (fibonacci). Changed" in page_text(app)
    app = open_explore(*TURNS[1:], rule="absolute,threshold=1")
    assert "The model gets none of 6 earlier turns." in page_text(app)
    assert re.search(r"Changed by your rule: \d now dropped\.", page_text(app))
    assert "later turn" not in page_text(app)
    assert "later turn" not in page_text(open_explore(ask="nan")), "a question is behind all turns"


def test_limits_bound_the_number_of_turns(open_explore: Open) -> None:
    app = open_explore()
    check(app.slider(key="explore.limits").set_value((0, 1)).run())
    assert states(app).count("kept") <= 1
    check(app.slider(key="explore.limits").set_value((7, 7)).run())
    assert stated(app, "Kept") == "7"
    assert "min_turns=7" in app.query_params["rule"]
    assert "max_turns" not in app.query_params["rule"], "all of the turns is no limit"


@pytest.mark.parametrize("name", policy_names())
def test_every_policy_can_decide_alone(open_explore: Open, name: str) -> None:
    app = open_explore(policy=name, selected="2")
    assert f"Policy: {option_label(name)}" in page_text(app)
    assert len(turn_table(app)["rows"]) == 8
    n_kept = states(app).count("kept") + states(app).count("forced")
    check(app.segmented_control(key="explore.listed").set_value("sent").run())
    assert len(turn_table(app)["rows"]) == n_kept + 1


def test_a_pipeline_says_which_stage_decided_and_explains_what_its_gate_scored(
    open_explore: Open, downloads: dict[str, Any]
) -> None:
    turns = (Turn.of("user", "Hi"), Turn.of("assistant", "Hello!"), *TURNS[1:])
    open_explore(*turns, policy="pipeline", list="sent")
    app = open_explore(*turns, policy="pipeline", selected="2")
    assert (turn_table(app)["rows"][1]["score"], turn_table(app)["rows"][1]["bar"]) == ("", None)
    assert "Dropped by the gatekeeper:" in page_text(app)
    records = json.loads(downloads["explore.download_json"]())
    assert [record["stage"] for record in records["turns"]][:3] == ["gatekeeper", "gatekeeper", "gate"]
    assert records["turns"][0]["score"] is None
    assert records["version"] == "untrained"
    app = open_explore(*turns, policy="pipeline")
    assert len(app.get("plotly_chart")) == 1, "the best turn is selected, with the parts of its score"


@pytest.mark.parametrize("page", ["Train", "Tune", "Versions", "Experiments", "Monitor"])
def test_a_page_about_no_conversation_stays_at_its_plain_address(open_explore: Open, page: str) -> None:
    app = open_explore(selected="2")
    app.query_params.clear()  # as a link in the sidebar does
    check(app.switch_page(PAGES[page]).run())
    assert not app.query_params, "another address would take a press of back"


def test_a_tab_takes_no_press_of_back_and_another_conversation_opens_on_why(open_explore: Open) -> None:
    app = open_explore(selected="2", show="Links")
    click(app, "explore.newer")
    assert "show" not in address(app)
    assert "From the turn alone" in page_text(app)
    check(go_back(app, conversation=address(app)["conversation"], selected="2"))
    assert "From the turn alone" in page_text(app), "the same conversation"
    other = add_conversation(*TURNS[1:], title="Other")
    check(go_back(app, conversation=other))  # as a link in the Library does
    assert "From the turn alone" not in page_text(app)
    assert "Speaks for it" in page_text(app)


def test_a_click_on_a_turn_explains_it_and_draws_the_strip_anew(open_explore: Open) -> None:
    app = open_explore(selected="2")
    here = CurrentKey(address(app)["conversation"], 7)
    Labels(app_store()).answer(here, {1: "relevant"}, by=annotator())  # by a run that ended early
    trigger(app, "asked", {"what": "select", "turn": 4})
    assert [each.value for each in app.subheader] == ["Turn 5"]
    assert (turn_table(app)["rows"][1]["mine"], turn_table(app)["selected"]) == ("relevant", 4)
    assert address(app)["selected"] == "5"


def test_the_last_turns_are_one_click_away_with_what_they_miss(open_explore: Open) -> None:
    turns = [Turn.of("user", text) for text in ("the loss is nan", *["write a fibonacci function"] * 12)]
    app = open_explore(*turns, Turn.of("user", "the loss is nan"))
    assert [app.button(key="explore.instead_last").label] == [
        "last 10 turns: 10 turns, 1 of 1 likely needed missing"
    ]
    click(app, "explore.instead_last")
    assert address(app)["policy"] == "last_k"
    assert "The model gets 10 of 13 earlier turns: 10 recent." in page_text(app)
    assert {(row["score"], row["bar"]) for row in turn_table(app)["rows"]} == {("", None)}, "no probabilities"
    assert {*turn_table(app)["map"]["bars"]} == {0, 100}
    ruled = open_explore(Turn.of("system", "Be brief."), *turns, turns[0])
    assert ruled.button(key="explore.instead_last").label.startswith("last 10 turns and rules: 11 turns")
    assert "1 now dropped, 1 of them likely needed." in page_text(app)
    table = turn_table(app)
    assert (table["selected"], table["rows"][0]["flip"]) == (0, "down"), "what is missing is in sight"
    assert table["rows"][0]["reason"].endswith("Likely needed, by the gate.")
    assert [(fold["first"], fold["last"]) for fold in table["folds"]] == [(1, 2)]
    assert "The gate keeps this turn. It is likely needed." in page_text(app)
    click(app, "explore.instead_gate")
    assert "policy" not in address(app)


def test_where_nearly_all_is_sent_it_says_why_and_what_sends_less(open_explore: Open) -> None:
    turns = [Turn.of("user", f"write a fibonacci function {number}") for number in range(10)]
    app = open_explore(*turns, TURNS[1], TURNS[-1], rule="max_missed")
    assert "Most are sent in case, so that at most 2% of what is needed is lost." in page_text(app)
    button = [each for each in app.button if each.label.startswith("≤")][-1]
    found = re.fullmatch(r"≤ (\d+)% lost: (\d+) turns?", button.label)
    assert found
    check(button.click().run())
    assert app.select_slider(key="explore.promise").value == f"{found[1]}%"
    assert stated(app, "Kept") == found[2]


def test_promises_that_send_three_quarters_and_half_of_the_turns_are_offered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(alternatives, "is_mostly_in_case", lambda outcome: True)
    reach = np.array([0.05, 0.05, 0.25, 0.25, 0.5, 0.6, 0.7, 0.8])
    outcome: Any = SimpleNamespace(reach=reach, promise=0.02, selection=SimpleNamespace(budget=None))
    assert alternatives._find_promises(outcome) == [0.05, 0.3]
    outcome.promise = 0.3
    assert alternatives._find_promises(outcome) == [0.4]
    outcome.promise = alternatives.PROMISES[-1]
    assert alternatives._find_promises(outcome) == []


def test_the_buttons_lead_to_kept_and_dropped_turns(open_explore: Open) -> None:
    app = open_explore(selected="1")
    for kind, kept in (("kept", {"kept", "forced"}), ("dropped", {"dropped"})):
        check(app.button(key=f"explore.next_{kind}").click().run())
        assert states(app)[turn_table(app)["selected"]] in kept


def test_only_the_open_tab_is_computed(open_explore: Open, encoder: FakeEncoder) -> None:
    app = open_explore(selected="2")
    assert len(app.get("plotly_chart")) == 1, "the parts of the score"
    app = open_explore(selected="2", show="Links")
    assert len(app.get("plotly_chart")) == 2, "the tiers and the links"
    assert not any("my loss is when" in " ".join(text.split()) for text in encoder.texts)
    app = open_explore(selected="2", show="Words")
    assert [html for html in app.html if 'class="turn-words' in html.value]
    assert any("my loss is when" in " ".join(text.split()) for text in encoder.texts), "a word was hidden"
    app = open_explore(selected="2", show="Matrix")
    assert len(app.get("plotly_chart")) == 1


def test_the_address_reopens_everything(open_explore: Open) -> None:
    query = {
        "turn": "6", "selected": "3", "rule": "blended,weight=0.3,min_turns=1", "pairs": "1",
        "show": "Links", "list": "sent", "columns": "tier1,gate", "chart": "1",
    }  # fmt: skip
    app = open_explore(**query)
    assert app.selectbox(key=PICKER).value == 5
    assert turn_table(app)["selected"] == 2
    assert app.selectbox(key="explore.rule").value == "blended"
    assert app.slider(key="explore.blended.weight").value == 0.3
    assert app.slider(key="explore.limits").value == (1, 5)
    assert app.toggle(key="explore.pairs").value
    assert app.toggle(key="explore.chart").value
    assert app.button_group(key="explore.columns").value == ["tier1", "gate"]
    assert len(app.get("plotly_chart")) == 3, "the scores, the tiers and the links"
    assert app.code
    assert {**query, "conversation": app.query_params["conversation"]} == dict(app.query_params)


def test_the_messages_to_send_are_the_kept_turns_and_the_current_message(
    open_explore: Open, downloads: dict[str, Any]
) -> None:
    app = open_explore()
    kept = [turn for turn, state in enumerate(states(app)) if state in ("kept", "forced", "current")]
    app = open_explore(messages="1")
    assert address(app)["list"] == "sent", "as older addresses name it"
    sent = json.loads(app.code[0].value)
    assert [message["content"] for message in sent] == [TURNS[turn].text for turn in kept]
    rows = turn_table(app)["rows"]
    assert [(row["turn"], row["who"], row["text"]) for row in rows] == [
        (turn, TURNS[turn].role, TURNS[turn].text) for turn in kept
    ]
    tokens = sum(int(row["outcome"].removesuffix(" tokens")) for row in rows)
    assert f"{len(kept)} messages · OpenAI chat · {tokens} tokens" in page_text(app)
    assert str(tokens) == stated(app, "Tokens")
    records = json.loads(downloads["explore.download_json"]())["turns"]
    assert [turn["kept"] for turn in records] == [turn in kept for turn in range(len(TURNS) - 1)]
    open_explore(list="sent", ask="is the loss nan")
    sent = json.loads(downloads["explore.download_messages"]())["messages"]
    assert sent[-1] == {"role": "user", "content": "is the loss nan"}


def test_turns_with_halves_of_surrogate_pairs_are_searched(open_explore: Open) -> None:
    half = "nan \ud800 batch"
    for tab in ("Why", "Links", "Words", "Matrix"):
        turn = Turn.of("user", half, name=half)
        app = open_explore(
            turn, Turn.of("assistant", "ok"), turn, Turn.of("user", "nan"),
            title=half, selected="1", show=tab,
        )  # fmt: skip
        check(app.text_input(key="explore.search").set_value("nan").run())
        assert {word for row in turn_table(app)["rows"] for word in row["words"]} == {"nan"}
        assert app.button(key="explore.next_found").label == "3 found"
        assert turn_table(choose(app, "explore.listed", "sent"))["rows"]


def test_search_finds_turns_and_goes_there(open_explore: Open) -> None:
    app = open_explore()
    check(app.text_input(key="explore.search").set_value("FIBONACCI").run())
    assert turn_table(app)["rows"][3]["words"] == ["FIBONACCI"]
    button = app.button(key="explore.next_found")
    assert button.label == "2 found"
    check(button.click().run())
    found = [turn_table(app)["selected"]]
    check(app.button(key="explore.next_found").click().run())
    assert sorted([*found, turn_table(app)["selected"]]) == [3, 4]


def test_the_panel_follows_the_selected_turn(open_explore: Open) -> None:
    app = open_explore(selected="2")
    assert [head.value for head in app.subheader] == ["Turn 2"]
    check(app.button(key="explore.newer").click().run())
    assert [head.value for head in app.subheader] == ["Turn 3"]
    assert any("the mean of an empty batch" in text.value for text in app.text)
    check(app.button(key="explore.older").click().run())
    assert app.query_params["selected"] == "2"


def test_invalid_parts_of_an_address_are_reported_and_ignored(open_explore: Open) -> None:
    app = open_explore(turn="99", selected="x", rule="nonsense", policy="magic")
    warnings = " ".join(warning.value for warning in app.warning).replace("\\", "")
    for words in ("turn 99, but this conversation has 8", "selected=x", "nonsense", "policy=magic"):
        assert words in warnings
    assert turns_before(app) == "7"
    assert set(app.query_params) == {"conversation"}


def test_a_kept_tool_result_brings_its_call_and_says_so(open_explore: Open) -> None:
    from convgate.core.conversation import ToolCall

    app = open_explore(
        Turn.of("user", "which files are there"),
        Turn.of("assistant", "", tool_calls=(ToolCall("a", "list_files", "{}"),)),
        Turn.of("tool", "the loss is nan in train.py", tool_call_id="a"),
        Turn.of("assistant", "one file"),
        Turn.of("user", "the loss is nan in train.py"),
    )
    rows = turn_table(app)["rows"]
    assert [row["state"] for row in rows[1:3]] == ["forced", "kept"]
    assert rows[1]["outcome"] == "kept with its result"
    assert "Turn 3 is kept, and APIs refuse a result without its call." in rows[1]["reason"]


# The strip


def test_the_strip_folds_runs_of_dropped_turns_and_shows_all_in_small(open_explore: Open) -> None:
    app = open_explore(*TURNS[1:])
    data = turn_table(app)
    (fold,) = data["folds"]
    assert (fold["first"], fold["last"], fold["label"]) == (2, 3, "2 turns dropped: fibonacci")
    assert states(app)[2:4] == ["dropped", "dropped"]
    assert data["map"]["states"] == "kkddkdl"
    assert data["map"]["bars"][0] == int(100 * data["rows"][0]["bar"])
    scores = [float(row["score"]) for row in data["rows"][:-1]]
    assert data["selected"] == data["focus"] == scores.index(max(scores)), "the best turn is in sight"
    assert not turn_table(choose(app, "explore.listed", "dropped"))["folds"], "each is to be read there"


def test_numbers_of_every_turn_are_columns_of_the_strip(open_explore: Open) -> None:
    row = turn_table(open_explore(columns="tier1,tier2,threshold,gate"))["rows"][1]
    labels, values = zip(*row["columns"], strict=True)
    assert labels == ("Turn alone", "With linked turns", "Threshold", "Share of links")
    assert all(re.fullmatch(r"\d\.\d+|\d+(\.\d)?%", value) for value in values)
    by_place = turn_table(open_explore(columns="tier1", policy="last_k"))["rows"][1]
    assert by_place["columns"] == [["Turn alone", "–"]]


def test_the_inspector_measures_what_changes_without_the_turn(open_explore: Open) -> None:
    app = open_explore(selected="2")
    text = page_text(app)
    found = re.search(
        r"Without this turn: .*; largest change of a score: turn (\d), (0\.\d+) to (0\.\d+)", text
    )
    assert found
    assert found[1] != "2"
    assert turn_table(app)["rows"][int(found[1]) - 1]["score"] == found[2]
    assert "Without this turn" not in page_text(open_explore(selected="2", policy="last_k"))


def test_the_last_exchange_is_measured_by_leaving_it_out(
    open_explore: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = click(open_explore(), "explore.measure.exchange")
    (line,) = [line for line in page_text(app).splitlines() if "Without the last exchange" in line]
    found = re.search(r"\(turns? 6.*, \d+ tokens\).*largest change of a score: turn (\d), (\S+) to", line)
    assert found, line
    assert turn_table(app)["rows"][int(found[1]) - 1]["score"] == found[2]
    assert "explore.measure.exchange" not in [button.key for button in open_explore(policy="last_k").button]
    assert "How sure" in page_text(app)
    st.cache_resource.clear()
    monkeypatch.setattr(Gate, "is_trained", IS_TRAINED)
    text = page_text(open_explore())
    assert "How sure" not in text, "the scores of an untrained gate are no probabilities"
    assert "This gate is untrained" in text


def test_the_price_stands_beside_the_tokens_and_in_what_is_sent(
    open_explore: Open, convgate_home: Path
) -> None:
    app = open_explore(list="sent", selected="2", ask="n " * 1_900)
    tokens, all_tokens = int(stated(app, "Tokens").replace(",", "")), 0
    for model, dollars in (("claude-sonnet-4-5", 3.0), ("gpt-5", 1.25)):
        (convgate_home / "convgate.toml").write_text(f'[costs]\nmodel = "{model}"\n' if all_tokens else "")
        app = open_page("Explore", **address(app))
        price = format_dollars(tokens * dollars / 1e6)
        assert stated(app, "Cost") == price
        all_tokens = int(stated(app, "All tokens").replace(",", ""))
        assert (
            f"{price} instead of {format_dollars(all_tokens * dollars / 1e6)} for all turns ({model})"
            in page_text(app)
        )


@pytest.mark.parametrize(
    ("kept", "reach", "said"),
    [
        (True, 0.9, "Clear: 61% likely to be needed, kept at any “lose at most”."),
        (True, 0.2, "Clear: 61% likely to be needed, kept up to “lose at most 20%”."),
        (True, 0.0512, "Fairly clear: 61% likely to be needed, kept up to “lose at most 5.1%”."),
        (False, 0.018, "Close call: 61% likely to be needed, dropped from “lose at most 1.8%” on."),
    ],
)
def test_the_score_and_the_promise_are_one_sentence(kept: bool, reach: float, said: str) -> None:
    decision = SimpleNamespace(
        score=0.61, kept=kept, outcome_name=NEEDED, explanation="close in meaning.", threshold=None,
        is_probability=True,
    )  # fmt: skip
    outcome = SimpleNamespace(
        decisions=SimpleNamespace(of=lambda _: decision, overrides={}), version="v1", reach=[reach],
        promise=0.02, selection=SimpleNamespace(budget=None), message=SimpleNamespace(history=range(1)),
    )  # fmt: skip
    assert describe_sureness(cast(PolicyOutcome, outcome), 0) == said


@pytest.mark.usefixtures("promise_of_version")
def test_how_sure_the_gate_is_is_said_in_plain_words(open_explore: Open, convgate_home: Path) -> None:
    app = open_explore(selected="4")
    score = float(turn_table(app)["rows"][3]["score"])
    said = rf"Kept: (.* )?sent in case: {format_share(score)} likely to be needed, \d+ tokens[.;]"
    assert re.search(said, page_text(app)), page_text(app)
    assert re.search(
        "How sure[?] (Close call|Fairly clear): kept (up to|at any) “lose at most", page_text(app)
    )
    (sentence,) = [each for each in app.markdown if each.value.startswith("The model gets")]
    assert sentence.proto.help.startswith(
        "In case: each is less than 50% likely to be needed, and sent to keep the promise “lose at most 2%”."
        " By rule: "
    )
    assert "Measured" not in page_text(app), "it was not measured"
    versions = Versions(convgate_home)
    missed = [{"missed": Metric(value)} for value in (0.003, 0.037)]
    draft = Draft(metrics={f"set {each}": MetricSet(9, 9, each) for each in missed})
    versions.add(trained_gate(), draft, name="measured")
    app = open_explore(selected="4", policy="gate@measured")
    measured = "Measured: 2.0% of what is needed was lost on average; 0.3% to 3.7% on each of 2 sets."
    assert re.findall("Measured.*", page_text(app)) == [measured]
    for other in ({"rule": "top_k"}, {"budget": "5000"}):
        assert "Measured" not in page_text(open_explore(selected="4", policy="gate@measured", **other))


def test_a_question_that_is_too_long_is_kept_in_the_field(open_explore: Open) -> None:
    app = open_explore()
    question = "x" * 4_001
    check(app.chat_input(key=QUESTION).set_value(question).run())
    assert "4,001 characters" in page_text(app)
    assert "4,000" in page_text(app)
    assert turns_before(app) == "7", "it is not decided"
    assert app.chat_input(key=QUESTION).proto.value == question
    check(app.chat_input(key=QUESTION).set_value(question[1:]).run())
    assert turns_before(app) == "8"
    assert "characters" not in page_text(app)


def test_the_promise_is_a_slider_over_the_strip(open_explore: Open) -> None:
    app = open_explore(rule="max_missed")
    assert app.select_slider(key="explore.promise").value == "2%"
    before = int(stated(app, "Kept"))
    check(app.select_slider(key="explore.promise").set_value("50%").run())
    assert int(stated(app, "Kept")) < before
    assert "kept" in states(app)
    assert float(stated(app, "Lowest kept")) < 1
    assert app.query_params["rule"] == "max_missed,max_missed=0.5"
    assert not [slider for slider in app.select_slider if slider.key == THRESHOLD]


@pytest.fixture
def promise_of_version(convgate_home: Path, encoder: FakeEncoder) -> None:
    """Have an active version whose promise has levels of its own."""
    versions = Versions(convgate_home)
    parameters = {"max_missed": 0.02, "levels": "0.02:0.0151 0.05:0.04", "fitted_on": "some labels"}
    draft = Draft(threshold_rule="max_missed", threshold_parameters=parameters)
    versions.add(trained_gate(), draft, name="promise")
    versions.activate("promise", who="Ada")


@pytest.mark.usefixtures("promise_of_version")
def test_the_promise_of_the_version_is_short_in_the_address(open_explore: Open) -> None:
    app = open_explore(selected="3")
    before = promised_share(app)
    check(app.select_slider(key="explore.promise").set_value("5%").run())
    assert app.query_params["rule"] == "max_missed,max_missed=0.05"
    assert app.select_slider(key="explore.promise").label == "Lose at most (not the version's own: 2%)"
    reopened = open_page("Explore", **address(app))
    assert states(reopened) == states(app)
    assert promised_share(reopened) == promised_share(app) == before, "with the levels of the version"


def test_the_way_back_returns_to_the_policy_of_its_address(open_explore: Open) -> None:
    app = open_explore(policy="last_k")
    app = go_back(app, conversation=address(app)["conversation"])
    assert app.selectbox(key="explore.policy").value == "gate"
    assert "policy" not in address(app)


def test_another_conversation_opens_with_the_rule_of_the_version(open_explore: Open) -> None:
    app = open_explore(rule="top_k,k=1", policy="gate")
    other = add_conversation(*TURNS[:-2], title="Other")
    app = go_back(app, conversation=other)
    assert "rule" not in address(app)
    assert "explore.reset" not in {button.key for button in app.button}, "there is nothing to reset"


@pytest.mark.usefixtures("promise_of_version")
def test_each_turn_says_from_which_promise_on_it_is_dropped(open_explore: Open) -> None:
    key = address(open_explore())["conversation"]
    for turn in range(2, 8):  # the first is an instruction
        app = open_page("Explore", conversation=key, selected=str(turn))
        is_kept = promised_share(app) >= 2
        assert ("Dropped from" in page_text(app)) != is_kept
        assert page_text(app).count("likely to be needed") == 1, "the reason or the line below it says it"
        assert turn_table(app)["rows"][turn - 1]["state"] == ("kept" if is_kept else "dropped")


def test_a_value_that_the_browser_sends_late_does_not_become_the_lowest(open_explore: Open) -> None:
    app = open_explore(rule="max_missed,max_missed=0.025")
    assert app.select_slider(key="explore.promise").value == "2.5%"
    click(app, "explore.reset")
    app.selectbox(key="explore.rule").set_value("max_missed")
    check(app.run())
    assert app.select_slider(key="explore.promise").value == "2%"
    states_of_widgets = app._tree.get_widget_states()
    for widget in states_of_widgets.widgets:
        if "explore.promise" in widget.id:
            widget.string_array_value.data[:] = ["2.5%"]  # as it was before
    check(app._run(states_of_widgets))
    assert app.select_slider(key="explore.promise").value != "0%"


def test_words_that_hardly_matter_are_not_marked() -> None:
    effects = [
        WordEffect(0, 4, 2.0),
        WordEffect(5, 9, -0.04),
        WordEffect(10, 14, -0.3),
        WordEffect(15, 19, 0.6),
    ]
    assert [effect.start for effect in notable_words(effects)] == [0, 15], "a quarter of the strongest"
    assert notable_words([WordEffect(0, 4, -0.05), WordEffect(5, 9, -0.09)]) == [], "noise"


# Answers in place


def test_turns_are_labelled_on_explore(open_explore: Open) -> None:
    app = open_explore(selected="3")
    labels, here = Labels(app_store()), CurrentKey(app.query_params["conversation"], 7)
    check(app.button(key="annotator.change").click().run())
    check(app.text_input(key="annotator.typed").set_value("Ada").run())
    check(app.button(key="answering.not_relevant").click().run())
    assert labels.of(here).of("Ada") == {2: "not_relevant"}
    assert (turn_table(app)["rows"][2]["mine"], turn_table(app)["selected"]) == ("not_relevant", 1)
    assert "Saved" in page_text(app)
    check(app.button(key="answering.undo").click().run())
    assert (labels.of(here).of("Ada"), turn_table(app)["selected"]) == ({}, 2)
    check(app.button(key="answering.redo").click().run())
    check(app.button(key="answering.scope_rest").click().run())
    check(app.button(key="answering.relevant").click().run())
    rest = dict.fromkeys((1, 3, 4, 5, 6), "relevant")
    assert labels.of(here).of("Ada") == {2: "not_relevant", **rest}, "0 is an instruction"
    assert len(app.query_params) > 1, "the address has the turn"


# Edges


@pytest.mark.parametrize("file", ["nothing_relevant.json", "support_invoice_router_parcel.json"])
def test_a_sample_says_what_it_shows_where_it_opens(
    convgate_home: Path, encoder: FakeEncoder, file: str
) -> None:
    [sample] = [sample for sample in load_samples(app_root() / "sample_conversations") if sample.file == file]
    app = click(open_page("Library"), f"sample-{file}")
    assert (app.title[0].value, sample.shows in page_text(app)) == ("Explore", True)
    asked = open_page("Explore", conversation=address(app)["conversation"], ask="And now?")
    assert sample.shows not in page_text(asked)


def test_an_empty_library_leads_to_the_library(convgate_home: Path, encoder: FakeEncoder) -> None:
    app = open_page("Explore")
    assert "no conversation yet" in page_text(app)
    assert [link.proto.page for link in app.main.get("page_link")] == [""]


def test_an_unknown_conversation_is_reported(open_explore: Open) -> None:
    app = go_back(open_explore(), conversation="deadbeef")
    assert "deadbeef" in app.error[0].value
    assert app.main.get("page_link")
    check(app.selectbox(key="explore.conversation").set_value(add_conversation()).run())
    assert turns_before(app) == "7"


def test_an_empty_conversation(convgate_home: Path, encoder: FakeEncoder) -> None:
    (added,) = Conversations(app_store()).add([NewConversation(Conversation("empty", ()))])
    app = open_page("Explore", conversation=added.key)
    assert "no messages" in page_text(app)


@pytest.mark.parametrize("policy", ["gate", "bm25", "session", "pipeline"])
def test_the_first_turn_has_nothing_before_it(open_explore: Open, policy: str) -> None:
    app = open_explore(turn="1", policy=policy)
    assert "Nothing to decide" in page_text(app)
    assert states(app)[:2] == ["current", "later"]
    assert "The model gets" not in page_text(app)


def test_blank_and_hostile_and_very_long_turns(open_explore: Open) -> None:
    long = "nan " * 25_000
    app = open_explore(
        Turn.of("user", HOSTILE), Turn.of("assistant", " \n "), Turn.of("user", long),
        Turn.of("assistant", ""), Turn.of("user", "nan"), title=HOSTILE,
    )  # fmt: skip
    rows = turn_table(app)["rows"]
    assert (rows[0]["text"], rows[1]["text"], rows[3]["text"]) == (HOSTILE, "", "")
    assert rows[2]["cut"]
    assert len(rows[2]["text"]) < 2_100
    for turn in "123":
        app = open_explore(
            Turn.of("user", HOSTILE), Turn.of("assistant", " \n "), Turn.of("user", long),
            Turn.of("assistant", ""), Turn.of("user", "nan"), title=HOSTILE, selected=turn,
        )  # fmt: skip
        shown = [*app.markdown, *app.caption, *app.info, *app.warning]
        assert not [one for one in shown if HOSTILE in str(one.value)], "nothing is Markdown"


def test_what_is_open_on_explore_is_not_in_the_address_of_label(open_explore: Open) -> None:
    app = open_explore(show="Words", list="dropped", chart="1")
    app.query_params.clear()  # as a link in the sidebar does
    check(app.switch_page(PAGES["Label"]).run())
    assert set(app.query_params) == {"conversation"}
    app.query_params.clear()
    check(app.switch_page(PAGES["Explore"]).run())
    assert {"list": "dropped", "chart": "1"}.items() <= address(app).items()
    assert [html for html in app.html if 'class="turn-words' in html.value], "open, but not in the address"
