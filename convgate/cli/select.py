"""`convgate select`: the messages that go to the model, in the input's own format."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from convgate.cli.output import (
    ConversationOption,
    FileArgument,
    FormatOption,
    GateOption,
    JsonOption,
    MaxTurnsOption,
    MinTurnsOption,
    OutOption,
    QuestionOption,
    RedactOption,
    RuleOption,
    SetOption,
    SettingsFileOption,
    SkipBadOption,
    TurnOption,
    check_moment,
    encoding_progress,
    parameters,
    read_one,
    tell,
    write_json,
    write_text,
)

if TYPE_CHECKING:
    from convgate.conversation import Conversation
    from convgate.policies.base import Policy
    from convgate.settings import Settings


def select(
    file: FileArgument,
    policy: Annotated[
        str | None, typer.Option(help="How turns are chosen; the gate unless the settings say otherwise.")
    ] = None,
    turn: TurnOption = None,
    question: QuestionOption = None,
    conversation: ConversationOption = None,
    gate: GateOption = None,
    rule: RuleOption = None,
    settings: SetOption = None,
    min_turns: MinTurnsOption = None,
    max_turns: MaxTurnsOption = None,
    pair_answers: Annotated[
        bool | None,
        typer.Option("--pair-answers/--no-pair-answers", help="Keep a question and its answer together."),
    ] = None,
    settings_file: SettingsFileOption = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also say why, for every turn, on standard error.")
    ] = False,
    format: FormatOption = None,
    skip_bad: SkipBadOption = False,
    redact: RedactOption = False,
    json_output: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Choose the messages to send for the current one: a valid list, in order."""
    from convgate.cli.score import gate_policy
    from convgate.policies.base import Prepares
    from convgate.selector import Selector, write_selection
    from convgate.settings import load_settings

    check_moment(turn, question)
    chosen = load_settings(settings_file)
    policy = policy or chosen.policy
    if policy != "gate" and any(option is not None for option in (gate, rule, min_turns, max_turns)):
        raise typer.BadParameter(
            f"--gate, --rule, --min-turns and --max-turns belong to gate, not to {policy}"
        )
    talk = read_one(file, which=conversation, format=format, skip_bad=skip_bad, redact=redact)
    with encoding_progress() as progress:
        made = (
            gate_policy(chosen, gate, rule, settings, min_turns, max_turns)
            if policy == "gate"
            else _other_policy(policy, chosen, settings)
        )
        if isinstance(made, Prepares):
            made.prepare([talk], progress=progress)
        selector = Selector(made, pair_answers=chosen.pair_answers)
        situation, _ = talk.asked(question) if question is not None else talk.at(_index(talk, turn))
        selection = selector.select_at(talk, situation.index, question=question, pair_answers=pair_answers)
    for violation in selection.violations:
        tell(f"chat APIs may refuse this list: {violation}")
    if explain and not json_output:
        for decision in selection.decisions:
            sys.stderr.write(f"{decision.item}\t{decision.reason}\n")
    if json_output:
        decisions = [decision.to_json() for decision in selection.decisions]
        write_json({"messages": selection.messages, "decisions": decisions}, out)
    else:
        write_text(write_selection(talk, situation, selection), out)


def _other_policy(name: str, chosen: Settings, assignments: list[str] | None) -> Policy:
    from convgate.building import EncoderOnDemand, build_policy
    from convgate.errors import PolicyError
    from convgate.policies.registry import policy_settings

    values, known = parameters(assignments), policy_settings(name)
    if unknown := sorted(set(values) - set(known)):
        told = ", ".join(known) or "none"
        raise PolicyError(f"the policy {name} has no setting {', '.join(unknown)}; it has {told}")
    return build_policy(name, chosen, EncoderOnDemand(chosen), **values)


def _index(talk: Conversation, turn: int | None) -> int:
    return talk.current_index() if turn is None else turn
