"""The classifier for an encoder: shipped for the bundled one, fitted at first use for any other."""

from __future__ import annotations

import hashlib
import json
import logging
import threading
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path

from convgate.bundled import BUNDLED_MODEL, BUNDLED_SHA256
from convgate.context.classifier.model import TextModel
from convgate.context.classifier.model_file import read_model, write_model
from convgate.context.classifier.states import state_encoder
from convgate.context.mode import MODES
from convgate.context.modes.classifier import ModeClassifier
from convgate.context.modes.messages import messages_hash, packaged_messages
from convgate.embedding.base import Encoder, EncoderIdentity
from convgate.errors import ContextError
from convgate.home import is_read_only
from convgate.settings import Settings

SHIPPED = Path(__file__).parent / "weights" / "modes.safetensors"

_AGAIN = "python -m tools.mode_figures --write"

log = logging.getLogger(__name__)

_FITTED: dict[EncoderIdentity, TextModel] = {}
_LOCK = threading.Lock()


def load_classifier(encoder: Encoder | Callable[[], Encoder], settings: Settings) -> ModeClassifier:
    """The classifier that goes with the gate's encoder; one on demand is only loaded where it is needed.

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
    with _LOCK:  # fitted once, by the first who asks
        if encoder.identity not in _FITTED:
            _FITTED[encoder.identity] = _read_or_fit(encoder, settings)
        return _FITTED[encoder.identity]


def _read_or_fit(encoder: Encoder, settings: Settings) -> TextModel:
    messages = packaged_messages()
    made_from = messages_hash(messages)
    file = settings.home / "modes" / f"{_name(encoder.identity)}.safetensors"
    if file.exists():
        try:
            model = read_model(file, MODES, _AGAIN)
            if model.info["messages"] == made_from:
                return model
        except ContextError as error:
            log.warning("The modes are fitted anew: %s", error)
    from convgate.context.modes.fitting import SHARED_TUNING, Prepared, fit

    model = fit(Prepared.of(messages, encoder), SHARED_TUNING)
    if not is_read_only(file.parent):
        try:
            write_model(model, file)
        except ContextError as error:  # it costs the next start some seconds, and no answer
            log.warning("%s", error)
    return model


def _name(identity: EncoderIdentity) -> str:
    return hashlib.sha256(json.dumps(asdict(identity), sort_keys=True).encode()).hexdigest()[:16]
