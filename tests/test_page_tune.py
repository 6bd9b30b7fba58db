"""Tune as a person uses it: each control changes a number, a goal finds its threshold, flips are listed."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from convgate.core.settings import load_settings
from convgate.store import Conversations, NewConversation
from convgate.training.library import RelevanceSets
from convgate.transcripts import Case, RelevanceSet, write_relevance_set
from convgate.ui import services
from convgate.ui.navigation import EXPLORE
from convgate.ui.tune.charts import pick
from convgate.ui.tune.flips import PER_PAGE
from convgate.ui.tune.trial import Trial
from tests.fakes import FakeEncoder
from tests.tune_page import (
    choose,
    click,
    flips,
    kept,
    key_of,
    labelled_library,
    listed,
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
def test_labels_are_chosen_by_themselves_and_each_control_of_the_rule_changes_the_numbers(
    fake_encoder: FakeEncoder,
) -> None:
    app = open_page()
    assert "My labels: 80 labelled turns" in said(app)
    assert "for 8 messages of 4 conversations" in said(app)
    assert "**80 labelled turns**" in said(app)
    now, tried = table(app)["Precision"][:2]
    assert now == tried
    assert "(" in now, "an interval over conversations"
    assert table(app)["Where it stands"][0] == "anchor 0.45, threshold 0.44"
    assert flips(app) == (0, 0, 0)

    encoded, before = len(fake_encoder.texts), kept(app)
    slide(app, "tune.anchored.threshold", 0.2)
    lower = kept(app)
    assert lower > before == kept(app, 0)
    slide(app, "tune.anchored.anchor", 0.8)
    assert kept(app) < lower
    slide(app, "tune.limits", (1, 1))
    assert kept(app) == 8
    assert "Limits on the number of turns are left aside here." in said(app)
    assert "are no part of a version" in said(app)
    slide(app, "tune.limits", (0, 12))
    sound(app.selectbox(key="tune.rule").set_value("top_k").run())
    assert "This rule has no threshold that could be found" in said(app)
    slide(app, "tune.top_k.k", 3)
    assert kept(app) == 24
    click(app, "tune.reset")
    assert kept(app) == before
    assert len(fake_encoder.texts) == encoded, "each turn is read once"


@pytest.mark.usefixtures("library")
def test_every_goal_and_its_slider_move_the_best_threshold() -> None:
    app = open_page(rule="absolute")
    for goal, value in {"recall": 0.2, "f_beta": 4.0, "precision": 0.3, "cost": 0.1}.items():
        choose(app, "tune.goal", goal)
        before = re.findall(r"threshold 0\.\d\d", said(app))
        slide(app, f"tune.wanted.{goal}", value)
        assert re.findall(r"threshold 0\.\d\d", said(app)) != before, goal
    assert (
        app.slider(key="tune.wanted.cost").label
        == "One dropped turn that mattered costs as much as this many kept turns that did not"
    )
    few = kept(app, 2)
    slide(app, "tune.wanted.cost", 10.0)
    assert few < kept(app, 2), "the dearer a drop, the more is kept"


@pytest.mark.usefixtures("library")
def test_a_goal_that_the_rule_cannot_reach_is_reached_by_one_click() -> None:
    app = open_page(goal="recall", wanted="1", rule="anchored,anchor=0.56,threshold=0.3")
    assert "No threshold of this rule reaches recall 1.00 here." in said(app)
    assert "Before a message where no turn scores 0.56, its anchor, it keeps nothing." in said(app)
    assert len(table(app)["Precision"]) == 2, "there is no best"
    offered = re.findall(r"(Reaches it|Comes nearest): \*\*(.+?)\*\*, with .*recall ([\d.]+)", said(app))
    assert [kind for kind, _, _ in offered][-1] == "Comes nearest"
    assert offered[0][1].startswith("Absolute, threshold 0.")
    assert offered[0][2] == "1.00" > offered[-1][2]
    last = len(offered) - 1
    click(app, f"tune.way.{last}")
    assert app.button(key=f"tune.way.{last}").disabled, "that is tried now"
    assert table(app)["Recall"][1].startswith(offered[-1][2])
    assert table(app)["Where it stands"][1].startswith("anchor 0.56")
    click(app, "tune.way.0")
    assert table(app)["Rule"][1] == "Absolute"
    assert table(app)["Recall"][1].startswith("1.00")
    assert app.button(key="tune.take").label == "Tried now"


@pytest.mark.usefixtures("library")
def test_a_goal_that_no_rule_reaches_gives_what_comes_nearest() -> None:
    app = open_page(goal="precision", wanted="1", rule="absolute")
    assert "Nor does any other anchor, or one fixed threshold" in said(app)
    assert "Reaches it" not in said(app)
    before = table(app)["Precision"][1]
    click(app, "tune.way.0")
    assert float(table(app)["Precision"][1].split()[0]) > float(before.split()[0])


@pytest.mark.usefixtures("library")
def test_a_wanted_recall_becomes_a_threshold_with_the_turns_that_flip_each_a_link_to_explore() -> None:
    app = open_page(goal="recall")
    slide(app, "tune.wanted.recall", 0.8)
    best = table(app)["Recall"][2]
    click(app, "tune.take")
    assert table(app)["Recall"][1] == best
    assert float(best.split()[0]) >= 0.8
    assert table(app)["Rule"][1] == "Anchored", "the version's own rule with its anchor"
    count, right, wrong = flips(app)
    assert count == right + wrong > 0
    links = listed(app)
    assert len(links) == min(count, PER_PAGE)
    rows = [str(item.value) for item in app.markdown if "score 0." in str(item.value)]
    assert all(re.search(r"labelled (not )?relevant.*(right|wrong)", row) for row in rows)
    for row in rows:  # who says that a flip is right has to be so
        up, relevant, right_one = "↑" in row, "labelled relevant" in row, "right" in row.rpartition(" ")[2]
        assert right_one == (up == relevant)
    assert app.button(key="tune.take").disabled

    values = dict(parse_qsl(links[0]["query"]))
    assert values["policy"] == "gate@used"
    assert values["rule"] == app.query_params["rule"]
    assert values["rule"].startswith("anchored,anchor=0.45,threshold=")
    other = open_page(EXPLORE, **values)
    assert not other.warning
    threshold = float(values["rule"].rpartition("=")[2])
    assert other.slider(key="explore.anchored.threshold").value == pytest.approx(threshold)
    turn = re.search(r"Turn (\d+) for", links[0]["label"])
    assert turn
    assert any(item.value == f"Turn {turn[1]}" for item in other.subheader)


@pytest.mark.usefixtures("library")
def test_flips_are_paged_and_filtered_and_shown_as_text() -> None:
    app = open_page(rule="absolute,threshold=0")
    count, right, wrong = flips(app)
    assert count > PER_PAGE
    captions = [str(item.value) for item in app.caption]
    assert any("\\$x\\^2\\$" in text for text in captions)
    assert not any("<b>" in text or "$x^2" in text or "](" in text for text in captions)
    first = [link["label"] + link["query"] for link in listed(app)]
    assert all(re.search(r"Talk \\\*\d\\\*$", link["label"]) for link in listed(app))
    turn_to(app, 2)
    assert not set(first) & {link["label"] + link["query"] for link in listed(app)}
    for only, expected in (("wrong", wrong), ("right", right), ("down", 0)):
        choose(app, "tune.only", only)
        assert len(listed(app)) == min(PER_PAGE, expected)


@pytest.mark.usefixtures("library")
def test_unlabelled_turns_of_the_library_flip_too_and_are_paged() -> None:
    app = open_page(rule="absolute,threshold=0.3")
    choose(app, "tune.where", "library")
    found = re.search(r"\*\*(\d+) turns\*\* of 48 flip before the last message of 4", said(app))
    assert found, said(app)
    tokens = re.search(r"Tokens kept: ([\d,]+) before, \*\*([\d,]+)\*\* now", said(app))
    assert tokens
    assert int(tokens[1]) < int(tokens[2])
    first = [link["query"] for link in listed(app)]
    assert len(first) == PER_PAGE < int(found[1])
    turn_to(app, 2)
    assert not set(first) & {link["query"] for link in listed(app)}
    slide(app, "tune.absolute.threshold", 0.9)
    assert "↑\u00a00 kept" in said(app)


@pytest.mark.usefixtures("library")
def test_another_version_and_no_data_give_other_numbers() -> None:
    app = open_page()
    first = table(app)["Precision"][0]
    sound(app.selectbox(key="tune.version").set_value("gate@other").run())
    assert table(app)["Rule"][0] == "Stricter of learned and relative"
    assert table(app)["Precision"][0] != first
    assert app.query_params["version"] == "gate@other"
    choose(app, "tune.data", [])
    assert "No labelled turns are chosen" in said(app)
    assert "which labelled turns flip" in said(app)


@pytest.mark.usefixtures("library")
def test_a_set_is_counted_with_the_labels() -> None:
    lines = [
        {"type": "conversation", "id": "c", "messages": [
            {"role": "user", "content": "the lake house"}, {"role": "assistant", "content": "a boat"},
            {"role": "user", "content": "which lake house"},
        ]},
        {"type": "case", "id": "c-2", "conversation": "c", "turn": 2, "relevant": [0]},
    ]  # fmt: skip
    content = "".join(json.dumps(line) + "\n" for line in lines).encode()
    RelevanceSets(load_settings().home).add("my-talks", content)
    app = open_page()
    choose(app, "tune.data", ["@labels", "my-talks"])
    assert "**82 labelled turns**" in said(app)
    assert app.query_params["data"] == "@labels,my-talks"


def test_turns_of_a_set_link_to_where_the_library_has_the_same_and_are_called_by_what_was_said(
    library: Path, tmp_path: Path
) -> None:
    known, strange = replace(talk(1), id="elsewhere"), replace(talk(9, titled=False), id="strange")
    judged = frozenset({0, 2, 3, 4})
    cases = tuple(
        Case(f"{one.id}-12", one.id, 12, None, frozenset({0, 3}), judged=judged) for one in (known, strange)
    )
    file = tmp_path / "both.jsonl"
    write_relevance_set(RelevanceSet("both", {one.id: one for one in (known, strange)}, cases), file)
    RelevanceSets(library).add("both", file.read_bytes())
    app = open_page(data="both", rule="absolute,threshold=1")
    found = {match for link in listed(app) for match in re.findall(r"conversation=(\w+)", link["query"])}
    assert found == {key_of(1)}
    alone = [str(item.value) for item in app.markdown if str(item.value).startswith("**Turn")]
    assert alone
    assert all(text.endswith(strange.turns[0].text) for text in alone)

    # Its place is looked up anew: the library has as many conversations, and not the same.
    Conversations(store()).delete([key_of(1)])
    (added,) = Conversations(store()).add([NewConversation(strange)])
    sound(app.run())
    found = {match for link in listed(app) for match in re.findall(r"conversation=(\w+)", link["query"])}
    assert found == {added.key}


@pytest.mark.usefixtures("library")
def test_a_click_on_a_curve_tries_that_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    trials: list[Trial] = []
    monkeypatch.setattr("convgate.ui.tune.page.draw_charts", trials.append)
    open_page()
    curve = trials[-1].curve
    assert curve is not None

    asked: dict[str, Any] = {}
    monkeypatch.setattr("convgate.ui.tune.charts.state.change", lambda **values: asked.update(values))
    pick(trials[-1], 5)
    assert asked["choice"].rule.threshold == curve.thresholds[5]
    assert asked["choice"].rule.anchor == 0.45


def test_an_empty_home_says_what_to_do(
    convgate_home: Path, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "encoder", lambda *_: fake_encoder)
    monkeypatch.setattr(services, "warm_up", lambda: None)
    app = open_page(data="@labels")
    assert "Label some turns, or choose a set" in said(app)
    choose(app, "tune.where", "library")
    assert "There is no conversation in your library yet" in said(app)
