"""Values in the objects of a file, at paths such as `author.role`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def value_at(fields: Any, path: str) -> Any:
    """Return the value at a path, None where nothing is; of alternatives the first that is there.

    Names have dots between them, and may be keys with dots themselves; alternatives have bars.

    >>> value_at({"a": {"b.c": 1}}, "x|a.b.c")
    1
    """
    if type(fields) is not dict and not isinstance(fields, Mapping):
        return None
    if (value := fields.get(path)) is not None:
        return value
    if "|" in path:
        values = (value_at(fields, each) for each in path.split("|"))
        return next((value for value in values if value is not None), None)
    if "." not in path:
        return None
    head, _, rest = path.partition(".")
    while rest:
        if (value := value_at(fields.get(head), rest)) is not None:
            return value
        name, _, rest = rest.partition(".")
        head = f"{head}.{name}"
    return None


def text_of(fields: Any, path: str) -> str | None:
    """Return the text at a path, of alternatives the first; None when there is none or it is blank."""
    for each in path.split("|") if "|" in path else (path,):
        if isinstance(value := value_at(fields, each), str) and value.strip():
            return value
    return None


def mapping_of(fields: Any, path: str) -> Mapping[str, Any]:
    """Return the object at a path, an empty one when there is none."""
    value = value_at(fields, path)
    return value if isinstance(value, Mapping) else {}
