"""Whether two statements are about the same, and whether the later one says it otherwise."""

from __future__ import annotations

import re

from convgate.context.invariant import InvariantType
from convgate.context.invariants.statement import Statement
from convgate.context.invariants.words import MEASURES, About

_GENERAL = frozenset(
    b"rul rule constraint restriction requirement condition regl regel contraint limit vorgab grenz".split()
)
_LIMITS = frozenset(
    b"""line limit ceil cap maximum budget top max bar absolut upp lid mark figure figur limite plafond grenz
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
    """How much two statements share."""
    units = {unit for unit, _ in one.numbers if unit} & {unit for unit, _ in other.numbers if unit}
    return len(one.values & other.values) + len(units - MEASURES)


def replaces(one: Statement, rule: Statement, kind: InvariantType, *, near: bool) -> bool:
    """Whether a statement takes the place of an earlier rule. near: it is of the user's message before."""
    shared = one.about.stems & rule.about.stems
    if kind == "safety_requirement" and not (shared or near):
        return False
    changes = one.corrects or one.contrasts or one.modifies or one.objects
    if one.obliges and one.modifies and kind != "safety_requirement" and one.about.values & rule.about.values:
        return True
    named = one.old & rule.about.values if not one.repeats else frozenset()
    if (
        named
        and changes
        and (shared or kind == "user_correction" or any(not word[:1].isdigit() for word in named))
    ):
        return True
    bound = rule.bound or rule.about
    if other_value(one.about, bound, near=near and one.corrects):
        tells = one.points or one.moved or one.permits or one.plain
        return bool(changes or (one.obliges and rule.obliges) or (shared and tells))
    if shared and rule.obliges and (one.obliges or one.permits) and _some_other_number(one.about, rule.about):
        return True
    if one.repeats or (one.adds and not one.points) or not (one.corrects or one.contrasts):
        return False
    fewest = min(len(one.about.stems), len(rule.about.stems))
    return len(shared) >= 2 or (
        len(shared) == 1 and fewest <= 3 and one.corrects and kind != "safety_requirement"
    )


def other_value(one: About, other: About, *, near: bool = False) -> bool:
    """Whether both give a number of the same thing, or a day, and not the same. near: a day suffices."""
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


def conflict(one: Statement, other: About) -> bool:
    """Whether a short statement gives something that was said another value."""
    if other_value(one.about, other):
        return True
    kinds = {kind for kind, _ in one.about.named} & {kind for kind, _ in other.named}
    if kinds and not one.about.named <= other.named and (one.points or len(one.about.stems) <= 2):
        return True
    return bool(
        one.points
        and one.about.numbers
        and other.numbers
        and not one.about.numbers & other.numbers
        and len(one.about.stems) <= 1
    )


def says_otherwise(one: Statement, answer: About, names: frozenset[bytes]) -> bool:
    """Whether a short statement gives a number, a day or a name in place of one of the assistant's."""
    new_names = one.names - answer.values - names
    if (one.points or one.checked) and new_names and names and len(one.about.stems) <= 6:
        return True
    if not (one.leads or one.checked):
        return False
    values = {value for _, value in one.about.numbers}
    known = {value for _, value in answer.numbers}
    if values and known and not values & known:
        return True
    kinds = {kind for kind, _ in one.about.named} & {kind for kind, _ in answer.named}
    return bool(kinds) and not one.about.named & answer.named


def is_limit(about: About) -> bool:
    """Whether it is about a number and names at most that it is a limit."""
    return len({value for _, value in about.numbers}) == 1 and len(about.stems - _LIMITS) <= 1


def other_limit(one: About, other: About) -> bool:
    """Whether both give one number, of the same unit or of none, and the numbers are of one size."""
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
    """Whether it speaks of a rule or a limit without saying which."""
    return bool(about.stems & _GENERAL)
