"""An extension of griffe for the documentation site: docstrings as this project writes them.

Examples become blocks of code, which Markdown would take for quotations, and the comment behind a field its
docstring.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"^([ ]*)>>> .*(?:\n\1.*\S.*)*", re.MULTILINE)


class ProjectDocstrings(griffe.Extension):
    """Changes the docstrings of all objects."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Change the docstring of an object, or give a field one."""
        if obj.docstring:
            obj.docstring.value = _EXAMPLE.sub(_fence, obj.docstring.value)
        elif obj.is_attribute and obj.parent and obj.parent.is_class:
            comment = " ".join(obj.lines).partition("  # ")[2]
            if comment:
                obj.docstring = griffe.Docstring(comment[0].upper() + comment[1:] + ".", parent=obj)


def _fence(match: re.Match[str]) -> str:
    indent = match[1]
    lines = (line.removeprefix(indent) for line in match[0].splitlines())
    return "\n```pycon\n" + "\n".join(lines) + "\n```\n"
