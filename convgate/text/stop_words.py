"""Words that say nothing by themselves, by language."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from runpy import run_path

from convgate.text.words import stems

_MORE = """
    could dear gonna hello hey hi let may maybe might must okay please shall thank thanks wanna would yeah yes
    ach bitte danke gern gerne gut hallo ja nein nochmal eigentlich bonjour merci oui gracias hola
"""


def stop_stems(text: Collection[str]) -> frozenset[str]:
    """Return the stems of the stop words of the language of a text, of which it has the most, by its stems.

    >>> sorted(stop_stems(["freut", "mich"]) & {"freut", "mich", "thank", "sea"})
    ['mich', 'thank']
    """
    own = frozenset(text)
    return max(_by_language(), key=lambda language: len(language & own))


@cache
def _by_language() -> tuple[frozenset[str], ...]:
    """Return the lists of bm25s, read without importing it, for it takes scipy."""
    spec = find_spec("bm25s")
    assert spec is not None
    assert spec.origin is not None
    lists = run_path(str(Path(spec.origin).with_name("stopwords.py")))
    names = sorted(name for name in lists if name.startswith("STOPWORDS_") and name != "STOPWORDS_EN")
    names.sort(key=lambda name: not name.startswith("STOPWORDS_EN"))  # of equal counts, English
    return tuple(frozenset(stems([*lists[name], *_MORE.split()])) for name in names)
