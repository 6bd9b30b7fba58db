"""A YAML document as plain nodes that know their line; what rules need of YAML, and no more.

Read from the parser's events rather than into objects: nothing that the text names is made, each key stays
even where it is there twice, and nesting or anchors that would grow without end stop the reading.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from ruamel.yaml import YAML, ScalarNode
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)
from ruamel.yaml.reader import ReaderError

Kind = Literal["text", "list", "mapping", "nothing", "number", "true or false", "date"]

_DEEPEST = 8  # lists and mappings within each other
_KINDS: dict[str, Kind] = {
    "null": "nothing",
    "int": "number",
    "float": "number",
    "bool": "true or false",
    "timestamp": "date",
}


class UnreadableYamlError(ValueError):
    """A text is no YAML, or none that is read here."""

    def __init__(self, problem: str, line: int | None) -> None:
        self.problem, self.line = problem, line
        super().__init__(problem)


@dataclass
class Node:
    """A value of the document; a mapping has its keys and values in turn."""

    kind: Kind
    line: int  # from 1
    text: str = ""  # of a scalar, as it is meant
    children: list[Node] = field(default_factory=list)

    @property
    def pairs(self) -> list[tuple[Node, Node]]:
        """The keys and values of a mapping, in order, repeated keys included."""
        return list(zip(self.children[::2], self.children[1::2], strict=True))


def read_yaml(text: str) -> Node | None:
    """The one document of a text; None when it is empty or all comments. Raises UnreadableYamlError."""
    yaml = YAML(typ="safe", pure=True)
    open_: list[Node] = []
    root: Node | None = None
    documents, line = 0, 1
    try:
        for event in yaml.parse(text):
            line = event.start_mark.line + 1
            if isinstance(event, DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise UnreadableYamlError(
                        "a second document begins here; a file of rules is one document", line
                    )
                if event.version or event.tags:
                    raise UnreadableYamlError("directives, lines with %, are not used in rules", line)
            elif isinstance(event, CollectionEndEvent):
                open_.pop()
            elif isinstance(event, NodeEvent):
                node = _node(yaml, event, line)
                if open_:
                    open_[-1].children.append(node)
                root = root or node
                if node.kind in ("list", "mapping"):
                    open_.append(node)
                    if len(open_) > _DEEPEST:
                        raise UnreadableYamlError(
                            f"more than {_DEEPEST} lists and mappings in each other", line
                        )
    except UnreadableYamlError:
        raise
    except ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise UnreadableYamlError(
            f"the character U+{ord(text[error.position]):04X} is not allowed", line
        ) from error
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _no_yaml(error.problem or error.context, mark.line + 1 if mark else None) from error
    except (YAMLError, AssertionError, ValueError, OverflowError) as error:
        # the parser asserts versions, and makes any number after \\U a character
        raise _no_yaml(error, line) from error
    return root


def _no_yaml(problem: object, line: int | None) -> UnreadableYamlError:
    told = " ".join(str(problem).split())
    hint = "single quotes around a pattern let it have any characters"
    return UnreadableYamlError(f"this is no YAML: {told}; {hint}", line)


def _node(yaml: Any, event: NodeEvent, line: int) -> Node:
    if isinstance(event, AliasEvent) or event.anchor is not None:
        raise UnreadableYamlError(
            "anchors and aliases (& and *) are not used in rules; write the text out", line
        )
    assert isinstance(event, CollectionStartEvent | ScalarEvent)
    if event.tag is not None:
        raise UnreadableYamlError(f"tags such as {event.tag} are not used in rules", line)
    if isinstance(event, CollectionStartEvent):
        return Node("mapping" if isinstance(event, MappingStartEvent) else "list", line)
    tag = str(yaml.resolver.resolve(ScalarNode, event.value, event.implicit))
    return Node(_KINDS.get(tag.rpartition(":")[2], "text"), line, text=event.value)
