"""The options that several commands have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

FileArgument = Annotated[Path, Argument(help="A transcript; - reads standard input.", allow_dash=True)]
LinesArgument = Annotated[
    Path, Argument(help="Lines of JSON; - reads standard input.", metavar="FILE.jsonl", allow_dash=True)
]
SetsArgument = Annotated[list[Path], Argument(help="Relevance sets (JSONL).", metavar="SET.jsonl")]
TurnOption = Annotated[
    int | None,
    Option(help="The current message, from 0; the last from the user or a tool by default.", min=0),
]
QuestionOption = Annotated[str | None, Option(help="A question after the last turn, in place of --turn.")]
ConversationOption = Annotated[
    str | None, Option("--conversation", help="Which one of the file: its id, or its number from 0.")
]
FormatOption = Annotated[
    str | None,
    Option(
        "--format", "--map", metavar="NAME|FIELDS",
        help="The file's format, or the fields of a list in none: text=body,speaker=from,time=at,"
        "assistant=Helper; detected by default.",
    ),
]  # fmt: skip
SkipBadOption = Annotated[bool, Option("--skip-bad", help="Skip what cannot be read instead of stopping.")]
GateOption = Annotated[str | None, Option("--gate", help="A version of the gate, or a folder with weights.")]
RuleOption = Annotated[str | None, Option("--rule", help="The gate's threshold rule.")]
SetOption = Annotated[
    list[str] | None,
    Option(
        "--set", help="A parameter of the rule or policy, such as k=5; may be repeated.", metavar="NAME=VALUE"
    ),
]
PolicyOption = Annotated[str | None, Option("--policy", help="The policy; that of the settings by default.")]
SettingsFileOption = Annotated[
    Path | None, Option("--settings", help="Use this settings file instead of the usual one.", dir_okay=False)
]
OutOption = Annotated[Path | None, Option("--out", help="Write to this file instead.", dir_okay=False)]
ForceOption = Annotated[bool, Option("--force", help="Overwrite an existing file.")]
RedactOption = Annotated[bool, Option("--redact", help="Redact secrets: API keys, tokens, passwords.")]
WorkspaceOption = Annotated[str | None, Option(help="Only conversations of this workspace.")]
DryRunOption = Annotated[bool, Option("--dry-run", help="Show what would change; store nothing.")]
AddressOption = Annotated[
    str | None, Option(help="A Ray cluster, such as ray://host:10001; none by default.")
]
WorkersOption = Annotated[int | None, Option(help="Processes that decide; as many as fit by default.", min=1)]
WhoOption = Annotated[str | None, Option("--who", help="Who decides; your user name by default.")]


def check_current(turn: int | None, question: str | None) -> None:
    """Raise BadParameter for a turn together with a question."""
    if turn is not None and question is not None:
        raise typer.BadParameter("a turn or a question, not both", param_hint="--turn, --question")


def given(**options: Any) -> dict[str, Any]:
    """Return the options that were given, by their names."""
    return {name: value for name, value in options.items() if value is not None}


def parse_assignments(assignments: list[str] | None) -> dict[str, Any]:
    """Return the values of `--set name=value`: JSON where it is JSON, else text.

    >>> parse_assignments(["k=5", "goal=precision"])
    {'k': 5, 'goal': 'precision'}
    """
    values: dict[str, Any] = {}
    for assignment in assignments or []:
        name, separator, value = assignment.partition("=")
        if not separator or not name:
            raise typer.BadParameter(f"{assignment!r} is not of the form NAME=VALUE", param_hint="--set")
        try:
            values[name] = json.loads(value)
        except json.JSONDecodeError:
            values[name] = value
    return values


def parse_arm(text: str, option: str) -> tuple[str, str]:
    """Return the name and the policy of an arm, ARM=POLICY."""
    name, separator, policy = text.partition("=")
    if not separator or not policy.strip():
        raise typer.BadParameter(f"{text!r} is not of the form ARM=POLICY", param_hint=option)
    return name.strip(), policy
