"""Find the mode of single messages, how likely it is, and the words that show it.

The bundled encoder has shipped weights; for any other one they are fitted at first use.
"""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

from convgate.bundled import BUNDLED_MODEL, BUNDLED_SHA256
from convgate.context.classifier.model import (
    Floats,
    ResultCache,
    TextModel,
    excerpt,
    read_model,
    runs_of,
    write_model,
)
from convgate.context.classifier.states import state_encoder
from convgate.context.mode import MIN_CONFIDENCE, MODES, Mode, ModeDecision, Source, no_mode
from convgate.context.modes.fitting import (
    SHARED_TUNING,
    Prepared,
    fit,
    messages_hash,
    packaged_messages,
    weak_modes,
)
from convgate.conversation import Turn
from convgate.embedding.base import Encoder, EncoderIdentity
from convgate.errors import ContextError
from convgate.home import is_read_only
from convgate.settings import Settings

SHIPPED = Path(__file__).parent / "weights" / "modes.safetensors"

MAX_CACHED = 20_000
"""Messages whose decisions are cached."""

_AGAIN = "python -m tools.mode_figures --write"
_FITTED: dict[EncoderIdentity, TextModel] = {}
_LOCK = threading.Lock()

log = logging.getLogger(__name__)


class ModeClassifier:
    """Finds the mode of single messages; safe to share between threads."""

    def __init__(self, model: TextModel, encoder: Encoder, *, max_cached: int = MAX_CACHED) -> None:
        self._model, self._weak = model, weak_modes(model.info)
        self._encoder = encoder
        self._decisions: ResultCache[str, ModeDecision] = ResultCache(max_cached)

    def classify(self, turns: Sequence[Turn]) -> list[ModeDecision]:
        """Return a decision for each turn by its text alone; its item is the place in `turns`."""
        return self.classify_texts([turn.text for turn in turns])

    def classify_texts(self, texts: Sequence[str]) -> list[ModeDecision]:
        """Return a decision for each text. A blank one is GENERAL with low confidence."""
        decisions = self._decisions.get_many(texts, self._decide)
        return [replace(decision, item=item) for item, decision in enumerate(decisions)]

    def _decide(self, texts: Sequence[str]) -> list[ModeDecision]:
        decisions = dict.fromkeys(texts, _BLANK)
        if texts := [text for text in texts if text.strip()]:
            runs = [runs_of(text) for text in texts]
            vectors = self._encoder.encode([excerpt(text) for text in texts])
            for text, row, ngrams in zip(texts, self._model.probabilities(runs, vectors), runs, strict=True):
                decisions[text] = self._decision(row, self._model.signs(ngrams, MODES[int(row.argmax())]))
        return list(decisions.values())

    def _decision(self, row: Floats, signs: tuple[str, ...]) -> ModeDecision:
        likeliest = MODES[int(row.argmax())]
        confidence = float(row.max())
        sure = confidence >= MIN_CONFIDENCE
        mode: Mode = likeliest if sure and likeliest not in self._weak else "GENERAL"
        if not sure:
            reason = (
                f"GENERAL: likeliest is {likeliest} with {confidence:.2f}, and below {MIN_CONFIDENCE:.2f}"
                " nothing is taken as sure."
            )
        elif likeliest in self._weak:
            reason = f"GENERAL: it looks like {likeliest}, which is not told apart well enough to be used."
        else:
            evidence = quote_signs(signs) or f"as a whole it reads like other messages of {mode}"
            reason = f"{mode} with {confidence:.2f}: {evidence}."
        source: Source = "classifier" if sure else "low confidence"
        probabilities = {name: float(value) for name, value in zip(MODES, row, strict=True)}
        return ModeDecision(
            0, mode, "classifier", reason, "mode", mode, confidence, source, likeliest, probabilities, signs
        )


_BLANK = no_mode("the message has no text.", dict.fromkeys(MODES, 1 / len(MODES)))


def quote_signs(signs: Sequence[str]) -> str:
    """Return n-grams as a list for a person to read."""
    return ", ".join(f"“{sign}”" for sign in signs)


def load_classifier(encoder: Encoder | Callable[[], Encoder], settings: Settings) -> ModeClassifier:
    """Return the classifier that goes with the gate's encoder, which is only loaded where it is needed.

    With the bundled encoder it has shipped weights and reads that encoder's fourth layer. For any other one
    it is fitted to that encoder's own vectors of the packaged messages, once, and kept in the home folder.
    Raises ContextError when the shipped weights are missing or damaged.
    """
    if callable(encoder):
        if settings.encoder == BUNDLED_MODEL:
            return ModeClassifier(_shipped(), state_encoder(settings))
        encoder = encoder()
    if is_bundled(encoder.identity):
        return ModeClassifier(_shipped(), state_encoder(settings))
    return ModeClassifier(_fitted(encoder, settings), encoder)


def is_bundled(identity: EncoderIdentity) -> bool:
    """Whether the encoder is the one that comes with convgate, in whatever precision."""
    return (identity.model, identity.revision) == (BUNDLED_MODEL, BUNDLED_SHA256)


@cache
def _shipped() -> TextModel:
    return read_model(SHIPPED, MODES, _AGAIN)


def _fitted(encoder: Encoder, settings: Settings) -> TextModel:
    with _LOCK:
        if encoder.identity not in _FITTED:
            _FITTED[encoder.identity] = _read_or_fit(encoder, settings)
        return _FITTED[encoder.identity]


def _read_or_fit(encoder: Encoder, settings: Settings) -> TextModel:
    messages = packaged_messages()
    identity = json.dumps(asdict(encoder.identity), sort_keys=True).encode()
    file = settings.home / "modes" / f"{hashlib.sha256(identity).hexdigest()[:16]}.safetensors"
    if file.exists():
        try:
            model = read_model(file, MODES, _AGAIN)
            if model.info["messages"] == messages_hash(messages):
                return model
        except ContextError as error:
            log.warning("The modes are fitted anew: %s", error)
    model = fit(Prepared.of(messages, encoder), SHARED_TUNING)
    if not is_read_only(file.parent):
        try:
            write_model(model, file)
        except ContextError as error:  # it costs the next start some seconds, and no answer
            log.warning("%s", error)
    return model
