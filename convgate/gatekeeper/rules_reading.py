"""From the text of a file of rules to rules, with everything that is wrong on the way."""

from __future__ import annotations

from typing import Any, cast

from convgate.gatekeeper.errors import RuleProblem
from convgate.gatekeeper.rule import Rule, rule_problems
from convgate.gatekeeper.yaml_lines import Node, UnreadableYamlError, read_yaml

LISTS = ("skip_patterns", "keep_patterns")
_DEFAULTS = {"reason": "", "category": "custom", "applies_to": "user"}
FIELDS = ("pattern", *_DEFAULTS)

LARGEST = 100_000  # bytes of a file
MOST_RULES = 1_000
_MAX_LENGTH = 500  # characters of a problem, which may quote the file


class RulesReader:
    """Reads one text; `problems` has what was wrong with it."""

    def __init__(self, file: str | None) -> None:
        self.file = file
        self.problems: list[RuleProblem] = []
        self._seen: dict[str, tuple[str, int]] = {}  # patterns: in which list and line they stood first

    def read(self, text: str) -> dict[str, list[Rule]]:
        """The rules of each list that the text has; all that can be read, whatever is wrong with others."""
        if len(text.encode("utf-8", "replace")) > LARGEST:
            self._problem(f"larger than {LARGEST // 1000} kB, the most for rules")
            return {}
        try:
            root = read_yaml(text)
        except UnreadableYamlError as error:
            self._problem(error.problem, error.line)
            return {}
        if root is None or root.kind == "nothing":
            return {}
        if root.kind != "mapping":
            self._problem(f"expected {' and '.join(LISTS)}, got a {root.kind}", root.line)
            return {}
        lists = {key: self._list(key, node) for key, node in self._entries(root, LISTS)}
        if (number := sum(map(len, lists.values()))) > MOST_RULES:
            self._problem(f"{number:,} rules; {MOST_RULES:,} are the most")
        return lists

    def _list(self, name: str, node: Node) -> list[Rule]:
        if node.kind == "nothing":
            return []
        if node.kind != "list":
            self._problem(f"{name} is a list of rules, got {_a(node)}", node.line)
            return []
        rules = (self._rule(name, entry) for entry in node.children)
        return [rule for rule in rules if rule is not None]

    def _rule(self, name: str, node: Node) -> Rule | None:
        if node.kind != "mapping":
            self._problem(f"a rule is a mapping with a pattern, got {_a(node)}", node.line)
            return None
        fields = dict(self._entries(node, FIELDS))
        if "pattern" not in fields:
            self._problem("the rule has no pattern", node.line)
            return None
        given = fields["pattern"]
        pattern = self._text("pattern", given, None)
        texts = {key: self._text(key, value, pattern) for key, value in fields.items() if key != "pattern"}
        told = {key: text for key, text in texts.items() if text is not None}
        if pattern is None:
            return None
        found = rule_problems(pattern, *(told.get(key, default) for key, default in _DEFAULTS.items()))
        for key, problem in found:
            self._problem(problem, fields[key].line, pattern)
        if pattern in self._seen:
            place, first = self._seen[pattern]
            self._problem(f"the same pattern stands in line {first}, under {place}", given.line, pattern)
        elif pattern:
            self._seen[pattern] = name, given.line
        return None if found else Rule(pattern, line=node.line, **cast(dict[str, Any], told))

    def _text(self, key: str, node: Node, pattern: str | None) -> str | None:
        if node.kind == "text":
            return node.text if key == "pattern" else node.text.strip()
        if node.kind == "nothing":
            return "" if key == "pattern" else None
        hint = "; put it in quotes" if node.kind not in ("list", "mapping") else ""
        self._problem(f"{key} is a text, got {_a(node)}{hint}", node.line, pattern)
        return None

    def _entries(self, node: Node, known: tuple[str, ...]) -> list[tuple[str, Node]]:
        """The entries of a mapping under keys that are known, each once."""
        entries: dict[str, Node] = {}
        lines: dict[str, int] = {}
        for key, value in node.pairs:
            name = key.text if key.kind not in ("list", "mapping") else f"({_a(key)})"
            if name not in known:
                self._problem(f"there is no {name!r} here; there are {', '.join(known)}", key.line)
            elif name in entries:
                self._problem(f"{name} stands here twice, first in line {lines[name]}", key.line)
            else:
                entries[name], lines[name] = value, key.line
        return list(entries.items())

    def _problem(self, problem: str, line: int | None = None, pattern: str | None = None) -> None:
        shown = problem if len(problem) <= _MAX_LENGTH else f"{problem[: _MAX_LENGTH - 1]}…"
        self.problems.append(RuleProblem(shown, self.file, line, pattern))


def _a(node: Node) -> str:
    named = {"nothing": "nothing", "true or false": f"{node.text!r}, which YAML takes as true or false"}
    if node.kind in ("list", "mapping", "text"):
        return f"a {node.kind}"
    return named.get(node.kind, f"the {node.kind} {node.text[:40]}")
