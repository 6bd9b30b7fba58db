"""`convgate score` and `convgate select`: scores of earlier turns, and the messages that go to the model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convgate.cli import inputs, options, output
from convgate.cli.result import Part, Result, Table, pick, with_json
from convgate.core.text import pluralize, to_line

if TYPE_CHECKING:
    from convgate.core.conversation import Conversation
    from convgate.core.decisions import TurnDecisions
    from convgate.core.settings import Settings
    from convgate.policies.base import Policy
    from convgate.selection.selection import Selection


@with_json
def score(
    file: options.FileArgument,
    turn: options.TurnOption = None,
    question: options.QuestionOption = None,
    which: options.ConversationOption = None,
    gate: options.GateOption = None,
    rule: options.RuleOption = None,
    settings: options.SetOption = None,
    format: options.FormatOption = None,
    skip_bad: options.SkipBadOption = False,
    settings_file: options.SettingsFileOption = None,
) -> Result:
    """Score every earlier turn against the current message, with the reason why it is kept or dropped."""
    from convgate.core.settings import load_settings
    from convgate.policies.gate import GatePolicy
    from convgate.selection.load import selector_of

    options.check_current(turn, question)
    chosen = load_settings(settings_file)
    if settings_file is not None and not chosen.policy.startswith("gate"):
        output.print_note(f"{settings_file} chooses the policy {chosen.policy}, but scores are the gate's")
    conversation = inputs.read_one(file, which=which, format=format, skip_bad=skip_bad)
    current, _ = conversation.find_current(turn, question)
    with output.encoding_progress() as progress:
        policy = _build_policy("gate", chosen, gate, settings, rule)
        assert isinstance(policy, GatePolicy)
        selector = selector_of(policy, chosen)
        selector.encode(conversation.turns, progress)
        decisions = selector.select_at(conversation, turn, question=question).decisions
    return Result(
        _score_json(conversation, decisions, policy.version),
        _show_scores(conversation, decisions, policy.version, current.turn.text),
    )


@with_json
def select(
    file: options.FileArgument,
    policy: options.PolicyOption = None,
    turn: options.TurnOption = None,
    question: options.QuestionOption = None,
    which: options.ConversationOption = None,
    gate: options.GateOption = None,
    rule: options.RuleOption = None,
    settings: options.SetOption = None,
    settings_file: options.SettingsFileOption = None,
    budget: Annotated[
        int | None, typer.Option(help="Tokens of everything that is sent: by sections of the message's mode.")
    ] = None,
    intent: Annotated[
        str | None,
        typer.Option(
            help="With a budget, what the message is for: task, debug, explore, learn, general, or your own."
        ),
    ] = None,
    filter: Annotated[
        bool | None,
        typer.Option(
            "--filter/--no-filter", help="With a budget, whether policy and mode drop turns that would fit."
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="Also print every turn's reason on standard error, and what a budget was spent on.",
        ),
    ] = False,
    html: Annotated[
        bool,
        typer.Option(
            "--html", help="Print every decision as an HTML page instead; --out writes it to a file."
        ),
    ] = False,
    format: options.FormatOption = None,
    skip_bad: options.SkipBadOption = False,
    redact: options.RedactOption = False,
) -> Result:
    """Choose the messages to send for the current one: a valid list, in order."""
    from convgate.core.settings import load_settings
    from convgate.modes.mode import mode_of_intent
    from convgate.selection.load import selector_of
    from convgate.selection.selection import write_selection

    options.check_current(turn, question)
    chosen = load_settings(settings_file)
    if filter is not None:
        chosen = chosen.updated(budget={"filter": filter})
    limit = chosen.budget.tokens if budget is None else budget
    if intent is not None:
        if limit is None:
            raise typer.BadParameter("an intent chooses the sections of a budget", param_hint="--intent")
        mode_of_intent(intent, chosen)  # a typing error ends the command
    conversation = inputs.read_one(file, which=which, format=format, skip_bad=skip_bad, redact=redact)
    current, history = conversation.find_current(turn, question)
    with output.encoding_progress() as progress:
        built = _build_policy(policy or chosen.policy, chosen, gate, settings, rule)
        selector = selector_of(built, chosen)
        selector.encode(conversation.turns, progress, with_modes=limit is not None)
        if earlier := [index for index in conversation.answerable() if index < history.stop]:
            selector.select_at(conversation, earlier[-1], budget=budget)  # for the prefix
        selection = selector.select_at(conversation, turn, question=question, budget=budget, intent=intent)
    for violation in selection.violations:
        output.print_note(f"chat APIs may refuse this list: {violation}")
    for line in _explain(selection) if explain else ():
        output.print_note(line)
    if html:
        from convgate.figures.share import write_html

        text = write_html(conversation, current, selection, selector.name)
    else:
        text = write_selection(conversation, current, selection)
    return Result(selection.to_json(), text=text)


def _explain(selection: Selection) -> Iterator[str]:
    """Yield a line for each turn, and what a budget was spent on."""
    for decision in selection.decisions:
        yield f"{decision.index}: {decision.reason}"
    if (spent := selection.budgeted) is None:
        return
    yield f"{spent.mode}: {spent.mode_decision.reason}"
    yield f"{selection.tokens:,} of {pluralize(spent.total, 'token')}, instead of {selection.tokens_total:,}"
    for section in spent.sections:
        yield f"{section.name.replace('_', ' ')}: {section.tokens:,} of {pluralize(section.budget, 'token')}"
        yield from (f"{section.name}, added: {turn.reason}" for turn in section.turns if turn.index is None)
    if selection.over_budget:
        yield (
            f"{pluralize(selection.over_budget, 'token')} over the budget: invariants, instructions and the"
            " current message are always sent."
        )
    yield from (f"fallback ({fallback.cause}): {fallback.reason}" for fallback in spent.fallbacks)


def _build_policy(
    name: str, settings: Settings, gate: str | None, assignments: list[str] | None, rule: str | None
) -> Policy:
    """Return the policy of the settings, with what --gate, --rule and --set change of it."""
    from convgate.policies.build import EncoderOnDemand, build_policy
    from convgate.policies.registry import check_spec
    from convgate.policies.spec import PolicySpec, read_policy

    chosen = read_policy(name)
    if chosen.name != "gate" and (gate is not None or rule is not None):
        raise typer.BadParameter(f"--gate and --rule belong to gate, not to {name}")
    values = options.parse_assignments(assignments) | ({} if rule is None else {"rule": rule})
    check_spec(PolicySpec(chosen.name, {**chosen.parameters, **values}))
    return build_policy(name, settings, EncoderOnDemand(settings), version=gate, **values)


def _score_json(conversation: Conversation, decisions: TurnDecisions, version: str) -> dict[str, Any]:
    """Return the result as `convgate score --json` prints it."""
    turns = [
        {
            **pick(decision, "index", "score", "logit", "kept", "reason", "margin"),
            "role": conversation.turns[decision.index].role,
            "tier1": decisions.value(decisions.tier1, row),
            "attention": decisions.value(decisions.attention, row),
            "parts": dict(decision.parts),
        }
        for row, decision in enumerate(decisions)
    ]
    return {**pick(decisions, "threshold", "rule", "gate_activation"), "version": version, "turns": turns}


def _show_scores(
    conversation: Conversation, decisions: TurnDecisions, version: str, current: str
) -> Iterator[Part]:
    rows = [
        {
            "turn": decision.index,
            "score": "–" if decision.score is None else f"{decision.score:.2f}",
            "text": f"{(turn := conversation.turns[decision.index]).speaker}: {turn.scored_text}",
            "reason": decision.reason,
        }
        for decision in decisions
    ]
    styles = ["bold blue" if decision.kept else "dim" for decision in decisions]
    yield Table(rows, {"score": "number", "text": "line"}, styles)
    threshold = "none" if decisions.threshold is None else f"{decisions.threshold:.2f}"
    yield f"Current message: {to_line(current, 200)}"
    yield (
        f"{len(decisions.kept_indices)} of {len(decisions)} earlier turns kept · threshold {threshold}"
        f" (rule {decisions.rule}) · gate {version}"
    )
    if decisions.because:
        yield decisions.because
    yield "Turn numbers start at 0. --json shows the parts of every score."
