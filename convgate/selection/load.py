"""Load what selects, as the settings have it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, Literal

from convgate.core.settings import Settings, resolve_settings
from convgate.embedding.base import Encoder
from convgate.guardrails import load_guard
from convgate.guardrails.request import Guard
from convgate.invariants.judge import load_judge
from convgate.invariants.reader import InvariantReader
from convgate.modes.budgets import Budgets
from convgate.modes.classifier import load_classifier
from convgate.policies.base import Policy
from convgate.policies.build import EncoderOnDemand, build_policy
from convgate.selection.around import Around, Log, Remember
from convgate.selection.fit import Fit
from convgate.selection.selector import Selector
from convgate.traces import start_traces


def load(
    settings: Settings | str | Path | None = None,
    *,
    policy: str | None = None,
    version: str | Path | None = None,
    encoder: Encoder | None = None,
    arm: Literal["candidate", "control"] | None = None,
    **parameters: Any,
) -> Selector:
    """Return what selects messages, as the settings have it: by default the active version of the gate.

    settings: or the path of a settings file. policy: another one, by name. version: of the gate, by name, or
    the folder of one; without versions, or for "untrained", the gate ranks by cosine similarity. encoder:
    replaces that of the settings. arm: of a rollout, for the log. `parameters` are the policy's own, such as
    `k=5` for `last_k`. Requests are logged, without their text, unless the settings say otherwise.

    Raises SettingsError, PolicyError, GateError or EncoderError for what cannot be had.
    """
    chosen = resolve_settings(settings)
    start_traces(chosen)
    built = build_policy(
        policy or chosen.policy, chosen, encoder or EncoderOnDemand(chosen), version=version, **parameters
    )
    return selector_of(built, chosen, guard=load_guard(chosen), arm=arm)


def load_gate(
    version: str | Path | None = None,
    *,
    settings: Settings | str | Path | None = None,
    encoder: Encoder | None = None,
) -> Selector:
    """Return `load` with the gate, whatever policy the settings choose."""
    return load(settings, policy="gate", version=version, encoder=encoder)


def selector_of(
    policy: Policy,
    settings: Settings,
    *,
    guard: Guard | None = None,
    arm: Literal["candidate", "control"] | None = None,
) -> Selector:
    """Return what selects by a policy; ContextError for budgets that cannot be."""
    around: Sequence[Around] = [Remember()] if guard is None else [Remember(), Log(guard, arm)]
    return Selector(
        policy,
        Fit(cache(lambda: load_classifier(settings)), Budgets.of(settings), filters=settings.context_filter),
        settings,
        holds=cache(lambda: InvariantReader(load_judge(settings))) if settings.hold_invariants else None,
        around=around,
    )
