"""`convgate context`: the context of a message, by section, with what was left out and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from convgate.cli.output import (
    ConversationOption,
    FileArgument,
    FormatOption,
    JsonOption,
    OutOption,
    QuestionOption,
    RedactOption,
    SettingsFileOption,
    SkipBadOption,
    TurnOption,
    check_moment,
    encoding_progress,
    read_one,
    tell,
    write_json,
)

if TYPE_CHECKING:
    from rich.console import Console

    from convgate.context.bundle import ContextBundle
    from convgate.conversation import Conversation, Turn

_TITLES = {
    "rules": "Rules",
    "task_state": "Task state",
    "recent": "Recent window",
    "evidence": "Evidence",
    "decisions": "Decisions",
    "capsules": "Capsules",
}


def context(
    file: FileArgument,
    turn: TurnOption = None,
    question: QuestionOption = None,
    conversation: ConversationOption = None,
    budget: Annotated[
        int | None, typer.Option(help="Tokens of the whole context; those of the table unless given.")
    ] = None,
    intent: Annotated[
        str | None,
        typer.Option(
            help="What the message is meant for: task, debug, explore, learn, general, or your own."
        ),
    ] = None,
    filter: Annotated[
        bool | None,
        typer.Option("--filter/--no-filter", help="Whether gate and mode leave out what would fit."),
    ] = None,
    hysteresis: Annotated[
        float | None,
        typer.Option(
            help="How much a turn's score has to gain before it leaves or joins; the context of the message"
            " before is built first.",
            min=0,
        ),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(help="What chooses the evidence; the gate unless the settings say otherwise."),
    ] = None,
    settings_file: SettingsFileOption = None,
    format: FormatOption = None,
    skip_bad: SkipBadOption = False,
    redact: RedactOption = False,
    json_output: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Build the context of a message: mode, budgets, sections, invariants, and what was left out."""
    from convgate.building import EncoderOnDemand, build_policy
    from convgate.context.builder import ContextBuilder
    from convgate.context.modes import mode_of_intent
    from convgate.policies.base import Prepares
    from convgate.settings import load_settings

    check_moment(turn, question)
    changes = {"context_filter": filter, "context_hysteresis": hysteresis}
    chosen = load_settings(settings_file).model_copy(
        update={name: value for name, value in changes.items() if value is not None}
    )
    if intent is not None:
        mode_of_intent(intent, chosen)  # a typing error ends the command
    talk = read_one(file, which=conversation, format=format, skip_bad=skip_bad, redact=redact)
    with encoding_progress() as progress:
        encoder = EncoderOnDemand(chosen)
        made = build_policy(policy or chosen.policy, chosen, encoder)
        builder = ContextBuilder.of(chosen, policy=made, encoder=encoder)
        if isinstance(builder.policy, Prepares):
            builder.policy.prepare([talk], progress=progress)
        index = talk.current_index() if question is None and turn is None else turn
        before = [one for one in talk.answerable() if one < (len(talk) if index is None else index)]
        if before:
            builder.build_at(talk, before[-1], budget=budget)  # for the prefix, and the hysteresis
        bundle = builder.build_at(talk, index, question=question, budget=budget, intent=intent)
    for violation in bundle.violations:
        tell(f"chat APIs may refuse this list: {violation}")
    if json_output or out:
        write_json(bundle.to_json(), out)
    else:
        _show(talk, "the question" if index is None else f"message {index}", bundle)


def _show(talk: Conversation, asked: str, bundle: ContextBundle) -> None:
    from rich.console import Console

    from convgate.ui.wording import counted

    console = Console()
    sure = {
        "intent": "as asked for",
        "classifier": f"confidence {bundle.found.confidence:.2f}",
        "low confidence": f"confidence {bundle.found.confidence:.2f}, which is low",
    }[bundle.found.source]
    own = "" if bundle.found.mode == bundle.mode else f"; by itself the message is {bundle.found.mode}"
    console.print(f"{bundle.mode} ({sure}{own}), to answer {asked}", style="bold", highlight=False)
    console.print(
        f"{bundle.tokens:,} of {counted(bundle.budget, 'token')}, instead of {bundle.tokens_total:,}"
        f" · {counted(len(bundle.messages), 'message')}",
        highlight=False,
    )
    if bundle.over_budget:
        console.print(
            f"{counted(bundle.over_budget, 'token')} over the budget: what must hold, the instructions and"
            " the present message stay all the same.",
            style="bold", highlight=False,
        )  # fmt: skip
    for fallback in bundle.fallbacks:
        console.print(f"Fallback ({fallback.cause}): {fallback.reason}", style="bold", highlight=False)
    _show_sections(console, talk, bundle)
    _show_invariants(console, bundle)
    _show_dropped(console, talk, bundle)
    if bundle.prefix is not None:
        held = f", {counted(len(bundle.prefix.held), 'turn')} by the hysteresis" if bundle.prefix.held else ""
        console.print(
            f"Of the {counted(bundle.prefix.before, 'token')} sent for the message before, the first"
            f" {bundle.prefix.tokens:,} stand unchanged{held}: what a provider can have cached.",
            highlight=False,
        )


def _show_sections(console: Console, talk: Conversation, bundle: ContextBundle) -> None:
    table = _table("message", "tokens", "section", "why", "text")
    for section in bundle.sections:
        for placed in section.turns:
            words = "" if placed.index is None else _words(talk.turns[placed.index])
            place = "" if placed.index is None else str(placed.index)
            table.add_row(
                place, f"{placed.tokens:,}", _TITLES[section.name], *_texts(_why(placed.reason), words)
            )
    console.print(table)
    spent = " · ".join(
        f"{_TITLES[section.name]} {section.tokens:,} of {section.budget:,}" for section in bundle.sections
    )
    console.print(spent, highlight=False)


def _show_invariants(console: Console, bundle: ContextBundle) -> None:
    if not bundle.invariants:
        return
    table = _table("message", "state", "type", "text")
    for one in bundle.invariants:
        later = one.superseded_by if one.ended_by is None else one.ended_by
        state = one.state if later is None else f"{one.state} by {later}"
        table.add_row(
            str(one.source), state, one.type.replace("_", " "), *_texts(" ".join(one.text.split())),
            style="" if one.active else "dim",
        )  # fmt: skip
    console.print(table)


def _show_dropped(console: Console, talk: Conversation, bundle: ContextBundle) -> None:
    dropped = [one for one in bundle.decisions if not one.kept]
    if not dropped:
        return
    table = _table("message", "left out by", "why", "text")
    for one in dropped:
        table.add_row(
            str(one.item), one.rule, *_texts(_why(one.reason), _words(talk.turns[one.item])), style="dim"
        )
    console.print(table)


def _table(*columns: str) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    for name in columns:
        if name in {"message", "tokens"}:
            table.add_column(name, justify="right", min_width=len(name))
        elif name == "text":
            table.add_column(name, overflow="ellipsis", no_wrap=True, ratio=1)
        else:
            table.add_column(name, ratio=2 if name == "why" else None)
    return table


def _texts(*texts: str) -> list[Any]:
    """Cells that cannot steer the terminal."""
    from rich.text import Text

    from convgate.transcripts.characters import printable

    return [Text(printable(text)) for text in texts]


def _why(reason: str) -> str:
    """The sentence without the outcome in front, which stands in a column of its own."""
    return reason.partition(": ")[2]


def _words(turn: Turn) -> str:
    return " ".join(turn.scored_text[:2_000].split())
