"""Whether two statements are about the same, and whether the later one gives it another value."""

from __future__ import annotations

import re

from convgate.context.invariants.statement import Statement
from convgate.context.invariants.words import MEASURES, About

_GENERAL = frozenset(
    b"rul rule constraint restriction requirement condition regl regel contraint limit vorgab grenz".split()
)
_LIMITS = frozenset(
    b"""line limit ceil cap maximum budget top max bar absolut upp lid mark figur figure limite plafond grenz
    obergrenz target threshold border total now""".split()
)
"""Words, as stems, for a limit whatever it limits."""

_COUNTED_OFF = frozenset(
    b"""<part <case <slid <slide <chapter <question <step <item <line <page <version <option <row <column
    <example <number <tabl <table <figur <figure <level <class <sect <section <week <day <no <nr
    <exercis <lesson <episod <task <ticket <order <room <port <python <node <java <http <error <code
    <status <year <in <on <for <and <with <or <plus""".split()
)
"""Words before a number that names one of several; another number is another one of them."""


def shared_values(one: About, other: About) -> int:
    """Return how much two statements share."""
    units = {unit for unit, _ in one.numbers if unit} & {unit for unit, _ in other.numbers if unit}
    return len(one.values & other.values) + len(units - MEASURES)


def replaces(one: Statement, rule: Statement, *, near: bool) -> bool:
    """Return whether a statement takes the place of an earlier one. near: it is of the message before."""
    corrects = one.kind == "user_correction"
    critical = rule.kind == "safety_requirement"
    shared = one.about.stems & rule.about.stems
    if critical and not (shared or near):
        return False
    repeats = one.about.values <= rule.about.values
    if repeats:
        return False
    if one.old & rule.about.values and (shared or corrects):
        return True
    if other_value(one.about, rule.about, near=near and corrects):
        return True
    if shared and _some_other_number(one.about, rule.about):
        return True
    fewest = min(len(one.about.stems), len(rule.about.stems))
    return corrects and (len(shared) >= 2 or (len(shared) == 1 and fewest <= 3 and not critical))


def other_value(one: About, other: About, *, near: bool = False) -> bool:
    """Return whether both give a number of the same thing, or a day, and not the same."""
    if one.numbers and other.numbers:
        known = dict(other.numbers)
        alike = bool(one.stems & other.stems) or near
        for unit, value in one.numbers:
            if not unit or unit in _COUNTED_OFF or known.get(unit, value) == value:
                continue
            if (unit, value) in other.numbers:
                continue
            if unit not in MEASURES or alike or len(one.stems) <= 3:
                return True
    kinds = {kind for kind, _ in one.named} & {kind for kind, _ in other.named}
    return bool(kinds and not one.named & other.named and (near or one.stems & other.stems))


def _some_other_number(one: About, other: About) -> bool:
    """Whether both give one number, and at least one of them does not say of what."""
    first = {value for unit, value in one.numbers if not unit.startswith(b"<")}
    second = {value for unit, value in other.numbers if not unit.startswith(b"<")}
    unsaid = (b"", *first) in one.numbers or (b"", *second) in other.numbers
    return len(first) == len(second) == 1 and first != second and unsaid


def is_limit(about: About) -> bool:
    """Return whether it is about a number and names at most that it is a limit."""
    return len({value for _, value in about.numbers}) == 1 and len(about.stems - _LIMITS) <= 1


def other_limit(one: About, other: About) -> bool:
    """Return whether both give one number, of the same unit or of none, of one order of magnitude."""
    first = {(unit, value) for unit, value in one.numbers if not unit.startswith(b"<")}
    second = {(unit, value) for unit, value in other.numbers if not unit.startswith(b"<")}
    if len(first) != 1 or len(second) != 1 or first == second:
        return False
    (unit, value), (other_unit, other_value) = (*first, *second)
    if unit and other_unit and unit != other_unit and not {unit, other_unit} & _LIMITS:
        return False
    sizes = _size(value), _size(other_value)
    return max(sizes) <= 3 * min(sizes)


def _size(number: bytes) -> float:
    whole = re.sub(rb"[.,:](?=[0-9]{3})", b"", number)
    return float(b".".join(re.split(rb"[.,:]", whole)[:2]))


def is_general(about: About) -> bool:
    """Return whether it speaks of a rule or a limit without saying which."""
    return bool(about.stems & _GENERAL)
