"""What Versions shows, between reruns; its bare address is the list."""

from __future__ import annotations

from dataclasses import dataclass

from convgate.ui.shared.codecs import Codec
from convgate.ui.shared.page_state import Address, PageState, param
from convgate.versions import is_name


def _read(text: str) -> str:
    if not is_name(text):
        raise ValueError(text)
    return text


@dataclass(frozen=True)
class VersionsState(PageState):
    """The list, or one version's card."""

    version: str | None = param(None, Codec(str, _read, "a version's name"))  # whose card is open
    page: int = 1  # of the list


page = Address("versions", VersionsState, bare=True)
