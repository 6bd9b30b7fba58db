"""The versions of a data folder: added whole or not at all, never changed, pointed at, found by name."""

from __future__ import annotations

import errno
import json
import re
import shutil
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
import torch

from convgate.errors import ActiveVersionError, GateError
from convgate.gate.config import PRESETS, GateConfig
from convgate.gate.model import Gate
from convgate.versions import Draft, Version, Versions, catalog, write_version
from tests.gates import trained_gate

FILES = ["card.json", "gate.json", "gate.safetensors"]


@pytest.fixture
def versions(tmp_path: Path) -> Versions:
    return Versions(tmp_path / "home")


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Version:
    """A version that ships, as if it were packed with convgate."""
    monkeypatch.setattr(catalog, "PACKAGED", tmp_path / "package")
    return write_version(tmp_path / "package" / "shipped", trained_gate(seed=9), Draft(note="It ships."))


@pytest.fixture
def nothing_ships(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "PACKAGED", tmp_path / "package")


def add(versions: Versions, name: str, *, seed: int = 0, **told: object) -> Version:
    return versions.add(trained_gate(seed=seed), Draft(**told), name=name)  # type: ignore[arg-type]


def inside(folder: Path) -> dict[str, bytes]:
    """Every file under the folder, the lock aside."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def full_disk(path: Path, content: bytes, *, private: bool) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


# Adding and reading


@pytest.mark.parametrize("preset", PRESETS)
def test_added_version_is_the_gate_that_it_was(versions: Versions, preset: str):
    gate = Gate(GateConfig(preset=preset), seed=3)
    made = versions.add(gate, Draft(note="Mine", who="Ada"), name="mine")
    assert versions.get("mine") == made
    assert made.load().fingerprint == gate.fingerprint
    assert sorted(path.name for path in made.folder.iterdir()) == FILES


def test_card_says_what_the_weights_are(versions: Versions):
    gate = trained_gate()
    before = datetime.now(UTC)
    card = versions.add(gate, Draft()).card
    assert before <= card.created <= datetime.now(UTC)
    assert card.parameters == gate.parameter_count == 221_829
    assert card.activation == pytest.approx(1 / (1 + np.exp(-0.5)))
    assert card.learned_threshold == pytest.approx(gate.learned_threshold)


def test_version_without_a_name_gets_the_day_and_a_number(versions: Versions):
    names = [versions.add(trained_gate(), Draft()).name for _ in range(2)]
    today = f"{datetime.now(UTC).date()}"
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d-\d+", name) for name in names)
    assert names[1] == f"{today}-{int(names[0].removeprefix(f'{today}-')) + 1}"


@pytest.mark.parametrize(
    "name", ["../mine", "a/b", "..", ".hidden", "", "Mine", "con", "nul.1", "a" * 65, "a\n"]
)
def test_name_that_leads_astray_is_refused(versions: Versions, name: str):
    with pytest.raises(GateError, match="cannot name a version"):
        add(versions, name)
    with pytest.raises(GateError, match="there is no version"):
        versions.get(name)
    assert inside(versions.home) == {}


@pytest.mark.parametrize("name", ["shipped", "untrained"])
def test_names_of_convgates_own_are_refused(versions: Versions, name: str):
    with pytest.raises(GateError, match="a name of convgate's own"):
        add(versions, name)


def test_version_is_never_written_over(versions: Versions):
    add(versions, "mine")
    before = inside(versions.home)
    with pytest.raises(GateError, match="there is a version mine already"):
        add(versions, "mine", seed=1)
    with pytest.raises(GateError, match="there is a version mine already"):
        write_version(versions.get("mine").folder, trained_gate(seed=1), Draft())
    assert inside(versions.home) == before


def test_gate_that_could_not_be_read_again_is_not_kept(versions: Versions):
    gate = trained_gate()
    with torch.no_grad():
        gate.tiers.bilinear.W[0, 0] = float("nan")
    with pytest.raises(GateError, match="NaN"):
        versions.add(gate, Draft())
    with pytest.raises(GateError, match="field limits"):
        versions.add(trained_gate(), Draft(limits=["wrong"]))  # type: ignore[arg-type]
    assert inside(versions.home) == {}


def test_listing_is_in_the_order_of_making(versions: Versions, shipped: Version):
    for name in ("b", "a"):
        add(versions, name)
    assert [one.name for one in versions.listing().versions] == ["shipped", "b", "a"]
    assert versions.names() == ["shipped", "a", "b"]


def test_listing_without_a_data_folder_makes_none(versions: Versions, nothing_ships: None):
    assert versions.listing() == catalog.Listing((), {})
    assert (versions.active, versions.baseline, versions.history) == (None, None, ())
    assert not versions.home.exists()


def test_one_damaged_version_leaves_the_others_listed(versions: Versions, nothing_ships: None):
    add(versions, "good")
    (add(versions, "bad").folder / "card.json").write_text("{}")
    listing = versions.listing()
    assert [one.name for one in listing.versions] == ["good"]
    assert len(listing.problems) == 1
    assert "version bad is damaged" in listing.problems[0]


# Pointers


def test_activating_and_going_back(versions: Versions, shipped: Version):
    assert versions.active == "shipped"
    for name in ("a", "b"):
        add(versions, name)
        versions.activate(name, who="Ada")
    versions.activate("b", who="Ada")
    assert [(change.version, change.who) for change in versions.history] == [("a", "Ada"), ("b", "Ada")]
    assert versions.rollback(who="Ben") == "a"
    assert versions.rollback(who="Ben") == "shipped"
    assert versions.history[-1].when <= datetime.now(UTC)
    with pytest.raises(GateError, match="none to go back to"):
        versions.rollback(who="Ben")
    versions.activate("b", who="Ada")
    versions.activate("shipped", who="Ada")
    assert versions.active == "shipped"
    assert versions.rollback(who="Ada") == "b"


def test_going_back_to_where_nothing_ships_is_the_untrained_gate(versions: Versions, nothing_ships: None):
    versions.activate(add(versions, "mine").name, who="Ada")
    assert versions.rollback(who="Ada") is None
    assert versions.find(None) is None


def test_going_back_to_a_damaged_version_is_refused(versions: Versions):
    for name in ("a", "b"):
        versions.activate(add(versions, name).name, who="Ada")
    (versions.root / "a" / "gate.safetensors").write_bytes(b"")
    with pytest.raises(GateError, match="version a is damaged"):
        versions.rollback(who="Ada")
    assert versions.active == "b"


def test_unknown_version_is_told_with_those_that_there_are(versions: Versions, shipped: Version):
    add(versions, "mine")
    for use in (versions.get, versions.export, versions.find):
        with pytest.raises(GateError, match="there is no version 'other'; there are shipped, mine"):
            use("other")
    for point in (versions.activate, versions.set_baseline, versions.delete):
        with pytest.raises(GateError, match="there is no version 'other'"):
            point("other", who="Ada")


def test_pointer_edited_by_hand_leads_nowhere_else(versions: Versions, nothing_ships: None):
    write_version(versions.home / "outside", trained_gate(), Draft())
    versions.root.mkdir()
    change = {"pointer": "active", "version": "../outside", "when": "2026-11-21T00:00:00Z", "who": "x"}
    (versions.root / "pointers.json").write_text(json.dumps({"changes": [change]}))
    with pytest.raises(
        ActiveVersionError, match=r"the version in use, .* cannot be used: there is no version '\.\./outside'"
    ):
        versions.find(None)


# Removing and renaming


def test_deleted_version_is_gone(versions: Versions):
    add(versions, "mine")
    versions.delete("mine", who="Ada")
    assert inside(versions.home) == {}
    with pytest.raises(GateError, match="no version 'mine'"):
        versions.get("mine")


def test_version_in_use_is_deleted_only_when_that_is_said(versions: Versions, shipped: Version):
    mine = add(versions, "mine")
    add(versions, "child", parent=mine.as_parent())
    versions.activate("mine", who="Ada")
    versions.set_baseline("mine", who="Ada")
    told = "it is the active version and the baseline and the parent of child"
    with pytest.raises(GateError, match=f"mine was not deleted: {told}"):
        versions.delete("mine", who="Ada")
    with pytest.raises(GateError, match=f"mine keeps its name: {told}"):
        versions.rename("mine", "other")
    assert versions.find(None) == mine

    versions.delete("mine", who="Ben", in_use=True)
    assert (versions.active, versions.baseline) == ("shipped", None)
    assert [(change.pointer, change.version, change.who) for change in versions.history[-2:]] == [
        ("active", None, "Ben"),
        ("baseline", None, "Ben"),
    ]


def test_damaged_version_can_be_deleted(versions: Versions):
    (add(versions, "bad").folder / "card.json").write_text("{}")
    versions.delete("bad", who="Ada")
    assert "bad" not in versions.names()


def test_renamed_version_is_the_same_under_its_new_name(versions: Versions):
    mine = add(versions, "mine")
    renamed = versions.rename("mine", "ours")
    assert (renamed.name, renamed.card) == ("ours", mine.card)
    assert "mine" not in versions.names()
    renamed.load()
    for new, told in (("ours", "is a version ours already"), ("../x", "cannot name"), ("shipped", "own")):
        with pytest.raises(GateError, match=told):
            versions.rename("ours", new)


def test_shipped_version_is_not_the_users_to_change(versions: Versions, shipped: Version):
    before = inside(shipped.folder)
    for change in (
        lambda: versions.delete("shipped", who="Ada", in_use=True),
        lambda: versions.rename("shipped", "mine"),
    ):
        with pytest.raises(GateError, match="part of convgate and stays as it is"):
            change()
    assert inside(shipped.folder) == before


# What ships, and finding


def test_shipped_version_is_listed_and_active_at_first(versions: Versions, shipped: Version):
    found = versions.find(None)
    assert found == shipped
    assert shipped.shipped
    assert versions.active == "shipped"
    assert not versions.home.exists(), "reading leaves no trace"


def test_damaged_shipped_version_is_told_to_be_installed_again(versions: Versions, shipped: Version):
    (shipped.folder / "gate.safetensors").write_bytes(b"")
    for use in (versions.get("shipped").load, lambda: versions.find(None)):
        with pytest.raises(GateError, match=r"^the version shipped is damaged .* install convgate again"):
            use()
    (shipped.folder / "card.json").unlink()
    with pytest.raises(GateError, match=r"^the version shipped is damaged .* install convgate again"):
        versions.find(None)


def test_nothing_is_found_where_nothing_ships(versions: Versions, nothing_ships: None):
    assert versions.find(None) is None
    assert versions.find("untrained") is None
    with pytest.raises(GateError, match="no version ships with this convgate"):
        versions.get("shipped")


def test_untrained_gate_can_be_asked_for(versions: Versions, shipped: Version):
    assert versions.find("untrained") is None


def test_version_is_found_by_name_before_a_folder_of_that_name(
    versions: Versions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    folder = write_version(tmp_path / "mine", trained_gate(seed=1), Draft(note="The folder"))
    assert versions.find("mine") == Version.read(Path("mine"))
    mine = add(versions, "mine", note="The version")
    assert versions.find("mine") == mine
    assert versions.find(Path("mine")) == Version.read(Path("mine"))
    assert versions.find(str(folder.folder)) == folder
    assert versions.find(mine) is mine


def test_folder_without_a_card_is_given_back(versions: Versions, tmp_path: Path):
    assert versions.find(str(tmp_path / "nowhere")) == tmp_path / "nowhere"
    assert versions.find(tmp_path) == tmp_path


def test_active_version_that_is_gone_is_told_with_the_way_back(versions: Versions, nothing_ships: None):
    for name in ("a", "b"):
        versions.activate(add(versions, name).name, who="Ada")
    weights = versions.root / "b" / "gate.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    with pytest.raises(
        ActiveVersionError, match=r"in use, b, cannot be used: .*gate\.safetensors: its SHA-256"
    ):
        versions.find(None)
    shutil.rmtree(versions.root / "b")
    with pytest.raises(
        ActiveVersionError, match=r"in use, b, cannot be used: there is no version 'b'.*rollback"
    ):
        versions.find(None)
    assert versions.rollback(who="Ada") == "a"


@pytest.mark.shipped
def test_packaged_weights_are_looked_for_in_the_package():
    import convgate.gate

    assert Path(convgate.gate.__file__).parent / "weights" == catalog.PACKAGED
