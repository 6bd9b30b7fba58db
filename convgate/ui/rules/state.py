"""The view of Rules between reruns."""

from __future__ import annotations

from convgate.ui.address import Address
from convgate.ui.rules.view import View
from convgate.ui.state import put as put

_address = Address("rules", lambda query, _known: View.from_query(query))
VIEW = _address.key
current_view, change, touched, keep = _address.current, _address.change, _address.touched, _address.keep
