"""`convgate score`: every earlier turn's score, parts, threshold and decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
)

if TYPE_CHECKING:
    from convgate.conversation import Conversation
    from convgate.decisions import TurnDecisions
    from convgate.policies.gate import GatePolicy
    from convgate.settings import Settings


def score(
    file: FileArgument,
    turn: TurnOption = None,
    question: QuestionOption = None,
    conversation: ConversationOption = None,
    gate: GateOption = None,
    rule: RuleOption = None,
    settings: SetOption = None,
    min_turns: MinTurnsOption = None,
    max_turns: MaxTurnsOption = None,
    format: FormatOption = None,
    skip_bad: SkipBadOption = False,
    settings_file: SettingsFileOption = None,
    json_output: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Score every earlier turn against the current message, and say why each is kept or dropped."""
    from convgate.settings import load_settings

    check_moment(turn, question)
    chosen = load_settings(settings_file)
    if settings_file is not None and chosen.policy != "gate":
        tell(f"{settings_file} chooses the policy {chosen.policy}, but scores are the gate's")
    talk = read_one(file, which=conversation, format=format, skip_bad=skip_bad)
    index = turn if turn is not None or question is not None else talk.current_index()
    situation, history = talk.at(index) if index is not None else talk.asked(question or "")
    with encoding_progress() as progress:
        policy = gate_policy(chosen, gate, rule, settings, min_turns, max_turns)
        policy.prepare([talk], progress=progress)
        decisions = policy.decide(situation, history)
    if json_output or out:
        write_json(score_json(talk, decisions, policy.version), out)
    else:
        _show(talk, decisions, policy.version, situation.turn.text)


def gate_policy(
    chosen: Settings,
    gate: str | None,
    rule: str | None,
    assignments: list[str] | None,
    min_turns: int | None,
    max_turns: int | None,
) -> GatePolicy:
    """The gate of the settings, with what the command line changes of its rule and limits."""
    from convgate.building import EncoderOnDemand, build_policy, find_version, rule_of
    from convgate.gate.thresholds import Limits
    from convgate.policies.gate import GatePolicy
    from convgate.versions import UNTRAINED

    limits = Limits(
        chosen.min_turns if min_turns is None else min_turns,
        chosen.max_turns if max_turns is None else max_turns,
    )
    version = find_version(chosen, gate)
    made = rule_of(chosen, rule, version, **parameters(assignments))
    policy = build_policy(
        "gate",
        chosen,
        EncoderOnDemand(chosen),
        version=version or UNTRAINED,
        rule=made,
        limits=limits,
    )
    assert isinstance(policy, GatePolicy)
    return policy


def score_json(talk: Conversation, decisions: TurnDecisions, version: str) -> dict[str, Any]:
    """The result as `convgate score --json` prints it."""
    turns = []
    for row, decision in enumerate(decisions):
        turns.append(
            {
                "index": decision.item,
                "role": talk.turns[decision.item].role,
                "score": decision.score,
                "logit": decision.logit,
                "tier1": None if decisions.tier1 is None else float(decisions.tier1[row]),
                "attention": None if decisions.attention is None else float(decisions.attention[row]),
                "kept": decision.kept,
                "reason": decision.reason,
                "margin": decision.margin,
                "parts": dict(decision.parts),
            }
        )
    return {
        "threshold": decisions.threshold,
        "rule": decisions.rule,
        "gate_activation": decisions.gate_activation,
        "version": version,
        "turns": turns,
    }


def _show(talk: Conversation, decisions: TurnDecisions, version: str, current: str) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from convgate.transcripts.characters import printable

    console = Console()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.add_column("turn", justify="right", min_width=4)
    table.add_column("", min_width=7)
    table.add_column("score", justify="right", min_width=5)
    table.add_column("who", min_width=9, max_width=16, overflow="ellipsis", no_wrap=True)
    table.add_column("text", overflow="ellipsis", no_wrap=True, ratio=1)
    for decision in decisions:
        turn = talk.turns[decision.item]
        style = "bold blue" if decision.kept else "dim"
        words = printable(" ".join(turn.scored_text[:2_000].split()))
        table.add_row(
            str(decision.item), "kept" if decision.kept else "dropped", f"{decision.score:.2f}",
            Text(printable(turn.speaker)), Text(words), style=style,
        )  # fmt: skip
    console.print(table)
    kept, total = len(decisions.kept_indices), len(decisions)
    threshold = "none" if decisions.threshold is None else f"{decisions.threshold:.2f}"
    console.print(Text(f"Now: {printable(' '.join(current[:2_000].split()))[:200]}"))
    console.print(
        f"{kept} of {total} earlier turns kept · threshold {threshold} (rule {decisions.rule})"
        f" · gate {version}",
        highlight=False,
    )
    if decisions.because:
        console.print(Text(decisions.because))
    console.print(
        "Turn numbers start at 0; --json has the parts of every score. These are the gate's own decisions:"
        " `convgate select` also sends instructions, and tool calls with all their results.",
        style="dim",
        highlight=False,
    )
