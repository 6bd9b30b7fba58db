"""Damaged archives of versions: each is refused, or gives a version that works."""

from __future__ import annotations

import copy
import json
import random
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from convgate.core.conversation import Turn
from convgate.core.errors import GateError
from convgate.gate.config import GateConfig
from convgate.gate.model import Gate
from convgate.versions import Versions
from convgate.versions.markdown import model_card
from tests.fakes import FakeEncoder
from tests.gates import full_message, full_state
from tests.test_versions_archive import Files, members, packed
from tests.test_versions_card import FULL

pytestmark = pytest.mark.slow

TURNS = [Turn.of("user", text) for text in ("Where is it?", "At the port.", "Why?", "And when?")]
VALUES = (
    *(None, True, 0, -1, 1.5, 10**9, 10**400, 1e300, -1e15, "", "x" * 20_000, "\u202e", [], {}, [[[]]]),
    *({"a": 1}, [1], "9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00", "reference", "full"),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all values in the JSON value, its own left aside."""
    keys = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [place for key in keys for place in ((*path, key), *places(value[key], (*path, key)))]


def mutated(value: Any, chance: random.Random) -> bytes:
    """The JSON value with a few values, names or repeated names that are not its own."""
    value = copy.deepcopy(value)
    for _ in range(chance.randint(1, 2)):
        *path, key = chance.choice(places(value))
        parent = value
        for step in path:
            parent = parent[step]
        if chance.random() < 0.2 and isinstance(parent, dict):
            parent[chance.choice(["", "name", "x" * 2_000, "\x00"])] = parent.pop(key)
        else:
            parent[key] = chance.choice(VALUES)
    text = json.dumps(value)
    if chance.random() < 0.1:
        text = text[:-1] + f", {text[1:]}"  # every name twice
    return text.encode()


def flipped(content: bytes, chance: random.Random) -> bytes:
    """The content with up to eight other bytes, half the time among those of the zip's directory."""
    damaged, start = bytearray(content), chance.choice([0, max(0, len(content) - 400)])
    for _ in range(chance.randint(1, 8)):
        damaged[chance.randrange(start, len(damaged))] = chance.randrange(256)
    return bytes(damaged)


def damaged(files: Files, chance: random.Random) -> bytes:
    """An archive with another config or card, whose digests fit."""
    card, config = "mine/card.json", "mine/gate.json"
    if chance.random() < 0.5:
        return packed(files | {card: mutated(json.loads(files[card]), chance)})
    content = mutated(json.loads(files[config]), chance)
    sealed = json.loads(files[card]) | {"config_sha256": sha256(content).hexdigest()}
    return packed(files | {config: content, card: json.dumps(sealed).encode()})


@pytest.mark.parametrize("preset", ["reference", "full"])
def test_a_damaged_archive_is_refused_or_gives_a_version_that_works(tmp_path: Path, preset: str) -> None:
    versions = Versions(tmp_path / "home")
    identity = FakeEncoder().identity
    config = GateConfig(preset, identity.dimension, hidden=8, encoder=identity)
    versions.add(Gate(config), FULL, name="mine")
    exported = versions.export("mine")
    for number in range(150):
        chance = random.Random(number)
        archive = damaged(members(exported), chance) if number % 3 else flipped(exported, chance)
        try:
            added = versions.import_(archive, name=f"of-{number}")
        except GateError:
            continue
        listing = versions.listing()
        assert (len(listing.versions), listing.problems) == (2, ()), number
        assert model_card(added)
        json.dumps(added.to_json(), allow_nan=False)
        gate = added.load()
        scores = gate.score(full_state(gate, TURNS), full_message(gate, TURNS[-1]))
        assert np.isfinite(scores.scores).all(), number
        versions.delete(added.name, who="Ada")
