"""The keys of all pages, each shown on its control and the same wherever it is.

C and R belong to Streamlit. Inside a transcript, arrows move and Enter opens.
"""

from __future__ import annotations

PREVIOUS_MESSAGE, NEXT_MESSAGE = "P", "N"
OLDER, NEWER = "Left", "Right"
MAKE_CURRENT = "M"
NEXT_KEPT, NEXT_DROPPED, NEXT_FLIPPED = "K", "D", "F"
NEXT_FOUND = "S"
NEXT_BOUNDARY = "J"

RELEVANT, NOT_RELEVANT, UNSURE, CLEAR = "1", "2", "3", "0"  # transcript.js knows them too
UNDO, REDO = "Z", "Y"
LATER = "L"
ONWARD = "G"
SCOPE = "B"
