"""Assign sessions to arms: in permuted blocks within each stratum, at the first turn, once and for all."""

from __future__ import annotations

from hashlib import blake2b

from convgate.experiments.arms import Arm, Experiment
from convgate.store import Store
from convgate.store.experiments import Experiments, Stratum


def assign_session(
    store: Store, experiment: Experiment, session_id: str, stratum: Stratum | None = None
) -> Arm:
    """Return the arm of a session, which the first call stores; later calls ignore the stratum."""
    experiments, stratum = Experiments(store), stratum or Stratum()
    with store.write():  # the place is read and taken together
        name = experiments.arm_of(experiment.name, session_id)
        if name is None:
            place = experiments.next_place(experiment.name, stratum)
            name = arm_at(experiment, stratum, place)
            experiments.assign(experiment.name, session_id, name, stratum, place)
    return experiment.arm(name)


def arm_at(experiment: Experiment, stratum: Stratum, place: int) -> str:
    """Return the arm at a place of a stratum, from 0: each block has every arm once, in a hashed order."""
    block, position = divmod(place, len(experiment.arms))
    names = sorted(
        (arm.name for arm in experiment.arms), key=lambda name: _hash(experiment, stratum, block, name)
    )
    return names[position]


def _hash(experiment: Experiment, stratum: Stratum, block: int, arm: str) -> bytes:
    key = (experiment.seed, stratum.mode, stratum.difficulty, stratum.model, stratum.tenant, block, arm)
    return blake2b(repr(key).encode(errors="surrogatepass"), digest_size=16).digest()
