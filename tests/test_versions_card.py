"""The card of a version, and the comparison of two versions."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from convgate.core.errors import GateError
from convgate.versions import Card, DataSet, Draft, Metric, MetricSet, Parent, Training
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
    metrics={"woven": MetricSet(709, 120, {"map": Metric(0.85, 0.83, 0.87), "f1": Metric(None)})},
    limits=("English only.",),
    note="A first try",
    who="Ada",
)


def make_card(draft: Draft = FULL) -> Card:
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
    card = make_card()
    assert parse_card(card.to_bytes(), "card.json") == card
    assert json.loads(card.to_bytes()) == card.to_json()
    assert card.to_json()["created"] == "2026-11-21T04:30:00Z"


@pytest.mark.parametrize(
    ("edit", "field"),
    [
        (lambda card: card.update(colour="red"), "colour"),
        (lambda card: card["data"][0].update(colour="red"), "data.0.colour"),
        (lambda card: card.pop("created"), "created"),
        (lambda card: card.update(created="2026-11-21T04:30:00"), "created"),
        (lambda card: card.update(format=2), "format"),
        (lambda card: card.update(weights_sha256="C" * 64), "weights_sha256"),
        (lambda card: card.update(learned_threshold=float("nan")), "learned_threshold"),
        (lambda card: card.update(note=None), "note"),
        (lambda card: card["data"][0]["counts"].update(cases=-1), "data.0.counts.cases"),
        (lambda card: card["training"]["curves"].update(loss=["x"]), "training.curves.loss.0"),
        (lambda card: card.update(threshold_rule="magic"), "threshold_rule"),
        (lambda card: card.update(threshold_parameters={"threshold": 7}), "threshold"),
    ],
)
def test_card_edited_by_hand_is_refused_by_file_and_field(edit: Callable[[Any], Any], field: str):
    card = make_card().to_json()
    edit(card)
    with pytest.raises(GateError, match=rf"^/there/card\.json: .*{field}\b"):
        parse_card(json.dumps(card).encode(), "/there/card.json")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[]", b"[" * 100_000, b"null"])
def test_an_invalid_card_is_refused(content: bytes):
    with pytest.raises(GateError, match=r"^card\.json: "):
        parse_card(content, "card.json")
