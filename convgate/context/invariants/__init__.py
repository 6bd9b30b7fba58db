"""What the user said that has to hold on: found per turn, superseded, lifted or resolved later.

    judge = load_judge(load_settings())
    invariants = find_invariants(conversation.turns, judge)
    active = [invariant for invariant in invariants if invariant.active]

A person's edits beat what is found: `with_edits(conversation, InvariantEdits(store).of(key))`.
"""

from convgate.context.invariants.edits import edits_of, with_edits
from convgate.context.invariants.finding import find_invariants
from convgate.context.invariants.judge import load_judge
from convgate.store.edits import InvariantEdit

__all__ = ["InvariantEdit", "edits_of", "find_invariants", "load_judge", "with_edits"]
