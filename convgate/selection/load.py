"""Load what selects, as the settings have it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from convgate.core.settings import Settings, resolve_settings
from convgate.costs.prices import Price, find_price
from convgate.embedding.base import Encoder
from convgate.guardrails.request import Guard
from convgate.invariants.finding import InvariantReader
from convgate.invariants.judge import load_judge
from convgate.modes.budgets import Budgets
from convgate.modes.classifier import load_classifier
from convgate.policies.base import Policy
from convgate.policies.build import EncoderOnDemand, build_policy
from convgate.selection.around import Around, Log, Remember
from convgate.selection.memory import RequestMemory
from convgate.selection.originals import Originals
from convgate.selection.selector import Selector
from convgate.traces import start_traces

if TYPE_CHECKING:
    from convgate.guardrails.guardrails import Callback
    from convgate.selection.fit import Fit
    from convgate.store.sent_requests import SentRequests


def load(
    settings: Settings | str | Path | None = None,
    *,
    policy: str | None = None,
    version: str | Path | None = None,
    encoder: Encoder | None = None,
    arm: Literal["candidate", "control"] | None = None,
    alert: Callback | None = None,
    **parameters: Any,
) -> Selector:
    """Return what selects messages, as the settings have it: by default the active version of the gate.

    settings: or the path of a settings file. policy: another one, by name. version: of the gate, by name, or
    the folder of one; without versions, or for "untrained", the gate ranks by cosine similarity. encoder:
    replaces that of the settings. arm: of a rollout, for the log. alert: called with each alert of the
    guardrails that is raised or cleared, in their thread. `parameters` are the policy's own, such as `k=5`
    for `last_k`. Requests with a budget, and all of an arm, are logged without their text, unless the
    settings say otherwise.

    Raises SettingsError, PolicyError, GateError or EncoderError for what cannot be had.
    """
    chosen = resolve_settings(settings)
    start_traces(chosen)
    built = build_policy(
        policy or chosen.policy, chosen, encoder or EncoderOnDemand(chosen), version=version, **parameters
    )

    @cache
    def guard() -> Guard | None:
        from convgate.guardrails.guardrails import load_guard  # opens the database

        return load_guard(chosen, alert=alert)

    log = Log(guard, logs_all=arm is not None, arm=arm)
    return selector_of(built, chosen, log=log, price=find_price(chosen))


def load_gate(
    version: str | Path | None = None,
    *,
    settings: Settings | str | Path | None = None,
    encoder: Encoder | None = None,
) -> Selector:
    """Return `load` with the gate, whatever policy the settings choose."""
    return load(settings, policy="gate", version=version, encoder=encoder)


def selector_of(
    policy: Policy, settings: Settings, *, log: Log | None = None, price: Price | None = None
) -> Selector:
    """Return what selects by a policy; RequestError for budgets that cannot be.

    price: of the model, where requests follow each other and cached prefixes are to be used again.
    """
    budgets = Budgets.of(settings)
    is_shared = price is not None and not settings.read_only
    remember = Remember(RequestMemory(cache(partial(_open_sent_requests, settings)) if is_shared else None))

    @cache
    def fit() -> Fit:
        from convgate.selection.fit import Fit  # needs the gatekeeper's patterns

        return Fit(cache(lambda: load_classifier(settings)), budgets, filters=settings.budget.filter)

    around: Sequence[Around] = [remember] if log is None else [remember, log]
    return Selector(
        policy,
        fit,
        settings,
        holds=cache(lambda: InvariantReader(load_judge(settings))) if settings.hold_invariants else None,
        around=around,
        price=price,
        originals=Originals(settings),
    )


def _open_sent_requests(settings: Settings) -> SentRequests:
    from convgate.store.database import Store
    from convgate.store.sent_requests import SentRequests

    return SentRequests(Store(settings.database))
