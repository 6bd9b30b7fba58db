"""`convgate rollout`: give a candidate to a growing share of the sessions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convgate.cli import inputs, options
from convgate.cli.result import Part, Result, Table, fields, pick, with_json
from convgate.core.home import login_name

if TYPE_CHECKING:
    from convgate.rollouts.rollout import Rollout

ReasonOption = Annotated[str, typer.Option("--reason", help="Why; stored with the decision.")]

rollout = typer.Typer(no_args_is_help=True, help="Give a candidate to 1%, 10%, 50%, then all sessions.")


@rollout.command()
@with_json
def start(
    name: Annotated[str, typer.Argument(help="A name for the rollout.", metavar="NAME")],
    owner: Annotated[
        list[str] | None,
        typer.Option(help="Who decides; your user name by default; four times: one for each phase."),
    ] = None,
) -> Result:
    """Start a rollout with 1% of new sessions."""
    current = _open_rollout()
    current.start(name, owners=owner or [login_name()])
    return _status(current)


@rollout.command()
@with_json
def status() -> Result:
    """Show the phase, figures of both arms, conditions, rollback rules, checklist and decisions."""
    return _status(_open_rollout())


@rollout.command()
@with_json
def advance(reason: ReasonOption, who: options.WhoOption = None) -> Result:
    """Begin the next phase whatever the log says; a stopped rollout begins its phase again."""
    current = _open_rollout()
    current.advance(who=who or login_name(), reason=reason)
    return _status(current)


@rollout.command()
@with_json
def stop(reason: ReasonOption, who: options.WhoOption = None) -> Result:
    """Give the control to all new sessions; others keep their arm."""
    current = _open_rollout()
    current.stop(who=who or login_name(), reason=reason)
    return _status(current)


@rollout.command()
@with_json
def back(reason: ReasonOption, who: options.WhoOption = None) -> Result:
    """Roll back: give the control to all sessions for good."""
    current = _open_rollout()
    current.roll_back(who=who or login_name(), reason=reason)
    return _status(current)


@rollout.command()
@with_json
def checklist(
    done: Annotated[
        list[int] | None, typer.Option(help="An item that is done, from 1; may be repeated.", metavar="N")
    ] = None,
    undo: Annotated[
        list[int] | None, typer.Option(help="An item that is not done; may be repeated.", metavar="N")
    ] = None,
    owner: Annotated[str | None, typer.Option(help="Another owner of the present phase.")] = None,
    who: options.WhoOption = None,
) -> Result:
    """Show or change the checklist of the present phase: the next one begins when all of it is done."""
    current = _open_rollout()
    items = current.status().phase.checklist
    numbers = dict.fromkeys(done or (), True) | dict.fromkeys(undo or (), False)
    if unknown := [number for number in numbers if not 1 <= number <= len(items)]:
        raise typer.BadParameter(f"the checklist has {len(items)} items; got {unknown[0]}")
    for number, is_done in numbers.items():
        current.set_item(items[number - 1], who=who or login_name(), is_done=is_done)
    if owner is not None:
        current.set_owner(owner)
    values = _status(current).values
    return Result(values, _checklist(values))


def _open_rollout() -> Rollout:
    from convgate.rollouts.rollout import Rollout

    return Rollout(inputs.open_library())


def _status(current: Rollout) -> Result:
    status = current.status()
    checked = {item.item: item for item in status.checked if item.phase == status.phase.number}
    values = {
        **pick(status.rollout, "name", "state", "phase", "started", "phase_started", "next_look"),
        "share": status.phase.share,
        "owner": status.owner,
        "sessions": status.sessions,
        "figures": asdict(status.figures),
        "conditions": [asdict(check) for check in status.conditions],
        "rules": [asdict(rule) for rule in status.rules],
        "checklist": [
            {"item": item, "done": None if item not in checked else pick(checked[item], "who", "at")}
            for item in status.phase.checklist
        ],
        "decisions": [
            pick(decision, "at", "phase", "action", "reason", "figures", "next_look", "who")
            for decision in status.decisions
        ],
    }
    return Result(values, _show_status(values))


def _show_status(values: dict[str, Any]) -> Iterable[Part]:
    names = ("state", "phase", "share", "phase_started", "next_look")
    yield fields({name: values[name] for name in names}, values["name"])
    arms = {arm: {"sessions": values["sessions"][arm], **rates} for arm, rates in values["figures"].items()}
    yield Table(
        [{"figure": name, **{arm: rates[name] for arm, rates in arms.items()}} for name in arms["control"]]
    )
    for title, name in (("conditions", "conditions"), ("rollback rules", "rules")):
        yield f"{title}:"
        yield Table(values[name], {"name": "word", "state": "word"}, names=("name", "state", "sentence"))
    yield _checklist(values)
    yield Table(
        values["decisions"], {"at": "word", "action": "word"}, names=("at", "action", "reason", "who")
    )


def _checklist(values: dict[str, Any]) -> Iterable[Part]:
    yield f"owner: {values['owner']}"
    yield Table(
        [
            {"number": number, "checklist": row["item"], "done": bool(row["done"])}
            for number, row in enumerate(values["checklist"], 1)
        ]
    )
