"""`convgate context`, `convgate invariants` and `convgate modes`: what a context is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from convgate.cli import inputs, options, output
from convgate.cli.result import Part, Result, Table, with_json
from convgate.core.text import pluralize

if TYPE_CHECKING:
    from convgate.core.conversation import Conversation
    from convgate.core.settings import Settings
    from convgate.invariants.invariant import Invariant
    from convgate.modes.message_file import MessageWithIntent
    from convgate.modes.mode import ModeDecision
    from convgate.selection.bundle import ContextBundle
    from convgate.transcripts.records import FileRecord


@with_json
def context(
    file: options.FileArgument,
    turn: options.TurnOption = None,
    question: options.QuestionOption = None,
    which: options.ConversationOption = None,
    budget: Annotated[
        int | None, typer.Option(help="Tokens of the whole context; the mode's by default.")
    ] = None,
    intent: Annotated[
        str | None,
        typer.Option(help="What the message is for: task, debug, explore, learn, general, or your own."),
    ] = None,
    filter: Annotated[
        bool | None,
        typer.Option("--filter/--no-filter", help="Whether policy and mode drop turns that would fit."),
    ] = None,
    policy: options.PolicyOption = None,
    settings_file: options.SettingsFileOption = None,
    format: options.FormatOption = None,
    skip_bad: options.SkipBadOption = False,
    redact: options.RedactOption = False,
) -> Result:
    """Build the context of a message: mode, budgets, sections, invariants, and what was left out."""
    from convgate.core.settings import load_settings
    from convgate.modes.mode import mode_of_intent
    from convgate.policies.base import PreparablePolicy
    from convgate.policies.build import EncoderOnDemand, build_policy
    from convgate.selection.builder import ContextBuilder

    options.check_current(turn, question)
    chosen = load_settings(settings_file)
    if filter is not None:
        chosen = chosen.model_copy(update={"context_filter": filter})
    if intent is not None:
        mode_of_intent(intent, chosen)  # a typing error ends the command
    conversation = inputs.read_one(file, which=which, format=format, skip_bad=skip_bad, redact=redact)
    with output.encoding_progress() as progress:
        encoder = EncoderOnDemand(chosen)
        builder = ContextBuilder.of(
            chosen, policy=build_policy(policy or chosen.policy, chosen, encoder), encoder=encoder
        )
        if isinstance(builder.policy, PreparablePolicy):
            builder.policy.prepare([conversation], progress=progress)
        index = conversation.current_index() if question is None and turn is None else turn
        end = len(conversation) if index is None else index
        if earlier := [answerable for answerable in conversation.answerable() if answerable < end]:
            builder.build_at(conversation, earlier[-1], budget=budget)  # for the prefix, and the hysteresis
        bundle = builder.build_at(conversation, index, question=question, budget=budget, intent=intent)
    for violation in bundle.violations:
        output.print_note(f"chat APIs may refuse this list: {violation}")
    answered = "the question" if index is None else f"message {index}"
    return Result(bundle.to_json(), _show_context(conversation, answered, bundle))


def _show_context(conversation: Conversation, answered: str, bundle: ContextBundle) -> Iterator[Part]:
    from convgate.figures.modes import SECTION_LABELS

    mode = bundle.mode_decision
    source = {
        "intent": "from the intent",
        "classifier": f"confidence {mode.confidence:.2f}",
        "low confidence": f"low confidence, {mode.confidence:.2f}",
    }[mode.source]
    own = "" if mode.mode == bundle.mode else f"; by itself the message is {mode.mode}"
    yield f"{bundle.mode} ({source}{own}), to answer {answered}"
    yield (
        f"{bundle.tokens:,} of {pluralize(bundle.budget, 'token')}, instead of {bundle.tokens_total:,}"
        f" · {pluralize(len(bundle.messages), 'message')}"
    )
    if bundle.over_budget:
        yield (
            f"{pluralize(bundle.over_budget, 'token')} over the budget: invariants, instructions and the"
            " current message are always sent."
        )
    yield (f"Fallback ({fallback.cause}): {fallback.reason}" for fallback in bundle.fallbacks)
    columns = ("message", "tokens", "section", "reason", "text")
    rows: list[tuple[object, ...]] = []
    styles: list[str] = []
    for section in bundle.sections:
        for turn in section.turns:
            text = "" if turn.index is None else conversation.turns[turn.index].scored_text
            label, reason = SECTION_LABELS[section.name], turn.explanation
            number = "" if turn.index is None else turn.index
            rows.append((number, f"{turn.tokens:,}", label, reason, text))
            styles.append("")
    for decision in bundle.decisions:
        if not decision.kept:
            text, reason = conversation.turns[decision.index].scored_text, decision.explanation
            rows.append((decision.index, "", f"dropped: {decision.rule}", reason, text))
            styles.append("dim")
    yield Table(
        [dict(zip(columns, row, strict=True)) for row in rows],
        {"message": "number", "tokens": "number", "section": "word", "text": "line"},
        styles,
    )
    yield " · ".join(
        f"{SECTION_LABELS[section.name]} {section.tokens:,} of {section.budget:,}"
        for section in bundle.sections
    )
    yield _list_invariants(bundle.invariants)
    if prefix := bundle.prefix:
        held = f", {pluralize(len(prefix.held), 'turn')} by the hysteresis" if prefix.held else ""
        yield (
            f"Unchanged at the front since the message before: {prefix.tokens:,} of"
            f" {pluralize(prefix.before, 'token')}{held}. A provider can have them cached."
        )


@with_json
def invariants(
    file: options.FileArgument,
    turn: Annotated[
        int | None,
        typer.Option(help="What holds after message N, from 0; the last by default.", metavar="N"),
    ] = None,
    which: options.ConversationOption = None,
    format: options.FormatOption = None,
    skip_bad: options.SkipBadOption = False,
) -> Result:
    """List what must hold: safety requirements, corrections, hard constraints, the blocking error."""
    from convgate.core.errors import ConversationError
    from convgate.core.settings import load_settings
    from convgate.invariants import find_invariants
    from convgate.invariants.judge import load_judge

    conversation = inputs.read_one(file, which=which, format=format, skip_bad=skip_bad)
    if turn is not None and not 0 <= turn < len(conversation):
        extent = f"messages 0 to {len(conversation) - 1}" if len(conversation) else "no messages"
        raise ConversationError(f"message {turn} asked for, but the conversation has {extent}")
    turns = conversation.turns if turn is None else conversation.turns[: turn + 1]
    all_invariants = find_invariants(turns, load_judge(load_settings()))

    active = sum(invariant.active for invariant in all_invariants)
    summary = f"{pluralize(len(turns), 'message')} · {pluralize(len(all_invariants), 'invariant')}"
    return Result(
        [invariant.to_json() for invariant in all_invariants],
        _list_invariants(all_invariants),
        f"{summary}, {active} of them active" if all_invariants else summary,
    )


def _list_invariants(invariants: Sequence[Invariant]) -> Table:
    rows = []
    for invariant in invariants:
        state: str = "pinned" if invariant.pinned and invariant.active else invariant.state
        for ended_by in (invariant.superseded_by, invariant.ended_by):
            state += "" if ended_by is None else f" by {ended_by}"
        row = {"message": invariant.source, "type": invariant.type.replace("_", " "), "state": state}
        rows.append(row | {"statement": invariant.text, "reason": invariant.reason})
    styles = ["" if invariant.active else "dim" for invariant in invariants]
    return Table(rows, {"type": "word", "state": "word"}, styles)


@with_json
def modes(
    file: options.LinesArgument,
    skip_bad: options.SkipBadOption = False,
) -> Result:
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
