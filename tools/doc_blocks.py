"""Parts of the docs that are made of the code: formats, settings, connections and the packages' order.

python -m tools.doc_blocks           # prints them
python -m tools.doc_blocks --write   # puts them into their pages
"""

from __future__ import annotations

import ast
import inspect
import json
import sys
from collections.abc import Callable, Iterable, Mapping
from configparser import ConfigParser
from functools import partial
from pathlib import Path

from pydantic.fields import FieldInfo

from convgate.core.connections import COMMANDS, LIBRARIES, Connection
from convgate.core.settings import SECTIONS, Settings, setting_fields
from convgate.transcripts import FORMATS, Transcript, read_conversations

CHECKOUT = Path(__file__).parents[1]
SAMPLES = CHECKOUT / "tests" / "transcripts"
CONTRACT = CHECKOUT / ".importlinter"
_END = "<!-- end -->\n"


def main() -> None:
    """Print the parts, or write them."""
    for page, names in PAGES.items():
        for name in names:
            if "--write" in sys.argv[1:]:
                path = CHECKOUT / page
                before, begin, rest = path.read_text(encoding="utf-8").partition(_begin(name))
                path.write_text(before + begin + BLOCKS[name]() + _END + rest.partition(_END)[2], "utf-8")
            else:
                print(BLOCKS[name]())


def block(page: str, name: str) -> str:
    """Return the part that a page has now; empty where it has none."""
    text = (CHECKOUT / page).read_text(encoding="utf-8")
    return text.partition(_begin(name))[2].partition(_END)[0]


def connections() -> dict[str, Connection]:
    """Return what can open a connection, by what opens it in Markdown."""
    settings = {
        f"setting `{name}`": connection
        for name, field in setting_fields().items()
        for connection in field.metadata
        if isinstance(connection, Connection)
    }
    return settings | dict(COMMANDS) | dict(LIBRARIES)


def connection_table() -> str:
    """Return the table of what can open a connection."""
    rows = [(opener, each.to, each.sends) for opener, each in connections().items()]
    return _table(("opened by", "connects to", "sends"), rows)


def format_table() -> str:
    """Return the table of what is read of each format, a row for each that has a sample in the tests."""
    read: dict[str, list[Transcript]] = {}
    for sample in sorted(SAMPLES.iterdir()):
        transcript = read_conversations(sample)
        read.setdefault(transcript.format, []).append(transcript)
    rows = [_format_row(format.label, read[format.name]) for format in FORMATS if format.name in read]
    return _table(("format", "tools", "thinking", "times", "left out, and counted, in the samples"), rows)


def settings_table(section: str) -> str:
    """Return the table of a section of the settings, "" for those in none, with the comments of the code."""
    kind = SECTIONS[section] if section else Settings
    prefix = f"{section}." if section else ""
    meanings = {name: text for base in reversed(kind.__mro__[:-1]) for name, text in _comments(base).items()}
    rows = [
        (f"`{prefix}{name}`", _default(field), meanings.get(name, ""))
        for name, field in kind.model_fields.items()
        if prefix + name not in SECTIONS
    ]
    return _table(("setting", "default", ""), rows)


def _comments(kind: type) -> dict[str, str]:
    """Return the comment of each field of a class: behind it, else above it."""
    try:
        lines = inspect.getsource(kind).split("\n")
    except (OSError, TypeError):
        return {}
    comments: dict[str, str] = {}
    for node in ast.walk(ast.parse("\n".join(lines))):
        if isinstance(node, ast.AnnAssign):
            behind, above = lines[(node.end_lineno or node.lineno) - 1], lines[node.lineno - 2].strip()
            texts = [behind.rpartition("  # ")[2]] if "  # " in behind else []
            texts += [above.removeprefix("# ")] if above.startswith("# ") else []
            texts = [text for text in texts if not text.startswith("fmt:")]
            comments |= {ast.unparse(node.target): text for text in texts[:1]}
    return comments


def _default(field: FieldInfo) -> str:
    value = field.get_default()
    if field.default_factory is not None or value is None or value in ({}, ()):
        return ""
    if isinstance(value, tuple):
        return ", ".join(value)
    return f"{value:,g}" if isinstance(value, float) else json.dumps(value)


def layers() -> list[list[str]]:
    """Return the packages by layer of the import contract, the topmost first."""
    contract = ConfigParser()
    contract.read(CONTRACT, encoding="utf-8")
    lines = contract["importlinter:contract:rooms"]["layers"].split("\n")
    return [[name.strip() for name in line.split(":")] for line in lines if line.strip()]


def layer_picture() -> str:
    """Return the layers with what each package is; those that may not import each other share a frame."""
    lines = []
    for layer in layers():
        edges = "─" if len(layer) == 1 else "┌" + "│" * (len(layer) - 2) + "└"
        lines += [f"{edge} {name:<13} {_purpose(name)}" for edge, name in zip(edges, layer, strict=True)]
    return "\n".join(["```", *lines, "```", ""])


def _purpose(package: str) -> str:
    """Return the first sentence of the docstring of a package or module of convgate."""
    path = CHECKOUT / "convgate" / package
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    line = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]
    return line.partition(". ")[0].removesuffix(".")


def _format_row(label: str, transcripts: Iterable[Transcript]) -> tuple[str, ...]:
    transcripts = list(transcripts)
    turns = [turn for each in transcripts for conversation in each for turn in conversation.turns]
    left_out = sorted({what for each in transcripts for what in each.summary.omitted})
    cells = (
        any(turn.tool_calls for turn in turns),
        any(part.kind == "thinking" for turn in turns for part in turn.parts),
        any(turn.timestamp for turn in turns),
    )
    return label, *("yes" if cell else "" for cell in cells), ", ".join(left_out)


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(head), *map(list, rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _begin(name: str) -> str:
    return f"<!-- {name}: python -m tools.doc_blocks --write -->\n"


BLOCKS: Mapping[str, Callable[[], str]] = {
    "formats": format_table,
    "connections": connection_table,
    "layers": layer_picture,
    "settings": partial(settings_table, ""),
    **{f"settings of {section}": partial(settings_table, section) for section in SECTIONS},
}
PAGES: Mapping[str, tuple[str, ...]] = {
    "docs/formats.md": ("formats",),
    "docs/faq.md": ("connections",),
    "SECURITY.md": ("connections",),
    "docs/architecture.md": ("layers",),
    "docs/data.md": ("settings",),
    "docs/selection.md": ("settings of budget",),
    "docs/sessions.md": ("settings of session",),
    "docs/gatekeeper.md": ("settings of gatekeeper",),
    "docs/experiments.md": ("settings of experiment",),
    "docs/costs.md": ("settings of costs",),
    "docs/guardrails.md": ("settings of guard",),
    "docs/serve.md": ("settings of server",),
}

if __name__ == "__main__":
    main()
