"""What is read of each format, by the samples of the tests: the table of docs/formats.md.

python -m tools.format_table           # prints it
python -m tools.format_table --write   # puts it into the page
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

from convgate.transcripts import FORMATS, Transcript, read_conversations

CHECKOUT = Path(__file__).parents[1]
SAMPLES = CHECKOUT / "tests" / "transcripts"
PAGE = CHECKOUT / "docs" / "formats.md"
BEGIN, END = "<!-- python -m tools.format_table --write -->\n", "<!-- end -->\n"


def main() -> None:
    """Print the table, or write it."""
    table = format_table()
    if "--write" not in sys.argv[1:]:
        print(table)
        return
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}{table}{END}{after}", encoding="utf-8")


def format_table() -> str:
    """Return the table in Markdown, a row for each format that has a sample."""
    read: dict[str, list[Transcript]] = {}
    for sample in sorted(SAMPLES.iterdir()):
        transcript = read_conversations(sample)
        read.setdefault(transcript.format, []).append(transcript)
    rows = [_row(format.label, read[format.name]) for format in FORMATS if format.name in read]
    head = "| format | tools | thinking | times | left out, and counted, in the samples |"
    return f"{head}\n|---|---|---|---|---|\n" + "".join(f"{row}\n" for row in rows)


def _row(label: str, transcripts: Iterable[Transcript]) -> str:
    transcripts = list(transcripts)
    turns = [turn for each in transcripts for conversation in each for turn in conversation.turns]
    left_out = sorted({what for each in transcripts for what in each.summary.omitted})
    cells = (
        any(turn.tool_calls for turn in turns),
        any(part.kind == "thinking" for turn in turns for part in turn.parts),
        any(turn.timestamp for turn in turns),
    )
    return f"| {label} | {' | '.join('yes' if cell else '' for cell in cells)} | {', '.join(left_out)} |"


if __name__ == "__main__":
    main()
