"""Every policy by name: what the command line, the app and the benchmark offer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any

from convgate.embedding.base import Encoder
from convgate.errors import PolicyError
from convgate.gate.model import Gate
from convgate.parameters import parameter_names
from convgate.policies.base import Policy
from convgate.policies.bm25 import BM25
from convgate.policies.cosine import Cosine, CosineTopK
from convgate.policies.gate import GatePolicy
from convgate.policies.hybrid import Hybrid
from convgate.policies.pruning import Pruning
from convgate.policies.retention import Retention
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
    )
}


def policy_names() -> tuple[str, ...]:
    """The names that `make_policy` knows."""
    return tuple(POLICIES)


def policy_labels() -> dict[str, str]:
    """A short label for each policy's name."""
    return {name: policy.label for name, policy in POLICIES.items()}


def needs_encoder(name: str) -> bool:
    """Whether the policy of that name needs embeddings; PolicyError when there is none."""
    return _policy(name).needs_encoder


def policy_settings(name: str) -> list[str]:
    """The parameters of the policy of that name that a person may set; PolicyError when there is none."""
    return parameter_names(_policy(name))


def make_policy(
    name: str,
    *,
    encoder: Encoder | Callable[[], Encoder] | None = None,
    gate: Gate | None = None,
    **settings: Any,
) -> Policy:
    """The policy of that name. `encoder` may be a function, called only when the policy needs one.

    Raises PolicyError for an unknown name, an unknown setting, a value out of range, or a missing encoder.
    """
    policy = _policy(name)
    if needs_encoder(name):
        if encoder is None:
            raise PolicyError(f"the policy {name} needs an encoder")
        settings["encoder"] = encoder() if callable(encoder) else encoder
    if policy is GatePolicy:
        settings["gate"] = gate if gate is not None else Gate().eval()
    known = {item.name for item in fields(policy)}  # type: ignore[arg-type]  # every policy is a dataclass
    if unknown := sorted(set(settings) - known):
        told = ", ".join(policy_settings(name)) or "none"
        raise PolicyError(f"the policy {name} has no setting {', '.join(unknown)}; it has {told}")
    return policy(**settings)


def _policy(name: str) -> type[Policy]:
    if name not in POLICIES:
        raise PolicyError(f"there is no policy {name!r}; there are {', '.join(POLICIES)}")
    return POLICIES[name]
