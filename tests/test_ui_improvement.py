"""The steps from answers to a better version: which one is next, and the link to it on each page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from convgate.core.conversation import Turn
from convgate.core.settings import load_settings
from convgate.gate.thresholds import TopK
from convgate.labels.gold import gold_answers
from convgate.store import Answer, CurrentKey, Labels
from convgate.ui.shared.frame import App
from convgate.ui.shared.improvement import Improvement, read_improvement
from convgate.ui.shared.scoring import load_gate
from convgate.ui.versions.figures import doubt_better
from convgate.versions import DataSet, Draft, Versions
from convgate.versions.card import Metric
from tests.fakes import FakeEncoder
from tests.gates import trained_gate
from tests.page_app import add_conversation, app_store, open_page, page_text, use_encoder

OWN = (DataSet("my labels", "a" * 64, {"cases": 1}, "", ""),)


@pytest.fixture
def app(convgate_home: Path, fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> App:
    use_encoder(fake_encoder, monkeypatch)
    return App(load_settings(), app_store())


def label(n_conversations: int) -> None:
    """Label four turns of each of so many conversations, one of them unsure."""
    answers: dict[int, Answer | None] = {0: "relevant", 1: "not_relevant", 2: "unsure", 3: "relevant"}
    for number in range(n_conversations):
        turns = [Turn.of("user", f"talk {number}, turn {turn}") for turn in range(6)]
        key = add_conversation(*turns, title=f"Talk {number}")
        Labels(app_store()).answer(CurrentKey(key, 4), answers, by="Ada")


@pytest.mark.parametrize(
    ("improvement", "following"),
    [
        (Improvement(), "label"),
        (Improvement(conversations=48, first={"a": "A"}), "label"),
        (Improvement(conversations=48, first={"a": "A"}, waiting="mine"), "versions"),
        (Improvement(conversations=48), "train"),
        (Improvement(conversations=2), None),
        (Improvement(conversations=48, trained=True), None),
        (Improvement(conversations=49), "tune"),
        (Improvement(conversations=49, tuned=True), "train"),
        (Improvement(conversations=49, tuned=True, waiting="mine"), "versions"),
        (Improvement(conversations=49, tuned=True, trained=True, activated=True), None),
    ],
)
def test_the_next_step_is_the_first_that_is_not_done(improvement: Improvement, following: str | None) -> None:
    assert improvement.next == following


def test_labels_and_versions_say_how_far_one_is(app: App) -> None:
    label(2)
    other = add_conversation(*[Turn.of("user", f"other {turn}") for turn in range(4)], title="Other")
    add_conversation(Turn.of("user", "Hello"), title="Too short")
    before = read_improvement(app)
    assert (before.answers, before.conversations, before.missing) == (6, 2, 1)
    assert before.words == "Label: 6 answers"
    assert before.first == {other: "Other"}, "without labels, and with turns to ask about"
    Labels(app_store()).answer(CurrentKey(other, 3), {0: "not_relevant"}, by="Ada")
    assert read_improvement(app).missing == 1, "a promise is fitted to what messages need"
    assert (before.tuned, before.trained, before.waiting) == (False, False, None)

    versions = Versions(app.settings.home)
    first = versions.add(trained_gate(), Draft(), name="first")
    versions.activate("first", who="Ada")
    versions.add(
        first.load(), Draft(parent=first.as_parent(), threshold_rule="absolute", data=OWN), name="tuned"
    )
    tuned = read_improvement(app)
    assert (tuned.tuned, tuned.trained, tuned.waiting, tuned.activated) == (True, False, "tuned", False)
    versions.activate("tuned", who="Ada")
    assert read_improvement(app).activated
    assert read_improvement(app).waiting is None
    versions.add(trained_gate(seed=1), Draft(parent=first.as_parent(), data=OWN), name="trained")
    assert (read_improvement(app).trained, read_improvement(app).waiting) == (True, "trained")
    versions.activate("first", who="Ada")
    assert read_improvement(app).waiting is None, "it was decided not to activate it"


def test_a_library_without_more_conversations_says_that_some_are_missing(app: App) -> None:
    label(2)
    improvement = read_improvement(app)
    assert (improvement.next, improvement.words) == (None, "Label: 6 answers")
    shown = open_page("Tune")
    assert "Add 1 more conversation to measure whether training helps." in page_text(shown)
    assert shown.button(key="improvement.next").label == "Add conversations"


@pytest.mark.parametrize("page", ["Tune", "Train", "Versions"])
def test_the_next_step_alone_is_primary_and_warnings_are_no_boxes(app: App, page: str) -> None:
    label(1)
    add_conversation(*[Turn.of("user", f"other {turn}") for turn in range(4)], title="Other")
    shown = open_page(page)
    assert [one.key for one in shown.button if one.proto.type == "primary"] == ["improvement.next"]
    assert not shown.warning


@pytest.mark.parametrize(
    ("conversations", "missing", "gain"),
    [
        (0, "1 conversation", "see where the gate contradicts you"),
        (1, "2 more conversations", "measure whether training helps"),
        (3, "6 more conversations", "promise at most 10% missed"),
        (9, "10 more conversations", "promise at most 5% missed"),
        (48, "1 more conversation", "promise at most 2% missed"),
    ],
)
def test_the_next_goal_is_small_and_says_what_it_gives(conversations: int, missing: str, gain: str) -> None:
    improvement = Improvement(conversations=conversations, first={"a": "A"})
    assert improvement.goal == f"Label {missing} to {gain}."
    assert Improvement(conversations=49).goal == ""


def test_each_step_is_called_as_its_page(app: App) -> None:
    add_conversation(*[Turn.of("user", f"talk {turn}") for turn in range(4)])
    steps = [str(link.proto.label).strip("*") for link in open_page("Tune").main.get("page_link")]
    assert steps[:4] == ["Label", "Tune", "Train", "Versions"]


def test_label_tune_and_train_name_one_target_and_the_same(app: App) -> None:
    label(3)
    for page in ("Label", "Tune", "Train"):
        assert re.findall(r"(\d+) more conversation", page_text(open_page(page))) == ["6"], page


@pytest.mark.parametrize(
    ("before", "after", "doubt"),
    [
        (4, 1, ""),  # the same messages get all they need, with fewer tokens
        (1, 4, "worse than the active version"),
        (1, 1, "no clear difference to the active version"),
        (4, 0, "better than the active version in one figure, worse in another"),
    ],
)
def test_activating_a_waiting_version_is_primary_only_where_it_is_better(
    app: App, before: int, after: int, doubt: str
) -> None:
    versions = Versions(app.settings.home)
    for name, kept in (("first", before), ("tuned", after)):
        draft = Draft(threshold_rule="top_k", threshold_parameters={"k": kept}, data=OWN)
        versions.add(trained_gate(), draft, name=name)
        if name == "first":
            versions.activate(name, who="Ada")
    label(49)
    gate = load_gate(app).with_rule(TopK(1))
    for current, answers in gold_answers(app.store).items():
        conversation = app.conversation(current.conversation)
        best = gate.decide(*conversation.at(4)).kept
        relevant: dict[int, Answer | None] = {
            turn: "relevant" if best[turn] else "not_relevant" for turn in answers
        }
        Labels(app.store).answer(current, relevant, by="Ada")
    shown = open_page("Versions")
    primary = [one.key for one in shown.button if one.proto.type == "primary"]
    assert primary == ([] if doubt else ["versions.activate.tuned"])
    assert doubt in page_text(shown)
    assert "Compare tuned" in [one.label for one in open_page("Train").button]


def test_without_an_active_version_activating_one_is_primary_and_compared_with_none(app: App) -> None:
    label(3)
    draft = Draft(threshold_rule="top_k", threshold_parameters={"k": 1}, data=OWN)
    Versions(app.settings.home).add(trained_gate(), draft, name="tuned")
    shown = open_page("Versions")
    assert "versions.activate.tuned" in [one.key for one in shown.button if one.proto.type == "primary"]
    assert "to the active version is" not in page_text(shown)


@pytest.mark.parametrize(
    ("answerable", "missed", "tokens", "doubt"),
    [
        (0.1, -0.1, 0.01, ""),
        (0.0, 0.0, -0.01, "no clear difference"),
        (0.1, -0.1, 0.2, "better than the active version in one figure"),
        (0.0, 0.0, -0.2, ""),
    ],
)
def test_a_little_more_or_fewer_tokens_decide_nothing(
    answerable: float, missed: float, tokens: float, doubt: str
) -> None:
    values = {"answerable": answerable, "missed": missed, "kept_token_share": tokens}
    words = doubt_better({name: Metric(at, at - 0.005, at + 0.005) for name, at in values.items()})
    assert words.startswith(doubt)
    assert bool(words) == bool(doubt)
