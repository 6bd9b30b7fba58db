"""How well invariants are found by patterns and the model of kinds together, on hands that the model does
not know; with --write, the model that ships.

    python -m scripts.statement_kinds [--write] [FILE.jsonl …]

For each hand that wrote both conversations and statements, the model is fitted to the statements of all
others, and its conversations are judged. Files named besides are judged by the model of all statements.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from convgate.context.invariants.kinds.fitting import Prepared, fit
from convgate.context.invariants.kinds.judge import KindJudge
from convgate.context.invariants.kinds.labelled_statements import packaged_statements
from convgate.context.invariants.kinds.model_file import SHIPPED, write_model
from convgate.context.modes.states import state_encoder
from convgate.settings import load_settings
from scripts.invariant_figures import Counts, judge, read_lines, table

CONVERSATIONS = Path(__file__).parent.parent / "tests" / "invariants"
HANDS = {"first": "work", "third": "third", "fourth": "fourth", "fifth": "fifth"}
"""The file of conversations from which a hand's statements were taken."""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE.jsonl")
    parser.add_argument("--write", action="store_true", help="fit the model that ships and write it")
    arguments = parser.parse_args()
    encoder = state_encoder(load_settings())
    data = Prepared.of(packaged_statements(), encoder)
    if arguments.write:
        write_model(fit(data), SHIPPED)
    else:
        for hand, file in HANDS.items():
            _show(CONVERSATIONS / f"{file}.jsonl", KindJudge(fit(data.without(hand)), encoder), "by others")
    if arguments.files:
        whole = KindJudge(fit(data), encoder)
        for file in arguments.files:
            _show(file, whole, "by all")


def _show(file: Path, judging: KindJudge, which: str) -> None:
    counts = Counts()
    for line in read_lines(file):
        judge(line, counts, judging)
    print(f"\n{file.name}, {which}\n")
    print("\n".join(table(counts)))


if __name__ == "__main__":
    main()
