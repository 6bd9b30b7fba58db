"""Hold what may not be lost: turns that state a lasting instruction, whatever the policy decides.

Instructions to the model, summaries and tool units are held too, by `convgate.messages.make_valid`.
"""

from __future__ import annotations

from collections.abc import Sequence

from convgate.core.decisions import HOLD, Override, TurnDecisions
from convgate.invariants.invariant import Invariant, quote_line
from convgate.messages.tokens import TokenCounter
from convgate.selection.added import AddedMessage, restate
from convgate.selection.request import Request


def hold(
    request: Request, decisions: TurnDecisions, held: Sequence[Invariant], counter: TokenCounter | None
) -> tuple[TurnDecisions, list[AddedMessage]]:
    """Return the decisions with every turn kept that states what must hold, and what is stated beside them.

    An invariant is stated in a message of its own where its turn is never sent, or says it in other words.
    """
    statements = restate(held, request.table, counter) if request.adds else []
    dropped = set(decisions.indices[~decisions.kept].tolist())
    return decisions.with_overrides(
        {
            invariant.source: Override(
                invariant.type,
                f"it states what must hold ({invariant.label}): {quote_line(invariant.text)}.",
                "as a rule",
                HOLD,
                kept=True,
            )
            for invariant in reversed(held)
            if invariant.source in dropped
        }
    ), statements
