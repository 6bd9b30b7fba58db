"""The transcript on screen: which rows are shown, and the component that shows them."""

from convgate.ui.transcript.component import Asked, Given, asked, draw_transcript, given
from convgate.ui.transcript.rows import Labelling, Marks, current_name, transcript_data

__all__ = [
    "Asked",
    "Given",
    "Labelling",
    "Marks",
    "asked",
    "current_name",
    "draw_transcript",
    "given",
    "transcript_data",
]
