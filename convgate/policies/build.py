"""Build policies from settings: version, rule, limits and parameters, and an encoder where one is needed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from convgate.core.settings import Settings
from convgate.embedding.base import Encoder
from convgate.embedding.cache import default_encoder
from convgate.gate.rule import Rule, TurnLimits
from convgate.gate.thresholds import MaxMissed, Stricter, make_rule
from convgate.policies.base import EncoderMixin, Policy
from convgate.policies.registry import check_spec, policy_class, stages_of
from convgate.policies.spec import PIPELINE, PolicySpec, read_policy, to_text

if TYPE_CHECKING:
    from convgate.policies.gate import GatePolicy
    from convgate.policies.pipeline import Pipeline
    from convgate.versions import Version


@dataclass
class EncoderOnDemand:
    """The encoder that the settings name, loaded when it is first needed."""

    settings: Settings
    _loaded: Encoder | None = None

    def __call__(self) -> Encoder:
        """Return the encoder; EncoderError when it cannot be loaded."""
        if self._loaded is None:
            settings = self.settings
            self._loaded = default_encoder(
                settings.encoder, home=settings.home, device=settings.device, dtype=settings.encoder_dtype
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
    """Return the policy of that name or text, with the settings' parameters unless others replace them.

    Only a policy that needs an encoder loads it. The gate takes its version, rule and limits from the
    settings unless named, such as `rule="top_k", k=5`.

    Raises PolicyError for an unknown policy or parameter, GateError for a version that cannot be loaded.
    """
    spec = spec_of(settings, name)
    name, parameters = spec.name, {**spec.parameters, **parameters}
    check_spec(PolicySpec(name, parameters))
    if version is None and spec.version is not None:
        from convgate.versions import UNTRAINED, Versions

        version = spec.version if spec.version == UNTRAINED else Versions(settings.home).get(spec.version)
    if name == PIPELINE:
        return _build_pipeline(parameters, settings, encoder, version)
    policy = policy_class(name)
    if name == "session":
        from convgate.policies.sessions import BoundaryRules

        parameters["rules"] = BoundaryRules.of(settings)
    elif name == "gatekeeper":
        from convgate.gatekeeper.gatekeeper import load_gatekeeper

        # Patterns alone, so that no endpoint is asked; and without the log, which is of stored exchanges.
        quiet = settings.updated(gatekeeper={"debug_log": None})
        parameters["gatekeeper"] = load_gatekeeper(quiet, mode="pattern")
    if issubclass(policy, EncoderMixin):
        parameters["encoder"] = encoder() if isinstance(encoder, EncoderOnDemand) else encoder
    if name == "gate":
        return _build_gate(parameters, settings, version)
    return policy(**parameters)


def _build_gate(
    parameters: dict[str, Any], settings: Settings, version: str | Path | Version | None
) -> GatePolicy:
    from convgate.gate.files import read_gate
    from convgate.gate.model import Gate
    from convgate.policies.gate import GatePolicy
    from convgate.versions import UNTRAINED, Version

    source, encoder = find_version(settings, version), parameters.pop("encoder")
    limits = TurnLimits(
        parameters.pop("min_turns", settings.min_turns), parameters.pop("max_turns", settings.max_turns)
    )
    rule = rule_of(settings, parameters.pop("rule", None), source, **parameters)
    if source is None:
        return GatePolicy(Gate(), encoder, rule, limits, UNTRAINED)
    if isinstance(source, Version):
        gate = source.load(encoder=encoder.identity)
    else:
        gate = read_gate(source, encoder=encoder.identity)
    return GatePolicy(gate, encoder, rule, limits, source.name)


def _build_pipeline(
    parameters: dict[str, Any],
    settings: Settings,
    encoder: Encoder | EncoderOnDemand,
    version: str | Path | Version | None,
) -> Pipeline:
    from convgate.policies.pipeline import Pipeline, in_stage
    from convgate.versions import UNTRAINED, Versions

    policies, stages = [], []
    for number, stage in enumerate(stages_of(PolicySpec(PIPELINE, parameters)), start=1):
        # With the settings' parameters, so that the pipeline's text has all of them elsewhere too.
        stage_parameters = parameters_of(settings, stage.name) | dict(stage.parameters)
        stages.append(replace(stage, parameters=stage_parameters))
        with in_stage(number, stage):
            named: str | Path | Version | None = stage.version or version
            if stage.version not in (None, UNTRAINED):
                named = Versions(settings.home).get(stage.version)  # by name, and never a folder
            policies.append(build_policy(stage.name, settings, encoder, version=named, **stage_parameters))
    return Pipeline(to_text(stages), tuple(policies))


def find_version(settings: Settings, version: str | Path | Version | None = None) -> Version | Path | None:
    """Return the version that is named, else that of the settings, else the active one.

    None means an untrained gate. Raises GateError when there is no such version.
    """
    from convgate.versions import UNTRAINED, Versions

    versions = Versions(settings.home)
    if version is None and settings.version not in (None, UNTRAINED):
        return versions.get(settings.version)  # by name, and never a folder
    return versions.find(version or settings.version)


def rule_of(
    settings: Settings, name: str | None = None, version: Version | Path | None = None, /, **changes: Any
) -> Rule:
    """Return the rule of that name, else of the settings, else of the version, with some parameters changed.

    Parameters of the settings or the version are used only with the rule that they belong to; those of
    settings that name no rule belong to the version's, and a promise keeps the version's levels.

    Raises PolicyError for an unknown rule or parameter.
    """
    from convgate.versions import Version

    default, parameters = settings.threshold_rule or Stricter.name, dict(settings.threshold_parameters)
    if isinstance(version, Version):
        own = version.card.threshold_rule
        # The levels of a promise are fitted to the version's scores, whoever names the rule.
        if not settings.threshold_rule or settings.threshold_rule == own == MaxMissed.name:
            default, parameters = own, {**version.card.threshold_parameters, **parameters}
    return make_rule(name or default, **{**(parameters if name in (None, default) else {}), **changes})


def parameters_of(settings: Settings, name: str) -> dict[str, Any]:
    """Return the settings' parameters of the policy; none when the settings choose another one."""
    return dict(spec_of(settings, name).parameters)


def spec_of(settings: Settings, text: str | None = None) -> PolicySpec:
    """Return the policy that a text names, such as `last_k(k=5)` or `gatekeeper > gate`, or the settings.

    The settings' parameters belong to the policy that they name. Raises PolicyError for other text.
    """
    spec = read_policy(text or settings.policy)
    own = settings.policy_parameters if (text or settings.policy) == settings.policy else {}
    return replace(spec, parameters={**own, **spec.parameters})
