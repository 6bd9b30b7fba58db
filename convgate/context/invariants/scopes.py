"""What a statement is about, in its own words: who or what has to, or what is not to be done.

>>> text = b"no, the login has to go through ldap"
>>> text[slice(*scope_of(text, (14, 20)))]
b'login'
>>> text = b"never push to main without a review"
>>> text[slice(*scope_of(text, (0, 10)))]
b'push to main without'
"""

from __future__ import annotations

import re

Span = tuple[int, int]

_MOST_WORDS = 5
_WORD = re.compile(rb"[a-z0-9_][a-z0-9_.'/+-]*[a-z0-9_+]|[a-z0-9_]")
_BREAKS = re.compile(rb"[,;:!?()\n\"]|\s-+\s|\.\s")
_EMPTY = frozenset(
    b"""a an the this that these those it its it's he she they we you i one no not any all every each and or
    but so also too then now please just only always never ever must mustn't shall should may can can't
    cannot could will would won't has have had need needs to be is are was were am do does don't did of
    our my your his her their there here make sure ensure keep from on in at by for with if when as than
    yes well ok okay sorry actually wait really most least exactly max maximum more less not nothing
    nobody everything i'm we're it's that's le la les un une des du de et il elle on nous vous je tu ne
    pas jamais toujours doit faut que qui mais donc non en au aux ce cette ma mon mes sa son ses der die
    das den dem ein eine einen und es sie er ich wir du nicht kein keine keinen nie niemals immer nur
    muss mussen darf durfen soll sollen bitte aber nein also hochstens mindestens auf zu im in""".split()
)


def scope_of(text: bytes, told: Span) -> Span:
    """Where the subject of a folded statement stands, or what follows the words that were `told`.

    Empty (both ends the same) when it is about everything.
    """
    clause = 0
    for found in _BREAKS.finditer(text, 0, told[0]):
        clause = found.end()
    subject = _words(text, clause, told[0])
    if subject:
        return subject[0][0], subject[-1][1]
    last = _BREAKS.search(text, told[0])
    end = last.start() if last and last.start() > told[0] else len(text)
    wanted = _words(text, told[0], end)[:_MOST_WORDS]
    return (wanted[0][0], wanted[-1][1]) if wanted else (told[0], told[0])


def _words(text: bytes, start: int, end: int) -> list[Span]:
    """The words from the first to the last that says something, at most a few."""
    found = [one.span() for one in _WORD.finditer(text, start, end)]
    while found and text[slice(*found[0])] in _EMPTY:
        found.pop(0)
    found = found[:_MOST_WORDS]
    while found and text[slice(*found[-1])] in _EMPTY:
        found.pop()
    return found
