"""What the Rules page shows, as one value that an address can carry.

    ?conversation=KEY&show=skipped&search=hello&page=2
    ?look=statistics&on=library

The text in the editor is no part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from convgate.ui.page_state import Address
from convgate.ui.query import QueryReader

LOOKS = {"exchanges": "Exchanges", "changes": "What changes", "statistics": "Statistics"}
SHOWS = {"all": "All", "kept": "Kept", "skipped": "Skipped", "default": "By default", "own": "By your rules"}
CHANGES = {"all": "All", "skipped": "↓ Now skipped", "kept": "↑ Now kept", "category": "Other category"}
MAX_SEARCH = 200  # characters


@dataclass(frozen=True, slots=True)
class View:
    """The conversation and which of its exchanges are listed, or what is shown instead."""

    conversation: str | None = None
    look: str = "exchanges"  # one of LOOKS
    show: str = "all"  # one of SHOWS
    search: str = ""
    change: str = "all"  # one of CHANGES
    on: str = "conversation"  # statistics of the "conversation" or the "library"
    page: int = 1  # of the list that is shown

    def to_query(self) -> dict[str, str]:
        """Return the view as an address has it, without defaults."""
        default = View()
        values = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {name: str(value) for name, value in values.items() if value != getattr(default, name)}

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> tuple[View, list[str]]:
        """Return the view of an address, and a sentence for each part that is not valid."""
        reader = QueryReader(query)
        view = cls(
            conversation=query.get("conversation") or None,
            look=reader.one_of("look", LOOKS, "exchanges"),
            show=reader.one_of("show", SHOWS, "all"),
            search=query.get("search", "").strip()[:MAX_SEARCH],
            change=reader.one_of("change", CHANGES, "all"),
            on=reader.one_of("on", ("library", "conversation"), "conversation"),
            page=reader.number("page") or 1,
        )
        return view, reader.problems


address = Address("rules", lambda query, _view: View.from_query(query))
