"""The view of Tune between reruns."""

from __future__ import annotations

from typing import Any

from convgate.ui.address import Address
from convgate.ui.state import put as put
from convgate.ui.tune.view import View

_address = Address("tune", lambda query, _known: View.from_query(query))
VIEW = _address.key
current_view, touched, keep = _address.current, _address.touched, _address.keep


def change(**values: Any) -> None:
    """Change parts of the view; for callbacks. Lists begin on their first page again."""
    _address.change(**({"page": 1} | values))
