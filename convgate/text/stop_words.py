"""Words that say nothing by themselves, by language."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from importlib.metadata import distribution
from runpy import run_path

from convgate.text.words import stems

_MORE = """could dear hello hey hi let may maybe might must okay please shall thank thanks thx would yes
    cool great nice perfect subject welcome
    ach bitte danke eigentlich gern gerne gut hallo ja nein nochmal bonjour merci oui gracias hola"""


def stop_stems(text: Collection[str]) -> frozenset[str]:
    """Return the stems of the stop words of the language of which a text, given by its stems, has the most.

    >>> sorted(stop_stems(["freut", "mich"]) & {"freut", "mich", "thank", "sea"})
    ['mich', 'thank']
    """
    own = frozenset(text)
    return max(_by_language(), key=lambda language: len(language & own))


@cache
def _by_language() -> tuple[frozenset[str], ...]:
    """Return the lists of bm25s, English first, read without importing it, for it takes scipy."""
    lists = run_path(str(distribution("bm25s").locate_file("bm25s/stopwords.py")))
    names = (name for name in lists if name.startswith("STOPWORDS_"))
    ordered = sorted(names, key=lambda name: name != "STOPWORDS_EN_PLUS")
    return tuple(frozenset(stems([*lists[name], *_MORE.split()])) for name in ordered)
