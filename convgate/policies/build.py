"""From settings to policies: which version, rule, limits and parameters; an encoder where one is needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from convgate.core.errors import GateError, PolicyError
from convgate.core.settings import Settings
from convgate.embedding.base import Encoder
from convgate.embedding.cache import default_encoder
from convgate.gate.checkpoint import read_gate
from convgate.gate.model import Gate
from convgate.gate.thresholds import Limits, Rule, Stricter, make_rule
from convgate.gatekeeper.gatekeeper import Gatekeeper
from convgate.policies.base import Policy
from convgate.policies.gate import GatePolicy, in_words
from convgate.policies.gatekeeper import AS_SET, PATTERN, GatekeeperPolicy
from convgate.policies.pipeline import Pipeline
from convgate.policies.registry import check_spec, make_policy, policy_settings, stages_of
from convgate.policies.session_policy import SessionPolicy
from convgate.policies.sessions import BoundaryRules
from convgate.policies.spec import PolicySpec, to_text
from convgate.versions import UNTRAINED, Version, Versions


@dataclass
class EncoderOnDemand:
    """The encoder that the settings name, loaded when it is first asked for and then kept."""

    settings: Settings
    _loaded: Encoder | None = None

    def __call__(self) -> Encoder:
        """Return the encoder; EncoderError when it cannot be loaded."""
        if self._loaded is None:
            settings = self.settings
            self._loaded = default_encoder(
                settings.encoder,
                home=settings.home,
                device=settings.device,
                dtype=settings.encoder_dtype,
            )
        return self._loaded


def build_policy(
    name: str,
    settings: Settings,
    encoder: Encoder | EncoderOnDemand,
    *,
    version: str | Path | Version | None = None,
    **parameters: Any,
) -> Policy:
    """Return the policy of that name as the settings want it; only a policy that needs an encoder loads it.

    The gate takes its version from the settings unless one is named, and its rule and limits from them, or
    its version, as far as `parameters` do not change them: `rule="top_k", k=5`. A pipeline takes the stages
    that `parameters` or the settings name, and builds each as if it stood alone. Other policies take the
    parameters that stand with them.
    """
    own = parameters_of(settings, name)
    if name == Pipeline.name:
        return _pipeline({**own, **parameters}, settings, encoder, version)
    if name == SessionPolicy.name:
        own["rules"] = BoundaryRules.of(settings)
    if name == GatekeeperPolicy.name:
        own["gatekeeper"] = _gatekeeper(settings, {**own, **parameters}.get("mode", PATTERN))
    if name != GatePolicy.name:
        return make_policy(name, encoder=encoder, **{**own, **parameters})
    found = find_version(settings, version)

    def changed(rule: str | None, changes: Mapping[str, Any]) -> Rule:
        return rule_of(settings, rule, found, **changes)

    limits = limits_of(settings)
    parameters = {"rule": changed(None, {}), "limits": limits} | in_words(parameters, changed, limits)
    loaded = encoder() if isinstance(encoder, EncoderOnDemand) else encoder
    gate, called = load_weights(found or UNTRAINED, settings, loaded)
    return make_policy(name, encoder=loaded, gate=gate, version=called, **parameters)


def _named(written: PolicySpec, settings: Settings) -> Version | str | None:
    """The version that is written; a name is looked up among versions, and is no folder on the way here."""
    if written.version in (None, UNTRAINED):
        return written.version
    return Versions(settings.home).get(written.version)


def _gatekeeper(settings: Settings, mode: object) -> Gatekeeper:
    """The gatekeeper of the settings, without its log: that is of what is stored, and nothing is here."""
    quiet = settings.model_copy(update={"gatekeeper_debug_log": None})
    return Gatekeeper.of(quiet, mode=None if mode == AS_SET else PATTERN)


def _pipeline(
    parameters: Mapping[str, Any],
    settings: Settings,
    encoder: Encoder | EncoderOnDemand,
    version: str | Path | Version | None,
) -> Policy:
    check_spec(PolicySpec(Pipeline.name, parameters))

    def whole(stage: PolicySpec) -> PolicySpec:
        """With what the settings say of it, so that the pipeline's text says all of it elsewhere too."""
        return replace(stage, parameters={**parameters_of(settings, stage.name), **stage.parameters})

    def build(stage: PolicySpec) -> Policy:
        named = _named(stage, settings) or version
        return build_policy(stage.name, settings, encoder, version=named, **stage.parameters)

    return Pipeline.of(to_text(map(whole, stages_of(Pipeline.name, parameters))), build)


def find_version(settings: Settings, version: str | Path | Version | None = None) -> Version | Path | None:
    """Return what to load for the version that is named, else for that of the settings, else the active one.

    None means an untrained gate. Raises GateError when there is no such version.
    """
    versions = Versions(settings.home)
    if version is not None or settings.version is None:
        return versions.find(version)
    if settings.version == UNTRAINED:
        return None
    try:
        return versions.get(settings.version)
    except GateError as error:
        raise GateError(
            f"the settings choose the gate's version {settings.version}: {error}."
            " `convgate versions import FILE` brings a version to this machine"
        ) from error


def rule_of(
    settings: Settings, name: str | None = None, version: Version | Path | None = None, /, **changes: Any
) -> Rule:
    """Return the rule of that name, else of the settings, else of the version, with some parameters changed.

    Parameters belong to the rule that they stand with, and are left aside when another is named; those of
    settings that name no rule belong to the version's. Raises PolicyError for a rule or parameter that there
    is not.
    """
    own, parameters = settings.threshold_rule or Stricter.name, dict(settings.threshold_parameters)
    if isinstance(version, Version) and not settings.threshold_rule:
        own, parameters = version.card.threshold_rule, {**version.card.threshold_parameters, **parameters}
    return make_rule(name or own, **{**(parameters if name in (None, own) else {}), **changes})


def limits_of(settings: Settings) -> Limits:
    """Return how few and how many turns the settings want kept."""
    return Limits(settings.min_turns, settings.max_turns)


def load_weights(
    version: str | Path | Version | None, settings: Settings, encoder: Encoder
) -> tuple[Gate, str]:
    """Return the gate of a version, by name or folder, and what that version is called.

    None is the version of the settings, else the active one.

    Raises GateError when it cannot be read or was made for another encoder.
    """
    found = find_version(settings, version)
    if found is None:
        return Gate().eval(), UNTRAINED
    if isinstance(found, Version):
        return found.load(encoder=encoder.identity), found.name
    return read_gate(found, encoder=encoder.identity), found.name


def parameters_of(settings: Settings, name: str) -> dict[str, Any]:
    """Return the parameters that stand with the policy; none when the settings choose another one."""
    given = dict(settings.policy_parameters) if settings.policy == name else {}
    if unknown := sorted(set(given) - set(policy_settings(name))):
        told = ", ".join(policy_settings(name)) or "none"
        raise PolicyError(f"the policy {name} has no setting {', '.join(unknown)}; it has {told}")
    return given
