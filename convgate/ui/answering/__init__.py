"""Answers about earlier turns: by key, by click, or several at once; stored at once, taken back one by one.

The same controls and keys on every page that shows a message with its earlier turns.
"""

from convgate.ui.answering.controls import Later, draw_answers, draw_prefill, draw_saved
from convgate.ui.answering.listed import labelling, take_answers
from convgate.ui.answering.message import Answering
from convgate.ui.answering.storing import PROBLEM, SAVED, keep_saved
from convgate.ui.answering.words import CALLED, MARKS, said_words

__all__ = [
    "CALLED",
    "MARKS",
    "PROBLEM",
    "SAVED",
    "Answering",
    "Later",
    "draw_answers",
    "draw_prefill",
    "draw_saved",
    "keep_saved",
    "labelling",
    "said_words",
    "take_answers",
]
