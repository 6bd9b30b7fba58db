"""Versions as a person uses it: what is pointed at, taken back, imported, and all about one."""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from convgate.cli.main import app as commands
from convgate.core.app_files import app_root
from convgate.gate.config import GateConfig
from convgate.gate.model import Gate
from convgate.ui.navigation import EXPLORE
from convgate.versions import DataSet, Draft, Measured, Metric, Parent, Training, Versions
from tests.commands import Run
from tests.fakes import FakeEncoder
from tests.forked import fork, needs_fork
from tests.gates import trained_gate
from tests.versions_page import (
    HOSTILE,
    Open,
    add_talk,
    click,
    names,
    opened,
    pointed_at,
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


# The list


def test_list_shows_descent_data_and_metrics_against_the_parent_or_the_baseline(
    open_page: Open, versions: Versions
) -> None:
    app = open_page()
    assert names(app) == ["first", "second"]
    text = said(app)
    assert "trained from the start" in text
    assert "child of first" in text
    assert "1 data set, 1,709 cases (CC-BY-4.0)" in text
    assert "held out: F1 0.70 (+0.05, may be chance) · against first · 1 more set" in text
    assert "In use: no version" in text

    click(app, "list.pin.second")
    assert pointed_at(versions) == (None, "second")
    assert "woven: MAP 0.85 (+0.05) · F1 0.60 (−0.15) · against second" in said(app)
    click(app, "undo")
    assert pointed_at(versions) == (None, None)
    assert "against first" in said(app)
    versions.add(trained_gate(), Draft(metrics={"held out": Measured(20, 5, {"f1": Metric(0.8)})}), name="x")
    versions.set_baseline("x", who="Ada")
    told = "held out: F1 0.90 · x was not measured on these cases, so no difference is shown"
    assert told in said(sound(app.run()))


def test_empty_list_says_what_to_do(open_page: Open) -> None:
    assert "There is no version yet" in said(open_page())


def test_many_versions_are_paged(open_page: Open, versions: Versions) -> None:
    weights = versions.get("first").folder
    for number in range(12):
        folder = versions.root / f"many-{number:02}"
        shutil.copytree(weights, folder)
    app = open_page()
    assert len(names(app)) == 10
    first_page = names(app)
    sound(app.get("pagination")[0].set_value(2).run())
    assert len(names(app)) == 4
    assert not {*names(app)} & {*first_page}
    assert app.query_params["page"] == "2"


def test_damaged_version_is_named_and_can_be_removed(open_page: Open, versions: Versions) -> None:
    (versions.root / "second" / "card.json").write_text('{"colour": "red"}')
    app = open_page()
    assert names(app) == ["first"]
    assert "The version second is damaged" in said(app)
    assert "put its files back from an export, or delete it" in said(app)
    click(click(app, "delete.second"), "sure.second")
    assert versions.names() == ["first"]


def stored_before_the_limits(folder: Path, **changes: object) -> None:
    """Give the version in the folder another config, as an import took it once."""
    config = json.dumps(json.loads((folder / "gate.json").read_text()) | changes).encode()
    card = json.loads((folder / "card.json").read_text()) | {"config_sha256": sha256(config).hexdigest()}
    (folder / "gate.json").write_bytes(config)
    (folder / "card.json").write_text(json.dumps(card))


ENCODER = {"model": "m", "revision": 0, "dtype": "float32", "chunking": "", "prefix": "", "dimension": 384}


@pytest.mark.parametrize("changes", [{"encoder": ENCODER}, {"preset": "full", "band": 1.5}, {"window": [1]}])
def test_a_version_stored_before_the_limits_leaves_the_list_whole(
    open_page: Open, versions: Versions, run: Run, changes: dict[str, object]
) -> None:
    stored_before_the_limits(versions.get("second").folder, **changes)
    app = open_page()
    assert names(app) == ["first"]
    assert "The version second is damaged" in said(app)
    code, out, err = run("versions")
    assert (code, "first" in out, "second is damaged" in err) == (0, True, True)


@pytest.mark.parametrize("page", sorted((app_root() / "pages").glob("*.py")), ids=lambda page: page.stem)
def test_a_version_stored_before_the_limits_breaks_no_page(
    open_page: Open, versions: Versions, talk: str, page: Path
) -> None:
    stored_before_the_limits(versions.get("second").folder, encoder=ENCODER)
    app = open_page(f"pages/{page.name}", conversation=talk, policy="gate@second")
    if page.stem == "1_Explore":
        assert "the version second is damaged" in said(app)


def test_version_of_another_encoder_says_why_it_cannot_be_activated(
    open_page: Open, versions: Versions
) -> None:
    foreign = FakeEncoder(model="foreign").identity
    versions.add(Gate(GateConfig(encoder=foreign)), Draft(), name="foreign")
    app = open_page()
    assert app.button(key="versions.list.activate.foreign").disabled
    assert "Cannot be activated: the gate was made for the encoder foreign@1" in said(app)
    assert not app.button(key="versions.list.activate.first").disabled


def test_text_of_a_card_is_shown_and_not_rendered(open_page: Open, versions: Versions) -> None:
    versions.add(
        trained_gate(),
        Draft(
            note=HOSTILE,
            who=HOSTILE,
            parent=Parent(HOSTILE, "a" * 64),
            data=(DataSet(HOSTILE, "b" * 64, {HOSTILE: 1}, HOSTILE, HOSTILE),),
            training=Training(1, 1, {HOSTILE: HOSTILE}, {HOSTILE: HOSTILE}, {HOSTILE: (1.0,)}),
            metrics={HOSTILE: Measured(1, 1, {HOSTILE: Metric(0.5), "map": Metric(0.5)})},
            limits=(HOSTILE,),
        ),
        name="hostile",
    )
    for app in (open_page(), open_page(version="hostile")):
        shown = [
            str(one.value) for one in [*app.markdown, *app.caption, *app.warning] if "Ignore" in one.value
        ]
        assert shown
        for text in shown:
            assert "<b>" not in text
            assert "[l](" not in text
            assert ":smile:" not in text


# What is in use


def test_activating_and_going_back_change_what_explore_uses_and_can_be_taken_back(
    open_page: Open, versions: Versions, talk: str
) -> None:
    app = click(open_page(), "list.activate.second")
    assert (versions.active, versions.history[-1].who) == ("second", "grace")
    assert "second is in use now" in said(app).replace("*", "")
    explore = open_page(EXPLORE, conversation=talk)
    assert next(str(one.value) for one in explore.metric if one.label == "Kept") == "3"
    click(app, "undo")
    assert versions.active is None
    assert "untrained is in use again" in said(app).replace("*", "")

    versions.activate("first", who="Ada")
    versions.activate("second", who="Ada")
    sound(app.run())
    assert app.button(key="versions.rollback").label == "Roll back to first"
    click(app, "rollback")
    assert versions.active == "first"
    click(app, "undo")
    assert versions.active == "second"
    assert "grace went back to first" in said(app).replace("*", "")
    assert "Ada put second into use" in said(app).replace("*", "")


def test_a_version_in_the_place_of_one_that_was_deleted_decides_anew(
    open_page: Open, versions: Versions, talk: str
) -> None:
    def kept() -> str:
        explore = open_page(EXPLORE, conversation=talk, policy="gate@second")
        return next(str(one.value) for one in explore.metric if one.label == "Kept")

    assert kept() == "3"
    versions.delete("second", who="Ada")
    rule = {"threshold_rule": "top_k", "threshold_parameters": {"k": 2}}
    versions.add(trained_gate(seed=1), Draft(**rule), name="second")  # type: ignore[arg-type]
    assert kept() == "2"


@needs_fork
def test_another_program_activates_while_the_page_is_open(
    open_page: Open, versions: Versions, tmp_path: Path
) -> None:
    app = click(open_page(), "list.activate.first")
    told = tmp_path / "told.txt"
    other = fork(lambda: commands(["versions", "activate", "second", "--who", "Ben"]), output=told)
    assert other.wait() == 0, told.read_text()
    app = click(app, "undo")
    assert versions.active == "second", "what Ben did stays"
    assert "was changed again since" in said(app)
    assert "In use: second" in said(app).replace("*", "")


def test_changes_are_written_under_the_name_that_one_labels_with(open_page: Open, versions: Versions) -> None:
    app = open_page()
    assert "is written under grace, until you choose a name on Label" in said(app).replace("*", "")
    app.session_state["annotator.name"] = "Carla"
    click(app, "list.activate.first")
    assert versions.history[-1].who == "Carla"
    assert "is written under Carla" in said(app).replace("*", "")


@pytest.mark.parametrize("fault", ["missing", "weights"])
def test_where_the_version_in_use_is_broken_pages_open_and_lead_back(
    open_page: Open, versions: Versions, talk: str, fault: str
) -> None:
    versions.activate("first", who="Ada")
    versions.activate("second", who="Ada")
    if fault == "missing":
        shutil.rmtree(versions.root / "second")
        why = "there is no version 'second'; there are first"
    else:
        (versions.root / "second" / "gate.safetensors").write_bytes(b"other")
        why = "gate.safetensors: its SHA-256 is"
    told = "the version in use, second, cannot be used: "
    explore = open_page(EXPLORE, conversation=talk)
    assert told in said(explore)
    assert "Go back to another version" in [link.proto.label for link in explore.get("page_link")]
    app = open_page()
    assert told in said(app)
    assert why in said(app)
    assert "Your labels and the other versions are as they were" in said(app)
    click(app, "rollback")
    assert versions.active == "first"
    assert told not in said(app)


# One version


def test_card_shows_everything(open_page: Open, versions: Versions) -> None:
    text = said(open_page(version="first"))
    for part in (
        "A first try", "by Ada", "second", "221,829 parameters", "0.60 :small[0.55–0.65]", "woven: 709 cases",
        "woven.train", "1,709 cases", "CC-BY-4.0", "IBM", "2 epochs, seed 7", "rate", "English only.",
    ):  # fmt: skip
        assert part in text, part
    text = said(open_page(version="second"))
    assert "parameters.k" in text, "what differs from its parent"
    assert "F1 of what is kept 0.65 → 0.70** against first: +0.05" in text
    assert "which may be chance. On 20 messages of 5 conversations that it did not learn from." in text


def test_renaming_and_deleting(open_page: Open, versions: Versions) -> None:
    app = open_page(version="first")
    assert "It keeps its name as long as it is the parent of second" in said(app)
    app = open_page(version="second")
    app.text_input(key="versions.name.second").set_value("better")
    sound(next(one for one in app.button if one.label == "Rename").click().run())
    assert versions.names() == ["better", "first"]
    assert app.query_params["version"] == "better"
    click(app, "undo")
    assert (versions.names(), app.query_params["version"]) == (["first", "second"], "second")
    versions.rename("second", "better")

    app = click(open_page(version="first"), "delete.first")
    assert "It is the parent of better; its children stay, without a parent here" in said(app)
    click(app, "spare.first")
    assert versions.names() == ["better", "first"]
    click(click(app, "delete.first"), "sure.first")
    assert versions.names() == ["better"]
    assert "child of first, which is not here" in said(app)


def test_version_that_is_gone_is_told(open_page: Open, versions: Versions) -> None:
    assert "There is no version gone" in said(open_page(version="gone"))
    assert "which is not a version's name" in said(open_page(version="../x"))


# Import


def uploaded(app: AppTest, name: str, content: bytes) -> AppTest:
    return sound(app.file_uploader[0].upload(name, content).run())


def test_import_of_a_taken_name_goes_under_another(open_page: Open, versions: Versions) -> None:
    app = uploaded(open_page(), "first.zip", versions.export("first"))
    assert "There is a version first already" in said(app).replace("*", "")
    assert versions.names() == ["first", "second"], "nothing is kept before a person says so"
    click(app, "import.keep")
    assert versions.names() == ["first", "first-2", "second"]
    assert versions.get("first-2").card == versions.get("first").card
    assert versions.active is None
    assert app.query_params["version"] == "first-2"
    click(app, "undo")
    assert versions.names() == ["first", "second"]


@pytest.mark.parametrize("fault", ["cut", "card", "weights"])
def test_import_of_a_damaged_file_names_what_is_wrong_and_keeps_nothing(
    open_page: Open, versions: Versions, fault: str
) -> None:
    content = versions.export("first")
    versions.delete("first", who="Ada", in_use=True)
    before = sorted(path for path in versions.root.rglob("*"))
    if fault == "cut":
        content, wanted = content[:-60], "broken.zip cannot be read as an exported version"
    elif fault == "card":
        content = changed(content, "card.json", lambda text: text.replace(b'"note"', b'"colour"'))
        wanted = "broken.zip, card.json: field colour is unknown"
    else:
        content = changed(content, "gate.safetensors", lambda weights: weights[:-1] + b"\1")
        wanted = "broken.zip, gate.safetensors: its SHA-256 is"
    app = uploaded(open_page(), "broken.zip", content)
    assert wanted in said(app)
    assert "Nothing of it was kept" in said(app)
    assert not [one for one in app.button if one.key == "versions.import.keep"]
    assert sorted(path for path in versions.root.rglob("*")) == before


def test_import_for_another_encoder_says_so(open_page: Open, versions: Versions) -> None:
    foreign = FakeEncoder(model="foreign").identity
    versions.add(Gate(GateConfig(encoder=foreign)), Draft(), name="foreign")
    content = versions.export("foreign")
    versions.delete("foreign", who="Ada")
    app = uploaded(open_page(), "foreign.zip", content)
    assert "It can be kept, but not activated with the encoder of your settings" in said(app)
    click(app, "import.keep")
    assert "foreign" in versions.names()


def changed(content: bytes, file: str, change: Callable[[bytes], bytes]) -> bytes:
    """The zip with one of its files changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for member in old.infolist():
            data = old.read(member)
            new.writestr(member, change(data) if member.filename.endswith(file) else data)
    return out.getvalue()
