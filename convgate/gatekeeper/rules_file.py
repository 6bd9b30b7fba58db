r"""Own rules as YAML: read with all problems by line, and watched while a program runs.

    skip_patterns:
      - pattern: '^(lgtm|\+1)$'
        reason: says no more than yes
    keep_patterns:
      - pattern: '\bticket [A-Z]+-\d+'
        category: ticket
        applies_to: both

>>> parse_rules("keep_patterns: [{pattern: 'ticket', category: ticket}]").keep_patterns
(PatternRule(pattern='ticket', reason='', category='ticket', applies_to='user', line=1),)
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML, MappingNode, Node, ScalarNode, SequenceNode
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.reader import ReaderError
from ruamel.yaml.scalarstring import SingleQuotedScalarString

from convgate.gatekeeper.rules import PatternRule, RuleProblem, Rules, RulesError, find_problems

log = logging.getLogger(__name__)

LISTS = ("skip_patterns", "keep_patterns")
_DEFAULTS = {"reason": "", "category": "custom", "applies_to": "user"}
_FIELDS = ("pattern", *_DEFAULTS)

MAX_BYTES = 100_000  # of a file
_MAX_PROBLEM = 500  # characters of a problem, which may quote the file
_RECENT = 2.0  # seconds after a change in which another may leave time and size the same


def parse_rules(text: str, *, file: str | None = None) -> Rules:
    """Return the rules of a text; `file` names it in errors.

    Raises RulesError with everything that is wrong.
    """
    reader = _Reader(file)
    lists = reader.read(text)
    if reader.problems:
        raise RulesError(sorted(reader.problems, key=lambda problem: problem.line or 0))
    return Rules(**{name: tuple(rules) for name, rules in lists.items()})


def add_rule(text: str, name: str, rule: PatternRule) -> str:
    r"""Return a valid text with one more rule in the list `name`, and its comments as they are.

    >>> print(add_rule("# mine\n", "skip_patterns", PatternRule(r"\bping\b", "says nothing")))
    # mine
    skip_patterns:
      - pattern: '\bping\b'
        reason: says nothing
    <BLANKLINE>
    """
    yaml = YAML()
    yaml.preserve_quotes, yaml.width = True, 2 * MAX_BYTES
    yaml.indent(mapping=2, sequence=4, offset=2)
    lists, output = yaml.load(text), StringIO()
    if lists is None:  # nothing, comments, or a null, which cannot stand before the lists
        lists = {}
        comments = (line for line in text.splitlines() if line.strip()[:1] in ("", "#"))
        output.writelines(f"{line}\n" for line in comments)
    if lists.get(name) is None:
        lists[name] = []
    entry: dict[str, str] = {"pattern": SingleQuotedScalarString(rule.pattern)}
    lists[name].append(entry | ({"reason": rule.reason} if rule.reason else {}))
    yaml.dump(lists, output)
    return output.getvalue()


def read_rules(path: Path) -> Rules:
    """Return the rules of a file. Raises RulesError with everything that is wrong with it."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        return parse_rules(data.decode("utf-8-sig"), file=str(path))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RulesError([RuleProblem("not UTF-8; save the file as UTF-8", str(path), line)]) from error
    except OSError as error:
        raise RulesError([RuleProblem(f"cannot be read: {error.strerror or error}", str(path))]) from error


class RulesFile:
    """The rules of a file, read again when it changes. Thread-safe.

    When the file breaks or goes away, the rules of before stay in force, and `problem` says so.
    Raises RulesError when the file cannot be used at first; is_required: whether it has to exist then.
    """

    def __init__(self, path: Path, *, is_required: bool) -> None:
        self.path = path
        self.problem: str | None = None
        self._lock = threading.Lock()
        self._stamp = self._read_stamp()
        self._rules = read_rules(path) if is_required or self._stamp is not None else Rules()
        self._was_there = self._stamp is not None

    def current(self) -> Rules:
        """Return the rules; reads the file again when its size or times changed."""
        with self._lock:
            stamp = self._read_stamp()
            if stamp != self._stamp or (stamp is not None and abs(time.time() - stamp[1] / 1e9) < _RECENT):
                self._stamp = stamp
                self._was_there |= stamp is not None
                if self._was_there:
                    self._reload()
            return self._rules

    def _reload(self) -> None:
        try:
            self._rules, self.problem = read_rules(self.path), None
        except RulesError as error:
            problem = f"{error} The previous rules stay in force."
            if problem != self.problem:
                self.problem = problem
                log.warning("%s", problem)

    def _read_stamp(self) -> tuple[int, int, int, int] | None:
        """Return size, times in nanoseconds and inode; None without a file."""
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino


class _Reader:
    """Reads one text; `problems` has what is wrong with it."""

    def __init__(self, file: str | None) -> None:
        self.file = file
        self.problems: list[RuleProblem] = []
        self._lines: dict[str, int] = {}  # of the patterns so far

    def read(self, text: str) -> dict[str, list[PatternRule]]:
        """Return the rules of each list, as far as they can be read."""
        if len(text.encode("utf-8", "replace")) > MAX_BYTES:
            self._add(f"larger than {MAX_BYTES // 1000} kB, the max for rules")
            return {}
        root = self._compose(text)
        if root is None or _is_null(root):
            return {}
        return {name: list(self._read_list(name, node)) for name, node in self._read_mapping(root, LISTS)}

    def _compose(self, text: str) -> Any:
        try:
            return YAML(typ="safe", pure=True).compose(text)
        except ReaderError as error:
            line = text.count("\n", 0, error.position) + 1
            self._add(f"the character U+{ord(text[error.position]):04X} is not allowed", line)
        except MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            self._add(f"not YAML: {error.problem or error.context}", mark.line + 1 if mark else None)
        except RecursionError:
            self._add("lists or mappings are nested too deeply")
        except (YAMLError, AssertionError, ValueError, OverflowError) as error:  # such as "\\UFFFFFFFF"
            self._add(f"not YAML: {error}")
        return None

    def _read_list(self, name: str, node: Node) -> Iterator[PatternRule]:
        if isinstance(node, SequenceNode):
            for entry in node.value:
                if rule := self._read_rule(entry):
                    yield rule
        elif not _is_null(node):
            self._add(f"{name} must be a list of rules", _line(node))

    def _read_rule(self, node: Node) -> PatternRule | None:
        n_problems = len(self.problems)
        fields = dict(self._read_mapping(node, _FIELDS))
        texts = {key: self._read_text(key, value) for key, value in fields.items()}
        if len(self.problems) > n_problems:
            return None
        if "pattern" not in texts:
            self._add("the rule has no pattern", _line(node))
            return None
        given = {key: text for key, text in texts.items() if text or key == "pattern"}
        values: dict[str, Any] = _DEFAULTS | given
        pattern = values["pattern"]
        line = _line(fields["pattern"])
        for key, problem in find_problems(**values):
            self._add(problem, _line(fields[key]), pattern)
        if (first := self._lines.setdefault(pattern, line)) != line:
            self._add(f"the pattern is also in line {first}", line, pattern)
        return None if len(self.problems) > n_problems else PatternRule(line=_line(node), **values)

    def _read_mapping(self, node: Node, known: tuple[str, ...]) -> Iterator[tuple[str, Node]]:
        """Yield the entries of a mapping whose keys are known, each key once."""
        if not isinstance(node, MappingNode):
            self._add(f"expected a mapping with {', '.join(known)}", _line(node))
            return
        lines: dict[str, int] = {}
        for key, value in node.value:
            name = key.value if isinstance(key, ScalarNode) else "(a list or mapping)"
            if name not in known:
                self._add(f"unknown key {name[:40]!r}; known are {', '.join(known)}", _line(key))
            elif name in lines:
                self._add(f"{name} is also in line {lines[name]}", _line(key))
            else:
                lines[name] = _line(key)
                yield name, value

    def _read_text(self, key: str, node: Node) -> str:
        if _is_null(node):
            return ""
        if not isinstance(node, ScalarNode) or str(node.tag) != "tag:yaml.org,2002:str":
            self._add(f"{key} must be text; put it in quotes", _line(node))
            return ""
        text = str(node.value)
        return text if key == "pattern" else text.strip()

    def _add(self, problem: str, line: int | None = None, pattern: str | None = None) -> None:
        problem = " ".join(problem.split())[:_MAX_PROBLEM]
        self.problems.append(RuleProblem(problem, self.file, line, pattern))


def _is_null(node: Node) -> bool:
    return isinstance(node, ScalarNode) and str(node.tag) == "tag:yaml.org,2002:null"


def _line(node: Node) -> int:
    line: int = node.start_mark.line
    return line + 1
