"""Fit `convgate/gate/cues.npz`: what the state of a text tells about its part in a conversation.

python -m tools.fit_cues
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from convgate.core.settings import load_settings
from convgate.embedding.states import state_encoder
from tools.pretraining.cues import cue_examples, fit_cues

OUT = Path(__file__).parents[1] / "convgate" / "gate" / "cues.npz"


def main() -> None:
    """Write the file anew."""
    model = fit_cues(cue_examples(), state_encoder(load_settings()))
    np.savez_compressed(OUT, weight=model.weight, bias=model.bias)


if __name__ == "__main__":
    main()
