"""Tune as a person uses it: sliders, goal, flips, a click on the curve, saving, the address."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

import convgate
from convgate.store import Conversations, NewConversation
from convgate.training.library import RelevanceSets
from convgate.transcripts import Case, RelevanceSet, write_relevance_set
from convgate.ui.navigation import EXPLORE
from convgate.ui.tune import threshold
from convgate.ui.tune.flips import PER_PAGE
from convgate.ui.tune.results import TuneResults
from convgate.versions.catalog import Versions
from tests.fakes import FakeEncoder
from tests.tune_page import (
    TUNE,
    choose,
    click,
    flips,
    key_of,
    labelled_library,
    listed,
    number,
    open_page,
    said,
    slide,
    sound,
    store,
    table,
    talk,
    turn_to,
)


@pytest.fixture
def library(convgate_home: Path, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> Path:
    return labelled_library(convgate_home, fake_encoder, monkeypatch)


@pytest.mark.usefixtures("library")
def test_labels_are_chosen_by_themselves_and_each_slider_changes_the_metrics(
    fake_encoder: FakeEncoder,
) -> None:
    app = open_page()
    assert "My labels: 80 labelled turns" in said(app)
    assert "4 of 25 conversations: too few to trust." in said(app)
    own, new = table(app)["Precision"]
    assert own == new
    assert "small[" in own, "an interval over conversations"
    assert table(app)["Rule"][0] == "Anchored, anchor 0.45, threshold 0.44"
    assert flips(app) == (0, 0, 0)

    encoded, before = len(fake_encoder.texts), number(app, "Turns kept")
    slide(app, "tune.anchored.threshold", 0.2)
    lower = number(app, "Turns kept")
    assert lower > before == number(app, "Turns kept", 0)
    slide(app, "tune.anchored.anchor", 0.8)
    assert number(app, "Turns kept") < lower
    slide(app, "tune.limits", (1, 1))
    assert number(app, "Turns kept") == 8
    assert "It ignores the limits" in said(app)
    slide(app, "tune.limits", (0, 12))
    sound(app.selectbox(key="tune.rule").set_value("top_k").run())
    assert "it has no threshold to suggest" in said(app)
    slide(app, "tune.top_k.k", 3)
    assert number(app, "Turns kept") == 24
    click(app, "tune.reset")
    assert number(app, "Turns kept") == before
    assert len(fake_encoder.texts) == encoded, "each turn is encoded once"


@pytest.mark.usefixtures("library")
def test_the_goal_suggests_a_threshold_whose_flips_open_in_explore() -> None:
    app = open_page(rule="absolute")
    assert "For the best F1: threshold 0." in said(app)
    choose(app, "tune.goal", "recall")
    slide(app, "tune.recall", 0.8)
    suggested = re.search(r"For recall 0.80: threshold (0\.\d+), with .*recall (\d\.\d+)", said(app))
    assert suggested
    assert float(suggested[2]) >= 0.8
    click(app, "tune.use_best")
    assert number(app, "Recall") == float(suggested[2])
    assert app.button(key="tune.use_best").disabled
    count, fixed, broken = flips(app)
    assert count == fixed + broken > 0
    links = listed(app)
    assert len(links) == min(count, PER_PAGE)
    rows = [str(item.value) for item in app.markdown if "score 0." in str(item.value)]
    for row in rows:
        assert ("fixed" in row) == (("↑" in row) == ("labelled relevant" in row))

    values = dict(parse_qsl(links[0]["query"]))
    assert values["policy"] == "gate@used"
    assert values["rule"] == app.query_params["rule"]
    other = open_page(EXPLORE, **values)
    assert not other.warning
    turn = re.search(r"Turn (\d+) for", links[0]["label"])
    assert turn
    assert any(item.value == f"Turn {turn[1]}" for item in other.subheader)


@pytest.mark.usefixtures("library")
def test_a_goal_out_of_reach_says_why() -> None:
    app = open_page(goal="recall", recall="1", rule="anchored,anchor=0.56,threshold=0.3")
    assert "No threshold of this rule reaches recall 1.00 here." in said(app)
    assert "no turn scores 0.56, its anchor" in said(app)
    assert "tune.use_best" not in [button.key for button in app.button]


@pytest.mark.usefixtures("library")
def test_flips_are_paged_and_filtered_and_shown_as_text() -> None:
    app = open_page(rule="absolute,threshold=0")
    count, fixed, broken = flips(app)
    assert count > PER_PAGE
    captions = [str(item.value) for item in app.caption]
    assert any("\\$x\\^2\\$" in text for text in captions)
    assert not any("<b>" in text or "$x^2" in text or "](" in text for text in captions)
    first = [link["label"] + link["query"] for link in listed(app)]
    turn_to(app, 2)
    assert not set(first) & {link["label"] + link["query"] for link in listed(app)}
    for only, expected in (("broken", broken), ("fixed", fixed)):
        choose(app, "tune.only", only)
        assert len(listed(app)) == min(PER_PAGE, expected)


@pytest.mark.usefixtures("library")
def test_another_version_and_no_data_give_other_numbers() -> None:
    app = open_page()
    first = table(app)["Precision"][0]
    sound(app.selectbox(key="tune.version").set_value("gate@other").run())
    assert table(app)["Precision"][0] != first
    assert app.query_params["version"] == "gate@other"
    choose(app, "tune.data", [])
    assert "Label some turns, or choose a relevance set" in said(app)


def test_turns_of_a_set_link_to_where_the_library_has_the_same(library: Path, tmp_path: Path) -> None:
    known, strange = replace(talk(1), id="elsewhere"), replace(talk(9, titled=False), id="strange")
    judged = frozenset({0, 2, 3, 4})
    cases = tuple(
        Case(f"{one.id}-12", one.id, 12, None, frozenset({0, 3}), judged=judged) for one in (known, strange)
    )
    file = tmp_path / "both.jsonl"
    write_relevance_set(RelevanceSet("both", {one.id: one for one in (known, strange)}, cases), file)
    RelevanceSets(library).add("both", file.read_bytes())
    app = open_page(data="both", rule="absolute,threshold=1")
    keys = {match for link in listed(app) for match in re.findall(r"conversation=(\w+)", link["query"])}
    assert keys == {key_of(1)}
    unlinked = [str(item.value) for item in app.markdown if str(item.value).startswith("**Turn")]
    assert unlinked
    assert all(text.endswith(strange.turns[0].text) for text in unlinked)

    choose(app, "tune.data", ["@labels", "both"])
    assert app.query_params["data"] == "@labels,both"
    assert table(app)["Turns kept"][0].endswith("of 84"), "what both judge is counted once"
    choose(app, "tune.data", ["both"])

    # Looked up again: the library has as many conversations, but other ones.
    Conversations(store()).delete([key_of(1)])
    (added,) = Conversations(store()).add([NewConversation(strange)])
    sound(app.run())
    keys = {match for link in listed(app) for match in re.findall(r"conversation=(\w+)", link["query"])}
    assert keys == {added.key}


@pytest.mark.usefixtures("library")
def test_a_click_on_a_curve_sets_that_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[TuneResults] = []
    monkeypatch.setattr("convgate.ui.tune.page.draw_curve", drawn.append)
    app = open_page()
    curve = drawn[-1].curve
    assert curve is not None
    changes: dict[str, convgate.ui.threshold_settings.ThresholdSettings] = {}
    monkeypatch.setattr(threshold, "clicked", lambda key: 5)
    monkeypatch.setattr(threshold.page, "now", lambda: app.session_state["tune.view"])
    monkeypatch.setattr(threshold.page, "change", changes.update)
    monkeypatch.setattr(threshold.page, "touched", lambda: None)
    threshold._click(drawn[-1])
    assert changes["choice"].rule == replace(drawn[-1].own.choice.rule, threshold=curve.thresholds[5])


def test_the_settings_become_a_version_that_is_activated_and_undone(library: Path) -> None:
    app = open_page(goal="recall", recall="0.8")
    click(app, "tune.use_best")
    recall = number(app, "Recall")
    versions = Versions(library)
    app.text_input(key="tune.name").set_value("other")
    click(app, "tune.save")  # what is typed and not yet sent counts
    assert "a version other" in said(app)
    assert versions.names() == ["other", "used"]

    app.text_input(key="tune.name").set_value("tuned")
    click(app, "tune.save")
    assert "Version **tuned** saved. It is not active yet." in said(app)
    saved, parent = versions.get("tuned"), versions.get("used")
    assert saved.card.weights_sha256 == parent.card.weights_sha256
    assert saved.card.parent == parent.as_parent()
    assert saved.card.threshold_rule == "anchored"
    assert saved.card.threshold_parameters["anchor"] == 0.45
    assert saved.card.threshold_parameters["goal"] == "recall 0.80"
    assert "80 labelled turns of my labels" in saved.card.note
    assert "Expect lower scores on new data." in saved.card.limits[-1]
    assert saved.card.who == "grace"
    (data,) = saved.card.data
    assert (data.name, dict(data.counts)) == ("my labels", {"conversations": 4, "cases": 8, "turns": 80})
    assert saved.card.metrics["my labels"].metrics["recall"].value == pytest.approx(recall, abs=0.005)
    assert saved.card.metrics["my labels"].sha256, "metrics on other labels are not compared with these"
    assert versions.active == "used"
    options, query = app.selectbox(key="tune.version").options, dict(app.query_params)

    click(app, "tune.onward")
    assert versions.active == "tuned"
    # The browser sends the label that it shows: one that changes with the active version would be stale.
    assert app.selectbox(key="tune.version").options == options
    assert app.button(key="tune.reset").disabled
    assert app.button(key="tune.save").disabled
    assert number(app, "Recall", 0) == recall
    click(app, "tune.undo")
    assert versions.active == "used"
    assert dict(app.query_params) == query, "with the same settings"


@pytest.mark.usefixtures("library")
def test_the_settings_for_an_agent_are_those_on_the_page(
    monkeypatch: pytest.MonkeyPatch, fake_encoder: FakeEncoder, tmp_path: Path
) -> None:
    files: dict[str, Callable[[], str]] = {}

    def drawn(label: str, data: Callable[[], str], *, key: str, **_: object) -> bool:
        files[key] = data
        return False

    monkeypatch.setattr("streamlit.download_button", drawn)
    app = open_page(rule="anchored,anchor=0.4,threshold=0.38,max_turns=3")
    file = tmp_path / "convgate-agent.toml"
    file.write_text(files["tune.download_settings"](), encoding="utf-8")
    values = tomllib.loads(file.read_text(encoding="utf-8"))
    assert (values["version"], values["max_turns"]) == ("used", 3)
    kept = 0
    gate = convgate.load_gate(settings=file, encoder=fake_encoder)
    for conversation in range(4):
        for message in (8, 12):
            kept += int(gate.policy.decide(*talk(conversation).at(message)).kept.sum())
    assert number(app, "Turns kept") == kept


@pytest.mark.usefixtures("library")
def test_the_page_comes_back_as_it_was_by_its_address_and_within_the_session() -> None:
    app = open_page()
    sound(app.selectbox(key="tune.version").set_value("gate@other").run())
    sound(app.selectbox(key="tune.rule").set_value("absolute").run())
    slide(app, "tune.absolute.threshold", 0.55)
    choose(app, "tune.goal", "recall")
    query = {name: str(value) for name, value in app.query_params.items()}
    again = open_page(**query)
    assert again.slider(key="tune.absolute.threshold").value == 0.55
    assert table(again) == table(app)
    sound(app.switch_page("app.py").run())
    sound(app.switch_page(TUNE).run())
    assert app.slider(key="tune.absolute.threshold").value == 0.55
    assert table(again) == table(app)


@pytest.mark.usefixtures("library")
def test_the_page_opens_whatever_its_address_says() -> None:
    app = open_page(version="gate@gone", goal="magic", rule="absolute,threshold=7", recall="3")
    assert sum("The address says" in str(warning.value) for warning in app.warning) == 4
    assert app.get("plotly_chart")
