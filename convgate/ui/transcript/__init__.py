"""The transcript on screen: which rows are shown, and the component that shows them."""

from convgate.ui.transcript.component import Asked, Given, asked, draw_transcript, given
from convgate.ui.transcript.rows import Labelling, Marks, situation_name, transcript_data

__all__ = [
    "Asked",
    "Given",
    "Labelling",
    "Marks",
    "asked",
    "draw_transcript",
    "given",
    "situation_name",
    "transcript_data",
]
