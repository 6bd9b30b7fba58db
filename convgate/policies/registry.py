"""Every policy by name: what the command line, the app and the benchmark offer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from convgate.core.errors import PolicyError
from convgate.core.parameters import check_parameters, parameter_names
from convgate.gate.thresholds import RULES, Limits
from convgate.policies.base import Policy
from convgate.policies.bm25 import BM25
from convgate.policies.cosine import Cosine, CosineTopK
from convgate.policies.gate import GatePolicy
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

# Parameters of the gate: a rule, the parameters of any rule, and the limits.
GATE_SETTINGS = tuple(
    dict.fromkeys(["rule", *(name for kind in (*RULES.values(), Limits) for name in parameter_names(kind))])
)


def policy_names() -> tuple[str, ...]:
    """Return the names of all policies."""
    return tuple(POLICIES)


def policy_labels() -> dict[str, str]:
    """Return a short label for each policy's name."""
    return {name: policy.label for name, policy in POLICIES.items()}


def stages_of(name: str, parameters: Mapping[str, Any]) -> tuple[PolicySpec, ...]:
    """Return the stages of a pipeline with these parameters; of another policy, that policy alone."""
    if name != Pipeline.name:
        return (PolicySpec(name, parameters),)
    return read_stages(str(parameters.get("stages", DEFAULT_STAGES)))


def policy_settings(name: str) -> list[str]:
    """Return the parameters of the policy of that name; PolicyError when there is none."""
    return parameter_names(_policy(name))


def check_spec(spec: PolicySpec) -> None:
    """Raise PolicyError unless there is such a policy with such parameters, in their range.

    A rule of the gate, and its parameters' ranges, are checked when the gate is built.
    """
    policy, name, parameters = _policy(spec.name), spec.name, spec.parameters
    if policy is GatePolicy:
        if unknown := sorted(set(parameters) - set(GATE_SETTINGS)):
            raise PolicyError(
                f"{name} has no setting {', '.join(unknown)}; it has {', '.join(GATE_SETTINGS)}"
            )
        return
    if spec.version is not None:
        raise PolicyError(f"only the gate has versions; {name}@{spec.version} is none")
    check_parameters(policy, name, parameters)
    if policy is Pipeline:
        for number, stage in enumerate(stages_of(name, parameters), start=1):
            with in_stage(number, stage):
                check_spec(stage)


def _policy(name: str) -> type[Policy]:
    if name not in POLICIES:
        raise PolicyError(f"there is no policy {name!r}; there are {', '.join(POLICIES)}")
    return POLICIES[name]
