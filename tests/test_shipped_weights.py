"""The weights that come with convgate: what is said of them holds, and they do what they are for."""

from __future__ import annotations

import json

import pytest

import convgate
from convgate.settings import load_settings
from convgate.transcripts import read_relevance_set
from convgate.versions.catalog import PACKAGED, SHIPPED, Versions
from tests.conftest import CHECKOUT

pytestmark = [pytest.mark.shipped, pytest.mark.slow, pytest.mark.xdist_group("encoder")]

SAMPLES = CHECKOUT / "sample_conversations" / "samples.relevance.jsonl"
NAN, FIBONACCI = {0, 1, 2, 3}, {4, 5, 6, 7}


@pytest.fixture(scope="module")
def kept() -> dict[str, set[int]]:
    """What the shipped gate keeps of the eight turns, by the number of the question."""
    samples = read_relevance_set(SAMPLES)
    found = {}
    selector = convgate.load_gate("shipped")
    for number in range(1, 5):
        case = next(case for case in samples.cases if case.id == f"nan-and-fibonacci-{number}")
        decisions = selector.policy.decide(*samples.situation(case))
        found[case.id[-1]] = set(decisions.kept_indices)
    return found


def test_coming_back_to_the_nan_loss_keeps_the_four_debugging_turns(kept):
    assert kept["1"] == NAN


def test_a_cake_recipe_keeps_nothing(kept):
    assert kept["2"] == set()


def test_another_project_keeps_nothing_or_next_to_it(kept):
    assert len(kept["3"]) <= 1


def test_adding_memoization_keeps_the_function_and_no_debugging(kept):
    assert len(kept["4"] & FIBONACCI) >= 2
    assert not kept["4"] & NAN


def test_the_shipped_version_is_active_and_small():
    versions = Versions(load_settings().home)
    assert versions.active == SHIPPED
    assert sum(path.stat().st_size for path in (PACKAGED / SHIPPED).iterdir()) <= 3_000_000


def test_the_card_names_data_and_licences_and_no_set_that_forbids_training():
    card = json.loads((PACKAGED / SHIPPED / "card.json").read_text(encoding="utf-8"))
    data = {entry["name"]: entry for entry in card["data"]}
    assert not [name for name in data if "locomo" in name]
    assert data["irc.train"]["licence"] == "CC-BY-4.0"
    assert "Kummerfeld" in data["irc.train"]["attribution"]
    assert card["metrics"]
    assert card["limits"]
