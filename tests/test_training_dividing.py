"""Which conversations are used for what, and what is replayed beside them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from convgate.training.dividing import divide
from convgate.training.episodes import Episode, read_episodes
from convgate.training.epochs import FEWEST, TrainingSettings
from convgate.training.errors import TrainingError
from convgate.training.plan import Plan
from convgate.training.replay import PREFIX, REPLAYS, replay_counts, replay_sets
from convgate.training.session import train_version
from convgate.training.trainer import Trainer
from convgate.versions import Draft, Versions
from tests.planted import QUICK, planted, planted_file, small_encoder, small_gate
from tests.test_training_session import Heard


def episodes(name: str = "own", **how: Any) -> list[Episode]:
    return read_episodes(small_gate(), small_encoder(), planted(name, **how))


@pytest.fixture
def versions(tmp_path: Path) -> Versions:
    made = Versions(tmp_path / "home")
    made.add(small_gate(), Draft(threshold_rule="absolute"), name="first")
    made.activate("first", who="Ada")
    return made


def trained(plan: Plan, versions: Versions, run: Path, heard: Heard | None = None, **named: Any) -> Any:
    named.setdefault("encoder", small_encoder())
    return train_version(plan, versions=versions, run=run, listener=heard or Heard(), **named)


# What is used for what


@pytest.mark.parametrize("count", [1, 2, FEWEST, 8])
def test_few_conversations_are_all_trained_on(count: int) -> None:
    parts = divide({"own": episodes(conversations=count)}, further=True)
    if count < FEWEST:
        assert len(parts.training["own"]) == count
        assert not parts.validation["own"]
        assert not parts.compared.get("own")
        assert "too few conversations to hold any out" in parts.why_not_compared
        assert parts.fitted == {"own": parts.training["own"]}
    else:
        assert parts.compared["own"]
        assert parts.why_not_compared == ""


def test_what_comes_with_convgate_is_not_compared_on_when_there_is_something_else() -> None:
    sets = {"own": episodes(conversations=8), "replay-x": episodes("x", conversations=30)}
    parts = divide(sets, replayed={"replay-x"}, further=True)
    assert "replay-x" not in parts.compared
    assert len(parts.training["replay-x"]) + len(parts.validation["replay-x"]) == 30
    assert parts.validation["replay-x"]
    alone = divide({"replay-x": sets["replay-x"]}, replayed={"replay-x"}, further=True)
    assert alone.compared["replay-x"]
    assert alone.replayed == frozenset()


def test_what_is_replayed_does_not_outweigh_the_labels() -> None:
    training = {"own": episodes(conversations=10), "replay-x": episodes("x", conversations=100, turns=8)}
    settings = TrainingSettings(epochs=1, episodes=300)

    def drawn(replayed: set[str], some: dict[str, list[Episode]] = training) -> tuple[int, int]:
        order = Trainer(small_gate(), some, {}, settings, replayed=replayed)._order(np.random.default_rng(0))
        own = sum(one.conversation.startswith("own") for one in order)
        return own, len(order) - own

    assert drawn({"replay-x"}) == (60, 60)
    assert drawn(set()) == (60, 300)
    assert drawn({"replay-x"}, {**training, "own": training["own"][:1]}) == (6, 40)
    assert drawn({"replay-x"}, {"replay-x": training["replay-x"]}) == (0, 300), "there is nothing else"


def test_texts_to_replay_are_there_by_name_and_the_same_for_a_seed() -> None:
    for replay in REPLAYS:
        (made,) = replay_sets([replay.name], seed=1)
        assert made.name == f"{PREFIX}{replay.name}"
        assert replay_counts(replay.name) == (len(made.conversations), len(made.cases))
        assert any(case.relevant for case in made.cases)
        if replay.name == "scenarios":
            assert made.cases == replay_sets(["scenarios"], seed=1)[0].cases
    with pytest.raises(TrainingError, match="nothing to replay called 'tales'; there are scenarios"):
        replay_sets(["tales"], seed=0)


def test_a_few_labels_are_trained_on_beside_written_texts(
    tmp_path: Path, versions: Versions, monkeypatch: pytest.MonkeyPatch
) -> None:
    again = planted("replay-scenarios", conversations=6, seed=3)
    monkeypatch.setattr("convgate.training.recipe.replay_sets", lambda names, seed: [again] if names else [])
    plan = Plan((planted_file(tmp_path, conversations=2),), QUICK, parent="first", replay=("scenarios",))
    made = trained(plan, versions, tmp_path / "run", activate="better")
    assert [source.name for source in made.record.sources] == ["own", "replay-scenarios"]
    assert made.record.sources[1].licence == "MIT"
    assert made.verdict is None
    assert made.record.epochs[-1].loss < made.record.epochs[0].loss
    assert versions.active == "first"
    assert "nobody knows yet whether it is better" in made.sentence
    assert "nothing shows that it is better" in made.why_not_active
    taken = Plan((planted_file(tmp_path, "replay-scenarios"),), QUICK, parent="first", replay=("scenarios",))
    with pytest.raises(TrainingError, match="replay-scenarios is a set that comes with convgate"):
        trained(taken, versions, tmp_path / "other")
