"""Reads an address part by part, and notes those that mean nothing: what the views of pages share."""

from __future__ import annotations

from collections.abc import Collection, Mapping


class QueryReader:
    """The parts of one address; `problems` has a sentence for each that was left out."""

    def __init__(self, query: Mapping[str, str]) -> None:
        self.query = query
        self.problems: list[str] = []

    def number(self, name: str, wanted: str = "a number, from 1") -> int | None:
        """A whole number from 1; None when there is none. wanted: what the address should have said."""
        text = self.query.get(name)
        if text is None:
            return None
        if text.isascii() and text.isdecimal() and int(text[:9]) > 0:
            return int(text[:9])
        self.leave_out(name, text, wanted)
        return None

    def turn(self, name: str) -> int | None:
        """A turn, 0-based: addresses count turns from 1."""
        found = self.number(name, "a turn's number, from 1")
        return None if found is None else found - 1

    def one_of(self, name: str, known: Collection[str], start: str) -> str:
        """One of the words that are known; `start` when there is none."""
        text = self.query.get(name, start)
        if text in known:
            return text
        self.leave_out(name, text, f"one of {', '.join(filter(None, known))}")
        return start

    def names(self, name: str) -> tuple[str, ...] | None:
        """What stands between commas, each once; None when the address does not have it."""
        text = self.query.get(name)
        return None if text is None else tuple(dict.fromkeys(one for one in text.split(",") if one))

    def leave_out(self, name: str, text: str, wanted: str) -> None:
        """Note that a part means nothing."""
        self.problems.append(f"The address says {name}={text[:40]}, which is not {wanted}.")
