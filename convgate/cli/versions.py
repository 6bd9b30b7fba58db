"""`convgate versions`: the gate's versions, which of them is active, and how they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from convgate.cli import inputs, options, output
from convgate.cli.result import Part, Result, Table, show, with_json, write_export
from convgate.core.home import login_name

if TYPE_CHECKING:
    from convgate.embedding.base import EncoderIdentity
    from convgate.evaluation.results import SetResult
    from convgate.policies.base import Policy
    from convgate.versions import Metric, Version, Versions

NameArgument = Annotated[str, Argument(help="The version's name.", metavar="NAME")]
MAIN_METRICS = ("answerable", "kept_token_share", "map", "f1")  # in the list; `show` has all

versions = typer.Typer(no_args_is_help=False, help="The gate's versions, and which of them is active.")


@versions.callback(invoke_without_command=True)
@with_json
def list_versions(context: typer.Context) -> Result | None:
    """List the gate's versions, or do something with one of them."""
    if context.invoked_subcommand:
        return None
    store = _open_versions()
    listing = store.listing()
    for problem in listing.problems:
        output.print_note(problem)
    rows = [version.to_json() for version in listing.versions]
    for row in rows:
        del row["training"]  # curves are long; `show NAME --json` has them
    values = {"active": store.active, "baseline": store.baseline, "versions": rows}
    untrained = "No version is active: the gate is untrained, and ranks by cosine similarity."
    return Result(
        values | {"problems": listing.problems},
        Table([_describe_version(store, version) for version in listing.versions]),
        [untrained] if store.active is None else [],
    )


@versions.command("show")
@with_json
def show_card(name: NameArgument) -> Result:
    """Print a version's model card, as Markdown."""
    from convgate.versions.markdown import model_card

    store = _open_versions()
    version = store.get(name)
    version.files()
    return Result(version.to_json(), text=model_card(version, marks=_marks(store, name)))


@versions.command()
@with_json
def compare(
    a: Annotated[str, Argument(help="A version, or a policy's name.", metavar="A")],
    b: Annotated[str, Argument(help="The one to compare with it.", metavar="B")],
    files: options.SetsArgument,
) -> Result:
    """Measure two versions on relevance sets: metrics, their paired difference, turns fixed and broken."""
    from convgate.core.settings import load_settings
    from convgate.evaluation.comparison import compare, count_outcomes
    from convgate.evaluation.evaluate import pool_results
    from convgate.evaluation.judged_cases import count_tokens, judge_set
    from convgate.evaluation.sending import Sending

    sets = [inputs.read_set(file) for file in files]
    if len({cases.name for cases in sets}) < len(sets):
        raise typer.BadParameter("two files have the same name; rename one", param_hint="SET.jsonl")
    compared: dict[str, tuple[SetResult, dict[str, int]]] = {}
    policies, sending = _build_policies(a, b), Sending.of(load_settings())
    with output.progress_bar() as progress:
        for cases in sets:
            tokens = count_tokens(cases, progress=progress)
            judged = [
                judge_set(cases, policy, tokens=tokens, sending=sending, progress=progress)
                for policy in policies
            ]
            turns = count_outcomes(judged[0].relevant, judged[0].kept, judged[1].kept)
            compared[cases.name] = pool_results(dict(zip("ab", judged, strict=True))), turns

    values = {
        name: {
            "cases": len(result.case_ids),
            "turns": turns,
            **{key: policy.overall.to_json() for key, policy in result.policies.items()},
            "difference": compare(result, baseline="a", policy="b").to_json(),
        }
        for name, (result, turns) in compared.items()
    }
    tables = (_show_comparison(name, a, b, *comparison) for name, comparison in compared.items())
    return Result({"a": a, "b": b, "sets": values}, tables)


@versions.command()
def activate(name: NameArgument) -> None:
    """Use a version from now on."""
    _open_versions().activate(name, who=login_name(), encoder=_load_encoder())
    show(f"{name} is active.")


@versions.command()
def rollback() -> None:
    """Use the version again that was active before."""
    name = _open_versions().rollback(who=login_name(), encoder=_load_encoder())
    show(f"{name} is active again." if name else "No version is active: the gate is untrained again.")


@versions.command()
@with_json
def history() -> Result:
    """Show who made which version active or the baseline, and when."""
    rows = [vars(change) | {"when": change.when.isoformat()} for change in _open_versions().history]
    return Result(rows, Table(rows, empty="No version was activated yet."))


@versions.command()
def baseline(name: NameArgument) -> None:
    """Compare others with a version from now on."""
    _open_versions().set_baseline(name, who=login_name())
    show(f"{name} is the baseline.")


@versions.command()
def delete(
    name: NameArgument,
    force: Annotated[bool, Option("--force", help="Even the active one, or a parent.")] = False,
) -> None:
    """Delete a version for good."""
    _open_versions().delete(name, force=force, who=login_name())
    show(f"{name} was deleted.")


@versions.command()
def export(
    name: NameArgument,
    out: Annotated[Path | None, Option(help="The zip file; NAME.zip by default.", dir_okay=False)] = None,
    force: options.ForceOption = False,
) -> None:
    """Write a version to one file, to be imported elsewhere."""
    content = _open_versions().export(name)
    file = out or Path(f"{name}.zip")
    write_export(content, file, force=force)
    show(f"{name} was written to {file} ({len(content) / 1024:,.0f} KB).")


@versions.command("import")
def import_(
    file: Annotated[Path, Argument(help="An exported version.", dir_okay=False)],
    name: Annotated[str | None, Option(help="Its name; that of the export by default.")] = None,
) -> None:
    """Add a version from a file. It is checked, and not active until you activate it."""
    show(f"{_open_versions().import_(file, name=name).name} was added.")


def _open_versions() -> Versions:
    from convgate.core.settings import load_settings
    from convgate.versions import Versions

    return Versions(load_settings().home)


def _load_encoder() -> EncoderIdentity:
    """Return the encoder that a version has to be made for, to be activated."""
    from convgate.core.settings import load_settings
    from convgate.policies.build import EncoderOnDemand

    with output.status("Loading the encoder, which a version has to fit"):
        return EncoderOnDemand(load_settings())().identity


def _build_policies(*names: str) -> list[Policy]:
    """Return the policies or versions of those names, with one encoder; a policy's name goes first."""
    from convgate.core.settings import load_settings
    from convgate.policies.build import EncoderOnDemand, build_policy
    from convgate.policies.registry import policy_names

    settings = load_settings()
    encoder = EncoderOnDemand(settings)
    return [
        build_policy(name, settings, encoder)
        if name in policy_names()
        else build_policy("gate", settings, encoder, version=name)
        for name in names
    ]


def _marks(store: Versions, name: str) -> list[str]:
    return ["active"] * (name == store.active) + ["baseline"] * (name == store.baseline)


def _describe_version(store: Versions, version: Version) -> dict[str, str]:
    card = version.card
    return {
        "version": " ".join([version.name, *(f"({mark})" for mark in _marks(store, version.name))]),
        "created": f"{card.created:%Y-%m-%d}",
        "parent": card.parent.name if card.parent else "",
        "data": ", ".join(data.name for data in card.data),
        "measured": "; ".join(
            " ".join([name, *_describe_metrics(measured.metrics)]) for name, measured in card.metrics.items()
        ),
    }


def _describe_metrics(metrics: Mapping[str, Metric]) -> list[str]:
    from convgate.evaluation.metrics import LABELS

    values = {name: metrics[name].value for name in MAIN_METRICS if name in metrics}
    return [f"{LABELS[name]} {value:.2f}" for name, value in values.items() if value is not None]


def _show_comparison(
    name: str, a: str, b: str, result: SetResult, turns: Mapping[str, int]
) -> Iterator[Part]:
    from convgate.evaluation.comparison import compare
    from convgate.evaluation.metrics import LABELS
    from convgate.versions.markdown import format_difference, format_metric

    yield f"{name}: {len(result.case_ids):,} cases, {sum(turns.values()):,} judged turns"
    first, second = (result.policies[key].overall for key in ("a", "b"))
    yield Table(
        [
            {
                "metric": LABELS[metric],
                a: format_metric(first[metric]),
                b: format_metric(second[metric]),
                "difference": format_difference(change),
            }
            for metric, change in compare(result, baseline="a", policy="b").measures.items()
        ]
    )
    yield (
        f"{b} fixes {turns['fixed']:,} turns of {a} and breaks {turns['broken']:,};"
        f" both are wrong about {turns['both wrong']:,}."
    )
