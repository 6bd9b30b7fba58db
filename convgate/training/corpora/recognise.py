"""Which public corpora a relevance set is of, by the ids that `convgate corpus` gives."""

from __future__ import annotations

from convgate.training.corpora.corpus import Corpus
from convgate.training.corpora.registry import CORPORA
from convgate.transcripts.relevance_sets import RelevanceSet


def corpora_in(cases: RelevanceSet) -> list[Corpus]:
    """The corpora that the set's conversations are of, or were woven of."""
    talks = cases.conversations.values()
    sources = {turn.metadata.get("source") for talk in talks for turn in talk.turns}
    ids = [id for id in (*cases.conversations, *sources) if isinstance(id, str)]
    return [corpus for corpus in CORPORA.values() if any(id.startswith(corpus.ids) for id in ids)]


def licence_of(corpora: list[Corpus], *, own: str = "") -> str:
    """The licences in one line, with that of convgate's `own` texts; empty when nothing is known."""
    licences = [corpus.licence for corpus in corpora] + [own] * bool(own)
    return " AND ".join(dict.fromkeys(licences))


def attribution_of(corpora: list[Corpus], *, own: str = "") -> str:
    """Whom to name, in one line, with what to say of convgate's `own` texts."""
    return "; ".join([corpus.cite for corpus in corpora] + [own] * bool(own))
