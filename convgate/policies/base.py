"""What a policy is: everything that chooses turns has this one shape."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Conversation, CurrentMessage, History, Turn
from convgate.core.decisions import SCORE, Floats, Override, TurnDecisions
from convgate.embedding.base import Encoder, Progress
from convgate.gate.rule import Rule, TurnLimits

NO_LIMITS = TurnLimits()


class Policy(Protocol):
    """Decides for every turn of a history whether the model sees it.

    A policy that needs embeddings takes an encoder when it is built; the others never pay for one.
    """

    name: ClassVar[str]
    label: ClassVar[str]  # one line for a menu
    ranks: ClassVar[bool]  # whether its scores order the turns by relevance; else ranking metrics are null

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return one decision a turn of the history, in its order; an empty history gives none."""
        ...


def history_indices(history: History) -> NDArray[np.int64]:
    """Return (n,) the conversation's indices of the history's turns."""
    return np.arange(history.start, history.stop, dtype=np.int64)


@runtime_checkable
class PreparablePolicy(Protocol):
    """A policy that has something to do before it decides, best done for all conversations at once."""

    def prepare(self, conversations: Sequence[Conversation], *, progress: Progress | None = None) -> None:
        """Prepare; `progress` is called with how much is done."""
        ...


def encoder_of(policy: Policy) -> Encoder | None:
    """Return what the policy embeds turns with; None for a policy that needs no embeddings."""
    return getattr(policy, "encoder", None)


class EncoderMixin:
    """What policies share that need embeddings."""

    encoder: Encoder

    def prepare(self, conversations: Sequence[Conversation], *, progress: Progress | None = None) -> None:
        """Encode the conversations' turns in one go, so that deciding finds them in the cache."""
        turns = [turn for conversation in conversations for turn in conversation.turns]
        self.encode_turns(turns, progress=progress)

    def encode_turns(self, turns: Sequence[Turn], progress: Progress | None = None) -> None:
        """Encode turns, so that deciding finds them in the cache."""
        self.encoder.encode_passages([turn.scored_text for turn in turns], progress=progress)


class WholeHistoryPolicy:
    """A policy that decides by the conversation as it happened, which turns left out would falsify.

    In a pipeline it sees every turn, also those that the stages before it dropped; it brings none back.
    """


def decide_by_rule(
    policy: str,
    indices: NDArray[np.int64],
    scores: Floats,
    rule: Rule,
    *,
    learned: float,
    limits: TurnLimits = NO_LIMITS,
    tokens: NDArray[np.int64] | None = None,
    note: Callable[[int], str | None] | None = None,
) -> TurnDecisions:
    """Return decisions of `rule` over (n,) scores of the turns `indices`, within the limits.

    `learned` is the policy's own threshold.
    """
    cut = rule.cut(scores, learned=learned, tokens=tokens)
    decisions = TurnDecisions(
        policy=policy,
        rule=rule.name,
        indices=indices,
        kept=cut.kept,
        why_kept=cut.why_kept,
        why_dropped=cut.why_dropped,
        scores=scores,
        threshold=cut.threshold,
        because=cut.because,
        note=note,
    )
    changes = limits.changes(scores, cut.kept)
    return decisions.with_overrides(
        {
            int(indices[row]): Override(
                "limits", f"{scores[row]:.2f}, {reason}", stage=SCORE, kept=not cut.kept[row]
            )
            for row, reason in changes.items()
        }
    )
