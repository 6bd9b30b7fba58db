"""The classifier: from a message to its mode, how sure that is, and what in the message speaks for it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

from convgate.context.classifier.model import Floats, TextModel
from convgate.context.classifier.words import excerpt, runs_of
from convgate.context.mode import LEAST_CONFIDENCE, MODES, Mode, ModeDecision
from convgate.context.modes.quality import weak_modes
from convgate.conversation import Turn
from convgate.embedding.base import Encoder

REMEMBERED = 20_000
"""Messages whose decision is remembered, so that a growing conversation costs only what is new."""


class ModeClassifier:
    """Finds the mode of single messages; safe to share between threads."""

    def __init__(self, model: TextModel, encoder: Encoder, *, remembered: int = REMEMBERED) -> None:
        self._model, self._weak = model, weak_modes(model.info)
        self._encoder, self._capacity = encoder, remembered
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
            known |= self._decide(new)
        with self._lock:
            for text in texts:
                self._memory[text] = known[text]
                self._memory.move_to_end(text)
            while len(self._memory) > self._capacity:
                self._memory.popitem(last=False)
        return [replace(known[text], item=item) for item, text in enumerate(texts)]

    def _decide(self, texts: Sequence[str]) -> dict[str, ModeDecision]:
        decided = {text: _BLANK for text in texts if not text.strip()}
        told = [text for text in texts if text not in decided]
        if told:
            runs = [runs_of(text) for text in told]
            vectors = self._encoder.encode([excerpt(text) for text in told])
            for text, row, said in zip(told, self._model.probabilities(runs, vectors), runs, strict=True):
                decided[text] = self._decision(row, self._model.signs(said, MODES[int(row.argmax())]))
        return decided

    def _decision(self, row: Floats, signs: tuple[str, ...]) -> ModeDecision:
        likeliest = MODES[int(row.argmax())]
        confidence = float(row.max())
        sure = confidence >= LEAST_CONFIDENCE
        mode: Mode = likeliest if sure and likeliest not in self._weak else "GENERAL"
        if not sure:
            why = f"likeliest is {likeliest} with {confidence:.2f}, and below {LEAST_CONFIDENCE:.2f} nothing"
            reason = f"GENERAL: {why} is taken as sure."
        elif likeliest in self._weak:
            reason = f"GENERAL: it looks like {likeliest}, which is not told apart well enough to be used."
        else:
            told = quoted(signs) or f"as a whole it reads like other messages of {mode}"
            reason = f"{mode} with {confidence:.2f}: {told}."
        return ModeDecision(
            item=0,
            outcome=mode,
            rule="classifier",
            reason=reason,
            stage="mode",
            mode=mode,
            confidence=confidence,
            source="classifier" if sure else "low confidence",
            likeliest=likeliest,
            probabilities={name: float(value) for name, value in zip(MODES, row, strict=True)},
            signs=signs,
        )


_BLANK = ModeDecision(
    item=0,
    outcome="GENERAL",
    rule="classifier",
    reason="GENERAL: the message has no text.",
    stage="mode",
    mode="GENERAL",
    confidence=1 / len(MODES),
    source="low confidence",
    likeliest="GENERAL",
    probabilities=dict.fromkeys(MODES, 1 / len(MODES)),
)


def quoted(signs: Sequence[str]) -> str:
    """Return n-grams as a list for a person to read."""
    return ", ".join(f"“{sign}”" for sign in signs)
