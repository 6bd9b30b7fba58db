"""Every public corpus, and which of them a relevance set is of, by the ids that `convgate corpus` gives.

A new corpus is a file beside this one and an entry here.
"""

from __future__ import annotations

from convgate.training.corpora import cast, irc, locomo, mtrag, tiage
from convgate.training.corpora.corpus import Corpus
from convgate.transcripts.relevance_sets import RelevanceSet

CORPORA: dict[str, Corpus] = {
    corpus.name: corpus
    for corpus in (
        Corpus(
            "irc",
            irc.REPOSITORY,
            "CC-BY-4.0",
            "Kummerfeld et al. 2019",
            ids="irc-",
            may_train=True,
            convert=irc.read_irc,
            has_splits=True,
        ),
        Corpus(
            "cast",
            cast.REPOSITORY,
            "MIT",
            "Dalton et al. 2020",
            ids="cast2020-",
            may_train=True,
            convert=cast.read_cast,
        ),
        Corpus(
            "tiage",
            tiage.REPOSITORY,
            "MIT",
            "Xie et al. 2021",
            ids="tiage-",
            may_train=True,
            convert=tiage.read_tiage,
            has_splits=True,
        ),
        Corpus(
            "mtrag",
            mtrag.REPOSITORY,
            "Apache-2.0",
            "Rosenthal et al. (MTRAG-UN)",
            ids="mtrag-",
            may_train=True,
            convert=mtrag.read_mtrag,
        ),
        Corpus(
            "locomo",
            locomo.REPOSITORY,
            "CC-BY-NC-4.0",
            "Maharana et al. 2024",
            ids="locomo-",
            may_train=False,
            convert=locomo.read_locomo,
        ),
    )
}


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
