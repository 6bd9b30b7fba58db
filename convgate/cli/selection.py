"""`convgate score` and `convgate select`: scores of earlier turns, and the messages that go to the model."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convgate.cli import inputs, options, output
from convgate.cli.result import Part, Result, Table, with_json
from convgate.core.text import to_line

if TYPE_CHECKING:
    from convgate.core.conversation import Conversation
    from convgate.core.decisions import TurnDecisions
    from convgate.core.settings import Settings
    from convgate.policies.base import Policy


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
    from convgate.selection.selector import Selector

    options.check_current(turn, question)
    chosen = load_settings(settings_file)
    if settings_file is not None and chosen.policy != "gate":
        output.print_note(f"{settings_file} chooses the policy {chosen.policy}, but scores are the gate's")
    conversation = inputs.read_one(file, which=which, format=format, skip_bad=skip_bad)
    current, history = conversation.find_current(turn, question)
    with output.encoding_progress() as progress:
        policy = _build_policy("gate", chosen, gate, settings, rule)
        assert isinstance(policy, GatePolicy)
        policy.prepare([conversation], progress=progress)
        selector = Selector.of(policy, chosen)
        decisions = selector.valid(current, history, selector.decide(current, history)).decisions
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
    explain: Annotated[
        bool, typer.Option("--explain", help="Also print every turn's reason on standard error.")
    ] = False,
    format: options.FormatOption = None,
    skip_bad: options.SkipBadOption = False,
    redact: options.RedactOption = False,
) -> Result:
    """Choose the messages to send for the current one: a valid list, in order."""
    from convgate.core.settings import load_settings
    from convgate.policies.base import PreparablePolicy
    from convgate.selection.selector import Selector, write_selection

    options.check_current(turn, question)
    chosen = load_settings(settings_file)
    conversation = inputs.read_one(file, which=which, format=format, skip_bad=skip_bad, redact=redact)
    current, history = conversation.find_current(turn, question)
    with output.encoding_progress() as progress:
        selector = Selector.of(_build_policy(policy or chosen.policy, chosen, gate, settings, rule), chosen)
        if isinstance(selector.policy, PreparablePolicy):
            selector.policy.prepare([conversation], progress=progress)
        selection = selector.valid(current, history, selector.decide(current, history))
    for violation in selection.violations:
        output.print_note(f"chat APIs may refuse this list: {violation}")
    for decision in selection.decisions if explain else ():
        sys.stderr.write(f"{decision.index}\t{decision.reason}\n")
    decisions = [decision.to_json() for decision in selection.decisions]
    values = {"messages": selection.messages, "decisions": decisions}
    return Result(values, text=write_selection(conversation, current, selection))


def _build_policy(
    name: str, settings: Settings, gate: str | None, assignments: list[str] | None, rule: str | None
) -> Policy:
    """Return the policy of the settings, with what --gate, --rule and --set change of it."""
    from convgate.policies.build import EncoderOnDemand, build_policy
    from convgate.policies.registry import check_spec
    from convgate.policies.spec import PolicySpec

    if name != "gate" and (gate is not None or rule is not None):
        raise typer.BadParameter(f"--gate and --rule belong to gate, not to {name}")
    values = options.parse_assignments(assignments) | ({} if rule is None else {"rule": rule})
    check_spec(PolicySpec(name, values))
    return build_policy(name, settings, EncoderOnDemand(settings), version=gate, **values)


def _score_json(conversation: Conversation, decisions: TurnDecisions, version: str) -> dict[str, Any]:
    """Return the result as `convgate score --json` prints it."""
    turns = [
        {
            "index": decision.index,
            "role": conversation.turns[decision.index].role,
            "score": decision.score,
            "logit": decision.logit,
            "tier1": decisions.value(decisions.tier1, row),
            "attention": decisions.value(decisions.attention, row),
            "kept": decision.kept,
            "reason": decision.reason,
            "margin": decision.margin,
            "parts": dict(decision.parts),
        }
        for row, decision in enumerate(decisions)
    ]
    return {
        "threshold": decisions.threshold,
        "rule": decisions.rule,
        "gate_activation": decisions.gate_activation,
        "version": version,
        "turns": turns,
    }


def _show_scores(
    conversation: Conversation, decisions: TurnDecisions, version: str, current: str
) -> Iterator[Part]:
    rows = [
        {
            "turn": decision.index,
            "decision": ("kept" if decision.kept else "dropped") + (" anyway" if decision.forced else ""),
            "score": "–" if decision.score is None else f"{decision.score:.2f}",
            "speaker": conversation.turns[decision.index].speaker,
            "text": conversation.turns[decision.index].scored_text,
        }
        for decision in decisions
    ]
    styles = ["bold blue" if decision.kept else "dim" for decision in decisions]
    yield Table(rows, {"decision": "word", "score": "number", "speaker": "word", "text": "line"}, styles)
    threshold = "none" if decisions.threshold is None else f"{decisions.threshold:.2f}"
    yield f"Current message: {to_line(current, 200)}"
    yield (
        f"{len(decisions.kept_indices)} of {len(decisions)} earlier turns kept · threshold {threshold}"
        f" (rule {decisions.rule}) · gate {version}"
    )
    if decisions.because:
        yield decisions.because
    yield "Turn numbers start at 0. --json shows the parts of every score."
