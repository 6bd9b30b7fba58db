"""Fit `convgate/gate/cues.json`: what the words of a text tell about its part in a conversation.

python -m tools.fit_cues
"""

from __future__ import annotations

import json
from pathlib import Path

from tools.pretraining.cues import cue_examples, fit_cue

OUT = Path(__file__).parents[1] / "convgate" / "gate" / "cues.json"


def main() -> None:
    """Write the file anew."""
    fitted = {name: fit_cue(examples) for name, examples in cue_examples().items()}
    stored = {
        name: {"bias": round(cue.bias, 4), "weights": {gram: round(w, 4) for gram, w in cue.weights.items()}}
        for name, cue in fitted.items()
    }
    OUT.write_text(json.dumps(stored, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
