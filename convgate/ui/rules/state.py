"""What the Rules page shows, between reruns; the text in the editor is no part of it.

?conversation=KEY&show=skipped&search=hello&page=2
"""

from __future__ import annotations

from dataclasses import dataclass

from convgate.ui.shared.codecs import one_of, words
from convgate.ui.shared.page_state import Address, PageState, param

LOOKS = {"conversation": "This conversation", "library": "Whole library", "changes": "What changes"}
SHOWS = {"all": "All", "kept": "Kept", "skipped": "Skipped", "default": "By default", "own": "By your rules"}


@dataclass(frozen=True)
class RulesState(PageState):
    """Which exchanges are listed."""

    look: str = param("conversation", one_of(LOOKS))
    show: str = param("all", one_of(SHOWS))
    search: str = param("", words(200))
    page: int = 1


page = Address("rules", RulesState)
