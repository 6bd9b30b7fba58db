"""Every policy by name: what the command line, the app and the benchmark offer."""

from __future__ import annotations

from importlib import import_module

from convgate.core.errors import PolicyError
from convgate.core.parameters import check_parameters, parameter_names
from convgate.gate.rule import TurnLimits
from convgate.gate.thresholds import RULES
from convgate.policies.base import Policy
from convgate.policies.spec import PIPELINE, PolicySpec

# In the order in which they are shown; a new policy is a class and one line here. A module is imported
# when its policy is asked for: a window shall not wait for what BM25 and the gate need.
_CLASSES = {
    "gate": "gate.GatePolicy",
    "everything": "window.Everything",
    "last_k": "window.LastK",
    "token_window": "window.TokenWindow",
    "user_first": "window.UserFirst",
    "cosine": "search.Cosine",
    "cosine_top_k": "search.CosineTopK",
    "bm25": "search.BM25",
    "hybrid": "search.Hybrid",
    "retention": "retention.policy.Retention",
    "pruning": "retention.policy.Pruning",
    "gatekeeper": "gatekeeper.GatekeeperPolicy",
    "session": "sessions.policy.SessionPolicy",
    "pipeline": "pipeline.Pipeline",
}

# Parameters of the gate: a rule, the parameters of any rule, and the limits.
GATE_SETTINGS = tuple(
    dict.fromkeys(
        ["rule", *(name for kind in (*RULES.values(), TurnLimits) for name in parameter_names(kind))]
    )
)


def policy_names() -> tuple[str, ...]:
    """Return the names of all policies."""
    return tuple(_CLASSES)


def policy_class(name: str) -> type[Policy]:
    """Return the policy of that name; PolicyError when there is none."""
    if name not in _CLASSES:
        raise PolicyError(f"there is no policy {name!r}; there are {', '.join(_CLASSES)}")
    module, _, class_name = _CLASSES[name].rpartition(".")
    kind: type[Policy] = getattr(import_module(f"convgate.policies.{module}"), class_name)
    return kind


def policy_labels() -> dict[str, str]:
    """Return a short label for each policy's name."""
    return {name: policy_class(name).label for name in _CLASSES}


def stages_of(spec: PolicySpec) -> tuple[PolicySpec, ...]:
    """Return the stages of a pipeline; of another policy, that policy alone."""
    if spec.name != PIPELINE:
        return (spec,)
    from convgate.policies.pipeline import DEFAULT_STAGES, read_stages

    return read_stages(str(spec.parameters.get("stages", DEFAULT_STAGES)))


def policy_settings(name: str) -> list[str]:
    """Return the parameters of the policy of that name; PolicyError when there is none."""
    return parameter_names(policy_class(name))


def check_spec(spec: PolicySpec) -> None:
    """Raise PolicyError unless there is such a policy with such parameters, in their range.

    A rule of the gate, and its parameters' ranges, are checked when the gate is built.
    """
    name, parameters = spec.name, spec.parameters
    if name == "gate":
        if unknown := sorted(set(parameters) - set(GATE_SETTINGS)):
            raise PolicyError(
                f"{name} has no setting {', '.join(unknown)}; it has {', '.join(GATE_SETTINGS)}"
            )
        return
    policy = policy_class(name)
    if spec.version is not None:
        raise PolicyError(f"only the gate has versions; {name}@{spec.version} is none")
    check_parameters(policy, name, parameters)
    if name == PIPELINE:
        from convgate.policies.pipeline import in_stage

        for number, stage in enumerate(stages_of(spec), start=1):
            with in_stage(number, stage):
                check_spec(stage)
