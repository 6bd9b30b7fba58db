"""A Python package with tests and injected bugs, written by a seeded generator."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from textwrap import dedent, indent
from typing import Any

NOUNS = [
    "invoice", "shipment", "ledger", "tariff", "voucher", "parcel", "depot", "carrier", "refund",
    "batch", "pallet", "manifest", "route", "order", "courier", "customs", "supplier", "warehouse",
    "contract", "deposit", "freight", "packing", "delivery", "rental",
]  # fmt: skip
ADJECTIVES = [
    "open", "late", "gross", "net", "daily", "pending", "bulk", "partial", "urgent", "foreign", "local",
    "expired", "shared",
]  # fmt: skip
VERBS = [
    "compute", "collect", "resolve", "derive", "arrange", "estimate", "allocate", "settle", "reconcile",
    "assemble",
]  # fmt: skip
SENTENCES = (
    "Rows without a {noun} are passed over by the caller.",
    "The order of the {noun} entries is kept.",
    "Used by the nightly job and by the report of each {noun}.",
    "Values come from the import of the {noun} file and are not checked again.",
    "The limit was agreed with the team that owns the {noun} data.",
    "Callers must not change what is returned; it may be cached per {noun}.",
    "An empty {noun} is allowed, and gives an empty answer.",
)


@dataclass(frozen=True)
class Template:
    """A function with the line that a bug changes; `{name}`, `{a}` and `{b}` are filled in."""

    body: str
    good: str  # a line of the body, or several
    bad: str
    arguments: str  # a Python expression, with which the bug shows
    symptom: str  # as a user would say it


TEMPLATES = (
    Template(
        "def {name}(amount, rate):\n    raw = round(amount * rate, 2)\n    return min(raw, {a})\n",
        "    return min(raw, {a})\n",
        "    return max(raw, {a})\n",
        "({b}, 7.5)",
        "gives amounts above the cap",
    ),
    Template(
        "def {name}(values, width={a} % 5 + 2):\n    sums = []\n"
        "    for start in range(len(values) - width + 1):\n"
        "        sums.append(sum(values[start : start + width]))\n    return sums\n",
        "    for start in range(len(values) - width + 1):\n",
        "    for start in range(len(values) - width):\n",
        "(list(range({b}, {b} + 12)),)",
        "misses the last window",
    ),
    Template(
        "def {name}(line):\n    fields = {{}}\n    for part in line.split(';'):\n"
        "        key, value = part.split('=', 1)\n        fields[key.strip()] = value.strip()\n"
        "    return fields\n",
        "        key, value = part.split('=', 1)\n",
        "        key, value = part.split('=')\n",
        "('code={a}; note=x={b}',)",
        "stops with an exception on notes that hold an equals sign",
    ),
    Template(
        "def {name}(code):\n    weights = {{'std': {a}, 'exp': {b}}}\n"
        "    return weights.get(code, {a} + {b})\n",
        "    return weights.get(code, {a} + {b})\n",
        "    return weights[code]\n",
        "('sea-{a}',)",
        "raises for codes that are not in the table",
    ),
    Template(
        "def {name}(values):\n    if not values:\n        return {a}\n    total = sum(values)\n"
        "    return round(total / len(values), 3)\n",
        "    if not values:\n        return {a}\n",
        "",
        "([],)",
        "fails on a day without entries",
    ),
    Template(
        "def {name}(rows):\n    groups = {{}}\n    for row in rows:\n"
        "        groups.setdefault(row['zone'], []).append(row['units'] + {a})\n    return groups\n",
        "        groups.setdefault(row['zone'], []).append(row['units'] + {a})\n",
        "        groups[row['zone']] = [row['units'] + {a}]\n",
        "([{{'zone': 'n', 'units': {b}}}, {{'zone': 'n', 'units': 4}}, {{'zone': 's', 'units': 9}}],)",
        "keeps only the last entry of each zone",
    ),
    Template(
        "def {name}(rows):\n    def key(row):\n        return (-row['units'], row['code'])\n"
        "    return [row['code'] for row in sorted(rows, key=key)][: {a}]\n",
        "        return (-row['units'], row['code'])\n",
        "        return (row['units'], row['code'])\n",
        "([{{'units': {b}, 'code': 'k{a}'}}, {{'units': {b} + 5, 'code': 'b{a}'}}],)",
        "lists the smallest first",
    ),
    Template(
        "def {name}(base, attempts):\n    factor = 1 + {a} % 3\n    delays = []\n"
        "    for attempt in range(attempts):\n        delays.append(base * (factor + 1) ** attempt)\n"
        "    return delays\n",
        "        delays.append(base * (factor + 1) ** attempt)\n",
        "        delays.append(base * (factor + 1) * attempt)\n",
        "({b}, 5)",
        "waits for the wrong times",
    ),
    Template(
        "def {name}(number, prefix='{a}'):\n    digits = f'{{number:07d}}'\n"
        "    return prefix + '-' + digits\n",
        "    digits = f'{{number:07d}}'\n",
        "    digits = f'{{number:06d}}'\n",
        "({b},)",
        "makes reference numbers of the wrong length",
    ),
    Template(
        "def {name}(units):\n    steps = [({a}, 'low'), ({a} + {b}, 'middle')]\n"
        "    for limit, label in steps:\n        if units <= limit:\n            return label\n"
        "    return 'high'\n",
        "        if units <= limit:\n",
        "        if units < limit:\n",
        "({a} + {b},)",
        "puts the limit itself into the wrong class",
    ),
    Template(
        "def {name}(text):\n    total = 0\n    for place, character in enumerate(text, 1):\n"
        "        total += place * ord(character)\n    return total % {a}\n",
        "    return total % {a}\n",
        "    return total % {b}\n",
        "('{noun}-{b}-{a}' * 3,)",
        "does not agree with the check numbers of the partner",
    ),
    Template(
        "def {name}(n_entries, size={a} % 40 + 3):\n    full, rest = divmod(n_entries, size)\n"
        "    return full + (1 if rest else 0)\n",
        "    return full + (1 if rest else 0)\n",
        "    return full\n",
        "({b} * 41 + 1, 41)",
        "drops the last page",
    ),
)


@dataclass(frozen=True)
class Function:
    """A function of the package; `bad` replaces `good` where its bug is injected."""

    name: str
    module: str  # its path
    test_path: str
    test: str  # the name of its test
    good: str
    bad: str
    symptom: str


@dataclass(frozen=True)
class PythonRepository:
    """The files by path, and which functions have a bug."""

    package: str
    files: dict[str, str]
    broken: list[Function]
    functions: list[Function]


@dataclass
class _Module:
    path: str
    noun: str
    functions: list[tuple[Function, str]] = field(default_factory=list)  # with the text
    tests: list[str] = field(default_factory=list)


def make_python_repository(rng: random.Random, *, n_bugs: int) -> PythonRepository:
    """Return a package of 14 modules of 100 to 250 lines; the bugs are in different modules."""
    nouns = rng.sample(NOUNS, 15)
    package = nouns.pop() + "kit"
    names: set[str] = set()
    modules = [_make_module(rng, package, noun, names) for noun in nouns]
    broken = [rng.choice(module.functions)[0] for module in rng.sample(modules, n_bugs)]
    files = {
        f"{package}/__init__.py": f'"""Tools around {nouns[0]} and {nouns[1]} data."""\n',
        "tests/__init__.py": "",
    }
    functions = [function for module in modules for function, _ in module.functions]
    for module in modules:
        others = rng.sample(functions, 4)
        files[module.path] = _module_text(rng, module, others, package, broken)
        files[f"tests/test_{module.noun}s.py"] = _test_text(package, module)
    files |= _documents(rng, package, nouns, functions)
    return PythonRepository(package, files, broken, functions)


def _make_module(rng: random.Random, package: str, noun: str, names: set[str]) -> _Module:
    module = _Module(f"{package}/{noun}s.py", noun)
    for _ in range(rng.randint(8, 16)):
        template = rng.choice(TEMPLATES)
        name = f"{rng.choice(VERBS)}_{rng.choice(ADJECTIVES)}_{noun}_{rng.choice(NOUNS)}s"
        if name in names:
            continue
        names.add(name)
        values = {"name": name, "a": rng.randint(113, 999), "b": rng.randint(1000, 9999), "noun": noun}
        body = template.body.format(**values)
        expression = template.arguments.format(**values)
        test, good = f"test_{name.split('_', 1)[1]}_{len(module.functions)}", template.good.format(**values)
        function = Function(
            name,
            module.path,
            f"tests/test_{noun}s.py",
            test,
            good,
            template.bad.format(**values),
            template.symptom,
        )
        value = _evaluate(body, name, expression)
        if _evaluate(body.replace(function.good, function.bad), name, expression) == value:
            continue  # the test would not show the bug
        module.functions.append((function, body))
        module.tests.append(
            f"    def {test}(self):\n        arguments = {expression}\n"
            f"        result = {noun}s.{name}(*arguments)\n"
            f"        self.assertEqual(result, {value!r})\n"
        )
    return module


def _evaluate(body: str, name: str, expression: str) -> Any:
    """Return what a function of this generator gives, or the class of its error."""
    space: dict[str, Any] = {}
    exec(body, space)
    try:
        return space[name](*eval(expression))
    except (ArithmeticError, LookupError, ValueError) as error:
        return type(error)


def _document(rng: random.Random, noun: str, other: str) -> str:
    sentences = [
        text.format(noun=rng.choice((noun, other))) for text in rng.sample(SENTENCES, rng.randint(2, 4))
    ]
    title = f"Return the {rng.choice(ADJECTIVES)} {noun} figures for the {other} report."
    return '"""' + "\n\n".join([title, "\n".join(sentences)]) + '\n"""\n'


def _module_text(
    rng: random.Random, module: _Module, others: list[Function], package: str, broken: list[Function]
) -> str:
    imports = sorted({other.module.split("/")[1][:-3] for other in others} - {f"{module.noun}s"})
    parts = [f'"""Everything about one {module.noun}: figures, classes and reference numbers."""\n']
    parts.append("".join(f"from {package} import {name}\n" for name in imports))
    constants = [
        f"{module.noun.upper()}_{word.upper()}_LIMIT = {rng.randint(1000, 99999)}\n"
        for word in ADJECTIVES[:5]
    ]
    parts.append("".join(constants))
    for function, body in module.functions:
        head, rest = body.split("\n", 1)
        shown = rest.replace(function.good, function.bad) if function in broken else rest
        document = indent(_document(rng, module.noun, rng.choice(NOUNS)), "    ")
        parts.append(f"\n{head}\n{document}{shown}")
    for number, other in enumerate(others):
        owner = other.module.split("/")[1][:-3]
        prefix = "" if owner == f"{module.noun}s" else f"{owner}."
        parts.append(
            f"\ndef report_{module.noun}_{number}(*arguments):\n"
            f'    """Return a line of the {module.noun} report."""\n'
            f"    value = {prefix}{other.name}(*arguments)\n"
            f"    return f'{module.noun} {number}: {{value}}'\n"
        )
    return "\n".join(part for part in parts if part)


def _test_text(package: str, module: _Module) -> str:
    head = f"import unittest\n\nfrom {package} import {module.noun}s\n\n\n"
    return f"{head}class {module.noun.title()}Test(unittest.TestCase):\n" + "\n".join(module.tests)


def _documents(
    rng: random.Random, package: str, nouns: list[str], functions: list[Function]
) -> dict[str, str]:
    tag = f"{rng.choice('BDFGKMR')}{rng.choice('XYZQ')}-{rng.randint(100, 999)}"
    lines = [
        f"- `{function.name}` in `{function.module}`: {function.symptom} (open)"
        for function in functions[::3]
    ]
    guide = dedent(f"""\
        # Contributing to {package}

        Run the tests of one module with `python -m unittest tests.test_MODULE`.
        Every fix gets a line in `CHANGELOG.md`, directly below the heading `## Unreleased`, which begins
        with the component tag `[{tag}]` and names the function.
        """)
    history = "".join(
        f"- [{tag}] {rng.choice(VERBS)} {rng.choice(ADJECTIVES)} {rng.choice(nouns)} rows\n"
        for _ in range(40)
    )
    readme = "".join(f"## {noun}s\n\n{' '.join(SENTENCES).format(noun=noun)}\n\n" for noun in nouns)
    return {
        "CONTRIBUTING.md": guide + "\n" + " ".join(SENTENCES).format(noun=nouns[2]) + "\n",
        "CHANGELOG.md": f"# Changelog\n\n## Unreleased\n\n## 2.4.0\n\n{history}",
        "README.md": f"# {package}\n\n{readme}",
        "docs/known_issues.md": "# Known issues\n\n" + "\n".join(lines) + "\n",
        "pyproject.toml": f'[project]\nname = "{package}"\nversion = "2.4.{rng.randint(1, 40)}"\n',
    }
