"""The view of Versions between reruns; its bare address is the list."""

from __future__ import annotations

from convgate.ui.address import Address
from convgate.ui.state import put as put
from convgate.ui.versions.view import View

_address = Address("versions", lambda query, _known: View.from_query(query), bare=True)
VIEW = _address.key
current_view, change, touched, keep = _address.current, _address.change, _address.touched, _address.keep
