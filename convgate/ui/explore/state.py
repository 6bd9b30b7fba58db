"""The view of Explore and Label between reruns."""

from __future__ import annotations

from collections.abc import Mapping

from convgate.ui.address import Address
from convgate.ui.explore.view import View
from convgate.ui.state import put as put


def _read(query: Mapping[str, str], known: View | None) -> tuple[View, list[str]]:
    view, problems = View.from_query(query)
    if known is not None and set(query) == {"conversation"} and known.conversation != view.conversation:
        # The way of looking stays, from conversation to conversation.
        view = known.opened(query["conversation"])
    return view, problems


_address = Address("explore", _read)
VIEW = _address.key
current_view, change, touched, keep = _address.current, _address.change, _address.touched, _address.keep
