"""Two versions or policies side by side, on a conversation and on a set."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from convgate.settings import load_settings
from convgate.store import Labels, SituationKey, Store
from convgate.versions import Versions
from tests.fakes import FakeEncoder
from tests.versions_page import (
    Open,
    add_labelled,
    add_talk,
    click,
    links,
    opened,
    said,
    serve,
    sound,
    two_versions,
)


@pytest.fixture(autouse=True)
def encoder(fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> FakeEncoder:
    """What the pages encode with."""
    serve(fake_encoder, monkeypatch)
    return fake_encoder


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with two versions."""
    home = tmp_path_factory.mktemp("made") / "home"
    two_versions(home)
    return home


@pytest.fixture
def versions(convgate_home: Path, made: Path) -> Versions:
    """The same in the data folder of the app."""
    shutil.copytree(made, convgate_home, dirs_exist_ok=True)
    return Versions(convgate_home)


@pytest.fixture
def open_page(convgate_home: Path) -> Open:
    return opened


@pytest.fixture
def talk(convgate_home: Path) -> str:
    """The key of a conversation in the library."""
    return add_talk()


@pytest.fixture
def labelled(convgate_home: Path) -> str:
    """The name of a set with two conversations, the first of them that of `talk`."""
    return add_labelled(convgate_home)


def metric(app: AppTest, label: str) -> str:
    return next(str(item.value) for item in app.metric if item.label == label)


def test_flips_over_a_conversation_are_listed_with_links(
    open_page: Open, versions: Versions, talk: str
) -> None:
    app = open_page(show="compare", a="gate@second", b="everything", conversation=talk)
    # Messages 3, 5 and 7 have 2, 4 and 6 turns before them, of which the first keeps three.
    assert (metric(app, "Flips"), metric(app, "B keeps more")) == ("4", "4")
    assert metric(app, "Agreement") == "67%"
    assert int(metric(app, "Tokens of B").replace(",", "")) > int(metric(app, "Tokens of A").replace(",", ""))
    found = links(app)
    assert len(found) == 4
    assert f"conversation={talk}&turn=5&" in found[0]
    assert "policy=gate%40second&compare=everything" in found[0]

    sound(app.number_input(key="versions.message").set_value(5).run())
    assert metric(app, "Flips") == "1"
    assert app.query_params["turn"] == "5"


def test_of_a_long_conversation_the_newest_messages_come_first(
    open_page: Open, versions: Versions, monkeypatch: pytest.MonkeyPatch, talk: str
) -> None:
    monkeypatch.setattr("convgate.ui.versions.talk.NEWEST", 2)
    app = open_page(show="compare", a="gate@second", b="everything", conversation=talk)
    assert "The newest 2 of 3 messages" in said(app)
    assert metric(app, "Agreement") == "60%", "4 of the 10 turns before messages 5 and 7"
    click(app, "all_messages")
    assert metric(app, "Agreement") == "67%"
    assert app.query_params["messages"] == "all"


def test_turns_are_paged(
    open_page: Open, versions: Versions, talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("convgate.ui.versions.turns.PER_PAGE", 3)
    app = open_page(show="compare", a="gate@second", b="everything", conversation=talk)
    assert (len(links(app)), "4 turns, 1 to 3 here" in said(app)) == (3, True)
    app = open_page(show="compare", a="gate@second", b="everything", conversation=talk, page="2")
    assert (len(links(app)), "4 turns, 4 to 4 here" in said(app)) == (1, True)


def test_what_was_judged_is_not_judged_again(
    open_page: Open, versions: Versions, talk: str, encoder: FakeEncoder, labelled: str
) -> None:
    for where in ({"conversation": talk}, {"on": "set", "set": labelled}):
        app = open_page(show="compare", a="gate@first", b="gate@second", **where)
        calls = len(encoder.calls)
        assert calls
        sound(app.run())
        assert len(encoder.calls) == calls
        encoder.calls.clear()


def test_on_a_set_turns_are_fixed_and_broken(
    open_page: Open, versions: Versions, talk: str, labelled: str
) -> None:
    app = open_page(show="compare", a="everything", b="gate@second", on="set", set=labelled)
    # Of six turns each, two matter: all is wrong about four, three kept are wrong about at least one.
    text = said(app).replace("*", "")
    assert "of 12 judged, in 2 cases" in text
    assert "F1 of what is kept" in text
    labels = app.segmented_control(key="versions.only").options
    counts = {label.rpartition(" ")[0]: int(label.rpartition(" ")[2]) for label in labels}
    assert counts["All"] == 12
    assert counts["Fixed"] + counts["Broken"] == 6, "the three turns of each case that are kept no more"
    assert counts["Fixed"] > 0
    assert f"B fixes {counts['Fixed']} turn" in text
    assert len(links(app)) == 6, "one of the two conversations is in the library"

    sound(app.segmented_control(key="versions.only").set_value("fixed").run())
    assert app.query_params["only"] == "fixed"
    assert said(app).count("Fixed") == counts["Fixed"]


def test_own_labels_are_a_set_too(open_page: Open, versions: Versions, talk: str) -> None:
    labels = Labels(Store(load_settings().database))
    labels.answer(SituationKey(talk, 6), {0: "relevant", 1: "relevant", 3: "not_relevant"}, by="Ada")
    app = open_page(show="compare", a="gate@first", b="everything", on="set")
    assert app.query_params["set"] == "@labels"
    assert app.selectbox(key="versions.set").options == ["Your labels: 1 message", "samples"]
    assert "of 3 judged, in 1 case" in said(app)
    assert all(f"conversation={talk}&turn=7" in link for link in links(app))
    before = said(app)
    labels.answer(SituationKey(talk, 6), {4: "not_relevant"}, by="Ada")
    assert "of 4 judged, in 1 case" in said(sound(app.run())), "labels that were given since count"
    assert before != said(app)


def test_two_choosers_are_chosen_swapped_and_remembered_in_the_address(
    open_page: Open, versions: Versions, talk: str
) -> None:
    versions.activate("first", who="Ada")
    app = click(open_page(), "list.compare.second")
    assert (app.query_params["a"], app.query_params["b"]) == ("gate@first", "gate@second")
    assert app.query_params["conversation"] == talk
    before = metric(app, "B keeps more"), metric(app, "B keeps less")
    click(app, "swap")
    assert (app.query_params["a"], app.query_params["b"]) == ("gate@second", "gate@first")
    assert (metric(app, "B keeps less"), metric(app, "B keeps more")) == before
    sound(app.selectbox(key="versions.b").set_value("bm25").run())
    assert app.query_params["b"] == "bm25"


def test_address_with_nonsense_is_told(open_page: Open, versions: Versions, talk: str) -> None:
    app = open_page(show="compare", a="gate@gone", b="nobody", only="x", page="0", conversation="no")
    text = said(app)
    for part in ("names the version gone", "says b=nobody", "says only=x", "says page=0"):
        assert part in text, part
