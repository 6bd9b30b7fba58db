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
    OutOption,
    QuestionOption,
    RuleOption,
    SetOption,
    SkipBadOption,
    TurnOption,
    encoding_progress,
    parameters,
    read_one,
    write_json,
    write_text,
)

if TYPE_CHECKING:
    from convgate.policies.base import Policy


def select(
    file: FileArgument,
    policy: Annotated[str, typer.Option(help="How turns are chosen.")] = "gate",
    turn: TurnOption = None,
    question: QuestionOption = None,
    conversation: ConversationOption = None,
    gate: GateOption = None,
    rule: RuleOption = None,
    settings: SetOption = None,
    pair_answers: Annotated[
        bool, typer.Option("--pair-answers", help="Keep a question and its answer together.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also say why, for every turn, on standard error.")
    ] = False,
    format: FormatOption = None,
    skip_bad: SkipBadOption = False,
    json_output: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Choose the messages to send for the current one: a valid list, in order."""
    from convgate.cli.score import gate_policy
    from convgate.errors import ConvgateError
    from convgate.selector import EncoderOnDemand, Selector, build_policy
    from convgate.settings import load_settings
    from convgate.transcripts import write_conversation

    if turn is not None and question is not None:
        raise ConvgateError("select takes --turn or --question, not both")
    if policy != "gate" and (rule or gate):
        raise ConvgateError(f"--rule and --gate belong to the policy gate, not to {policy}")
    talk = read_one(file, which=conversation, format=format, skip_bad=skip_bad)
    made: Policy
    with encoding_progress() as progress:
        if policy == "gate":
            made = gate_policy(gate, rule, settings)
        else:
            chosen = load_settings()
            made = build_policy(policy, chosen, EncoderOnDemand(chosen), **parameters(settings))
        if hasattr(made, "prepare"):
            made.prepare([talk], progress=progress)
        selection = Selector(made).select_at(talk, turn, question=question, pair_answers=pair_answers)
    if explain and not json_output:
        for decision in selection.decisions:
            sys.stderr.write(f"{decision.item}\t{decision.reason}\n")
    if json_output:
        decisions = [decision.to_json() for decision in selection.decisions]
        write_json({"messages": selection.messages, "decisions": decisions}, out)
    else:
        write_text(write_conversation(talk, indices=selection.indices), out)
