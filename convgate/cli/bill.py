"""`convgate bill`: what logged conversations would have cost under a provider's prompt cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from convgate.cli import inputs, options, output
from convgate.cli.result import Part, Result, Table, with_json

if TYPE_CHECKING:
    from convgate.evaluation.bill_report import BillReport

_POLICIES = ("last_k", "gate")


@with_json
def bill(
    files: Annotated[list[Path], typer.Argument(help="Transcripts, relevance sets, or folders of them.")],
    model: Annotated[str | None, Option(help="Whose prices; that of the settings by default.")] = None,
    pause: Annotated[
        list[float] | None,
        Option(
            help="Seconds between two requests where turns have no times; may be repeated, then drawn at"
            " random. 20 s to 2 h by default.",
            min=0,
            metavar="SECONDS",
        ),
    ] = None,
    policy: Annotated[
        list[str] | None,
        Option(
            help="To compare with everything; may be repeated. last_k and gate by default. The last one is"
            " billed a second time, with prices."
        ),
    ] = None,
    budget: Annotated[
        int | None,
        Option(
            help="Tokens of a request of each policy but everything; those of the settings by default.",
            min=0,
            metavar="N",
        ),
    ] = None,
    skip_bad: options.SkipBadOption = False,
) -> Result:
    """Replay conversations, a request at each message of the user: what does each policy's input cost?"""
    from convgate.core.errors import ConvgateError
    from convgate.core.settings import load_settings
    from convgate.costs.prices import find_price
    from convgate.evaluation.bill import PAUSES
    from convgate.policies.build import EncoderOnDemand, build_policy
    from convgate.selection.billing import bill_policies

    settings = load_settings()
    price = find_price(settings, model)
    if price is None:
        raise ConvgateError("No model is chosen. Name one with --model, or as costs.model in the settings.")
    encoder = EncoderOnDemand(settings)
    names = dict.fromkeys(["everything", *(policy or _POLICIES)])
    policies = {name: build_policy(name, settings, encoder) for name in names}
    conversations = [each for file in files for each in inputs.read_labelled(file, skip_bad=skip_bad)]
    with output.progress_bar() as progress:
        report = bill_policies(
            conversations, policies, settings, price,
            budget=budget, pauses=pause or PAUSES, progress=progress,
        )  # fmt: skip
    return Result(report.to_json(), _show(report))


def _show(report: BillReport) -> Iterator[Part]:
    from convgate.evaluation.bill_report import TABLE_NOTE

    yield report.compare_last(report.rows[:-1])
    cells = [{"policy": row.policy, **row.to_cells()} for row in report.rows]
    yield Table(cells, {"policy": "word", **dict.fromkeys(list(cells[0])[1:], "number")})
    yield TABLE_NOTE
    yield from report.notes()
