"""`convgate calibrate --encoder`: a version of the gate for another encoder."""

from __future__ import annotations

import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from convgate.cli.output import encoding_progress, write_json
from convgate.core.home import login_name

if TYPE_CHECKING:
    from convgate.embedding.base import EncoderIdentity
    from convgate.training.sets import TrainingSet
    from convgate.versions import Draft, Version


def make_version_for(
    encoder: str,
    name: str | None,
    gate: str | None,
    files: list[Path],
    *,
    skip_bad: bool,
    json: bool,
    out: Path | None,
) -> None:
    """Add a version with the learned weights of another one, and show how to use it."""
    from convgate.core.settings import load_settings
    from convgate.policies.build import EncoderOnDemand, find_version
    from convgate.training.encoder_calibration import calibrate_encoder
    from convgate.training.sets import read_unlabelled
    from convgate.versions import Version, Versions

    settings = load_settings()
    versions = Versions(settings.home)
    parent = find_version(settings, gate)
    if not isinstance(parent, Version) or parent.config.encoder is None:
        raise typer.BadParameter(
            "only a version that was made for an encoder can be fitted to another", param_hint="--gate"
        )
    name = name or re.sub(r"[^a-z0-9._]+", "-", Path(encoder).name.lower()).strip("-._")
    versions.free_name(name)
    sets = read_unlabelled(files, skip_bad=skip_bad)
    conversations = [each for text in sets for each in text.cases.conversations.values()]
    with encoding_progress() as progress:
        own, other = (
            EncoderOnDemand(settings.model_copy(update={"encoder": model}))()
            for model in (parent.config.encoder.model, encoder)
        )
        if not parent.config.encoder.differences(other.identity):
            raise typer.BadParameter(f"{parent.name} was made for this encoder", param_hint="--encoder")
        loaded = parent.load(encoder=own.identity)
        calibrated = calibrate_encoder(loaded, own, other, conversations, progress=progress)
    version = versions.add(calibrated, _draft(parent, other.identity, sets), name=name)
    if json or out:
        write_json(version.to_json(), out)
        return
    typer.echo(
        f"Version {version.name} was made from {parent.name} for the encoder {other.identity}, measured on"
        f" {len(conversations):,} conversations. To use it:"
    )
    typer.echo(f"  export CONVGATE_ENCODER={shlex.quote(encoder)}")
    typer.echo(f"  convgate versions activate {version.name}")


def _draft(parent: Version, encoder: EncoderIdentity, sets: list[TrainingSet]) -> Draft:
    from convgate.versions import Draft

    data = {known.sha256: known for known in parent.card.data}
    for text in sets:
        conversations = text.cases.conversations.values()
        counts = {"conversations": len(conversations), "messages": sum(map(len, conversations))}
        data.setdefault(text.data.sha256, replace(text.data, counts=counts))
    return Draft(
        threshold_rule=parent.card.threshold_rule,
        threshold_parameters=parent.card.threshold_parameters,
        parent=parent.as_parent(),
        data=tuple(data.values()),
        limits=parent.card.limits,
        note=f"{parent.name}, fitted to the encoder {encoder} without training.",
        who=login_name(),
    )
