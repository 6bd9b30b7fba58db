"""Answers about the earlier turns of a message: the same controls and keys on Label and Explore."""

from convgate.ui.answering.answers import MARKS as MARKS
from convgate.ui.answering.answers import NAMES as NAMES
from convgate.ui.answering.answers import Answering as Answering
from convgate.ui.answering.controls import PROBLEM as PROBLEM
from convgate.ui.answering.controls import draw_actions as draw_actions
from convgate.ui.answering.controls import draw_answers as draw_answers
from convgate.ui.answering.controls import keep_saved as keep_saved
from convgate.ui.answering.controls import reporting_problems as reporting_problems
from convgate.ui.answering.controls import take_answers as take_answers
from convgate.ui.answering.controls import transcript_labelling as transcript_labelling
