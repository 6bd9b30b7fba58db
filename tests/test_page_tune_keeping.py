"""A rule that was found on Tune is kept: as a version, for one conversation, for an agent, in the address."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import convgate
from convgate.store.edits import ConversationRules
from convgate.ui.navigation import EXPLORE
from convgate.versions.catalog import Versions
from tests.fakes import FakeEncoder
from tests.tune_page import (
    TUNE,
    choose,
    click,
    flips,
    key_of,
    labelled_library,
    open_page,
    said,
    slide,
    sound,
    store,
    table,
    talk,
)


@pytest.fixture
def library(convgate_home: Path, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> Path:
    return labelled_library(convgate_home, fake_encoder, monkeypatch)


def test_the_rule_becomes_a_version_that_is_used_and_taken_back(library: Path) -> None:
    app = open_page(goal="recall", wanted="0.8")
    click(app, "tune.take")
    recall = float(table(app)["Recall"][1].split()[0])
    versions = Versions(library)
    sound(app.text_input(key="tune.name").set_value("other").run())
    click(app, "tune.make")
    assert "there is a version other already" in said(app)
    assert versions.names() == ["other", "used"]
    assert "tuned" not in versions.get("other").card.note

    sound(app.text_input(key="tune.name").set_value("tuned").run())
    click(app, "tune.make")
    assert "The version **tuned** is made. It is not active yet. Versions has it too." in said(app)
    made, parent = versions.get("tuned"), versions.get("used")
    assert made.card.weights_sha256 == parent.card.weights_sha256
    assert made.card.parent == parent.as_parent()
    assert made.card.threshold_rule == "anchored"
    assert made.card.threshold_parameters["anchor"] == 0.45
    assert made.card.threshold_parameters["goal"] == "recall 0.80"
    assert "80 labelled turns of my labels" in made.card.note
    assert any("chosen on the turns that it was measured on" in limit for limit in made.card.limits)
    assert made.card.who == "grace"
    (data,) = made.card.data
    assert (data.name, dict(data.counts)) == ("my labels", {"conversations": 4, "cases": 8, "turns": 80})
    assert made.card.metrics["my labels"].metrics["recall"].value == pytest.approx(recall, abs=0.005)
    assert made.card.metrics["my labels"].sha256, "figures of other labels are not compared with these"
    assert versions.active == "used"
    keys = [button.key for button in app.button]
    assert keys.index("tune.make") < keys.index("tune.onward") < keys.index("tune.apply")
    offered, tried = app.selectbox(key="tune.version").options, dict(app.query_params)

    click(app, "tune.onward")
    assert versions.active == "tuned"
    # The browser sends the label that it shows: one that changes with what is in use means nothing then.
    assert app.selectbox(key="tune.version").options == offered
    assert "It is the version's own rule." in said(app)
    assert app.button(key="tune.reset").disabled
    assert app.button(key="tune.make").disabled
    assert flips(app) == (0, 0, 0)
    assert float(table(app)["Recall"][0].split()[0]) == recall
    click(app, "tune.undo")
    assert versions.active == "used"
    assert dict(app.query_params) == tried, "the rule is tried still"
    assert "It is the version's own rule." not in said(app)
    click(app, "tune.dismiss")
    assert "is active again" not in said(app)


@pytest.mark.usefixtures("library")
def test_a_rule_for_one_conversation_alone_opens_in_explore_until_it_is_taken_off() -> None:
    app = open_page(rule="absolute,threshold=0.3")
    sound(app.selectbox(key="tune.which").set_value(key_of(1)).run())
    click(app, "tune.apply")
    assert "has this rule now, and no other conversation" in said(app)
    keys = [button.key for button in app.button]
    assert keys.index("tune.make") < keys.index("tune.apply") < keys.index("tune.undo")
    own = ConversationRules(store()).get(key_of(1))
    assert own is not None
    assert (own.policy, own.choice) == ("gate@used", {"rule": "absolute", "threshold": "0.3"})
    click(app, "tune.undo")
    assert ConversationRules(store()).get(key_of(1)) is None
    click(app, "tune.apply")

    page = open_page(EXPLORE, conversation=key_of(1))
    assert "This conversation has its own rule" in said(page)
    assert "Absolute, threshold 0.30" in said(page)
    assert page.slider(key="explore.absolute.threshold").value == 0.3
    # Another conversation is decided as ever, and the first one by its own rule again.
    sound(page.selectbox(key="explore.conversation").set_value(key_of(2)).run())
    assert "has its own rule" not in said(page)
    assert page.selectbox(key="explore.rule").value == "anchored"
    sound(page.selectbox(key="explore.conversation").set_value(key_of(1)).run())
    slide(page, "explore.absolute.threshold", 0.5)
    assert "Another one decides at the moment" in said(page)
    click(page, "explore.use_own_rule")
    assert page.slider(key="explore.absolute.threshold").value == 0.3
    click(page, "explore.take_off")
    assert "has its own rule" not in said(page)
    assert page.selectbox(key="explore.rule").value == "anchored"
    assert ConversationRules(store()).get(key_of(1)) is None
    # A link that names a rule has its way.
    ConversationRules(store()).put(key_of(1), "gate@used", {"rule": "top_k"})
    page = open_page(EXPLORE, conversation=key_of(1), rule="relative")
    assert page.selectbox(key="explore.rule").value == "relative"
    assert "Another one decides at the moment" in said(page)


@pytest.mark.usefixtures("library")
def test_the_settings_for_an_agent_are_those_of_the_rule_that_is_tried(
    monkeypatch: pytest.MonkeyPatch, fake_encoder: FakeEncoder, tmp_path: Path
) -> None:
    found: dict[str, Callable[[], str]] = {}

    def drawn(label: str, data: Callable[[], str], *, key: str, **_: object) -> bool:
        found[key] = data
        return False

    monkeypatch.setattr("streamlit.download_button", drawn)
    app = open_page(rule="anchored,anchor=0.4,threshold=0.38,max_turns=3")
    file = tmp_path / "convgate-agent.toml"
    file.write_text(found["tune.download_settings"](), encoding="utf-8")
    values = tomllib.loads(file.read_text(encoding="utf-8"))
    assert (values["version"], values["max_turns"]) == ("used", 3)
    kept = 0
    gate = convgate.load_gate(settings=file, encoder=fake_encoder)
    for number in range(4):
        for message in (8, 12):
            kept += int(gate.policy.decide(*talk(number).at(message)).kept.sum())
    assert table(app)["Turns kept"][1].startswith(f"{kept} ·")
    assert "convgate versions export used" in said(app)


@pytest.mark.usefixtures("library")
def test_the_page_comes_back_as_it_was() -> None:
    app = open_page()
    sound(app.selectbox(key="tune.version").set_value("gate@other").run())
    sound(app.selectbox(key="tune.rule").set_value("absolute").run())
    slide(app, "tune.absolute.threshold", 0.55)
    choose(app, "tune.goal", "cost")
    query = {name: str(value) for name, value in app.query_params.items()}
    again = open_page(**query)
    assert again.slider(key="tune.absolute.threshold").value == 0.55
    assert table(again) == table(app)
    # Away and back within the session.
    sound(app.switch_page("app.py").run())
    sound(app.switch_page(TUNE).run())
    assert app.slider(key="tune.absolute.threshold").value == 0.55
    assert table(again) == table(app)


@pytest.mark.usefixtures("library")
def test_on_the_way_back_the_address_of_the_page_that_is_left_is_not_read() -> None:
    app = open_page(version="gate@other", rule="absolute,threshold=0.3")
    app.switch_page(EXPLORE)
    app.query_params.clear()
    app.query_params["conversation"] = key_of(1)
    sound(app.run())
    slide(app, "explore.anchored.threshold", 0.2)
    theirs = dict(app.query_params)
    assert theirs["conversation"] == key_of(1)
    app.switch_page(TUNE)
    for name, value in theirs.items():
        app.query_params[name] = value
    sound(app.run())
    assert app.selectbox(key="tune.version").value == "gate@other"
    assert app.slider(key="tune.absolute.threshold").value == 0.3
    assert app.query_params["rule"] == "absolute,threshold=0.3"


@pytest.mark.usefixtures("library")
def test_the_page_opens_whatever_its_address_says() -> None:
    app = open_page(version="gate@gone", goal="magic", rule="absolute,threshold=7")
    assert len(app.warning) == 3
    assert "version=gate@gone, which does not exist" in said(app)
    assert app.get("plotly_chart")
