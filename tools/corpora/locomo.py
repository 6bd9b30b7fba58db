"""LoCoMo: very long conversations of two people, and questions with the turns that hold the answer.

Source: github.com/snap-research/LoCoMo, `data/locomo10.json`, CC-BY-NC-4.0; Maharana et al. 2024,
"Evaluating Very Long-Term Conversational Memory of LLM Agents". The licence keeps it out of weights that
are handed on: it is for measuring only. The file is read by `convgate.transcripts.formats.benchmarks`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from convgate.transcripts.cases import RelevanceSet
from convgate.transcripts.relevance_sets import read_relevance_set
from tools.corpora.corpus import corpus_file

FILE = "data/locomo10.json"


def read_locomo(checkout: Path, *, skip_bad: bool = False) -> RelevanceSet:
    """Return the relevance set of a checkout; raises as `read_relevance_set`."""
    relevance_set = read_relevance_set(corpus_file(checkout, FILE, "locomo"), skip_bad=skip_bad)
    return replace(relevance_set, name="locomo")
