"""The page Versions: list, activation and roll back, card, deletion, import."""

from __future__ import annotations

import json
import re
import shutil
from functools import partial
from hashlib import sha256
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import convgate
from convgate.core.conversation import Conversation
from convgate.core.settings import load_settings
from convgate.core.text import format_share
from convgate.gate.config import GateConfig
from convgate.gate.model import Gate
from convgate.messages import turn_tokens
from convgate.store import Answer, CurrentKey, Labels
from convgate.ui.shared import services
from convgate.ui.versions.figures import _warn_of_tokens
from convgate.versions import Draft, Versions
from convgate.versions.card import Metric
from tests.commands import Run
from tests.fakes import FakeEncoder
from tests.gates import trained_gate
from tests.page_app import (
    HOSTILE,
    PAGES,
    TURNS,
    add_conversation,
    address,
    app_store,
    check,
    click,
    open_page,
    page_text,
    stated,
    use_encoder,
)
from tests.page_data import add_two_versions, hostile_draft

open_versions = partial(open_page, "Versions")


@pytest.fixture(autouse=True)
def encoder(fake_encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch) -> FakeEncoder:
    """The pages' encoder, for a user who is logged in as grace, without the labelled samples."""
    monkeypatch.setattr("convgate.training.library._samples", lambda: None)
    use_encoder(fake_encoder, monkeypatch)
    monkeypatch.setattr("getpass.getuser", lambda: "grace")
    return fake_encoder


@pytest.fixture(scope="module")
def home_with_versions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with two versions."""
    home = tmp_path_factory.mktemp("versions") / "home"
    add_two_versions(home)
    return home


@pytest.fixture
def versions(convgate_home: Path, home_with_versions: Path) -> Versions:
    """The same in the data folder of the app."""
    shutil.copytree(home_with_versions, convgate_home, dirs_exist_ok=True)
    return Versions(convgate_home)


@pytest.fixture
def key(convgate_home: Path) -> str:
    """The key of a conversation in the library."""
    return add_conversation(*TURNS[1:])


def version_names(app: AppTest) -> list[str]:
    """Return the versions that the list shows, in its order."""
    return [str(one.key).removeprefix("versions.open.") for one in app.button if "open." in str(one.key)]


def active_and_baseline(versions: Versions) -> tuple[str | None, str | None]:
    """Return the names of the active version and the baseline."""
    return versions.active, versions.baseline


# The list


def figure_cells(app: AppTest) -> dict[str, list[str]]:
    """Return the cells of the table by version."""
    names, cells = (
        version_names(app),
        [
            str(one.value)
            for one in app.markdown
            if re.match(r"(\d+(\.\d+)?%|–)(  \n:small.*)*$", str(one.value))
        ],
    )
    return {name: cells[3 * row : 3 * row + 3] for row, name in enumerate(names)} if cells else {}


def test_all_versions_are_measured_on_the_same_labels_and_compared_with_the_active_one(
    versions: Versions, key: str
) -> None:
    labels: dict[int, Answer | None] = {0: "relevant", 1: "relevant", 2: "not_relevant", 3: "not_relevant"}
    Labels(app_store()).answer(CurrentKey(key, 6), {**labels, 4: "relevant", 5: "not_relevant"}, by="Ada")
    versions.activate("first", who="Ada")
    app = open_versions()
    cells = figure_cells(app)
    assert list(cells) == ["first", "second"]
    judged = {
        name: convgate.load(policy="gate", version=name, encoder=services.encoder(load_settings()))
        for name in cells
    }
    conversation = Conversation("talk", TURNS[1:])
    for name, selector in judged.items():
        kept = selector.policy.decide(*conversation.at(6)).kept
        tokens = turn_tokens(conversation.turns)[:6]
        share = float(tokens[kept].sum() / tokens.sum())
        assert cells[name][0].startswith("100%" if kept[[0, 1, 4]].all() else "0%")
        assert cells[name][2].startswith(format_share(share))
    assert ":small" not in str(cells), "no difference of one conversation"
    text = page_text(app)
    assert "Measured on 1 message of 1 conversation of my labels that need earlier turns." in text
    answered, _, sent = cells["first"]
    sentence = f"{answered} of 1 message gets all that is needed, with {sent} of the tokens"
    assert f"first is active: {sentence}; too few to trust (1 of 49 conversations)." in text
    assert "trained from first" in text
    assert "Differences take labels of 3 conversations." in text
    for number in range(4):
        more = add_conversation(*TURNS[number:], title=f"More {number}")
        Labels(app_store()).answer(CurrentKey(more, 4), {1: "relevant", 2: "not_relevant"}, by="Ada")
    cells = figure_cells(open_versions())
    assert [cell.count(":small") for cell in cells["first"]] == [1] * 3, "the interval"
    assert [cell.count(":small") for cell in cells["second"]] == [2] * 3, "and the difference"


def test_without_labels_the_table_leads_to_labelling(versions: Versions) -> None:
    app = open_versions()
    assert version_names(app) == ["first", "second"]
    assert not figure_cells(app)
    assert "Active version: none" in page_text(app)
    assert any("to measure versions" in link.proto.label for link in app.get("page_link"))


def test_a_version_with_another_threshold_is_not_called_trained(versions: Versions) -> None:
    first = versions.get("first")
    versions.add(
        first.load(),
        Draft(parent=first.as_parent(), threshold_rule="absolute", data=first.card.data),
        name="third",
    )
    text = page_text(open_versions())
    assert "first with another threshold" in text
    assert text.count("trained from first") == 1, "second"


def test_compare_opens_with_two_versions_preset(versions: Versions) -> None:
    versions.activate("first", who="Ada")
    links = [
        link.proto.query_string
        for link in open_versions().get("page_link")
        if "policies" in link.proto.query_string
    ]
    assert links == ["policies=gate%40first%2C+gate%40second"]


def test_opened_again_the_page_shows_the_list(versions: Versions) -> None:
    app = click(open_versions(), "versions.open.first")
    assert address(app)["version"] == "first"
    check(app.switch_page(PAGES["Library"]).run())
    app.query_params.clear()  # as links of the sidebar do
    assert "first" in version_names(check(app.switch_page(PAGES["Versions"]).run()))


def test_an_empty_list_says_what_to_do(convgate_home: Path) -> None:
    assert "There is no version yet" in page_text(open_versions())


ENCODER = {"model": "m", "revision": 0, "dtype": "float32", "chunking": "", "prefix": "", "dimension": 384}


def damage_config(folder: Path) -> None:
    """Give the version in the folder a config that an import would refuse, with a digest that fits."""
    config = json.dumps(json.loads((folder / "gate.json").read_text()) | {"encoder": ENCODER}).encode()
    card = json.loads((folder / "card.json").read_text()) | {"config_sha256": sha256(config).hexdigest()}
    (folder / "gate.json").write_bytes(config)
    (folder / "card.json").write_text(json.dumps(card))


@pytest.mark.parametrize("fault", ["card", "config"])
def test_a_damaged_version_is_named_and_can_be_deleted(versions: Versions, run: Run, fault: str) -> None:
    if fault == "card":
        (versions.root / "second" / "card.json").write_text('{"colour": "red"}')
    else:
        damage_config(versions.root / "second")
    app = open_versions()
    assert version_names(app) == ["first"]
    assert "The version second is damaged" in page_text(app)
    code, out, err = run("versions")
    assert (code, "first" in out, "second is damaged" in err) == (0, True, True)
    click(app, "versions.delete.second")
    assert versions.names() == ["first"]


@pytest.mark.parametrize("page", PAGES)
def test_a_damaged_version_breaks_no_page(versions: Versions, key: str, page: str) -> None:
    damage_config(versions.root / "second")
    app = open_page(page, conversation=key, policy="gate@second")
    if page == "Explore":
        assert "the version second is damaged" in page_text(app)


def test_a_version_of_another_encoder_cannot_be_activated(versions: Versions) -> None:
    foreign = FakeEncoder(model="foreign").identity
    versions.add(Gate(GateConfig(encoder=foreign)), Draft(), name="foreign")
    app = click(open_versions(), "versions.activate.foreign")
    assert "the gate was made for the encoder foreign@1" in page_text(app)
    assert versions.active is None


def test_text_of_a_card_is_shown_and_not_rendered(versions: Versions) -> None:
    versions.add(trained_gate(), hostile_draft(HOSTILE), name="hostile")
    for app in (open_versions(), open_versions(version="hostile")):
        shown = [
            str(one.value) for one in [*app.markdown, *app.caption, *app.warning] if "Ignore" in one.value
        ]
        assert shown
        for text in shown:
            assert "<b>" not in text
            assert "[l](" not in text
            assert ":smile:" not in text


# The active version


def test_activating_and_rolling_back_change_what_explore_uses_and_can_be_undone(
    versions: Versions, key: str
) -> None:
    app = click(open_versions(), "versions.activate.second")
    assert (versions.active, versions.history[-1].who) == ("second", "grace")
    explore = open_page("Explore", conversation=key)
    assert stated(explore, "Kept") == "3"
    click(app, "versions.undo")
    assert versions.active is None

    versions.activate("first", who="Ada")
    versions.activate("second", who="Ada")
    check(app.run())
    assert app.button(key="versions.rollback").label == "Roll back to first"
    app.session_state["annotator.name"] = "Carla"
    click(app, "versions.rollback")
    assert versions.active == "first"
    assert versions.history[-1].who == "Carla"
    click(app, "versions.undo")
    assert versions.active == "second"


def test_a_version_in_the_place_of_a_deleted_one_decides_anew(versions: Versions, key: str) -> None:
    def kept() -> str:
        explore = open_page("Explore", conversation=key, policy="gate@second")
        return stated(explore, "Kept")

    assert kept() == "3"
    versions.delete("second", who="Ada")
    rule = {"threshold_rule": "top_k", "threshold_parameters": {"k": 2}}
    versions.add(trained_gate(seed=1), Draft(**rule), name="second")
    assert kept() == "2"


@pytest.mark.parametrize("fault", ["missing", "weights"])
def test_where_the_active_version_is_damaged_pages_open_and_lead_back(
    versions: Versions, key: str, fault: str
) -> None:
    versions.activate("first", who="Ada")
    versions.activate("second", who="Ada")
    if fault == "missing":
        shutil.rmtree(versions.root / "second")
    else:
        (versions.root / "second" / "gate.safetensors").write_bytes(b"other")
    explore = open_page("Explore", conversation=key)
    assert explore.error
    assert "Versions" in [link.proto.page for link in explore.main.get("page_link")]
    app = open_versions()
    assert "second" in app.error[0].value
    click(app, "versions.rollback")
    assert versions.active == "first"
    assert not app.error


# One version


def test_the_card_shows_everything(versions: Versions) -> None:
    text = page_text(open_versions(version="first"))
    for part in (
        "A first try", "by Ada", "221,829 parameters", "0.600 (0.550–0.650)", "| woven | 709 |",
        "woven.train", "1,709 cases", "CC-BY-4.0", "IBM", "2 epochs, seed 7", "English only.",
    ):  # fmt: skip
        assert part in text, part
    text = page_text(open_versions(version="second"))
    assert "0.650" in text, "its parent's"
    assert "+0.050 (−0.010 to +0.100)" in text


def test_a_deleted_version_leaves_its_child(versions: Versions) -> None:
    app = open_versions(version="first")
    assert "It is the parent of second" in page_text(app)
    click(app, "versions.delete.first")
    assert versions.names() == ["second"]
    assert "trained from first" in page_text(app)


def test_a_version_that_does_not_exist_is_reported(versions: Versions) -> None:
    assert "There is no version gone" in page_text(open_versions(version="gone"))
    assert "which is not a version's name" in page_text(open_versions(version="../x"))


# Import


def upload(app: AppTest, file_name: str, content: bytes, *, name: str = "") -> AppTest:
    app.file_uploader[0].upload(file_name, content)
    app.text_input(key="versions.import.name").set_value(name)
    return check(next(button for button in app.button if button.label == "Import").click().run())


def test_import_of_a_taken_name_goes_under_another(versions: Versions) -> None:
    content = versions.export("first")
    app = upload(open_versions(), "first.zip", content)
    assert app.error
    assert versions.names() == ["first", "second"]
    app = upload(app, "first.zip", content, name="first-2")
    assert versions.names() == ["first", "first-2", "second"]
    assert versions.get("first-2").card == versions.get("first").card
    assert versions.active is None
    assert app.query_params["version"] == "first-2"
    click(app, "versions.undo")
    assert versions.names() == ["first", "second"]


def test_import_of_a_damaged_file_names_it_and_keeps_nothing(versions: Versions) -> None:
    content = versions.export("first")
    versions.delete("first", who="Ada", force=True)
    before = sorted(versions.root.rglob("*"))
    app = upload(open_versions(), "broken.zip", content[:-60])
    assert "broken.zip cannot be read as an exported version" in page_text(app)
    assert sorted(versions.root.rglob("*")) == before


def test_a_version_that_sends_everything_says_so_before_it_is_activated() -> None:
    assert _warn_of_tokens(Metric(1.0), None) == "sends everything, so it saves nothing"
    assert _warn_of_tokens(Metric(0.6), Metric(0.12)).startswith("sends 12 points more")
    assert _warn_of_tokens(Metric(0.6), Metric(0.05)) == ""
