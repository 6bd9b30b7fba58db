"""The patterns, a file for each language; another language is a file here and a line below."""

from __future__ import annotations

from convgate.gatekeeper.patterns.de import GERMAN
from convgate.gatekeeper.patterns.en import ENGLISH
from convgate.gatekeeper.patterns.fr import FRENCH
from convgate.gatekeeper.patterns.language import Language

LANGUAGES: tuple[Language, ...] = (ENGLISH, FRENCH, GERMAN)
"""The languages that have patterns, in the order in which they are tried."""
