"""What a provider counted for logged requests, compared with the tokens that convgate counts in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from convgate.core.conversation import Conversation
from convgate.core.text import pluralize
from convgate.costs.prices import Usage
from convgate.messages.tokens import TokenCounter, turn_tokens


@dataclass(frozen=True, slots=True)
class LoggedUsage:
    """Sums over the logged requests that have a `usage`."""

    requests: int
    provider: int  # tokens of their input
    counted: int  # by convgate, of all turns before the answer
    ratio: float  # the provider's tokens by these, of what each request has more than the one before
    besides: int  # mean tokens of a request by which it is above the ratio: instructions and tools

    def describe(self) -> str:
        """Return the figures as a sentence."""
        besides = f", and {self.besides:,} in each request besides the messages" if self.besides else ""
        return (
            f"The provider counted {self.ratio:.2f} × these tokens{besides}: {self.provider:,} in"
            f" {pluralize(self.requests, 'logged request')}, {self.counted:,} counted here."
        )


def read_logged_usage(
    conversations: Iterable[Conversation], counter: TokenCounter | None = None
) -> LoggedUsage | None:
    """Return the usage in the metadata of answers compared with the turns before them; None without any.

    What is in every request, as tools are, cancels out between two requests of a conversation. Where the
    input shrinks, as by a compaction, nothing is compared.
    """
    counted, provider, more = list[int](), list[int](), np.zeros(2)
    for conversation in conversations:
        before = np.cumsum([0, *turn_tokens(conversation.turns, counter)]).tolist()
        requests = [
            (before[index], usage.total)
            for index, turn in enumerate(conversation.turns)
            if isinstance(logged := turn.metadata.get("usage"), Mapping)
            and (usage := Usage.of(logged)) is not None
            and usage.total > 0
            and index > 0
        ]
        counted += [own for own, _ in requests]
        provider += [tokens for _, tokens in requests]
        steps = (np.subtract(later, earlier) for earlier, later in pairwise(requests))
        more += sum((step for step in steps if (step > 0).all()), np.zeros(2))
    if not counted:
        return None
    ratio = float(more[1] / more[0]) if more[0] else sum(provider) / sum(counted)
    besides = (sum(provider) - ratio * sum(counted)) / len(counted)
    return LoggedUsage(len(counted), sum(provider), sum(counted), ratio, max(0, round(besides)))
