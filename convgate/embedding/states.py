"""The bundled encoder's states after its fourth layer, which the gate's cues, modes and invariants read.

The fourth layer represents whether a text is a question, an order or a complaint, and whether it leans on
another, better than the last. Its states come from the pass that gives the vectors (`encode_together`).
"""

from __future__ import annotations

from functools import cache

from convgate.core.settings import Settings
from convgate.embedding.base import Encoder
from convgate.embedding.bundled import BundledEncoder
from convgate.embedding.cache import CACHE_FILE, PACKAGED_STATEMENTS, PACKAGED_STATES, CachedEncoder

MAX_CHARACTERS = 4_000
"""Of a message that are read: the first and the last half of them."""


def excerpt(text: str) -> str:
    """Return the text, or the beginning and the end of a long one."""
    half = MAX_CHARACTERS // 2
    return text if len(text) <= MAX_CHARACTERS else f"{text[:half]}\n{text[-half:]}"


def state_encoder(settings: Settings) -> Encoder:
    """Return the encoder of messages, cached in the settings' home: the mean state, as a unit vector."""
    return CachedEncoder(BundledEncoder("states"), settings.home / CACHE_FILE, packaged=PACKAGED_STATES)


def states_beside(encoder: Encoder) -> Encoder:
    """Return the encoder of messages whose states are cached where the vectors of another encoder are.

    Those beside an encoder without a cache are kept in memory.
    """
    return encoder.states if isinstance(encoder, CachedEncoder) else _states_in_memory()


def statement_encoder(settings: Settings) -> Encoder:
    """Return the same for the statements of a message, as spans (`mark_spans`) read within the message."""
    path = settings.home / CACHE_FILE
    return CachedEncoder(BundledEncoder("span states"), path, packaged=PACKAGED_STATEMENTS)


@cache
def _states_in_memory() -> Encoder:
    return CachedEncoder(BundledEncoder("states"), None)
