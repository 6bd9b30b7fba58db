"""What a page looks at between reruns: from the address when a person comes by a link, else from the session.

What a person does goes through `change`, in callbacks, so that it is known before anything is drawn. The
address is written at the end of a run. It is read again only when it says something that was not written
here: a link, or the browser's way back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Generic, Protocol, TypeVar

import streamlit as st

from convgate.ui import state


class View(Protocol):
    """A frozen dataclass that an address can carry."""

    def to_query(self) -> dict[str, str]:
        """The view as an address has it."""
        ...


V = TypeVar("V", bound=View)
Read = Callable[[Mapping[str, str], V | None], tuple[V, list[str]]]
"""Makes the view of an address, beside the one that was looked at; and a sentence for what means nothing."""


LONGEST_QUESTION = 4_000
"""Characters of a question that an address carries; browsers and proxies cut longer addresses."""

_LAST = "address.last"  # which page wrote the address last, and what


class Address(Generic[V]):
    """The view of one page. bare: whether an address that says nothing asks for a new view."""

    def __init__(self, page: str, read: Read[V], *, bare: bool = False) -> None:
        self.key = f"{page}.view"  # of the session's view
        self._written, self._touched = f"{page}.address", f"{page}.touched"
        self._replaced = f"{page}.replaced"  # what stood in the browser when an address was written
        self._read, self._bare = read, bare

    def current(self) -> tuple[V, list[str]]:
        """The view of this run, and what is wrong with the address it came by."""
        known: V | None = st.session_state.get(self.key)
        query = st.query_params.to_dict()
        # After an interaction the browser may not have seen yet what the last run wrote to the address.
        touched = st.session_state.pop(self._touched, False)
        as_written = query == st.session_state.get(self._written) or not (query or self._bare)
        # On the browser's way back the address is for a moment still that of the page that was left.
        page, theirs = st.session_state.get(_LAST, (self.key, None))
        left_behind = page != self.key and query == theirs
        # What asks for a run by itself, such as a chart that is drawn, may do so with the address before.
        late = query == st.session_state.get(self._replaced) and state.hurried()
        if as_written:
            st.session_state.pop(self._replaced, None)
        if known is not None and (touched or as_written or left_behind or late):
            return known, []
        view, problems = self._read(query, known)
        st.session_state[self.key] = view
        return view, problems

    def change(self, **values: Any) -> None:
        """Change parts of the view; for callbacks."""
        st.session_state[self.key] = replace(st.session_state[self.key], **values)
        self.touched()

    def touched(self) -> None:
        """Note that this run comes from what a person did on the page; for callbacks of every control."""
        st.session_state[self._touched] = True

    def keep(self, view: V) -> None:
        """Keep the view for the next run, and in the address."""
        st.session_state[self.key] = view
        query = view.to_query()
        before = st.query_params.to_dict()
        if before != query:
            st.session_state[self._replaced] = before
            st.query_params.from_dict(query)
        st.session_state[self._written] = query
        st.session_state[_LAST] = self.key, query
