"""Experiments and their arms: what is compared, and how much evidence is planned."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, get_args

from convgate.core.errors import ExperimentError
from convgate.core.settings import SELECTING, Settings, load_settings
from convgate.core.text import quote
from convgate.policies.registry import check_spec
from convgate.policies.spec import PolicySpec, read_policy
from convgate.store import Store
from convgate.store.documents import translate_decoding_errors
from convgate.store.experiments import Experiments
from convgate.versions import Versions

TokenLimit = Literal["free", "matched"]
Hypothesis = Literal["completion", "errors"]

HYPOTHESES: tuple[Hypothesis, ...] = get_args(Hypothesis)
ALPHA = 0.05

_NAME = re.compile(r"[\w][\w .-]{0,59}")
_ALONE = "alone"


@dataclass(frozen=True)
class Arm:
    """One of the selections that an experiment compares."""

    name: str
    settings: Settings
    limit: TokenLimit = "free"  # matched: as many tokens as the control arm used for the same request
    alone: bool = False  # whether the policy selects by its ranking alone, without holds and sections


@dataclass(frozen=True)
class Experiment:
    """A comparison of arms with a control, the first arm."""

    name: str
    arms: tuple[Arm, ...]  # two or more
    seed: int
    started: datetime  # UTC
    planned: int  # rated trials of each arm at the last look
    alpha: float = ALPHA  # two-sided, over all hypotheses and looks
    looks: tuple[float, ...] = (1.0,)  # shares of the planned trials, ascending
    shared_raters: bool = False  # whether raters see the answers of every arm

    def __post_init__(self) -> None:
        names = [arm.name for arm in self.arms]
        if len(names) < 2 or len(set(names)) < len(names):
            raise ExperimentError(f"An experiment needs two arms with different names; got {names}.")
        for name in (self.name, *names):
            if not _NAME.fullmatch(name):
                raise ExperimentError(
                    f"{quote(name)} is no name: use 1 to 60 letters, digits, spaces and . _ -."
                )
        if self.control.limit != "free":
            raise ExperimentError("The first arm is the control; its tokens are free.")
        if not 0 < self.alpha < 0.5:
            raise ExperimentError(f"alpha is above 0 and below 0.5; got {self.alpha}.")
        if self.planned < 1:
            raise ExperimentError(f"An arm needs at least 1 planned trial; got {self.planned}.")
        ascending = all(a < b for a, b in zip((0.0, *self.looks), self.looks, strict=False))
        if not ascending or self.looks[-1:] != (1.0,):
            raise ExperimentError(f"Looks are ascending shares above 0, the last one 1; got {self.looks}.")

    @property
    def control(self) -> Arm:
        """Return the arm with which the others are compared."""
        return self.arms[0]

    @property
    def stops(self) -> list[int]:
        """Return the rated trials of all arms at each look."""
        return [math.ceil(look * self.planned * len(self.arms)) for look in self.looks]

    def arm(self, name: str) -> Arm:
        """Return the arm of that name; ExperimentError when there is none."""
        for arm in self.arms:
            if arm.name == name:
                return arm
        names = ", ".join(arm.name for arm in self.arms)
        raise ExperimentError(f"{self.name} has no arm {quote(name)}; it has {names}.")


def read_arm(name: str, text: str, limit: TokenLimit, settings: Settings) -> Arm:
    """Return the arm that the text describes.

    text: a policy such as `last_k(k=3)`, `everything`, `none` or `gate@mine`, or the path of a settings file;
    with `alone:` before it, the policy selects by its ranking alone: nothing is held, and a budget has no
    sections. The active version of the gate is stored in place of none.

    Raises PolicyError, SettingsError or GateError for what cannot be read.
    """
    kind, _, rest = text.strip().partition(":")
    is_alone = kind == _ALONE
    source = rest.strip() if is_alone else text.strip()
    if source.endswith(".toml"):
        chosen = load_settings(Path(source))
    else:
        chosen = settings.updated(**_of_policy(source))
    versions = Versions(chosen.home)
    version = chosen.version or versions.active
    if version is not None:
        versions.find(version)  # an unknown one fails now, not in an agent
    return Arm(name, chosen.updated(version=version), limit, is_alone)


def create_experiment(store: Store, experiment: Experiment) -> None:
    """Store an experiment; ExperimentError when the name is taken."""
    definition = {
        "seed": experiment.seed,
        "planned": experiment.planned,
        "alpha": experiment.alpha,
        "looks": experiment.looks,
        "shared_raters": experiment.shared_raters,
        "arms": [arm_json(arm) for arm in experiment.arms],
    }
    Experiments(store).add(experiment.name, definition, experiment.started)


def load_experiment(store: Store, name: str, settings: Settings | None = None) -> Experiment:
    """Return a stored experiment; paths and devices are those of the settings, the usual ones by default."""
    values, started = Experiments(store).get(name)
    machine = settings or load_settings()
    with translate_decoding_errors("experiment"):
        values["arms"] = tuple(
            Arm(arm["name"], machine.updated(**arm["settings"]), arm["limit"], arm["alone"])
            for arm in values["arms"]
        )
        values["looks"] = tuple(values["looks"])
        return Experiment(name=name, started=started, **values)


def arm_json(arm: Arm) -> dict[str, Any]:
    """Return an arm for JSON, with all settings on which its selections depend."""
    settings = arm.settings.model_dump(mode="json", include=dict(SELECTING))
    return {"name": arm.name, "limit": arm.limit, "alone": arm.alone, "settings": settings}


def _of_policy(text: str) -> Mapping[str, Any]:
    """Return the settings of a policy in text form."""
    spec = PolicySpec("last_k", {"k": 0}) if text == "none" else read_policy(text)
    check_spec(spec)
    values = {"policy": spec.name, "policy_parameters": dict(spec.parameters)}
    return values if spec.version is None else values | {"version": spec.version}
