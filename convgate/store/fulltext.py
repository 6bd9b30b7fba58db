"""What a person types into a search field, as conditions on the index of titles and texts."""

from __future__ import annotations

import re

from sqlite_utils import Database

from convgate.store.faults import translate_decoding_errors
from convgate.transcripts.characters import writable

EXCERPT_LENGTH = 120
"""Characters of the text that a search result shows."""

_TERM = re.compile(r'"([^"]+)"|(\S+)')
_SHORTEST_INDEXED = 3  # characters; the index is one of trigrams


def terms(search: str) -> list[str]:
    """The words, and the phrases in quotes, of what a person typed into the search field."""
    return [phrase or word for phrase, word in _TERM.findall(writable(search))]


def found(terms: list[str]) -> tuple[str, str, list[str]]:
    """Tables, condition and parameters of the conversations that have every term."""
    if not terms:
        return "conversations", "", []
    condition, parameters = "", []
    if indexed := [term for term in terms if len(term) >= _SHORTEST_INDEXED]:
        condition += " AND conversation_search MATCH ?"
        # In quotes a term is a plain string to FTS5, whatever operators it looks like.
        parameters.append(" ".join('"' + term.replace('"', '""') + '"' for term in indexed))
    for term in terms:
        if len(term) < _SHORTEST_INDEXED:
            like = "%" + re.sub(r"([\\%_])", r"\\\1", term) + "%"
            condition += " AND (conversation_search.title LIKE ? ESCAPE '\\' OR text LIKE ? ESCAPE '\\')"
            parameters += [like, like]
    return (
        "conversations JOIN conversation_search ON conversation_search.rowid = conversations.number",
        condition,
        parameters,
    )


@translate_decoding_errors("a conversation that was searched")
def excerpt(db: Database, number: int, terms: list[str]) -> str | None:
    """Some of the text around the first place of any term; None when all of them stand in the title alone."""
    if not terms:
        return None
    # Not FTS5's snippet(), which takes seconds over trigrams of a long conversation; nor SQLite's lower(),
    # which knows no letters but ASCII; nor folded text, in which places are others than in the text itself.
    (text,) = db.execute("SELECT text FROM conversation_search WHERE rowid = ?", [number]).fetchone()
    found = re.search("|".join(map(re.escape, terms)), text, re.IGNORECASE)
    if found is None:
        return None
    start = max(0, found.start() - EXCERPT_LENGTH // 3)
    shown = " ".join(text[start : start + EXCERPT_LENGTH].split())
    return f"{'…' if start else ''}{shown}{'…' if start + EXCERPT_LENGTH < len(text) else ''}"
