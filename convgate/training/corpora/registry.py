"""Every corpus by name. A new one is a file beside this one and an entry here."""

from __future__ import annotations

from convgate.training.corpora import cast, irc_files, locomo, mtrag, tiage
from convgate.training.corpora.cast import read_cast
from convgate.training.corpora.corpus import Corpus
from convgate.training.corpora.irc import read_irc
from convgate.training.corpora.locomo import read_locomo
from convgate.training.corpora.mtrag import read_mtrag
from convgate.training.corpora.tiage import read_tiage

CORPORA: dict[str, Corpus] = {
    corpus.name: corpus
    for corpus in (
        Corpus(
            "irc",
            irc_files.REPOSITORY,
            "CC-BY-4.0",
            "Kummerfeld et al. 2019",
            ids="irc-",
            may_train=True,
            convert=read_irc,
            has_splits=True,
        ),
        Corpus(
            "cast",
            cast.REPOSITORY,
            "MIT",
            "Dalton et al. 2020",
            ids="cast2020-",
            may_train=True,
            convert=read_cast,
        ),
        Corpus(
            "tiage",
            tiage.REPOSITORY,
            "MIT",
            "Xie et al. 2021",
            ids="tiage-",
            may_train=True,
            convert=read_tiage,
            has_splits=True,
        ),
        Corpus(
            "mtrag",
            mtrag.REPOSITORY,
            "Apache-2.0",
            "Rosenthal et al. (MTRAG-UN)",
            ids="mtrag-",
            may_train=True,
            convert=read_mtrag,
        ),
        Corpus(
            "locomo",
            locomo.REPOSITORY,
            "CC-BY-NC-4.0",
            "Maharana et al. 2024",
            ids="locomo-",
            may_train=False,
            convert=read_locomo,
        ),
    )
}
