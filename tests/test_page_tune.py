"""Tune as a person uses it: each control changes a number, flips are listed, a rule is kept or taken off."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import convgate
from convgate.app_files import app_root
from convgate.conversation import Conversation, Turn
from convgate.gate.thresholds import RULES
from convgate.settings import load_settings
from convgate.store import Conversations, Labels, NewConversation, SituationKey, Store
from convgate.store.conversation_rules import ConversationRules
from convgate.training.library import RelevanceSets
from convgate.transcripts import Case, RelevanceSet, write_relevance_set
from convgate.ui import services
from convgate.ui.choice import adjustable
from convgate.ui.navigation import EXPLORE
from convgate.ui.tune.charts import pick
from convgate.ui.tune.flips import PER_PAGE
from convgate.ui.tune.trial import Trial
from convgate.versions.card import Draft
from convgate.versions.catalog import Versions
from tests.fakes import FakeEncoder
from tests.gates import trained_gate

TUNE = "pages/3_Tune.py"
WORDS = ["lake", "house", "boat", "bread", "tea", "rain", "router", "invoice", "parcel", "late"]
HOSTILE = "<b>x</b> [l](https://a.example) $x^2$ :smile:"

Open = Callable[..., AppTest]


def talk(number: int, turns: int = 13) -> Conversation:
    random = np.random.default_rng(number)
    texts = [" ".join(random.choice(WORDS, 4)) for _ in range(turns)]
    said = [Turn.of("user" if i % 2 == 0 else "assistant", text) for i, text in enumerate(texts)]
    said[1] = Turn.of("assistant", f"{HOSTILE} {texts[1]}")
    return Conversation(f"talk-{number}", tuple(said), title=f"Talk *{number}*", format="openai")


@pytest.fixture
def home(convgate_home: Path, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of four labelled conversations, a version in use, and another one."""
    monkeypatch.setattr(services, "encoder", lambda *_: fake_encoder)
    monkeypatch.setattr(services, "warm_up", lambda: None)
    monkeypatch.setattr("getpass.getuser", lambda: "grace")
    store = Store(load_settings().database)
    added = Conversations(store).add([NewConversation(talk(number)) for number in range(4)])
    for number, one in enumerate(added):
        random = np.random.default_rng(number)
        for message in (8, 12):
            answers = {
                turn: "relevant" if random.random() < 0.4 else "not_relevant" for turn in range(message)
            }
            Labels(store).answer(SituationKey(one.key, message), answers, by="Ada")
    versions = Versions(convgate_home)
    versions.add(
        trained_gate(seed=5),
        Draft(threshold_rule="anchored", threshold_parameters={"anchor": 0.45, "threshold": 0.44}),
        name="used",
    )
    versions.add(trained_gate(seed=4), Draft(note="another"), name="other")
    versions.activate("used", who="Ada")
    return convgate_home


@pytest.fixture
def open_page(home: Path) -> Open:
    def opened(**query: str) -> AppTest:
        app = AppTest.from_file(str(app_root() / "app.py"), default_timeout=60).run()
        for name, value in query.items():
            app.query_params[name] = value
        return sound(app.switch_page(TUNE).run())

    return opened


def sound(app: AppTest) -> AppTest:
    assert not app.exception, app.exception[0].value
    return app


def click(app: AppTest, key: str) -> AppTest:
    return sound(app.button(key=key).click().run())


def said(app: AppTest) -> str:
    told = [*app.markdown, *app.caption, *app.info, *app.warning, *app.error]
    return "\n".join(str(element.value) for element in told)


def table(app: AppTest) -> dict[str, list[str]]:
    """The numbers: cells of Now, Tried and, where there is one, Best by the row's name."""
    (text,) = [str(item.value) for item in app.markdown if str(item.value).startswith("|  | Now")]
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in text.splitlines()[2:]]
    return {row[0]: row[1:] for row in rows}


def flips(app: AppTest) -> tuple[int, int, int]:
    """How many flip, how many of them right, how many wrong."""
    found = re.search(r"\*\*(\d+) turns? flips?\*\* against.*\*\*(\d+) right\*\*.*\*\*(\d+) wrong", said(app))
    assert found, said(app)
    return tuple(map(int, found.groups()))  # type: ignore[return-value]


def listed(app: AppTest) -> list[dict[str, str]]:
    """The links into Explore, with their queries."""
    return [
        {"label": link.proto.label, "query": link.proto.query_string}
        for link in app.get("page_link")
        if "for message" in link.proto.label
    ]


def store() -> Store:
    return Store(load_settings().database)


def key_of(number: int) -> str:
    return Conversations(store()).find(sort="title", descending=False).rows[number].key


def test_labels_are_chosen_by_themselves_and_counted(open_page: Open) -> None:
    app = open_page()
    assert "My labels: 80 labelled turns" in said(app)
    assert "for 8 messages of 4 conversations" in said(app)
    assert "**80 labelled turns**" in said(app)
    now, tried = table(app)["Precision"][:2]
    assert now == tried
    assert "(" in now, "an interval over conversations"
    assert flips(app) == (0, 0, 0)


@pytest.mark.parametrize("name", list(RULES))
def test_every_slider_of_every_rule_changes_the_numbers(open_page: Open, name: str) -> None:
    ranges = {
        "anchor": (0.0, 0.7), "threshold": (0.2, 0.6), "deviations": (-1.5, 2.0), "weight": (0.0, 1.0),
        "k": (1, 6), "above": (0.2, 0.6), "budget": (0, 100),
    }  # fmt: skip
    for item in adjustable(RULES[name]()):
        start = {"rule": name} | ({"deviations": "-1"} if name == "blended" and item.name == "weight" else {})
        app = open_page(**start)
        seen = []
        for value in ranges[item.name]:
            slider = app.slider(key=f"tune.{name}.{item.name}")
            sound(slider.set_value(type(slider.value)(value)).run())
            seen.append(table(app)["Turns kept"][1])
        assert seen[0] != seen[1], f"{name}, {item.name}"


def test_limits_change_the_numbers(open_page: Open) -> None:
    app = open_page()
    before = table(app)["Turns kept"]
    sound(app.slider(key="tune.limits").set_value((0, 1)).run())
    after = table(app)["Turns kept"]
    assert after[0] == before[0]
    assert after[1].startswith("8 ·") or int(after[1].split()[0]) < int(before[1].split()[0])
    assert "Limits on the number of turns are left aside here." in said(app)
    assert "are no part of a version" in said(app)


@pytest.mark.parametrize(
    ("goal", "low", "high"),
    [("recall", 0.2, 0.8), ("f_beta", 0.25, 4.0), ("precision", 0.4, 0.5), ("cost", 0.1, 8.0)],
)
def test_every_goal_and_its_slider_move_the_best_threshold(
    open_page: Open, goal: str, low: float, high: float
) -> None:
    app = open_page(rule="absolute")
    sound(app.button_group(key="tune.goal").set_value(goal).run())
    found = []
    for value in (low, high):
        sound(app.slider(key=f"tune.wanted.{goal}").set_value(value).run())
        found.append(table(app)["Where it stands"][2])
    assert found[0] != found[1]


def test_the_direction_of_the_cost_is_spelled_out_and_is_so(open_page: Open) -> None:
    app = open_page(rule="absolute", goal="cost", wanted="0.1")
    assert (
        app.slider(key="tune.wanted.cost").label
        == "One dropped turn that mattered costs as much as this many kept turns that did not"
    )
    kept = []
    for many in (0.2, 10.0):
        sound(app.slider(key="tune.wanted.cost").set_value(many).run())
        kept.append(int(table(app)["Turns kept"][2].split()[0]))
    assert kept[0] < kept[1], "the dearer a drop, the more is kept"


def test_a_goal_that_cannot_be_reached_says_what_can(open_page: Open) -> None:
    app = open_page(goal="recall", wanted="1", rule="anchored", anchor="0.5", threshold="0.3")
    assert "No threshold reaches recall 1.00 here. Best that can be had: threshold 0." in said(app)
    assert "the anchor, nothing is kept" in said(app)
    assert app.button(key="tune.take").disabled
    assert len(table(app)["Precision"]) == 2


def test_a_wanted_recall_becomes_a_threshold_with_the_turns_that_flip(open_page: Open) -> None:
    app = open_page()
    sound(app.button_group(key="tune.goal").set_value("recall").run())
    sound(app.slider(key="tune.wanted.recall").set_value(0.8).run())
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
    assert app.query_params["threshold"]


def test_the_link_of_a_flip_opens_the_turn_with_the_rule_that_is_tried(open_page: Open) -> None:
    app = open_page(rule="anchored", anchor="0.3", threshold="0.3")
    query = listed(app)[0]["query"]
    values = dict(part.split("=") for part in query.split("&"))
    assert values["policy"] == "gate%40used"
    assert (values["rule"], values["threshold"], values["anchor"]) == ("anchored", "0.3", "0.3")
    other = AppTest.from_file(str(app_root() / "app.py"), default_timeout=60).run()
    for name, value in values.items():
        other.query_params[name] = value.replace("%40", "@")
    sound(other.switch_page(EXPLORE).run())
    assert not other.warning
    assert other.slider(key="explore.anchored.threshold").value == 0.3
    turn = re.search(r"Turn (\d+) for", listed(app)[0]["label"])
    assert turn
    assert any(item.value == f"Turn {turn[1]}" for item in other.subheader)


def test_flips_are_paged_and_filtered(open_page: Open) -> None:
    app = open_page(rule="absolute", threshold="0")
    count, right, wrong = flips(app)
    assert count > PER_PAGE
    first = [link["label"] + link["query"] for link in listed(app)]
    (pages,) = app.get("pagination")
    sound(pages.set_value(2).run())
    assert not set(first) & {link["label"] + link["query"] for link in listed(app)}
    for only, expected in (("wrong", wrong), ("right", right), ("down", 0)):
        sound(app.button_group(key="tune.only").set_value(only).run())
        assert len(listed(app)) == min(PER_PAGE, expected)


def test_what_people_wrote_is_shown_as_text(open_page: Open) -> None:
    app = open_page(rule="absolute", threshold="0", only="all")
    captions = [str(item.value) for item in app.caption]
    assert any("\\$x\\^2\\$" in text for text in captions)
    assert not any("<b>" in text or "$x^2" in text or "](" in text for text in captions)
    assert all(re.search(r"Talk \\\*\d\\\*$", link["label"]) for link in listed(app))


def test_unlabelled_turns_of_the_library_flip_too(open_page: Open) -> None:
    app = open_page(rule="absolute", threshold="0.3")
    sound(app.button_group(key="tune.where").set_value("library").run())
    found = re.search(r"\*\*(\d+) turns\*\* of 48 flip before 4 messages", said(app))
    assert found, said(app)
    tokens = re.search(r"Tokens kept: ([\d,]+) before, \*\*([\d,]+)\*\* now", said(app))
    assert tokens
    assert int(tokens[1]) < int(tokens[2])
    assert len(listed(app)) == min(PER_PAGE, int(found[1]))
    sound(app.selectbox(key="tune.whose").set_value(key_of(0)).run())
    assert "before 7 messages" in said(app)
    assert app.query_params["conversation"] == key_of(0)
    sound(app.slider(key="tune.absolute.threshold").set_value(0.9).run())
    assert "↑\u00a00 kept" in said(app)


def test_another_version_and_other_data_give_other_numbers(open_page: Open, home: Path) -> None:
    app = open_page()
    first = table(app)["Precision"][0]
    sound(app.selectbox(key="tune.version").set_value("gate@other").run())
    assert table(app)["Rule"][0] == "Stricter of learned and relative"
    assert table(app)["Precision"][0] != first
    assert app.query_params["version"] == "gate@other"
    sound(app.button_group(key="tune.data").set_value([]).run())
    assert "No labelled turns are chosen" in said(app)
    assert "which labelled turns flip" in said(app)


def test_a_set_is_uploaded_chosen_and_counted_with_the_labels(open_page: Open) -> None:
    app = open_page()
    lines = [
        {"type": "conversation", "id": "c", "messages": [
            {"role": "user", "content": "the lake house"}, {"role": "assistant", "content": "a boat"},
            {"role": "user", "content": "which lake house"},
        ]},
        {"type": "case", "id": "c-2", "conversation": "c", "turn": 2, "relevant": [0]},
    ]  # fmt: skip
    content = "".join(json.dumps(line) + "\n" for line in lines).encode()
    sound(app.file_uploader(key="tune.upload.0").upload("My talks.jsonl", content).run())
    assert RelevanceSets(load_settings().home).names()[0] == "my-talks"
    assert "**82 labelled turns**" in said(app)
    assert "my-talks" in app.query_params["data"]
    bad = b'{"type": "case"}\n'
    sound(app.file_uploader(key="tune.upload.1").upload("bad.jsonl", bad).run())
    assert "Nothing was kept" in said(app)
    assert "**82 labelled turns**" in said(app)


def test_turns_of_a_set_link_to_where_the_library_has_the_same_and_are_text_otherwise(
    open_page: Open, home: Path, tmp_path: Path
) -> None:
    known, strange = replace(talk(1), id="elsewhere"), replace(talk(9), id="strange")
    cases = tuple(
        Case(f"{one.id}-12", one.id, 12, None, frozenset({0, 3})) for one in (known, strange)
    )  # fmt: skip
    file = tmp_path / "both.jsonl"
    write_relevance_set(RelevanceSet("both", {one.id: one for one in (known, strange)}, cases), file)
    RelevanceSets(home).add("both", file.read_bytes())
    app = open_page(data="both", rule="absolute", threshold="1")
    assert flips(app)[0] > PER_PAGE
    linked = "".join(link["query"] for link in listed(app))
    (pages,) = app.get("pagination")
    sound(pages.set_value(2).run())
    linked += "".join(link["query"] for link in listed(app))
    assert set(re.findall(r"conversation=(\w+)", linked)) == {key_of(1)}
    assert any(re.match(r"\*\*Turn.*Talk \\\*9", str(item.value)) for item in app.markdown), "text alone"


def test_a_click_on_a_curve_tries_that_threshold(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    trials: list[Trial] = []
    monkeypatch.setattr("convgate.ui.tune.page.draw_charts", trials.append)
    open_page()
    curve = trials[-1].curve
    assert curve is not None

    asked: dict[str, Any] = {}
    monkeypatch.setattr("convgate.ui.tune.rules.state.change", lambda **values: asked.update(values))
    pick(trials[-1], 5)
    assert asked["choice"].rule.threshold == curve.thresholds[5]
    assert asked["choice"].rule.anchor == 0.45


def test_the_rule_becomes_a_version_that_is_used_and_taken_back(open_page: Open, home: Path) -> None:
    app = open_page(goal="recall", wanted="0.8")
    click(app, "tune.take")
    recall = float(table(app)["Recall"][1].split()[0])
    sound(app.text_input(key="tune.name").set_value("tuned").run())
    click(app, "tune.make")
    assert "The version **tuned** is made. It is not in use yet." in said(app)
    versions = Versions(home)
    made, parent = versions.get("tuned"), versions.get("used")
    assert made.card.weights_sha256 == parent.card.weights_sha256
    assert made.card.parent == parent.as_parent()
    assert made.card.threshold_rule == "anchored"
    assert made.card.threshold_parameters["anchor"] == 0.45
    assert made.card.threshold_parameters["goal"] == "recall 0.80"
    assert "80 labelled turns of my labels" in made.card.note
    assert made.card.who == "grace"
    (data,) = made.card.data
    assert (data.name, dict(data.counts)) == ("my labels", {"conversations": 4, "cases": 8, "turns": 80})
    assert made.card.metrics["my labels"].metrics["recall"].value == pytest.approx(recall, abs=0.005)
    assert versions.active == "used"

    click(app, "tune.activate")
    assert versions.active == "tuned"
    assert flips(app) == (0, 0, 0)
    assert float(table(app)["Recall"][0].split()[0]) == recall
    click(app, "tune.undo")
    assert versions.active == "used"
    click(app, "tune.dismiss")
    assert "in use again" not in said(app)


def test_a_name_that_is_taken_is_told_and_nothing_is_made(open_page: Open, home: Path) -> None:
    app = open_page(rule="absolute", threshold="0.3")
    sound(app.text_input(key="tune.name").set_value("other").run())
    click(app, "tune.make")
    assert "there is a version other already" in said(app).replace("\\", "")
    assert Versions(home).names() == ["other", "used"]
    assert "set by hand" not in Versions(home).get("other").card.note


def test_a_rule_for_one_conversation_alone_opens_in_explore_until_it_is_taken_off(open_page: Open) -> None:
    app = open_page(rule="absolute", threshold="0.3")
    sound(app.selectbox(key="tune.which").set_value(key_of(1)).run())
    click(app, "tune.apply")
    assert "has this rule now, and no other conversation" in said(app)
    own = ConversationRules(store()).get(key_of(1))
    assert own is not None
    assert (own.policy, own.choice) == ("gate@used", {"rule": "absolute", "threshold": "0.3"})

    def explored(number: int, **query: str) -> AppTest:
        page = AppTest.from_file(str(app_root() / "app.py"), default_timeout=60).run()
        for name, value in {"conversation": key_of(number), **query}.items():
            page.query_params[name] = value
        return sound(page.switch_page(EXPLORE).run())

    page = explored(1)
    assert "This conversation has its own rule" in said(page)
    assert page.slider(key="explore.absolute.threshold").value == 0.3
    # Another conversation is decided as ever, and the first one by its own rule again.
    sound(page.selectbox(key="explore.conversation").set_value(key_of(2)).run())
    assert "has its own rule" not in said(page)
    assert page.selectbox(key="explore.rule").value == "anchored"
    sound(page.selectbox(key="explore.conversation").set_value(key_of(1)).run())
    assert page.slider(key="explore.absolute.threshold").value == 0.3
    sound(page.slider(key="explore.absolute.threshold").set_value(0.5).run())
    assert "Another one decides at the moment" in said(page)
    click(page, "explore.use_own_rule")
    assert page.slider(key="explore.absolute.threshold").value == 0.3
    click(page, "explore.take_off")
    assert "has its own rule" not in said(page)
    assert page.selectbox(key="explore.rule").value == "anchored"
    assert ConversationRules(store()).get(key_of(1)) is None
    # A link that names a rule has its way.
    ConversationRules(store()).put(key_of(1), "gate@used", {"rule": "top_k"})
    page = explored(1, rule="relative")
    assert page.selectbox(key="explore.rule").value == "relative"
    assert "Another one decides at the moment" in said(page)


def test_it_can_be_taken_off_where_it_was_put_on(open_page: Open) -> None:
    app = open_page(rule="absolute", threshold="0.3")
    sound(app.selectbox(key="tune.which").set_value(key_of(1)).run())
    click(app, "tune.apply")
    click(app, "tune.take_off")
    assert ConversationRules(store()).get(key_of(1)) is None


def test_the_settings_for_an_agent_are_those_of_the_rule_that_is_tried(
    open_page: Open, monkeypatch: pytest.MonkeyPatch, fake_encoder: FakeEncoder, tmp_path: Path
) -> None:
    found: dict[str, Callable[[], str]] = {}

    def drawn(label: str, data: Callable[[], str], *, key: str, **_: object) -> bool:
        found[key] = data
        return False

    monkeypatch.setattr("streamlit.download_button", drawn)
    app = open_page(rule="anchored", anchor="0.4", threshold="0.38", max_turns="3")
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
    assert "convgate versions export used`" in said(app)


def test_the_page_comes_back_as_it_was(open_page: Open) -> None:
    app = open_page()
    sound(app.selectbox(key="tune.version").set_value("gate@other").run())
    sound(app.selectbox(key="tune.rule").set_value("absolute").run())
    sound(app.slider(key="tune.absolute.threshold").set_value(0.55).run())
    sound(app.button_group(key="tune.goal").set_value("cost").run())
    query = dict(app.query_params)
    again = open_page(**query)
    assert again.slider(key="tune.absolute.threshold").value == 0.55
    assert table(again) == table(app)
    # Away and back within the session.
    sound(app.switch_page("app.py").run())
    sound(app.switch_page(TUNE).run())
    assert app.slider(key="tune.absolute.threshold").value == 0.55
    assert table(again) == table(app)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ({"version": "gate@gone"}, "There is no version gone"),
        ({"version": "bm25"}, "which is not gate or gate@VERSION"),
        ({"data": "gone"}, "There is no data called gone"),
        ({"goal": "magic"}, "which is not one of f_beta"),
        ({"goal": "recall", "wanted": "7"}, "which is not from 0.05 to 1"),
        ({"rule": "absolute", "threshold": "7"}, "a rule that cannot be"),
        ({"conversation": "gone"}, "a conversation that the library does not have"),
    ],
)
def test_an_address_that_means_nothing_is_told(open_page: Open, query: dict[str, str], told: str) -> None:
    app = open_page(**query)
    assert told in said(app).replace("\\", "").replace("\u2060", "")
    assert app.get("plotly_chart") or "No labelled turns are chosen" in said(app)


def test_turns_are_scored_once_and_texts_encoded_once(open_page: Open, fake_encoder: FakeEncoder) -> None:
    app = open_page()
    before = len(fake_encoder.texts)
    sound(app.slider(key="tune.anchored.threshold").set_value(0.3).run())
    sound(app.button_group(key="tune.goal").set_value("recall").run())
    assert len(fake_encoder.texts) == before


def test_an_empty_home_says_what_to_do(
    convgate_home: Path, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(services, "encoder", lambda *_: fake_encoder)
    monkeypatch.setattr(services, "warm_up", lambda: None)
    app = AppTest.from_file(str(app_root() / "app.py"), default_timeout=60).run()
    app.query_params["data"] = "@labels"
    sound(app.switch_page(TUNE).run())
    assert "Label some turns, or choose a set" in said(app)
    sound(app.button_group(key="tune.where").set_value("library").run())
    assert "There is no conversation in your library yet" in said(app)
