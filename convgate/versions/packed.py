"""A version's file from elsewhere, looked at before it is stored."""

from __future__ import annotations

from dataclasses import dataclass

from convgate.gate.checkpoint import CONFIG
from convgate.gate.config import GateConfig, parse_config
from convgate.versions.archive import unpack
from convgate.versions.card import CARD, Card, parse_card
from convgate.versions.version import check_files


@dataclass(frozen=True)
class Packed:
    """An exported version that can be stored as it is."""

    name: str  # that it had when it was exported
    config: GateConfig
    card: Card


def inspect(content: bytes, where: str) -> Packed:
    """What is in an exported version; GateError naming `where`, the file and the field that do not fit."""
    name, files = unpack(content, where)
    check_files(files, where)
    return Packed(name, parse_config(files[CONFIG], where), parse_card(files[CARD], f"{where}, {CARD}"))
