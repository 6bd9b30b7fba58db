"""What sets two versions apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from convgate.errors import GateError
from convgate.gate.config import GateConfig
from convgate.gate.model import Gate
from convgate.versions import DataSet, Draft, Measured, Metric, Version, write_version
from convgate.versions.comparison import compare_versions
from tests.gates import trained_gate

BEFORE = Draft(
    data=(
        DataSet("woven", "a" * 64, {"cases": 10}, "MIT", "us"),
        DataSet("old", "b" * 64, {"cases": 10}, "MIT", "us"),
    ),
    metrics={"woven": Measured(10, 3, {"map": Metric(0.8), "f1": Metric(0.5)})},
)
AFTER = Draft(
    threshold_rule="calibrated",
    threshold_parameters={"threshold": 0.4},
    data=(DataSet("woven, again", "a" * 64, {"cases": 10}, "MIT", "us"),),
    metrics={"woven": Measured(10, 3, {"map": Metric(0.9)}), "talks": Measured(1, 1, {"map": Metric(None)})},
)


@pytest.fixture
def before(tmp_path: Path) -> Version:
    return write_version(tmp_path / "before", trained_gate(), BEFORE)


def test_weights_that_moved_most_come_first(before: Version, tmp_path: Path):
    gate = before.load()
    with torch.no_grad():
        gate.tiers.bilinear.recency.mul_(3)
        gate.tiers.bilinear.W.mul_(1.5)
        gate.tiers.bilinear.W[0, 0] += 2
    found = compare_versions(before, write_version(tmp_path / "after", gate, BEFORE))
    assert [one.name for one in found.moved] == ["tiers.bilinear.recency", "tiers.bilinear.W"]
    recency, W = found.moved
    assert recency.relative == pytest.approx(2)
    assert recency.largest == pytest.approx(0.6)
    assert W.shape == (384, 384)
    assert W.relative == pytest.approx(0.5, abs=0.05)
    first = float(before.load().tiers.bilinear.W[0, 0].detach())
    assert W.largest == pytest.approx(2 + 0.5 * first, rel=1e-5)


def test_weights_that_were_zero_come_before_all(tmp_path: Path):
    gate = Gate()
    a = write_version(tmp_path / "a", gate, Draft())
    with torch.no_grad():
        gate.tiers.attention.head.weight.fill_(1e-3)
        gate.tiers.bilinear.decay_rate.mul_(9)
    found = compare_versions(a, write_version(tmp_path / "b", gate, Draft()))
    assert found.moved[0].name == "tiers.attention.head.weight"
    assert found.moved[0].relative is None
    assert found.moved[0].largest == pytest.approx(1e-3)


def test_threshold_data_and_metrics_stand_side_by_side(before: Version, tmp_path: Path):
    found = compare_versions(before, write_version(tmp_path / "after", before.load(), AFTER))
    assert (found.config, found.moved, found.not_shared) == ({}, (), ())
    assert found.threshold == {"rule": ("stricter", "calibrated"), "parameters.threshold": (None, 0.4)}
    assert found.data == {"both": ("woven",), "a": ("old",), "b": ()}
    assert found.metrics == {
        "woven": {"map": (Metric(0.8), Metric(0.9)), "f1": (Metric(0.5), None)},
        "talks": {"map": (None, Metric(None))},
    }


def test_gates_of_other_make_are_compared_as_far_as_they_go(before: Version, tmp_path: Path):
    other = write_version(tmp_path / "wide", Gate(GateConfig(hidden=32)), Draft())
    found = compare_versions(before, other)
    assert found.config == {"hidden": (64, 32)}
    assert "tiers.attention.head.weight" in found.not_shared
    assert "tiers.bilinear.W" in {one.name for one in found.moved}
    full = write_version(tmp_path / "full", Gate(GateConfig(preset="full")), Draft())
    assert compare_versions(before, full).config["preset"] == ("reference", "full")


def test_difference_is_plain_json(before: Version, tmp_path: Path):
    found = compare_versions(before, write_version(tmp_path / "after", trained_gate(seed=1), AFTER))
    printed = json.loads(json.dumps(found.to_json(), allow_nan=False))
    assert printed["metrics"]["woven"]["map"] == [
        {"value": 0.8, "low": None, "high": None},
        {"value": 0.9, "low": None, "high": None},
    ]
    assert {"a", "b", "config", "threshold", "data", "moved", "not_shared"} <= set(printed)


def test_damaged_version_is_not_compared(before: Version, tmp_path: Path):
    other = write_version(tmp_path / "other", trained_gate(), Draft())
    (other.folder / "gate.safetensors").write_bytes(b"")
    with pytest.raises(GateError, match="version other is damaged"):
        compare_versions(before, other)
