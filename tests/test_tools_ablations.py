"""Ablations: each variant lacks what its name says, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from convgate.gate.config import GateConfig
from convgate.gate.features import FEATURES, PARTS
from convgate.gate.full import FullTiers
from tools.ablations import table, variants


def tiers_of(name: str) -> FullTiers:
    tiers = FullTiers(GateConfig("full", 16, hidden=8))
    with torch.no_grad():
        variants()[name](tiers)
    return tiers


@pytest.mark.parametrize("part", PARTS)
def test_a_part_that_is_left_out_is_at_its_usual_value_whatever_it_holds(part: str):
    standard = tiers_of(f"without {part}").standardise(torch.randn(5, len(FEATURES)) * 100)
    for column, feature in enumerate(FEATURES):
        assert (standard[:, column].abs().max() < 1e-20) == (feature.part == part), feature.name


@pytest.mark.parametrize(("name", "share"), [("tier 1 alone", 0.0), ("tier 2 alone", 1.0)])
def test_one_tier_alone_is_all_that_counts_and_stays_so(name: str, share: float):
    tiers = tiers_of(name)
    assert float(tiers.activation) == pytest.approx(share, abs=1e-9)
    assert not tiers.residual_gate.requires_grad


def test_both_tiers_are_left_as_they_are():
    tiers = tiers_of("both tiers")
    assert (tiers.standardise.spread == 1).all()
    assert tiers.residual_gate.requires_grad


def test_table_has_a_row_a_variant_in_their_order_and_a_column_a_set(tmp_path: Path):
    for name, value in (("tier 1 alone", 0.5), ("both tiers", 0.75)):
        figures = {"policies": {"gate": {"map": value, "f1": value / 2}}}
        found = {"sets": {"a": figures}, "activation": 0.25}
        (tmp_path / f"{name}.json").write_text(json.dumps(found), encoding="utf-8")
    assert table(tmp_path).splitlines()[-4:] == [
        "| | a | g |",
        "|---|---|---|",
        "| both tiers | .750 / .375 | .25 |",
        "| tier 1 alone | .500 / .250 | .25 |",
    ]
