"""Fit the classifier of statements, and measure it on the conversations of authors that it does not know.

    python -m tools.statement_kinds [--write]

It is fitted to the labelled statements in tools/pretraining/texts/statements, the messages in
tools/pretraining/texts/messages.jsonl, the conversations in tests/invariants that are not held out, and
convgate/training/texts/chats.train.jsonl.gz. For each author of conversations in tests/invariants the tables
are of a classifier without them; --write fits it to all and writes the file that ships.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from convgate.core.settings import load_settings
from convgate.embedding.base import Encoder
from convgate.embedding.spans import mark_spans, read_spans
from convgate.embedding.states import statement_encoder
from convgate.invariants.judge import (
    SHIPPED,
    UNKNOWN_CONTEXT,
    Context,
    KindJudge,
    context_features,
    features_of,
)
from convgate.invariants.statements import KINDS, StatementKind, mark_statements, read_statements
from convgate.text.folding import own_text
from convgate.text.linear import TextModel, count_ngrams
from tools.invariant_figures import judge, table
from tools.labelled import Counts, read_lines
from tools.text_fitting import fit, write_model

ROOT = Path(__file__).parent.parent
TEXTS = ROOT / "tools" / "pretraining" / "texts"
CONVERSATIONS = ROOT / "tests" / "invariants"
CHATS = ROOT / "convgate" / "training" / "texts" / "chats.train.jsonl.gz"
AUTHORS = ("work", "third", "fourth", "fifth")
"""Files of conversations that the classifier is fitted to; the others there are held out."""

_PENALTY, _VECTOR_SCALE = 2.0, 1.6  # see `text_fitting.fit`
_WEIGHT_WRITTEN = 4.0  # of a statement of `eighth.jsonl`, which covers what the other sets lack
_WEIGHT_MESSAGE = 0.5  # of a statement of `messages.jsonl`, which has English alone
_WEIGHT_INSTRUCTION = 1.5  # of an instruction among the many other statements of the chats
_MAX_OTHER = 0.35  # probability of what an author did not label
_MIN_OVERLAP = 8  # characters that a statement and a label share, at least


@dataclass(frozen=True, slots=True)
class Example:
    """A statement with its label."""

    text: str
    context: Context
    kind: StatementKind | None  # None: it holds, and which of the kinds that hold is not labelled
    author: str
    marked: str  # its message with the statements of it
    place: int = 0  # of the statement among them
    weight: float = 1.0


def main() -> None:
    """Print the tables, or write the file that ships."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="fit the classifier that ships and write it")
    arguments = parser.parse_args()
    encoder = statement_encoder(load_settings())
    examples = labelled_examples()
    if arguments.write:
        write_model(fit_kinds(examples, encoder), SHIPPED)
        return
    for author in AUTHORS:
        others = [example for example in examples if example.author != author]
        counts, judging = Counts(), KindJudge(fit_kinds(others, encoder), encoder)
        for line in read_lines(CONVERSATIONS / f"{author}.jsonl"):
            judge(line, counts, judging)
        print(f"\n{author}.jsonl, by the others\n")
        print("\n".join(table(counts)))


def fit_kinds(examples: Sequence[Example], encoder: Encoder) -> TextModel:
    """Return the classifier of the examples, whose labels are completed first.

    Instructions without a kind get the likeliest by those that have one. In conversations nobody labelled
    what lifts or resolves, and in the chats no errors either: what is likely to be one of these, by the
    statements that were labelled singly, is left out.
    """
    single = _fit([example for example in examples if example.context == UNKNOWN_CONTEXT], encoder)
    typed = _fit([example for example in examples if example.kind not in (None, "none")], encoder)
    features = _features(examples, encoder)
    other = single.probabilities(*features)[:, 4:]  # errors, and what lifts or resolves
    kinds = typed.probabilities(*features)[:, 1:4].argmax(axis=1)
    completed = []
    for example, row, kind in zip(examples, other, kinds, strict=True):
        ends = float(row[1:].sum())
        unlabelled = (
            0.0
            if example.context == UNKNOWN_CONTEXT
            else float(row.sum())
            if example.author.startswith(("chats", "messages"))
            else ends
        )
        if example.kind is None:
            completed.append(replace(example, kind="lifted" if ends >= _MAX_OTHER else KINDS[1 + kind]))
        elif example.kind != "none" or unlabelled < _MAX_OTHER:
            completed.append(example)
    return replace(_fit(completed, encoder), info={"examples": examples_hash(examples)})


def _fit(examples: Sequence[Example], encoder: Encoder) -> TextModel:
    return fit(
        *_features(examples, encoder),
        [example.kind or "" for example in examples],
        KINDS,
        penalty=_PENALTY,
        vector_scale=_VECTOR_SCALE,
        weights=np.array([example.weight for example in examples]),
    )


def _features(examples: Sequence[Example], encoder: Encoder) -> tuple[list[Any], Any]:
    marked = list(dict.fromkeys(example.marked for example in examples))
    of_messages = dict(zip(marked, encoder.encode_passages(marked), strict=True))
    vectors = np.stack([of_messages[example.marked][example.place] for example in examples])
    return [count_ngrams(read_spans(example.marked)[example.place]) for example in examples], features_of(
        vectors, [example.context for example in examples]
    )


def examples_hash(examples: Sequence[Example]) -> str:
    """Return the SHA-256 of the texts and kinds, in their order."""
    return hashlib.sha256(
        json.dumps([(example.text, example.kind) for example in examples]).encode()
    ).hexdigest()


def labelled_examples() -> list[Example]:
    """Return all labelled statements."""
    written = list(_written())
    ending = {example.text: example.kind for example in written if example.kind in ("lifted", "resolved")}
    of_authors = [
        example
        for author in AUTHORS
        for line in read_lines(CONVERSATIONS / f"{author}.jsonl")
        for example in _of_conversation(
            line["messages"],
            [
                (invariant["source"], invariant["quote"], invariant["type"])
                for invariant in line["invariants"]
            ],
            author,
        )
    ]
    chats = [
        example
        for line in read_lines(CHATS)
        if line["type"] == "conversation"
        for example in _of_conversation(
            line["messages"],
            [(instruction["index"], instruction["text"], None) for instruction in line["instructions"]],
            f"chats {line['writer']}",
        )
    ]
    weighed = [
        replace(example, weight=_WEIGHT_INSTRUCTION) if example.kind is None else example for example in chats
    ]
    in_conversations = [*of_authors, *weighed, *_in_messages()]
    return [
        *written,
        *(
            replace(example, kind=ending[example.text])
            if example.text in ending and example.kind == "none"
            else example
            for example in in_conversations
        ),
    ]


def _written() -> Iterator[Example]:
    for file in sorted((TEXTS / "statements").glob("*.jsonl")):
        weight = _WEIGHT_WRITTEN if file.stem == "eighth" else 1.0
        for line in read_lines(file):
            text = line["text"]
            marked = mark_spans(own_text(text), [(0, len(text))])
            yield Example(text, UNKNOWN_CONTEXT, line["kind"], file.stem, marked, weight=weight)


def _in_messages() -> Iterator[Example]:
    """Yield the statements of single messages, each after what the assistant said before it."""
    for line in read_lines(TEXTS / "messages.jsonl"):
        messages = [{"role": "user", "content": line["message"]}]
        if line["before"]:
            messages.insert(0, {"role": "assistant", "content": line["before"]})
        labels = [(len(messages) - 1, each["text"], each["kind"]) for each in line["lasting"]]
        for example in _of_conversation(messages, labels, f"messages {line['writer']}"):
            yield replace(example, weight=_WEIGHT_MESSAGE)


def _of_conversation(
    messages: Sequence[dict[str, Any]], labels: Sequence[tuple[int, str, StatementKind | None]], author: str
) -> Iterator[Example]:
    """Yield each statement of the user's with its context. labels: message, words, kind."""
    before: str | None = None
    for index, message in enumerate(messages):
        text = message["content"]
        if message["role"] == "assistant" and text:
            before = text
        elif message["role"] == "user":
            spans = [
                (start, start + len(words), kind)
                for at, words, kind in labels
                if at == index and (start := text.find(words)) >= 0
            ]
            parts = read_statements(text)
            for place, statement in enumerate(parts):
                kind: StatementKind | None = "none"
                for start, end, label in spans:
                    if min(statement.end, end) - max(statement.start, start) >= min(
                        _MIN_OVERLAP, statement.end - statement.start
                    ):
                        kind = label
                context = context_features(before, statement.text, place, len(parts))
                yield Example(statement.text, context, kind, author, mark_statements(text), place)
            before = before or ""


if __name__ == "__main__":
    main()
