"""The card of a version: what is written comes back, what does not fit is refused by file and field."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from convgate.errors import GateError
from convgate.gate.thresholds import Calibrated, Stricter
from convgate.versions import Card, DataSet, Draft, Measured, Metric, Parent, Training
from convgate.versions.card import parse_card

FULL = Draft(
    threshold_rule="calibrated",
    threshold_parameters={"threshold": 0.42, "goal": "F1", "fitted_on": "woven"},
    parent=Parent("shipped", "a" * 64),
    data=(DataSet("scenarios", "b" * 64, {"conversations": 300, "cases": 3_000}, "MIT", "this project"),),
    training=Training(
        seed=7,
        epochs=2,
        config={"rate": 0.01, "layers": None, "name": "x"},
        libraries={"torch": "2.13.0"},
        curves={"loss": (0.7, 0.5), "precision": (None, 0.8)},
    ),
    metrics={"woven": Measured(709, 120, {"map": Metric(0.85, 0.83, 0.87), "f1": Metric(None)})},
    limits=("English only.",),
    note="A first try",
    who="Ada",
)


def sealed(draft: Draft = FULL) -> Card:
    return Card(
        **vars(draft),
        created=datetime(2026, 11, 21, 4, 30, tzinfo=UTC),
        weights_sha256="c" * 64,
        config_sha256="d" * 64,
        parameters=221_829,
        activation=0.25,
        learned_threshold=0.5,
    )


def test_card_comes_back_as_it_was():
    card = sealed()
    assert parse_card(card.to_bytes(), "card.json") == card
    assert json.loads(card.to_bytes()) == card.to_json()
    assert card.to_json()["created"] == "2026-11-21T04:30:00Z"


def test_card_has_the_rule_of_its_version():
    assert sealed().rule == Calibrated(threshold=0.42, goal="F1", fitted_on="woven")
    assert sealed(Draft()).rule == Stricter()


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (lambda card: card.update(colour="red"), "field colour is unknown"),
        (lambda card: card["data"][0].update(colour="red"), "field data.0.colour is unknown"),
        (lambda card: card["training"].update(colour="red"), "field training.colour is unknown"),
        (lambda card: card["parent"].update(colour="red"), "field parent.colour is unknown"),
        (lambda card: card["metrics"]["woven"].update(colour="red"), "field metrics.woven.colour is unknown"),
        (lambda card: card.pop("created"), "field created is missing"),
        (lambda card: card.update(created="2026-11-21T04:30:00"), "field created: .* timezone"),
        (lambda card: card.update(created=1), "field created: .*; got 1"),
        (lambda card: card.update(format=2), "field format: .*; got 2"),
        (lambda card: card.update(weights_sha256="C" * 64), "field weights_sha256"),
        (lambda card: card.update(activation=1.5), "field activation: .*; got 1.5"),
        (lambda card: card.update(learned_threshold=float("nan")), "field learned_threshold"),
        (lambda card: card.update(parameters=True), "field parameters: .*; got True"),
        (lambda card: card.update(note=None), "field note: .*; got None"),
        (lambda card: card.update(limits="none"), "field limits"),
        (lambda card: card["data"][0]["counts"].update(cases=-1), "field data.0.counts.cases: .*; got -1"),
        (
            lambda card: card["metrics"]["woven"]["metrics"]["map"].update(value="good"),
            "field metrics.woven.metrics.map.value: .*; got 'good'",
        ),
        (lambda card: card["training"]["curves"].update(loss=["x"]), "field training.curves.loss.0"),
        (lambda card: card.update(threshold_rule="magic"), "field threshold_rule: there is no .* 'magic'"),
        (
            lambda card: card.update(threshold_parameters={"k": 3}),
            "field threshold_parameters: calibrated has no setting k",
        ),
        (
            lambda card: card.update(threshold_parameters={"threshold": 7}),
            "threshold must be from 0.0 to 1.0",
        ),
        (lambda card: card.update(threshold_parameters={"name": 7}), "field threshold_parameters: "),
    ],
)
def test_card_edited_by_hand_is_refused_by_file_and_field(edit: Callable[[Any], Any], told: str):
    card = sealed().to_json()
    edit(card)
    with pytest.raises(GateError, match=rf"^/there/card\.json: .*{told}"):
        parse_card(json.dumps(card).encode(), "/there/card.json")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[]", b"[" * 100_000, b"null"])
def test_what_is_no_card_is_refused(content: bytes):
    with pytest.raises(GateError, match=r"^card\.json: "):
        parse_card(content, "card.json")


def test_many_problems_are_told_in_part():
    with pytest.raises(GateError, match=r"field created is missing; .*; …$"):
        parse_card(b"{}", "card.json")


@pytest.mark.parametrize(
    ("draft", "field"),
    [
        (
            Draft(metrics={"woven": Measured(1, 1, {"map": Metric(np.nan)})}),
            "metrics.woven.metrics.map.value",
        ),
        (Draft(limits=["English only."]), "limits"),  # type: ignore[arg-type]
        (Draft(training=Training(1, 1, {"rate": object()}, {}, {})), "training.config.rate"),  # type: ignore[dict-item]
    ],
)
def test_card_that_could_not_be_read_again_is_not_written(draft: Draft, field: str):
    with pytest.raises(GateError, match=f"field {field}: "):
        sealed(draft).to_bytes()


def test_text_that_no_file_can_hold_is_not_written():
    with pytest.raises(GateError, match="the card: "):
        sealed(Draft(note="half an emoji: \ud83d")).to_bytes()


def test_draft_with_a_rule_that_there_is_not_is_refused_at_once():
    with pytest.raises(GateError, match="there is no threshold rule 'magic'"):
        Draft(threshold_rule="magic")
