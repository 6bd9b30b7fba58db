"""Answers about the earlier turns of a message: the same controls and keys on Label and Explore."""

from convgate.ui.answering.answers import MARKS, NAMES, Answering, format_other_answers
from convgate.ui.answering.controls import (
    PROBLEM,
    SAVED,
    draw_actions,
    draw_answers,
    keep_saved,
    take_answers,
    transcript_labelling,
)

__all__ = [
    "MARKS",
    "NAMES",
    "PROBLEM",
    "SAVED",
    "Answering",
    "draw_actions",
    "draw_answers",
    "format_other_answers",
    "keep_saved",
    "take_answers",
    "transcript_labelling",
]
