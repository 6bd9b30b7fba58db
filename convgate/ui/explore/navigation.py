"""The turns that have certain words, and from turn to turn of a kind."""

from __future__ import annotations

import numpy as np

from convgate.conversation import Conversation
from convgate.store.conversations import terms
from convgate.ui.steps import Indices as Indices
from convgate.ui.steps import following as following
from convgate.ui.steps import preceding as preceding


def matching(conversation: Conversation, search: str) -> Indices:
    """The turns whose speaker or text has every word of the search; "words in quotes" stay together.

    Words are found inside longer ones, in any case, as in the Library. Blank finds nothing.
    """
    wanted = [term.casefold() for term in terms(search)]
    if not wanted:
        return np.zeros(0, dtype=np.int64)
    found = []
    for index, turn in enumerate(conversation.turns):
        text = f"{turn.speaker}\n{turn.scored_text}".casefold()
        if all(term in text for term in wanted):
            found.append(index)
    return np.array(found, dtype=np.int64)
