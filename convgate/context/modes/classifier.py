"""The classifier: from a message to its mode, how sure that is, and what in the message speaks for it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from convgate.context.mode import LEAST_CONFIDENCE, MODES, ModeDecision
from convgate.context.modes.model import ModeModel
from convgate.conversation import Turn
from convgate.embedding.base import Encoder

REMEMBERED = 20_000
"""Messages whose decision is remembered, so that a growing conversation costs only what is new."""


class ModeClassifier:
    """Finds the mode of single messages; safe to share between threads."""

    def __init__(self, model: ModeModel, encoder: Encoder, *, remembered: int = REMEMBERED) -> None:
        self._model, self._encoder, self._capacity = model, encoder, remembered
        self._memory: OrderedDict[str, ModeDecision] = OrderedDict()
        self._lock = threading.Lock()

    def classify(self, turns: Sequence[Turn]) -> list[ModeDecision]:
        """A decision for each turn by its text alone; its item is the place in `turns`."""
        return self.classify_texts([turn.text for turn in turns])

    def classify_texts(self, texts: Sequence[str]) -> list[ModeDecision]:
        """The same of texts. A blank one is GENERAL, and nothing is sure of it."""
        with self._lock:
            known = {text: self._memory[text] for text in texts if text in self._memory}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known |= dict(zip(new, self._decide(new), strict=True))
        with self._lock:
            for text in texts:
                self._memory[text] = known[text]
                self._memory.move_to_end(text)
            while len(self._memory) > self._capacity:
                self._memory.popitem(last=False)
        return [replace(known[text], item=item) for item, text in enumerate(texts)]

    def _decide(self, texts: Sequence[str]) -> list[ModeDecision]:
        probabilities = self._model.probabilities(self._encoder.encode(texts))
        return [_decision(row) for row in probabilities]


def _decision(row: np.ndarray) -> ModeDecision:
    likeliest = MODES[int(row.argmax())]
    confidence = float(row.max())
    mode = likeliest if confidence >= LEAST_CONFIDENCE else "GENERAL"
    return ModeDecision(
        item=0,
        outcome=mode,
        rule="classifier",
        reason=f"{mode} with {confidence:.2f}.",
        stage="mode",
        mode=mode,
        confidence=confidence,
        source="classifier" if confidence >= LEAST_CONFIDENCE else "low confidence",
        likeliest=likeliest,
        probabilities={name: float(value) for name, value in zip(MODES, row, strict=True)},
    )
