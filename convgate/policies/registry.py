"""Every policy by name: what the command line, the app and the benchmark offer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from convgate.embedding.base import Encoder
from convgate.errors import PolicyError
from convgate.gate.model import Gate
from convgate.policies.base import Policy
from convgate.policies.bm25 import BM25
from convgate.policies.cosine import Cosine, CosineTopK
from convgate.policies.gate import GatePolicy
from convgate.policies.hybrid import Hybrid
from convgate.policies.window import Everything, LastK, TokenWindow

_WITHOUT_ENCODER: dict[str, Callable[..., Policy]] = {
    policy.name: policy for policy in (Everything, LastK, TokenWindow, BM25)
}
_WITH_ENCODER: dict[str, Callable[..., Policy]] = {
    policy.name: policy for policy in (Cosine, CosineTopK, Hybrid)
}


def policy_names() -> tuple[str, ...]:
    """The names that `make_policy` knows, in the order in which they are shown."""
    return (
        GatePolicy.name, Everything.name, LastK.name, TokenWindow.name,
        Cosine.name, CosineTopK.name, BM25.name, Hybrid.name,
    )  # fmt: skip


def policy_labels() -> dict[str, str]:
    """A short label for each policy's name."""
    policies = (GatePolicy, Everything, LastK, TokenWindow, Cosine, CosineTopK, BM25, Hybrid)
    return {policy.name: policy.label for policy in policies}


def needs_encoder(name: str) -> bool:
    """Whether the policy of that name needs embeddings."""
    return name in _WITH_ENCODER or name == GatePolicy.name


def make_policy(
    name: str,
    *,
    encoder: Encoder | Callable[[], Encoder] | None = None,
    gate: Gate | None = None,
    **settings: Any,
) -> Policy:
    """The policy of that name. `encoder` may be a function, called only when the policy needs one.

    Raises PolicyError for an unknown name, an unknown setting, or a missing encoder or gate.
    """
    if name not in policy_names():
        raise PolicyError(f"there is no policy {name!r}; there are {', '.join(policy_names())}")
    try:
        if name in _WITHOUT_ENCODER:
            return _WITHOUT_ENCODER[name](**settings)
        if encoder is None:
            raise PolicyError(f"the policy {name} needs an encoder")
        made = encoder() if callable(encoder) else encoder
        if name in _WITH_ENCODER:
            return _WITH_ENCODER[name](encoder=made, **settings)
        return GatePolicy(gate=gate if gate is not None else Gate().eval(), encoder=made, **settings)
    except TypeError as error:
        raise PolicyError(f"the policy {name} cannot be made: {error}") from error
