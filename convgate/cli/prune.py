"""`convgate prune`: which turns of stored conversations are no longer sent, by confidence."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from convgate.cli import inputs, options, output
from convgate.core.text import pluralize


def prune(
    keys: Annotated[
        list[str] | None, typer.Argument(help="Keys of conversations; all by default.", metavar="[KEY]...")
    ] = None,
    workspace: options.WorkspaceOption = None,
    set: options.SetOption = None,
    apply: Annotated[bool, typer.Option("--apply", help="Prune; without it nothing is changed.")] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Undo the last pruning of each conversation.")] = False,
    json_output: options.JsonOption = False,
    out: options.OutOption = None,
) -> None:
    """Prune stored conversations by the confidence of their messages: a dry run unless --apply is given.

    Pruned turns are no longer sent; the transcripts, their labels and their indices stay. --set has the
    parameters of the policy `pruning`.
    """
    from convgate.core.errors import ConfidenceError
    from convgate.core.settings import load_settings
    from convgate.policies.build import EncoderOnDemand, build_policy
    from convgate.policies.retention.pruning import apply_pruning, plan_pruning, undo_pruning
    from convgate.policies.retention_policy import Pruning
    from convgate.store import Conversations

    if apply and undo:
        raise typer.BadParameter("prune or undo, not both", param_hint="--apply, --undo")
    settings = load_settings()
    parameters = options.parse_assignments(set)
    policy = build_policy(Pruning.name, settings, EncoderOnDemand(settings), **parameters)
    assert isinstance(policy, Pruning)
    rows: list[dict[str, Any]] = []
    action: Literal["undone", "pruned", "dry run"] = "undone" if undo else "pruned" if apply else "dry run"
    with inputs.writable_library(dry_run=action == "dry run") as store:
        keys = keys or sorted(Conversations(store).keys(workspace=workspace))
        plans = []
        for key in [] if undo else keys:
            try:
                plans.append(plan_pruning(store, key, policy))
            except ConfidenceError as error:
                output.print_note(f"{key} is left out: {error}")
        for plan in plans:
            planned = [{"index": turn, "reason": reason} for turn, reason in plan.reasons.items()]
            rows.append(output.pick(plan, "key", "title", "already", "tokens") | {"turns": planned})
        with store.write():  # all or none, and locked no longer than that
            for plan in plans:
                apply_pruning(store, plan)
            undone = {key: undo_pruning(store, key) for key in keys} if undo else {}
        rows += [{"key": key, "turns": [{"index": turn} for turn in turns]} for key, turns in undone.items()]

    def show() -> None:
        n_turns = sum(len(row["turns"]) for row in rows)
        if not undo:
            lines = [
                ((row["key"], turn["index"], turn["reason"]), "") for row in rows for turn in row["turns"]
            ]
            if lines:
                output.print_table({"conversation": "word", "message": "number", "reason": "prose"}, lines)
        tokens = "" if undo else f", {pluralize(sum(row['tokens'] for row in rows), 'token')}"
        n_conversations = sum(bool(row["turns"]) for row in rows)
        summary = f"{pluralize(n_turns, 'turn')} of {pluralize(n_conversations, 'conversation')}{tokens}"
        ends = {
            "undone": "sent again.",
            "pruned": "pruned. To undo, run the command with --undo in place of --apply.",
            "dry run": "would be pruned. This was a dry run; prune with --apply.",
        }
        output.print_lines(f"{summary}: {ends[action]}")

    output.write_result({"action": action, "conversations": rows}, show, json_output, out)
