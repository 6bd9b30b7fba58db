"""`convgate modes`: what each message is for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from convgate.cli import inputs, options, output
from convgate.cli.result import Part, Result, Table, with_json
from convgate.core.text import pluralize

if TYPE_CHECKING:
    from convgate.core.settings import Settings
    from convgate.modes.message_file import MessageWithIntent
    from convgate.modes.mode import ModeDecision
    from convgate.transcripts.records import FileRecord


@with_json
def modes(file: options.LinesArgument, skip_bad: options.SkipBadOption = False) -> Result:
    """Find the mode of each message by itself: TASK, EXPLORATION, DEBUGGING, LEARNING or GENERAL.

    A line: {"content": "the cake sinks in the middle every time", "intent"?: "debug"}. Lines are independent;
    nothing is smoothed. In a transcript, every user turn is classified.
    """
    from convgate.core.settings import load_settings
    from convgate.modes.message_file import read_messages

    settings = load_settings()
    with output.status(f"Reading {file}"):
        messages, problems = read_messages(inputs.open_source(file), settings, skip_bad=skip_bad)
    output.print_problems(problems)
    with output.status(f"Classifying {pluralize(len(messages), 'message')}"):
        decisions = _classify(messages, settings)
    return Result([decision.to_json() for decision in decisions], _show_modes(messages, decisions))


def _classify(records: Sequence[FileRecord[MessageWithIntent]], settings: Settings) -> list[ModeDecision]:
    """Return a decision for each message; the classifier is loaded only for those without an intent."""
    from convgate.modes.classifier import load_classifier
    from convgate.modes.conversation import decide_by_intent

    texts = [record.value.text for record in records if record.value.intended is None]
    classified = iter(load_classifier(settings).classify_texts(texts) if texts else ())
    return [
        decide_by_intent(record.item, record.value.intended) if record.value.intended else next(classified)
        for record in records
    ]


def _show_modes(
    records: Sequence[FileRecord[MessageWithIntent]], decisions: Sequence[ModeDecision]
) -> Iterator[Part]:
    item = "line" if records[0].conversation is None else "turn"
    rows = [
        {
            item: record.item,
            "mode": decision.mode,
            "confidence": f"{decision.confidence:.2f}",
            "message": record.value.text,
            "reason": decision.explanation,
        }
        for record, decision in zip(records, decisions, strict=True)
    ]
    styles = ["dim" if decision.mode == "GENERAL" else "" for decision in decisions]
    yield Table(rows, {"mode": "word", "confidence": "number", "message": "line"}, styles)
    counts = Counter(decision.mode for decision in decisions).most_common()
    yield f"{pluralize(len(records), 'message')}: {', '.join(f'{mode} {count:,}' for mode, count in counts)}"
