"""What a person looks at in Rules, as one value that an address can carry.

    ?conversation=KEY&show=skipped&category=greeting&search=hello&page=2
    ?conversation=KEY&look=statistics&on=library

The text in the editor is no part of it: it stays in the session until it is saved.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import get_args

from convgate.gatekeeper.decision import Category
from convgate.ui.query import QueryReader

LOOKS = {"exchanges": "Exchanges", "changes": "What changes", "statistics": "Statistics"}
SHOWS = {
    "all": "All",
    "kept": "Kept",
    "skipped": "Skipped",
    "default": "Kept by default",
    "own": "By your rules",
}
FLIPS = {
    "all": "All",
    "skipped": "↓ Skipped now",
    "kept": "↑ Kept now",
    "category": "Other category",
}
LONGEST_SEARCH = 200  # characters


@dataclass(frozen=True, slots=True)
class View:
    """The conversation, which of its exchanges are listed, or what is looked at instead."""

    conversation: str | None = None
    look: str = "exchanges"  # one of LOOKS
    show: str = "all"  # one of SHOWS
    category: str | None = None  # None: every category
    search: str = ""
    only: str = "all"  # one of FLIPS
    library: bool = False  # statistics of the whole library rather than of the conversation
    page: int = 1  # of whichever list is shown

    def to_query(self) -> dict[str, str]:
        """The view as an address has it; what is at its default is left out."""
        values: dict[str, str | None] = {
            "conversation": self.conversation,
            "look": None if self.look == "exchanges" else self.look,
            "show": None if self.show == "all" else self.show,
            "category": self.category,
            "search": self.search[:LONGEST_SEARCH] or None,
            "only": None if self.only == "all" else self.only,
            "on": "library" if self.library else None,
            "page": str(self.page) if self.page > 1 else None,
        }
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> tuple[View, list[str]]:
        """The view of an address, and a sentence for each part of it that means nothing."""
        reader = QueryReader(query)
        view = cls(
            conversation=query.get("conversation") or None,
            look=reader.one_of("look", LOOKS, "exchanges"),
            show=reader.one_of("show", SHOWS, "all"),
            category=query.get("category") or None,
            search=query.get("search", "").strip()[:LONGEST_SEARCH],
            only=reader.one_of("only", FLIPS, "all"),
            library=reader.one_of("on", ("library", "conversation"), "conversation") == "library",
            page=reader.number("page") or 1,
        )
        return view, reader.problems

    def opened(self, conversation: str) -> View:
        """Another conversation, looked at in the same way."""
        return replace(self, conversation=conversation, category=None, page=1)


def categories(found: Collection[str]) -> list[str]:
    """The gatekeeper's categories, then those that rules name, in the order of menus.

    >>> categories({"zebra", "policy", "noise"})[-2:]
    ['noise', 'zebra']
    """
    known = get_args(Category)
    return [*known, *sorted(set(found) - set(known))]
