"""`convgate bill`: what logged conversations would have cost under a provider's prompt cache."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from convgate.cli import inputs, options, output
from convgate.cli.result import Part, Result, Table, with_json
from convgate.core.text import format_duration, join_words, pluralize

if TYPE_CHECKING:
    from convgate.core.conversation import Conversation
    from convgate.core.settings import Settings
    from convgate.costs.prices import Price
    from convgate.evaluation.bill import BillRow, ConversationBill, Select
    from convgate.selection.selector import Selector
    from convgate.transcripts.cases import Case

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
        Option(help="To compare with everything; may be repeated. last_k and gate by default."),
    ] = None,
    skip_bad: options.SkipBadOption = False,
) -> Result:
    """Replay conversations, a request at each message of the user: what does each policy's input cost?"""
    from convgate.core.errors import ConvgateError
    from convgate.core.settings import load_settings
    from convgate.costs.prices import find_price
    from convgate.evaluation.bill import (
        PAUSES,
        bill_conversation,
        count_answer_tokens,
        list_requests,
        sum_bills,
    )

    settings = load_settings()
    if model is not None and model != settings.costs.model:  # the settings' numbers belong to another model
        settings = settings.updated(costs={"model": model, "prices": {}})
    price = find_price(settings)
    if price is None:
        raise ConvgateError("No model is chosen. Name one with --model, or as costs.model in the settings.")
    selectors = _load_selectors(policy or _POLICIES, settings)
    bills: dict[str, list[ConversationBill]] = {name: [] for name in selectors}
    counts = Counter(
        conversations=0, requests=0, timed_pauses=0, assumed_pauses=0, left_out=0, answer_tokens=0
    )
    with output.progress_bar() as progress:
        for file in files:
            for conversation, cases in _read(file, skip_bad=skip_bad):
                requests = list_requests(conversation, cases, pause or PAUSES)
                if not requests:
                    counts["left_out"] += 1
                    continue
                timed = sum(request.is_timed for request in requests)
                counts["conversations"] += 1
                counts["requests"] += len(requests)
                counts["timed_pauses"] += timed
                counts["assumed_pauses"] += len(requests) - 1 - timed
                counts["answer_tokens"] += count_answer_tokens(conversation, requests)
                stage = f"{file.name}: conversation {counts['conversations']:,}"
                for name, selector in selectors.items():
                    selector.encode(conversation.turns, partial(progress, stage))
                    bills[name].append(bill_conversation(conversation, requests, _select_by(selector), price))
    if not counts["requests"]:
        raise ConvgateError("No conversation has a message of a user, so there is no request to bill.")
    rows = [sum_bills(name, each, bills["everything"], price) for name, each in bills.items()]
    assumed = sorted(pause or PAUSES) if counts["assumed_pauses"] else []
    values = {
        "price": asdict(price),
        **counts,
        "pauses": assumed,
        "rows": [row.to_json() for row in rows],
    }
    return Result(values, _show(rows, counts, assumed, price))


def _load_selectors(names: Sequence[str], settings: Settings) -> dict[str, Selector]:
    """Return what selects by each policy, everything first, whatever it costs; they share an encoder."""
    from convgate.policies.build import EncoderOnDemand, build_policy
    from convgate.selection.load import selector_of

    settings = settings.updated(costs={"model": None})
    encoder = EncoderOnDemand(settings)
    return {
        name: selector_of(build_policy(name, settings, encoder), settings)
        for name in dict.fromkeys(["everything", *names])
    }


def _select_by(selector: Selector) -> Select:
    return lambda current, history, at: selector.select_current(current, history)


def _read(file: Path, *, skip_bad: bool) -> Iterator[tuple[Conversation, Sequence[Case]]]:
    """Yield the conversations of a file or folder, with the cases of a relevance set."""
    from convgate.transcripts.relevance_sets import BENCHMARKS, RelevanceFormat, read_relevance_set

    labelled = {RelevanceFormat.name, *(benchmark.name for benchmark in BENCHMARKS)}
    reader = inputs.open_reader(file, None)
    if reader.format in labelled and file.is_file():
        relevance_set = read_relevance_set(file, skip_bad=skip_bad)
        output.print_problems(relevance_set.problems)
        for id, conversation in relevance_set.conversations.items():
            yield conversation, [case for case in relevance_set.cases if case.conversation == id]
        return
    is_labelled = False
    for conversation in reader:
        is_labelled |= conversation.format in labelled
        yield conversation, ()
    output.close_reader(reader, skip_bad=skip_bad)
    if left_out := reader.summary.left_out:
        output.print_note(f"{reader.report.file}: {', '.join(left_out)}")
    if is_labelled:
        output.print_note(f"{file}: the labels of its relevance sets are not read; name their files")


def _show(
    rows: Sequence[BillRow], counts: Counter[str], pauses: Sequence[float], price: Price
) -> Iterator[Part]:
    yield _headline(rows, counts["requests"])
    cells = [
        {
            "policy": row.policy,
            "bill": f"${row.cost:,.4f}",
            "change": "–" if row.change is None else f"{row.change:+.0%}",
            "cached": "–" if row.cached_share is None else f"{row.cached_share:.0%}",
            "tokens": row.tokens,
            "missed": "–" if row.missed is None else f"{row.missed:.1%}",
            "dearer": f"{row.dearer_share or 0:.0%}",
        }
        for row in rows
    ]
    yield Table(cells, {"policy": "word", **dict.fromkeys(list(cells[0])[1:], "number")})
    yield (
        "bill: of the input. change: from everything. cached: of the tokens, those read from the cache."
        " missed: of a request's needed turns, those not sent. dearer: conversations that cost more than"
        " everything."
    )
    yield (
        f"{price.name}, USD for a million tokens: {price.input:g} input, {price.cached:g} read from the"
        f" cache, {price.write:g} written to it, which lives for {format_duration(price.life_seconds)}."
        f" Answers cost ${counts['answer_tokens'] * price.output / 1e6:,.4f} with every policy, in no bill."
    )
    timed = pluralize(counts["timed_pauses"], "pause")
    values = f": {join_words(map(format_duration, pauses), last='or')}" if pauses else ""
    yield (
        f"{pluralize(counts['conversations'], 'conversation')}; {timed} from the times of turns,"
        f" {counts['assumed_pauses']:,} assumed{values}."
    )
    if counts["left_out"]:
        yield f"{pluralize(counts['left_out'], 'conversation')} without a message of a user left out."


def _headline(rows: Sequence[BillRow], n_requests: int) -> str:
    """Return the last policy's bill compared with the others', in a sentence."""
    *others, last = rows
    changes = {other.policy: last.cost / other.cost - 1 for other in others if other.cost}
    comparisons = [
        f"{abs(change):.0%} {'below' if change <= 0 else 'above'} {policy}"
        for policy, change in changes.items()
    ]
    compared = join_words(comparisons) if comparisons else f"${last.cost:,.4f}"
    return f"On these {pluralize(n_requests, 'request')}, {last.policy}: {compared}."
