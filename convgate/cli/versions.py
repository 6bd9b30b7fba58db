"""`convgate versions`: the gate's versions, and which of them is in use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from convgate.cli.compare import compare
from convgate.cli.output import (
    ForceOption,
    JsonOption,
    OutOption,
    status,
    tell,
    write_export,
    write_json,
    write_text,
)
from convgate.cli.version_tables import marks_of, plain, show_difference, show_list
from convgate.core.home import login_name

if TYPE_CHECKING:
    from convgate.embedding.base import EncoderIdentity
    from convgate.versions import Versions

NameArgument = Annotated[str, typer.Argument(help="The version's name.", metavar="NAME")]
WhoOption = Annotated[
    str | None,
    typer.Option("--who", help="Who decides this; the name that you are logged in with otherwise."),
]

versions = typer.Typer(no_args_is_help=False, help="The gate's versions, and which of them is in use.")


versions.command()(compare)


@versions.callback(invoke_without_command=True)
def show_all(context: typer.Context, json_output: JsonOption = False, out: OutOption = None) -> None:
    """List the gate's versions, or do something with one of them."""
    if context.invoked_subcommand:
        return
    store = _versions()
    listing = store.listing()
    for problem in listing.problems:
        tell(problem)
    if not (json_output or out):
        show_list(store, listing.versions)
        return
    shown = [version.to_json() for version in listing.versions]
    for one in shown:
        del one["training"]  # curves are long; `show NAME --json` has them
    pointers = {"active": store.active, "baseline": store.baseline}
    write_json({**pointers, "versions": shown, "problems": listing.problems}, out)


@versions.command()
def show(name: NameArgument, json_output: JsonOption = False, out: OutOption = None) -> None:
    """Print a version's model card, as Markdown."""
    from convgate.versions.markdown import model_card

    store = _versions()
    version = store.get(name)
    version.files()
    if json_output:
        write_json(version.to_json(), out)
    else:
        write_text(model_card(version, marks=marks_of(store, name)), out)


@versions.command()
def diff(
    a: Annotated[str, typer.Argument(help="The version to start from.", metavar="A")],
    b: Annotated[str, typer.Argument(help="The version to compare with it.", metavar="B")],
    json_output: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Compare the cards of two versions: config, threshold, data and metrics."""
    from convgate.versions.comparison import compare_versions

    store = _versions()
    found = compare_versions(store.get(a), store.get(b))
    if json_output or out:
        write_json(found.to_json(), out)
    else:
        show_difference(found)


@versions.command()
def activate(name: NameArgument, who: WhoOption = None) -> None:
    """Use a version from now on."""
    _versions().activate(name, who=who or login_name(), encoder=_encoder())
    typer.echo(f"{name} is active.")


@versions.command()
def rollback(who: WhoOption = None) -> None:
    """Use the version again that was active before."""
    name = _versions().rollback(who=who or login_name(), encoder=_encoder())
    typer.echo(f"{name} is active again." if name else "No version is active: the gate is untrained again.")


@versions.command()
def history(json_output: JsonOption = False, out: OutOption = None) -> None:
    """Tell who made which version active or the baseline, and when."""
    changes = _versions().history
    if json_output or out:
        write_json([vars(change) | {"when": change.when.isoformat()} for change in changes], out)
        return
    for change in changes:
        how = "back to" if change.rollback else "now"
        version = change.version or ("what ships" if change.pointer == "active" else "none")
        typer.echo(f"{change.when:%Y-%m-%d %H:%M} UTC  {change.pointer} {how} {version}  {plain(change.who)}")


@versions.command()
def baseline(name: NameArgument, who: WhoOption = None) -> None:
    """Compare others with a version from now on."""
    _versions().set_baseline(name, who=who or login_name())
    typer.echo(f"{name} is the baseline.")


@versions.command()
def rename(
    name: NameArgument, new: Annotated[str, typer.Argument(help="Its new name.", metavar="NEW")]
) -> None:
    """Give a version another name."""
    _versions().rename(name, new)
    typer.echo(f"{name} is called {new} now.")


@versions.command()
def delete(
    name: NameArgument,
    in_use: Annotated[
        bool, typer.Option("--in-use", help="Even when it is active, the baseline or the parent of another.")
    ] = False,
    who: WhoOption = None,
) -> None:
    """Remove a version; there is no way back."""
    _versions().delete(name, in_use=in_use, who=who or login_name())
    typer.echo(f"{name} was deleted.")


@versions.command()
def export(
    name: NameArgument,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The zip file to write; NAME.zip unless given.", dir_okay=False),
    ] = None,
    force: ForceOption = False,
) -> None:
    """Write a version to one file, to be imported elsewhere."""
    content = _versions().export(name)
    file = out or Path(f"{name}.zip")
    write_export(content, file, force=force)
    typer.echo(f"{name} was written to {file} ({len(content) / 1024:,.0f} KB).")


@versions.command("import")
def import_(
    file: Annotated[Path, typer.Argument(help="An exported version.", dir_okay=False)],
    name: Annotated[
        str | None, typer.Option(help="What to call it; as it was called when it was exported otherwise.")
    ] = None,
) -> None:
    """Add a version from a file. It is checked, and not active until you say so."""
    typer.echo(f"{_versions().import_(file, name=name).name} was added.")


def _versions() -> Versions:
    from convgate.core.settings import load_settings
    from convgate.versions import Versions

    return Versions(load_settings().home)


def _encoder() -> EncoderIdentity:
    """The encoder that a version has to be made for, to be put into use."""
    from convgate.core.settings import load_settings
    from convgate.policies.build import EncoderOnDemand

    with status("Loading the encoder, which a version has to fit"):
        return EncoderOnDemand(load_settings())().identity
