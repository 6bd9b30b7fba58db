"""The page Tune: sliders, goal, flipped decisions, a click on the curve, saving, the address."""

from __future__ import annotations

import base64
import json
import re
import tomllib
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import convgate
from convgate.core.conversation import Conversation, Turn
from convgate.store import Answer, Conversations, CurrentKey, Labels, NewConversation
from convgate.training.library import RelevanceSets
from convgate.transcripts import Case, RelevanceSet, write_relevance_set
from convgate.ui.shared.changed_turns import PER_PAGE
from convgate.ui.tune import page as tune_page
from convgate.ui.tune.results import TuneResults
from convgate.versions.card import Draft
from convgate.versions.catalog import Versions
from tests.fakes import FakeEncoder
from tests.gates import trained_gate
from tests.page_app import (
    HOSTILE,
    PAGES,
    address,
    app_store,
    check,
    choose,
    click,
    open_page,
    page_text,
    turn_table,
    use_encoder,
)
from tests.page_app import downloads as downloads

open_tune = partial(open_page, "Tune")
WORDS = ["lake", "house", "boat", "bread", "tea", "rain", "router", "invoice", "parcel", "late"]


def make_conversation(number: int, turns: int = 13, *, titled: bool = True) -> Conversation:
    random = np.random.default_rng(number)
    texts = [" ".join(random.choice(WORDS, 4)) for _ in range(turns)]
    messages = [Turn.of("user" if i % 2 == 0 else "assistant", text) for i, text in enumerate(texts)]
    messages[1] = Turn.of("assistant", f"{HOSTILE} {texts[1]}")
    title = f"Talk *{number}*" if titled else None
    return Conversation(f"talk-{number}", tuple(messages), title=title, format="openai")


@pytest.fixture
def library(convgate_home: Path, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Four labelled conversations, the active version `used` and another one."""
    use_encoder(fake_encoder, monkeypatch)
    monkeypatch.setattr("getpass.getuser", lambda: "grace")
    added = Conversations(app_store()).add(
        [NewConversation(make_conversation(number)) for number in range(4)]
    )
    for number, one in enumerate(added):
        random = np.random.default_rng(number)
        for message in (8, 12):
            answers: dict[int, Answer | None] = {
                turn: "relevant" if random.random() < 0.4 else "not_relevant" for turn in range(message)
            }
            Labels(app_store()).answer(CurrentKey(one.key, message), answers, by="Ada")
    versions = Versions(convgate_home)
    versions.add(
        trained_gate(seed=5),
        Draft(threshold_rule="anchored", threshold_parameters={"anchor": 0.45, "threshold": 0.44}),
        name="used",
    )
    versions.add(trained_gate(seed=4), Draft(note="another"), name="other")
    versions.activate("used", who="Ada")
    return convgate_home


def slide(app: AppTest, key: str, value: object) -> AppTest:
    return check(app.slider(key=key).set_value(value).run())


def open_list_page(app: AppTest, page: int) -> AppTest:
    (pages,) = app.get("pagination")
    return check(pages.set_value(page).run())


def table(app: AppTest) -> dict[str, list[str]]:
    """The metrics by row: cells of the version's own settings and of the new ones."""
    (text,) = [str(item.value) for item in app.markdown if str(item.value).startswith("|  | Today")]
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in text.splitlines()[2:]]
    return {row[0]: row[1:] for row in rows}


def number(app: AppTest, row: str, column: int = 1) -> float:
    """The value of a row of the table, without its interval: of the new settings, or of the version's own."""
    value = table(app)[row][column].split()[0]
    return float(value.removesuffix("%")) / (100 if value.endswith("%") else 1)


def flips(app: AppTest) -> tuple[int, int, int]:
    """How many decisions flip, how many are fixed, how many broken."""
    counts = re.findall(r"(\d+) (not )?needed turns? (?:is|are) (sent now|no longer sent)", page_text(app))
    fixed, broken = (
        sum(
            int(count)
            for count, unneeded, change in counts
            if (bool(unneeded) == (change != "sent now")) == good
        )
        for good in (True, False)
    )
    return fixed + broken, fixed, broken


def explore_links(app: AppTest) -> list[dict[str, str]]:
    """The links into Explore, with their queries."""
    return [
        {"label": link.proto.label, "query": link.proto.query_string}
        for link in app.get("page_link")
        if "for message" in link.proto.label
    ]


def conversation_key(number: int) -> str:
    return Conversations(app_store()).find(sort="title", descending=False).rows[number].key


@pytest.mark.usefixtures("library")
def test_labels_are_chosen_by_themselves_and_each_slider_changes_the_metrics(
    fake_encoder: FakeEncoder,
) -> None:
    app = open_tune()
    assert "Label: 80 answers" in [link.proto.label for link in app.main.get("page_link")]
    assert "small[" in table(app)["Precision"][0], "an interval over conversations"
    assert table(app)["Rule"][0] == "Anchored, anchor 0.45, threshold 0.44"
    assert number(app, "Needed turns missed") <= 0.02, "the suggestion is applied"
    today = (
        f"that need a turn miss one ({table(app)['Needed turns missed'][0].split()[0]} of the needed turns)"
    )
    assert today in page_text(app), "in misses, as in the table"
    assert app.button(key="tune.reset").disabled

    encoded, suggested = len(fake_encoder.texts), number(app, "Turns sent")
    slide(app, "tune.anchored.threshold", 0.44)
    before = number(app, "Turns sent")
    assert before == number(app, "Turns sent", 0), "today's settings by hand"
    assert flips(app) == (0, 0, 0)
    slide(app, "tune.anchored.threshold", 0.2)
    lower = number(app, "Turns sent")
    assert lower > before == number(app, "Turns sent", 0)
    slide(app, "tune.anchored.anchor", 0.8)
    assert number(app, "Turns sent") < lower
    slide(app, "tune.limits", (1, 1))
    assert 8 < number(app, "Turns sent") <= 16, "one for each message, and the question of an answer"
    assert "The curve ignores the limits" in page_text(app)
    slide(app, "tune.limits", (0, 12))
    check(app.selectbox(key="tune.rule").set_value("top_k").run())
    slide(app, "tune.top_k.k", 3)
    assert 24 <= number(app, "Turns sent") <= 32
    click(app, "tune.reset")
    assert number(app, "Turns sent") == suggested
    assert len(fake_encoder.texts) == encoded, "each turn is encoded once"


@pytest.mark.usefixtures("library")
def test_a_slider_of_the_rule_before_that_moves_late_changes_nothing() -> None:
    app = open_tune(rule="expected")
    slider = app.slider(key="tune.expected.strictness")
    app.selectbox(key="tune.rule").set_value("absolute")
    slider.set_value(2.0)
    check(app.run())  # both at once, as when the slider's event arrives after the rule's
    assert address(app)["rule"].startswith("absolute")
    check(app.run())


@pytest.mark.parametrize("page", ["Tune", "Train", "Versions"])
@pytest.mark.usefixtures("library")
def test_a_page_about_no_conversation_keeps_its_plain_address(page: str) -> None:
    app = open_page("Explore", conversation=conversation_key(0))
    app.query_params.clear()  # as links of the sidebar do
    check(app.switch_page(PAGES[page]).run())
    assert address(app) == {}, "back would take two presses"


def lose(app: AppTest, share: float) -> AppTest:
    """The page after a move of the promise."""
    return check(app.select_slider(key="tune.promise").set_value(share).run())


@pytest.mark.usefixtures("library")
def test_a_promise_is_calibrated_on_the_labels_when_there_are_enough() -> None:
    app = open_tune(rule="max_missed")
    assert "A promise of 2.0% takes 49 labelled conversations; there are 4, enough for 20%." in page_text(app)
    lose(app, 0.5)
    click(app, "tune.use_best")
    assert "levels=" in unquote(str(app.query_params["rule"]))
    assert number(app, "Needed turns missed") <= 0.5


def has_button(app: AppTest, key: str) -> bool:
    return key in [button.key for button in app.button]


@pytest.mark.usefixtures("library")
def test_the_promise_suggests_a_threshold_whose_changes_open_in_explore() -> None:
    app = open_tune(lose="0.1")
    assert "New: " in page_text(app)
    assert number(app, "Needed turns missed") <= 0.1
    strict = number(app, "Turns sent")
    lose(app, 0.3)
    assert 0.1 < number(app, "Needed turns missed") <= 0.3
    assert number(app, "Turns sent") < strict
    assert address(app) == {"lose": "0.3"}, "the suggestion is applied, and no rule by hand"
    assert not has_button(app, "tune.use_best")
    count, better, worse = flips(app)
    assert count == better + worse > 0
    links = explore_links(app)
    assert len(links) == min(count, PER_PAGE)
    rows = [str(item.value) for item in app.markdown if "by the labels, message" in str(item.value)]
    for row in rows:
        assert (":material/check:" in row) == (("↑" in row) == ("needs it" in row))

    values = dict(parse_qsl(links[0]["query"]))
    assert values["policy"] == "gate@used"
    assert values["rule"].startswith("anchored")
    other = open_page("Explore", **values)
    assert not other.warning
    turn = re.search(r"Turn (\d+) for", links[0]["label"])
    assert turn
    assert any(item.value == f"Turn {turn[1]}" for item in other.subheader)


def test_a_promise_by_hand_has_the_levels_of_the_version_here_and_in_explore(library: Path) -> None:
    versions = Versions(library)
    parameters = {"max_missed": 0.02, "levels": "0.02:0.001 0.5:0.3", "fitted_on": "some labels"}
    draft = Draft(threshold_rule="max_missed", threshold_parameters=parameters)
    versions.add(trained_gate(seed=5), draft, name="promise")
    app = open_tune(version="gate@promise", rule="max_missed,max_missed=0.5")
    rows = [str(item.value) for item in app.markdown if "by the labels, message" in str(item.value)]
    links = explore_links(app)
    assert len(links) == len(rows) > 0
    for link, row in zip(links, rows, strict=True):
        explore = open_page("Explore", **dict(parse_qsl(link["query"])))
        data = turn_table(explore)
        assert (data["rows"][data["selected"]]["state"] == "kept") == ("↑" in row)


@pytest.mark.usefixtures("library")
def test_what_misses_more_than_promised_says_so_and_is_not_called_further_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    warning = "which misses more than the 20% promised; "
    app = open_tune(lose="0.2", rule="max_missed,max_missed=0.2,levels=0.2:0.9")
    missed = number(app, "Needed turns missed")
    assert missed > 0.2
    shown = page_text(app)
    assert warning.replace("; ", ".") in shown, "four conversations are enough for 20%"
    assert "At the dashed line" in shown
    assert "further right" not in shown
    assert re.search(r"By the labels, \d+ needed turns? (is|are) no longer sent", shown), "misses first"
    worse = [str(item.value) for item in app.markdown if "by the labels, message" in str(item.value)]
    assert "↓" in worse[0]
    Conversations(app_store()).delete([conversation_key(0)])
    assert "A promise of 20% takes 4 labelled conversations" in page_text(open_tune(**address(app)))

    compute = tune_page.compute_results

    def compute_with_fewer_tokens(*args: Any, **options: Any) -> TuneResults:
        results = compute(*args, **options)
        assert results.curve is not None
        return replace(
            results, curve=replace(results.curve, kept_token_share=results.curve.kept_token_share / 2)
        )

    monkeypatch.setattr(tune_page, "compute_results", compute_with_fewer_tokens)
    app = open_tune(lose="0.5", rule="max_missed,max_missed=0.5,levels=0.5:0.0001")
    assert number(app, "Needed turns missed") <= 0.5
    assert "promised" not in page_text(app)
    assert "further right" in page_text(app)


@pytest.mark.usefixtures("library")
def test_by_hand_stays_until_the_suggestion_is_used() -> None:
    app = open_tune(rule="absolute,threshold=0.9")
    assert number(app, "Turns sent") == 0
    lose(app, 0.1)
    assert number(app, "Turns sent") == 0
    click(app, "tune.use_best")
    assert number(app, "Needed turns missed") <= 0.1
    assert address(app)["rule"].startswith("absolute")


def has_save(app: AppTest) -> bool:
    return any(button.key == "tune.save" for button in app.button)


def test_below_three_conversations_nothing_is_suggested(library: Path) -> None:
    for number_ in (2, 3):
        Conversations(app_store()).delete([conversation_key(number_ - 2)])
    app = open_tune()
    words = "These labels are too few to choose a threshold that loses at most 2.0%."
    assert words in page_text(app)
    assert not has_save(app), "nothing has changed"
    used = Versions(library).get("used")
    versions = Versions(library)
    versions.add(used.load(), Draft(threshold_rule="max_missed"), name="promise")
    app = lose(open_tune(version="gate@promise"), 0.2)
    assert has_save(app), "a promise needs no labels of one's own"
    assert "A promise of 20% takes 4 labelled conversations; there are 2" in page_text(app)
    assert "Until then the version's setting stays." in page_text(app)


@pytest.mark.usefixtures("library")
def test_the_slider_shows_the_promise_of_the_rule_that_is_measured() -> None:
    app = open_tune(rule="max_missed,max_missed=0.2")
    assert app.select_slider(key="tune.promise").value == 0.2
    sent = number(app, "Turns sent")
    lose(app, 0.3)
    assert "max_missed=0.3" in address(app)["rule"]
    assert number(app, "Turns sent") < sent


@pytest.mark.usefixtures("library")
def test_a_promise_out_of_reach_says_why() -> None:
    app = open_tune(lose="0", rule="anchored,anchor=0.56,threshold=0.44")
    assert not has_button(app, "tune.use_best")
    app = open_tune(lose="0", rule="anchored,anchor=0.45,threshold=0.44")
    assert "no turn scores 0.45, its anchor" in page_text(app) or has_button(app, "tune.use_best")


@pytest.mark.usefixtures("library")
def test_flips_are_paged_and_filtered_and_shown_as_text() -> None:
    app = open_tune(rule="absolute,threshold=0")
    count, fixed, broken = flips(app)
    assert count > PER_PAGE
    captions = [str(item.value) for item in app.caption]
    assert any("\\$x\\^2\\$" in text for text in captions)
    assert not any("<b>" in text or "$x^2" in text or "](" in text for text in captions)
    first = [link["label"] + link["query"] for link in explore_links(app)]
    open_list_page(app, 2)
    assert not set(first) & {link["label"] + link["query"] for link in explore_links(app)}
    for only, expected in (("broken", broken), ("fixed", fixed)):
        choose(app, "tune.only", only)
        assert len(explore_links(app)) == min(PER_PAGE, expected)


@pytest.mark.usefixtures("library")
def test_another_version_and_no_data_give_other_numbers() -> None:
    app = open_tune()
    first = table(app)["Precision"][0]
    check(app.selectbox(key="tune.version").set_value("gate@other").run())
    assert table(app)["Precision"][0] != first
    assert app.query_params["version"] == "gate@other"
    choose(app, "tune.data", [])
    assert "Label some turns, or choose a relevance set" in page_text(app)


def test_turns_of_a_set_link_to_where_the_library_has_the_same(library: Path, tmp_path: Path) -> None:
    known, strange = (
        replace(make_conversation(1), id="elsewhere"),
        replace(make_conversation(9, titled=False), id="strange"),
    )
    judged = frozenset({0, 2, 3, 4})
    cases = tuple(
        Case(f"{one.id}-12", one.id, 12, None, frozenset({0, 3}), judged=judged) for one in (known, strange)
    )
    file = tmp_path / "both.jsonl"
    write_relevance_set(RelevanceSet("both", {one.id: one for one in (known, strange)}, cases), file)
    RelevanceSets(library).add("both", file.read_bytes())
    app = open_tune(data="both", rule="absolute,threshold=1")
    keys = {
        match for link in explore_links(app) for match in re.findall(r"conversation=(\w+)", link["query"])
    }
    assert keys == {conversation_key(1)}
    unlinked = [str(item.value) for item in app.markdown if str(item.value).startswith("**Turn")]
    assert unlinked
    assert all(text.endswith(strange.turns[0].text) for text in unlinked)

    choose(app, "tune.data", ["@labels", "both"])
    assert app.query_params["data"] == "@labels,both"
    assert table(app)["Turns sent"][0].endswith("of 84"), "what both judge is counted once"
    choose(app, "tune.data", ["both"])

    # Looked up again: the library has as many conversations, but other ones.
    Conversations(app_store()).delete([conversation_key(1)])
    (added,) = Conversations(app_store()).add([NewConversation(strange)])
    check(app.run())
    keys = {
        match for link in explore_links(app) for match in re.findall(r"conversation=(\w+)", link["query"])
    }
    assert keys == {added.key}


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize("strictness", ["0", "1", "4"])
def test_the_chart_and_the_table_agree_also_at_the_ends_of_a_slider(strictness: str) -> None:
    app = open_tune(rule=f"expected,strictness={strictness}")
    line, *marks = json.loads(app.get("plotly_chart")[0].proto.spec)["data"]
    (x,), (y,) = next((each["x"], each["y"]) for each in marks if each["name"] == "new")
    sent, total = (int(part.replace(",", "")) for part in table(app)["Tokens sent"][1].split(" of "))
    assert (x, y) == pytest.approx((sent / total, number(app, "Messages with all they need")), abs=0.006)
    steps = list(zip(coordinates(line["x"]), coordinates(line["y"]), strict=True))
    away = min(abs(x - tokens) + abs(y - answerable) for tokens, answerable in steps)
    assert away < 0.005, "the curve may leave out the question that an answer brings in"


def coordinates(values: Any) -> list[float]:
    """Return the numbers of a trace, which are written as base64."""
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"]).tolist()
    return list(values)


@pytest.mark.usefixtures("library")
def test_a_click_on_a_curve_sets_that_threshold(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[TuneResults] = []
    monkeypatch.setattr("convgate.ui.tune.page.draw_curve", lambda results, promise: drawn.append(results))
    app = open_tune()
    curve = drawn[-1].curve
    assert curve is not None
    changes: dict[str, convgate.ui.shared.threshold_settings.ThresholdSettings] = {}
    monkeypatch.setattr(tune_page, "clicked", lambda key: 5)
    monkeypatch.setattr(tune_page.page, "now", lambda: app.session_state["tune.state"])
    monkeypatch.setattr(tune_page.page, "change", changes.update)
    monkeypatch.setattr(tune_page.page, "touched", lambda: None)
    tune_page._click(drawn[-1])
    assert changes["choice"].rule == replace(drawn[-1].today.choice.rule, threshold=curve.values[5])


def test_the_settings_become_a_version_that_is_activated_and_undone(library: Path) -> None:
    app = open_tune(lose="0.1")
    recall = number(app, "Recall")
    versions = Versions(library)
    app.text_input(key="tune.name").set_value("other")
    click(app, "tune.save")  # what is typed and not yet sent counts
    assert "a version other" in page_text(app)
    assert versions.names() == ["other", "used"]

    app.text_input(key="tune.name").set_value("tuned")
    click(app, "tune.save")
    assert "Version tuned saved. It is not active yet." in page_text(app)
    saved, parent = versions.get("tuned"), versions.get("used")
    assert saved.card.weights_sha256 == parent.card.weights_sha256
    assert saved.card.parent == parent.as_parent()
    assert saved.card.threshold_rule == "anchored"
    assert saved.card.threshold_parameters["anchor"] == 0.45
    assert saved.card.threshold_parameters["goal"] == "at most 10.0% missed"
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
    assert not has_save(app)
    assert number(app, "Recall", 0) == recall
    click(app, "tune.undo")
    assert versions.active == "used"
    assert dict(app.query_params) == query, "with the same settings"


@pytest.mark.usefixtures("library")
def test_the_settings_for_an_agent_are_those_on_the_page(
    downloads: dict[str, Any], fake_encoder: FakeEncoder, tmp_path: Path
) -> None:
    app = open_tune(rule="anchored,anchor=0.4,threshold=0.38,max_turns=3")
    file = tmp_path / "convgate-agent.toml"
    file.write_text(downloads["tune.download_settings"](), encoding="utf-8")
    values = tomllib.loads(file.read_text(encoding="utf-8"))
    assert (values["version"], values["max_turns"]) == ("used", 3)
    kept = 0
    gate = convgate.load(policy="gate", settings=file, encoder=fake_encoder)
    for conversation in range(4):
        for message in (8, 12):
            kept += int(gate.select_at(make_conversation(conversation), message).decisions.kept.sum())
    assert number(app, "Turns sent") == kept


@pytest.mark.usefixtures("library")
def test_the_page_comes_back_as_it_was_by_its_address_and_within_the_session() -> None:
    app = open_tune()
    check(app.selectbox(key="tune.version").set_value("gate@other").run())
    check(app.selectbox(key="tune.rule").set_value("absolute").run())
    slide(app, "tune.absolute.threshold", 0.55)
    lose(app, 0.1)
    query = {name: str(value) for name, value in app.query_params.items()}
    again = open_tune(**query)
    assert again.slider(key="tune.absolute.threshold").value == 0.55
    assert table(again) == table(app)
    check(app.switch_page("app.py").run())
    check(app.switch_page(PAGES["Tune"]).run())
    assert app.slider(key="tune.absolute.threshold").value == 0.55
    assert table(again) == table(app)


@pytest.mark.usefixtures("library")
def test_the_page_opens_whatever_its_address_says() -> None:
    app = open_tune(version="gate@gone", rule="absolute,threshold=7", lose="3")
    assert sum("The address says" in str(warning.value) for warning in app.warning) == 3
    assert app.get("plotly_chart")


def test_one_labelled_message_has_a_sentence_in_place_of_a_curve(
    convgate_home: Path, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_encoder(fake_encoder, monkeypatch)
    [added] = Conversations(app_store()).add([NewConversation(make_conversation(0))])
    for message, has_curve in ((8, False), (12, True)):
        Labels(app_store()).answer(CurrentKey(added.key, message), {0: "relevant"}, by="Ada")
        app = open_page("Tune")
        assert bool(app.get("plotly_chart")) == has_curve
        assert ("A curve takes two labelled messages" in page_text(app)) != has_curve
        assert "Today: " in page_text(app)
        assert has_curve or "dashed" not in page_text(app)
