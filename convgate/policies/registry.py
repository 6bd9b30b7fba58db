"""Every policy by name: what the command line, the app and the benchmark offer."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import fields
from typing import Any

from convgate.core.errors import PolicyError
from convgate.core.parameters import check_parameters, parameter_names
from convgate.embedding.base import Encoder
from convgate.gate.model import Gate
from convgate.gate.thresholds import RULES, Limits, Stricter, make_rule
from convgate.policies.base import Policy
from convgate.policies.bm25 import BM25
from convgate.policies.cosine import Cosine, CosineTopK
from convgate.policies.gate import GatePolicy, in_words
from convgate.policies.gatekeeper import GatekeeperPolicy
from convgate.policies.hybrid import Hybrid
from convgate.policies.pipeline import DEFAULT_STAGES, Pipeline, in_stage, read_stages
from convgate.policies.retention_policy import Pruning, Retention
from convgate.policies.session_policy import SessionPolicy
from convgate.policies.spec import PolicySpec
from convgate.policies.window import Everything, LastK, TokenWindow

# In the order in which they are shown; a new policy is one new file and one name here.
POLICIES: dict[str, type[Policy]] = {
    policy.name: policy
    for policy in (
        GatePolicy,
        Everything,
        LastK,
        TokenWindow,
        Cosine,
        CosineTopK,
        BM25,
        Hybrid,
        Retention,
        Pruning,
        GatekeeperPolicy,
        SessionPolicy,
        Pipeline,
    )
}

# What may be set of the gate: a rule, what any rule has, and the limits.
GATE_SETTINGS = tuple(
    dict.fromkeys(["rule", *(name for kind in (*RULES.values(), Limits) for name in parameter_names(kind))])
)


def policy_names() -> tuple[str, ...]:
    """Return the names that `make_policy` knows."""
    return tuple(POLICIES)


def policy_labels() -> dict[str, str]:
    """Return a short label for each policy's name."""
    return {name: policy.label for name, policy in POLICIES.items()}


def needs_encoder(name: str, parameters: Mapping[str, Any] | None = None) -> bool:
    """Return whether the policy of that name needs embeddings; PolicyError when there is none.

    A pipeline needs them when one of the stages that `parameters` name does.
    """
    return any(_policy(stage.name).needs_encoder for stage in stages_of(name, parameters or {}))


def stages_of(name: str, parameters: Mapping[str, Any]) -> tuple[PolicySpec, ...]:
    """Return the stages of a pipeline with these parameters; of another policy, that policy alone."""
    if name != Pipeline.name:
        return (PolicySpec(name, parameters),)
    return read_stages(str(parameters.get("stages", DEFAULT_STAGES)))


def policy_settings(name: str) -> list[str]:
    """The parameters of the policy of that name that a person may set; PolicyError when there is none."""
    return parameter_names(_policy(name))


def check_spec(spec: PolicySpec) -> None:
    """Raise PolicyError unless there is such a policy with such parameters, in their range.

    A rule of the gate, and its parameters' ranges, are checked when the gate is built.
    """
    policy, name, parameters = _policy(spec.name), spec.name, spec.parameters
    if policy is GatePolicy:
        _check_known(name, parameters, GATE_SETTINGS)
        return
    if spec.version is not None:
        raise PolicyError(f"only the gate has versions; {name}@{spec.version} is none")
    _check_known(name, parameters, policy_settings(name))
    check_parameters(policy, name, parameters)
    if policy is Pipeline:
        for place, stage in enumerate(stages_of(name, parameters), start=1):
            with in_stage(place, stage):
                check_spec(stage)


def make_policy(
    name: str,
    *,
    encoder: Encoder | Callable[[], Encoder] | None = None,
    gate: Gate | None = None,
    **settings: Any,
) -> Policy:
    """Return the policy of that name. `encoder` may be a function, called only when the policy needs one.

    Raises PolicyError for an unknown name, an unknown setting, a value out of range, or a missing encoder.
    """
    policy = _policy(name)
    if policy is Pipeline:
        check_spec(PolicySpec(name, settings))
        stages = str(settings.get("stages", DEFAULT_STAGES))
        return Pipeline.of(
            stages, lambda one: make_policy(one.name, encoder=encoder, gate=gate, **one.parameters)
        )
    if needs_encoder(name):
        if encoder is None:
            raise PolicyError(f"the policy {name} needs an encoder")
        settings["encoder"] = encoder() if callable(encoder) else encoder
    if policy is GatePolicy:
        settings["gate"] = gate if gate is not None else Gate().eval()
        settings = in_words(settings, lambda rule, changes: make_rule(rule or Stricter.name, **changes))
    _check_known(name, settings, [item.name for item in fields(policy)])  # type: ignore[arg-type]  # a dataclass
    return policy(**settings)


def _check_known(name: str, given: Iterable[str], known: Collection[str]) -> None:
    if unknown := sorted(set(given) - set(known)):
        told = ", ".join(GATE_SETTINGS if name == GatePolicy.name else policy_settings(name)) or "none"
        raise PolicyError(f"the policy {name} has no setting {', '.join(unknown)}; it has {told}")


def _policy(name: str) -> type[Policy]:
    if name not in POLICIES:
        raise PolicyError(f"there is no policy {name!r}; there are {', '.join(POLICIES)}")
    return POLICIES[name]
