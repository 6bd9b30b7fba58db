"""`convgate prune`: which turns of stored conversations are no longer sent, by confidence."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer
from typer import Argument, Option

from convgate.cli import inputs, options, output
from convgate.cli.result import Result, Table, pick, with_json
from convgate.core.text import pluralize

Action = Literal["undone", "pruned", "dry run"]
_OUTCOMES: dict[Action, str] = {
    "undone": "sent again.",
    "pruned": "pruned. To undo, run the command with --undo in place of --apply.",
    "dry run": "would be pruned. This was a dry run; prune with --apply.",
}


@with_json
def prune(
    keys: Annotated[list[str] | None, Argument(help="Keys of conversations; all by default.")] = None,
    workspace: options.WorkspaceOption = None,
    set: options.SetOption = None,
    apply: Annotated[bool, Option("--apply", help="Prune; without it nothing is changed.")] = False,
    undo: Annotated[bool, Option("--undo", help="Undo the last pruning of each conversation.")] = False,
) -> Result:
    """Prune stored conversations by the confidence of their messages: a dry run unless --apply is given.

    Pruned turns are no longer sent; the transcripts, their labels and their indices stay. --set has the
    parameters of the policy `pruning`.
    """
    from convgate.core.errors import ConfidenceError
    from convgate.core.settings import load_settings
    from convgate.policies.build import EncoderOnDemand, build_policy
    from convgate.policies.retention.policy import Pruning
    from convgate.policies.retention.pruning import apply_pruning, plan_pruning, undo_pruning
    from convgate.store import Conversations

    if apply and undo:
        raise typer.BadParameter("prune or undo, not both", param_hint="--apply, --undo")
    settings, parameters = load_settings(), options.parse_assignments(set)
    policy = build_policy(Pruning.name, settings, EncoderOnDemand(settings), **parameters)
    assert isinstance(policy, Pruning)
    action: Action = "undone" if undo else "pruned" if apply else "dry run"
    plans = []
    with inputs.writable_library(dry_run=action == "dry run") as store:
        keys = keys or sorted(Conversations(store).keys(workspace=workspace))
        for key in [] if undo else keys:
            try:
                plans.append(plan_pruning(store, key, policy))
            except ConfidenceError as error:
                output.print_note(f"{key} is left out: {error}")
        with store.write():  # all or none, and locked no longer than that
            for plan in plans:
                apply_pruning(store, plan)
            undone = {key: undo_pruning(store, key) for key in keys} if undo else {}
    rows: list[dict[str, Any]] = [
        pick(plan, "key", "title", "already", "tokens")
        | {"turns": [{"index": turn, "reason": reason} for turn, reason in plan.reasons.items()]}
        for plan in plans
    ]
    rows += [{"key": key, "turns": [{"index": turn} for turn in turns]} for key, turns in undone.items()]
    reasons = [
        {"conversation": plan.key, "message": turn, "reason": reason}
        for plan in plans
        for turn, reason in plan.reasons.items()
    ]
    n_turns = sum(len(row["turns"]) for row in rows)
    n_conversations = sum(bool(row["turns"]) for row in rows)
    tokens = "" if undo else f", {pluralize(sum(plan.tokens for plan in plans), 'token')}"
    counts = f"{pluralize(n_turns, 'turn')} of {pluralize(n_conversations, 'conversation')}{tokens}"
    table = Table(reasons, {"conversation": "word"})
    return Result({"action": action, "conversations": rows}, table, f"{counts}: {_OUTCOMES[action]}")
