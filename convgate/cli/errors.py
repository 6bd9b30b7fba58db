"""`convgate errors`: labelled turns that are decided wrongly, with the cause."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from convgate.cli import inputs, options, output
from convgate.cli.result import Cells, Part, Result, Table, with_json

if TYPE_CHECKING:
    from convgate.evaluation.errors import ErrorReport, JudgedMessage, TurnError

MAX_MESSAGES = 50
"""Messages without labels that are looked at."""

SHOWN = 20  # errors that a person reads, and a quarter as many disputed labels


@with_json
def errors(
    files: Annotated[list[Path], typer.Argument(help="Relevance sets, transcripts, or folders of them.")],
    gate: options.GateOption = None,
    skip_bad: options.SkipBadOption = False,
) -> Result:
    """List the turns that the gate misses or sends needlessly, what misled it, and labels that it disputes.

    Without labels it is compared with hybrid search and the last exchange.
    """
    from convgate.core.settings import load_settings
    from convgate.evaluation.errors import ErrorReport, judge_messages
    from convgate.policies.build import EncoderOnDemand, build_policy
    from convgate.selection.load import selector_of

    settings = load_settings()
    encoder = EncoderOnDemand(settings)
    read = [each for file in files for each in inputs.read_labelled(file, skip_bad=skip_bad)]
    policy = build_policy("gate", settings, encoder, version=gate)
    selector = selector_of(policy, settings)
    n_newest = max(1, MAX_MESSAGES // max(1, len(read)))
    messages: list[JudgedMessage] = []
    with output.progress_bar() as progress:
        for done, (conversation, cases) in enumerate(read):
            progress("Reading conversations", done, len(read))
            selector.encode(conversation.turns, with_modes=settings.budget.tokens is not None)
            messages += judge_messages(
                conversation,
                cases,
                lambda current, history: selector.select_current(current, history).decisions,
                encoder(),
                n_newest=n_newest,
            )
    report = ErrorReport.of(messages)
    return Result(
        {
            "messages": report.messages,
            "needed": report.needed,
            "kept": report.kept,
            "tokens": report.tokens,
            "suggested": report.is_suggested,
            "errors": [error.to_json() for error in report.errors],
        },
        _show(report),
    )


def _show(report: ErrorReport) -> Iterator[Part]:
    from convgate.core.text import pluralize
    from convgate.evaluation.errors import group_by_cause

    yield report.summary
    for kind in ("missed", "needless"):
        groups = group_by_cause(report.of_kind(kind))
        if groups:
            counts = (f"{cause} {len(group):,}" for cause, group in groups.items())
            yield f"{kind}, by cause: {', '.join(counts)}"
    columns: dict[str, Cells] = {
        "error": "word", "cause": "word", "conversation": "word", "message": "number", "text": "line",
        "reason": "line",
    }  # fmt: skip
    disputed = report.of_kind("disputed")
    errors = [error for error in report.errors if error.kind != "disputed"]
    yield Table([*map(_row, errors[:SHOWN])], columns, empty="No decision contradicts the labels.")
    if len(errors) > SHOWN:
        yield f"And {len(errors) - SHOWN:,} more: --json prints all."
    if disputed:
        yield f"{pluralize(len(disputed), 'label')} that the gate finds improbable. Wrong?"
        yield Table([*map(_row, disputed[: SHOWN // 4])], columns)
    yield "Turn numbers start at 0."


def _row(error: TurnError) -> dict[str, object]:
    message = "question" if error.case.turn is None else str(error.case.turn)
    return {
        "error": error.kind,
        "cause": error.cause,
        "conversation": error.case.conversation,
        "message": message,
        "turn": error.index,
        "text": error.conversation.turns[error.index].scored_text,
        "reason": error.decision.reason,
    }
