"""The keys of Explore. C and R belong to Streamlit; inside the transcript, arrows move and Enter opens."""

from __future__ import annotations

PREVIOUS_MESSAGE, NEXT_MESSAGE = "P", "N"
OLDER, NEWER = "Left", "Right"
MAKE_CURRENT = "M"
NEXT_KEPT, NEXT_DROPPED, NEXT_FLIPPED = "K", "D", "F"
NEXT_FOUND = "S"
NEXT_DIFFERENT = "X"
