"""The state of a page between reruns."""

from convgate.ui.page_state import LONGEST_QUESTION as LONGEST_QUESTION
from convgate.ui.page_state import Address as Address
