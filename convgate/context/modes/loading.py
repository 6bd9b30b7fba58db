"""The classifier for an encoder."""

from __future__ import annotations

import numpy as np

from convgate.context.mode import MODES
from convgate.context.modes.classifier import ModeClassifier
from convgate.context.modes.messages import packaged_messages
from convgate.context.modes.model import ModeModel
from convgate.embedding.base import Encoder, EncoderIdentity
from convgate.settings import Settings

_FITTED: dict[EncoderIdentity, ModeModel] = {}


def load_classifier(encoder: Encoder, settings: Settings) -> ModeClassifier:
    """The classifier of messages for this encoder."""
    model = _FITTED.get(encoder.identity)
    if model is None:
        model = _FITTED[encoder.identity] = _fit(encoder)
    return ModeClassifier(model, encoder)


def _fit(encoder: Encoder) -> ModeModel:
    from sklearn.linear_model import LogisticRegression

    messages = packaged_messages()
    vectors = encoder.encode([one.content for one in messages])
    fitted = LogisticRegression(C=10, max_iter=300).fit(vectors, [MODES.index(one.mode) for one in messages])
    return ModeModel(fitted.coef_.T.astype(np.float32), fitted.intercept_.astype(np.float32))
