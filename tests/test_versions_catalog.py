"""The versions of a data directory: added whole, never changed, activated, deleted."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from convgate.core.errors import ActiveVersionError, GateError
from convgate.gate.config import PRESETS, GateConfig
from convgate.gate.model import Gate
from convgate.training.gate_module import GateModule
from convgate.versions import Draft, Version, Versions, catalog, write_version
from convgate.versions.pointers import Pointers, read_pointers
from tests.gates import trained_gate

FILES = ["card.json", "gate.json", "gate.safetensors"]


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Version:
    """A version that ships, as if it were packed with convgate."""
    monkeypatch.setattr(catalog, "PACKAGED", tmp_path / "package")
    return write_version(tmp_path / "package" / "shipped", trained_gate(seed=9), Draft(note="It ships."))


def add(versions: Versions, name: str, *, seed: int = 0, **card: object) -> Version:
    return versions.add(trained_gate(seed=seed), Draft(**card), name=name)


def folder_content(folder: Path) -> dict[str, bytes]:
    """Every file under the folder, the lock aside."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


# Adding and reading


@pytest.mark.parametrize("preset", PRESETS)
def test_added_version_is_the_gate_that_it_was(versions: Versions, preset: str):
    gate = GateModule(GateConfig(preset=preset), seed=3).to_gate()
    version = versions.add(gate, Draft(note="Mine", who="Ada"), name="mine")
    assert versions.get("mine") == version
    assert version.load().fingerprint == gate.fingerprint
    assert sorted(path.name for path in version.folder.iterdir()) == FILES


@pytest.mark.parametrize(
    "name", ["../mine", "a/b", "..", ".hidden", "", "Mine", "con", "nul.1", "a" * 65, "a\n"]
)
def test_an_unsafe_name_is_refused(versions: Versions, name: str):
    with pytest.raises(GateError):
        add(versions, name)
    with pytest.raises(GateError):
        versions.get(name)
    assert folder_content(versions.home) == {}


def test_version_is_never_written_over(versions: Versions):
    add(versions, "mine")
    before = folder_content(versions.home)
    with pytest.raises(GateError):
        add(versions, "mine", seed=1)
    with pytest.raises(GateError):
        write_version(versions.get("mine").folder, trained_gate(seed=1), Draft())
    assert folder_content(versions.home) == before


def test_gate_that_could_not_be_read_again_is_not_kept(versions: Versions):
    weights = {name: array.copy() for name, array in trained_gate().weights.items()}
    weights["tiers.bilinear.W"][0, 0] = np.nan
    gate = Gate(weights=weights)
    with pytest.raises(GateError, match="NaN"):
        versions.add(gate, Draft())
    with pytest.raises(GateError, match="limits"):
        versions.add(trained_gate(), Draft(limits=["wrong"]))
    assert folder_content(versions.home) == {}


@pytest.mark.parametrize("preset", PRESETS)
def test_a_version_of_an_untrained_gate_is_untrained(versions: Versions, preset: str):
    gate = Gate(GateConfig(preset=preset))
    assert not versions.add(gate, Draft(), name="plain").load().is_trained
    threshold = {"threshold_logit": np.float32(1) + gate.weights["threshold_logit"]}
    assert not Gate(gate.config, gate.weights | threshold).is_trained
    assert add(versions, "trained").load().is_trained


def test_one_damaged_version_leaves_the_others_listed(versions: Versions):
    add(versions, "good")
    (add(versions, "bad").folder / "card.json").write_text("{}")
    listing = versions.listing()
    assert [one.name for one in listing.versions] == ["good"]
    assert len(listing.problems) == 1


# Removing


def test_active_version_is_deleted_only_when_that_is_said(versions: Versions, shipped: Version):
    mine = add(versions, "mine")
    add(versions, "child", parent=mine.as_parent())
    versions.activate("mine", who="Ada")
    versions.set_baseline("mine", who="Ada")
    with pytest.raises(GateError):
        versions.delete("mine", who="Ada")
    assert versions.find(None) == mine

    versions.delete("mine", who="Ben", force=True)
    assert (versions.active, versions.baseline) == ("shipped", None)
    assert [(change.pointer, change.version, change.who) for change in versions.history[-2:]] == [
        ("active", None, "Ben"),
        ("baseline", None, "Ben"),
    ]


def test_shipped_version_is_not_the_users_to_change(versions: Versions, shipped: Version):
    before = folder_content(shipped.folder)
    with pytest.raises(GateError):
        versions.delete("shipped", who="Ada", force=True)
    assert folder_content(shipped.folder) == before


def test_version_that_cannot_be_removed_stays_active(
    versions: Versions, shipped: Version, monkeypatch: pytest.MonkeyPatch
):
    add(versions, "mine")
    versions.activate("mine", who="Ada")
    before = folder_content(versions.root)

    def refuse(*_: object) -> None:
        raise PermissionError("in use by another program")

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(GateError):
        versions.delete("mine", who="Ada", force=True)
    assert folder_content(versions.root) == before


# What ships, and finding


def test_a_missing_active_version_names_the_way_back(versions: Versions):
    for name in ("a", "b"):
        versions.activate(add(versions, name).name, who="Ada")
    weights = versions.root / "b" / "gate.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])
    with pytest.raises(ActiveVersionError):
        versions.find(None)
    shutil.rmtree(versions.root / "b")
    with pytest.raises(ActiveVersionError):
        versions.find(None)
    assert versions.rollback(who="Ada") == "a"


NOW = datetime(2026, 11, 21, tzinfo=UTC)
ALL = {"a", "b", "c"}


def after(*names: str | None) -> Pointers:
    """Activated one after the other; "<" goes back."""
    pointers = Pointers()
    for name in names:
        if name == "<":
            pointers = pointers.roll_back(ALL, "Ben", NOW)
        else:
            pointers = pointers.point("active", name, "Ada", NOW)
    return pointers


@pytest.mark.parametrize(
    ("names", "active"),
    [
        ("a", "a"),
        ("ab", "b"),
        ("a<", None),
        ("ab<", "a"),
        ("abc<<", "a"),
        ("abc<<<", None),
        ("ab<c", "c"),
        ("ab<c<", "a"),
        ("aba<", "b"),
        ("aba<<", "a"),
    ],
)
def test_two_rollbacks_go_back_two_versions(names: str, active: str | None):
    assert after(*names).active == active


def test_missing_versions_are_skipped():
    assert after(*"abc").roll_back({"a", "c"}, "Ada", NOW).active == "a"
    assert after(*"ab").roll_back({"b"}, "Ada", NOW).active is None
    assert after(*"cabc").roll_back({"c", "a"}, "Ada", NOW).active == "a"
    assert after(*"cbc").roll_back({"c"}, "Ada", NOW).active is None, "not to itself"


@pytest.mark.parametrize(
    "content",
    [
        "{",
        '{"active": "a"}',
        '{"changes": [{"pointer": "best"}]}',
        json.dumps({"changes": [{"pointer": "active", "version": "a", "who": "x"}]}),
    ],
)
def test_log_edited_by_hand_is_refused_with_what_to_do(tmp_path: Path, content: str):
    file = tmp_path / "pointers.json"
    file.write_text(content)
    with pytest.raises(GateError):
        read_pointers(file)
    assert file.read_text() == content


def test_the_last_change_is_undone_exactly(versions: Versions) -> None:
    for seed, name in enumerate("abc"):
        add(versions, name, seed=seed)
    versions.activate("a", who="Ada")
    change = versions.activate("b", who="Ada")
    assert change is not None
    versions.undo(change, who="Ben")
    assert (versions.active, versions.history[-1].who) == ("a", "Ben")
    assert versions.rollback(who="Ada") is None, "a was taken into use first, so nothing stands before it"

    versions.activate("a", who="Ada")
    versions.activate("b", who="Ada")
    versions.rollback(who="Ada")
    versions.undo(versions.history[-1], who="Ada")
    assert versions.active == "b"
    assert versions.rollback(who="Ada") == "a"

    pinned = versions.set_baseline("c", who="Ada")
    assert pinned is not None
    assert versions.set_baseline("c", who="Ada") is None
    versions.undo(pinned, who="Ada")
    assert versions.baseline is None
