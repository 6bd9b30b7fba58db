"""Find the mode of single messages, how likely it is, and the words that show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from convgate.core.conversation import Turn
from convgate.core.settings import Settings
from convgate.embedding.base import Encoder
from convgate.embedding.states import excerpt, state_encoder
from convgate.modes.mode import MIN_CONFIDENCE, MODES, Mode, ModeDecision, ModeSource, no_mode
from convgate.text.linear import Floats, ResultCache, TextModel, count_ngrams, read_model

SHIPPED = Path(__file__).parent / "weights" / "modes.safetensors"

MAX_CACHED = 20_000
"""Messages whose decisions are cached."""


class ModeClassifier:
    """Finds the mode of single messages; safe to share between threads."""

    def __init__(self, model: TextModel, encoder: Encoder) -> None:
        self._model, self.encoder = model, encoder
        self._decisions: ResultCache[str, ModeDecision] = ResultCache(MAX_CACHED)

    def classify(self, turns: Sequence[Turn]) -> list[ModeDecision]:
        """Return a decision for each turn by its text alone; its index is the place in `turns`."""
        return self.classify_texts([turn.text for turn in turns])

    def classify_texts(self, texts: Sequence[str]) -> list[ModeDecision]:
        """Return a decision for each text. A blank one is GENERAL with low confidence."""
        decisions = self._decisions.get_many(texts, self._decide)
        return [replace(decision, index=index) for index, decision in enumerate(decisions)]

    def _decide(self, texts: Sequence[str]) -> list[ModeDecision]:
        decisions = dict.fromkeys(texts, _BLANK)
        if texts := [text for text in texts if text.strip()]:
            runs = [count_ngrams(text) for text in texts]
            vectors = self.encoder.encode([excerpt(text) for text in texts])
            for text, row, ngrams in zip(texts, self._model.probabilities(runs, vectors), runs, strict=True):
                decisions[text] = self._decision(row, self._model.signs(ngrams, MODES[int(row.argmax())]))
        return list(decisions.values())

    def _decision(self, row: Floats, signs: tuple[str, ...]) -> ModeDecision:
        likeliest = MODES[int(row.argmax())]
        confidence = float(row.max())
        is_sure = confidence >= MIN_CONFIDENCE
        mode: Mode = likeliest if is_sure else "GENERAL"
        if not is_sure:
            reason = (
                f"likeliest is {likeliest} with {confidence:.2f}, and below {MIN_CONFIDENCE:.2f}"
                " nothing is taken as sure."
            )
        else:
            evidence = (
                ", ".join(f"“{sign}”" for sign in signs)
                or f"as a whole it reads like other messages of {mode}"
            )
            reason = f"{evidence}."
        source: ModeSource = "classifier" if is_sure else "low confidence"
        probabilities = {name: float(value) for name, value in zip(MODES, row, strict=True)}
        return ModeDecision(0, mode, reason, confidence, source, likeliest, probabilities, signs)


_BLANK = no_mode("the message has no text.", dict.fromkeys(MODES, 1 / len(MODES)))


def load_classifier(settings: Settings) -> ModeClassifier:
    """Return the classifier with the shipped weights; its vectors are cached in the settings' home.

    Raises ClassifierError when the weights are missing or damaged.
    """
    return ModeClassifier(shipped_model(), state_encoder(settings))


@cache
def shipped_model() -> TextModel:
    """Return the weights that come with convgate."""
    return read_model(SHIPPED, MODES, "python -m tools.mode_figures --write")
