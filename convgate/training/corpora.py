"""Public corpora and their licences; a set is recognised by the ids that `tools/corpora` gives."""

from __future__ import annotations

from dataclasses import dataclass

from convgate.transcripts.cases import RelevanceSet


@dataclass(frozen=True)
class Corpus:
    """A public corpus, where it comes from and what may be done with it."""

    name: str  # of the command
    repository: str  # owner/name on GitHub
    licence: str  # SPDX identifier
    cite: str  # whom to name
    ids: str  # what the ids of its conversations begin with
    may_train: bool = True  # whether weights that are handed on may be trained on it

    @property
    def terms(self) -> str:
        """What goes with every use of the set, in one line."""
        use = "" if self.may_train else "; for measuring only"
        return f"{self.repository}, {self.licence}{use}; name {self.cite}"


CORPORA = {
    corpus.name: corpus
    for corpus in (
        Corpus("irc", "jkkummerfeld/irc-disentanglement", "CC-BY-4.0", "Kummerfeld et al. 2019", "irc-"),
        Corpus("cast", "daltonj/treccastweb", "MIT", "Dalton et al. 2020", "cast2020-"),
        Corpus("tiage", "HuiyuanXie/tiage", "MIT", "Xie et al. 2021", "tiage-"),
        Corpus("mtrag", "IBM/mt-rag-benchmark", "Apache-2.0", "Rosenthal et al. (MTRAG-UN)", "mtrag-"),
        Corpus(
            "locomo",
            "snap-research/LoCoMo",
            "CC-BY-NC-4.0",
            "Maharana et al. 2024",
            "locomo-",
            may_train=False,
        ),
    )
}


def corpora_in(cases: RelevanceSet) -> list[Corpus]:
    """Return the corpora that the set's conversations are of, or were woven of."""
    talks = cases.conversations.values()
    sources = {turn.metadata.get("source") for talk in talks for turn in talk.turns}
    ids = [id for id in (*cases.conversations, *sources) if isinstance(id, str)]
    return [corpus for corpus in CORPORA.values() if any(id.startswith(corpus.ids) for id in ids)]


def licence_of(corpora: list[Corpus], *, own: str = "") -> str:
    """Return the licences in one line, with that of convgate's `own` texts; empty when nothing is known."""
    licences = [corpus.licence for corpus in corpora] + [own] * bool(own)
    return " AND ".join(dict.fromkeys(licences))


def attribution_of(corpora: list[Corpus], *, own: str = "") -> str:
    """Return whom to name, in one line, with what to say of convgate's `own` texts."""
    return "; ".join([corpus.cite for corpus in corpora] + [own] * bool(own))
