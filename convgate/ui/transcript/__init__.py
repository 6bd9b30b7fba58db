"""The transcript on screen: which rows are shown, and the component that shows them."""

from convgate.ui.transcript.component import Asked, asked, draw_transcript
from convgate.ui.transcript.rows import Marks, transcript_data

__all__ = ["Asked", "Marks", "asked", "draw_transcript", "transcript_data"]
