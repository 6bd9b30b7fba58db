"""The encoder's speed against the library's own in float32, and how far its vectors are from those."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from convgate.core.bundled_encoder import bundled_folder
from convgate.core.home import app_root
from convgate.embedding.base import Encoder
from convgate.embedding.bundled import BundledEncoder
from convgate.transcripts import read_conversations
from tools.benchmark.speed import Compared, compare

GOAL_COSINE = 0.9999

_MESSAGE = "Could you look again at the part of the plan about the second test?"


@dataclass(frozen=True, slots=True)
class EncoderSpeed:
    """Our encoder without its cache against the baseline, within one run.

    The baseline is SentenceTransformer.encode in float32 with its defaults: it sorts by characters, pads
    batches of 32, and leaves out what a text has beyond 256 word pieces, which ours reads.
    """

    texts: int
    corpus: Compared  # all texts in one call
    message: Compared  # a short new message alone
    worst_cosine: float  # to the same text's vector by torch, of all texts together and each alone


def measure_encoder(*, rounds: int) -> EncoderSpeed:
    """Time the bundled encoder; `rounds` of the whole corpus."""
    # Loading both takes seconds, and what else is here needs neither.
    from sentence_transformers import SentenceTransformer

    from convgate.embedding.sentence_transformer import SentenceTransformerEncoder

    ours, texts = BundledEncoder(), mixed_texts()
    plain = SentenceTransformer(
        str(bundled_folder()), device="cpu", local_files_only=True, model_kwargs={"dtype": "float32"}
    )
    fresh = itertools.count()

    def message() -> list[str]:
        return [f"{_MESSAGE} ({next(fresh)})"]

    return EncoderSpeed(
        texts=len(texts),
        corpus=compare(lambda: plain.encode(texts), lambda: ours.encode(texts), rounds=rounds, warm_up=1),
        message=compare(
            lambda: plain.encode(message()), lambda: ours.encode(message()), rounds=20 * rounds, warm_up=5
        ),
        worst_cosine=worst_cosine(ours, SentenceTransformerEncoder.load(dtype="float32"), texts),
    )


def worst_cosine(encoder: Encoder, exact: Encoder, texts: list[str]) -> float:
    """The smallest cosine of a text's vector to the exact one, encoded all together or each alone."""
    expected = exact.encode(texts)
    alone = np.concatenate([encoder.encode([text]) for text in texts])
    return float(min((expected * given).sum(axis=1).min() for given in (encoder.encode(texts), alone)))


def mixed_texts() -> list[str]:
    """Distinct texts of 3 to some 500 word pieces from the sample conversations, always the same ones.

    A third of all turns, and, as turns of samples are short, some joined with the next three.
    """
    folder = app_root() / "sample_conversations"
    files = sorted({*folder.iterdir()} - {*folder.glob("*.relevance.*"), folder / "README.md"})
    turns = (turn for file in files for talk in read_conversations(file) for turn in talk.turns)
    texts = list(dict.fromkeys(turn.scored_text for turn in turns if turn.scored_text.strip()))
    joined = ["\n\n".join(texts[start : start + 4]) for start in range(0, len(texts), 24)]
    return texts[::3] + joined
