"""The topic of a statement: the stems of its words, its numbers with their units, its dates."""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(rb"[a-z_][a-z0-9_+#']*|[0-9]+(?:[.,:][0-9]+)*|%")
_STOP_WORDS = frozenset(
    b"""hm hmm hmmm uh uhh huh ah oh ugh argh err um haha lol a about above actually after again all also
    always am an and any anymore are aren't as at be because been before being below both but by can
    can't cannot could did do does doesn't doing don't down each ever every few for from further get
    gets give go going good got had has have having he her here hers him his how i i'd i'll i'm i've if
    in into is isn't it it's its itself just keep let let's like made make makes may me mean meant might
    more most much must my need needs never new no nope nor not nothing now of off oh ok okay old on
    once one only or other our out over own per please put rather really right said same say says see
    shall she should so some sorry still such sure take than thank thanks that that's the their them
    then there these they they're thing things this those though to too two under until up us use used
    uses using very wait want was we we're well were what when where which while who why will with
    within without won't would wrong yes yet you you're your allowed exactly least maximum max minimum
    limit than change changed instead nobody le la les un une des du de et ou est sont pas ne ni que qui
    il elle on nous vous je tu en au aux dans pour par sur avec ce cette ces son sa ses mon ma mes notre
    nos votre plus mais donc non oui ca c'est doit doivent faut jamais toujours rien tout toute tous
    toutes fait en's avoir etre ete der die das den dem des ein eine einen einem einer und oder ist sind
    nicht kein keine keinen keiner ich du er sie es wir ihr mich dich uns euch mein meine meinen unser
    unsere zu zum zur im in an am auf aus bei mit nach von vor fur uber unter um als wie wenn dass auch
    nur noch schon mal doch aber nein ja so da hier dann immer nie niemals muss mussen darf durfen soll
    sollen kann konnen wird werden haben hat habe war waren sein bitte mehr hochstens mindestens beim ab
    jetzt eigentlich ai bon""".split()
)
_LINKING = frozenset(
    b"""is are was were at of to from the a an actually now really be by about ist sind war um von auf est
    sont a de et and it it's its we i there no not""".split()
)
_DAYS = dict.fromkeys(
    b"monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun"
    b" lundi mardi mercredi jeudi vendredi samedi dimanche montag dienstag mittwoch donnerstag freitag"
    b" samstag sonntag weekend weekends weekdays weekday".split(),
    "day",
) | dict.fromkeys(
    b"january february march april june july august september october november december"
    b" janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre januar februar"
    b" marz juni juli oktober dezember".split(),
    "month",
)
_ENDINGS = (b"ings", b"ing", b"ies", b"es", b"ed", b"en", b"er", b"s", b"e", b"n")
_NUMBERS = {
    word: str(value).encode()
    for value, words in enumerate(
        (b"", b"one single ein eine un une", b"two zwei deux", b"three drei trois", b"four vier quatre",
         b"five funf cinq", b"six sechs", b"seven sieben sept", b"eight acht huit", b"nine neun neuf",
         b"ten zehn dix", b"eleven elf onze", b"twelve zwolf douze",
         b"thirteen dreizehn treize", b"fourteen vierzehn quatorze", b"fifteen funfzehn quinze",
         b"sixteen sechzehn seize", b"seventeen siebzehn", b"eighteen achtzehn", b"nineteen neunzehn",
         b"twenty zwanzig vingt")
    )
    for word in words.split()
}  # fmt: skip
MEASURES = frozenset(
    stem
    for stem in b"""g kg mg ml l m cm mm km m2 euro eur dollar usd pound minut min hour h second
    day week month
    year percent % am pm o'clock uhr tag stund woch monat jahr prozent jour heur semain mois an
    word character charact line page sentenc mb gb""".split()
)
"""Units that measure many things: two statements with one need not have the same topic."""


_SYNONYMS = {
    word: words.split()[0]
    for words in (
        b"librar dependenc packag modul bibliothek abhangigkeit bibliothequ dependanc",
        b"peopl person guest participant adult guests gast teilnehm invit",
        b"euro eur",
        b"min minut",
        b"meat fleisch viand",
        b"dairy milk",
        b"word wort worter mot",
        b"tage tag",
    )
    for word in words.split()[1:]
}
"""Synonyms, as stems, with the stem that stands for each."""


@dataclass(frozen=True, slots=True)
class Topic:
    """The comparable parts of a statement."""

    stems: frozenset[bytes]  # of its content words
    numbers: frozenset[tuple[bytes, bytes]]  # (what is counted, as a stem; how many)
    dates: frozenset[tuple[str, bytes]]  # ("day" or "month", which)
    values: frozenset[bytes]  # words, numbers and dates
    keys: frozenset[object]  # by which the statement is looked up: values and units


def stem(word: bytes) -> bytes:
    """Return a word without its ending, roughly.

    >>> stem(b"deploys"), stem(b"deploy"), stem(b"libraries"), stem(b"library")
    (b'deplo', b'deplo', b'librar', b'librar')
    """
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            word = word[: -len(ending)]
            break
    word = word[:-1] if word.endswith(b"y") and len(word) > 4 else word
    return _SYNONYMS.get(word, word)


def read_topic(text: bytes) -> Topic:
    """Return the topic of a folded statement."""
    stems, numbers, dates = set(), set(), set()
    tokens: list[bytes] = _TOKEN.findall(text)
    for place, token in enumerate(tokens):
        value = token if token[:1].isdigit() else _NUMBERS.get(token)
        if token.endswith(b"mal") and (times := _NUMBERS.get(token[:-3])):
            numbers.add((b"mal", times))
            continue
        if value is not None:
            unit = next((token for token in tokens[place + 1 : place + 3] if _is_unit(token)), b"")
            numbers.add((stem(unit), value))
            before = next(
                (token for token in tokens[max(0, place - 4) : place][::-1] if token not in _LINKING), b""
            )
            if before and not before[:1].isdigit() and before != b"%":
                numbers.add((b"<" + stem(before), value))
        elif token in _DAYS:
            dates.add((_DAYS[token], token[:3]))
        elif token.endswith(b"s") and token[:-1] in _DAYS:
            dates.add((_DAYS[token[:-1]], token[:3]))
        elif token not in _STOP_WORDS and len(token) > 1:
            stems.add(stem(token.split(b"'")[-1] if b"'" in token else token))
    values = {*stems, *(value for _, value in numbers), *(which for _, which in dates)}
    kinds = {*(unit for unit, _ in numbers if unit), *(kind for kind, _ in dates)}
    return Topic(
        frozenset(stems),
        frozenset(numbers),
        frozenset(dates),
        frozenset(values),
        frozenset({*values, *dates, *kinds}),
    )


def _is_unit(token: bytes) -> bool:
    return token == b"%" or (token[:1].isalpha() and token not in _STOP_WORDS)


_GENERAL = frozenset(
    b"rul rule constraint restriction requirement condition regl regel contraint limit vorgab grenz".split()
)
_LIMITS = frozenset(
    b"""line limit ceil cap maximum budget top max bar absolut upp lid mark figur figure limite plafond grenz
    obergrenz target threshold border total now""".split()
)
"""Stems of words for any limit."""

_ENUMERATED = frozenset(
    b"""<part <case <slid <slide <chapter <question <step <item <line <page <version <option <row <column
    <example <number <tabl <table <figur <figure <level <class <sect <section <week <day <no <nr
    <exercis <lesson <episod <task <ticket <order <room <port <python <node <java <http <error <code
    <status <year <in <on <for <and <with <or <plus""".split()
)
"""Words before a number that numbers an item; another number is another item."""


def shared_values(topic: Topic, other: Topic) -> int:
    """Return the number of values and units that two statements share."""
    units = {unit for unit, _ in topic.numbers if unit} & {unit for unit, _ in other.numbers if unit}
    return len(topic.values & other.values) + len(units - MEASURES)


def has_other_value(topic: Topic, other: Topic, *, near: bool = False) -> bool:
    """Return whether both give different numbers of the same thing, or different dates."""
    if topic.numbers and other.numbers:
        known = dict(other.numbers)
        alike = bool(topic.stems & other.stems) or near
        for unit, value in topic.numbers:
            if not unit or unit in _ENUMERATED or known.get(unit, value) == value:
                continue
            if (unit, value) in other.numbers:
                continue
            if unit not in MEASURES or alike or len(topic.stems) <= 3:
                return True
    kinds = {kind for kind, _ in topic.dates} & {kind for kind, _ in other.dates}
    return bool(kinds and not topic.dates & other.dates and (near or topic.stems & other.stems))


def is_limit(topic: Topic) -> bool:
    """Return whether the statement has one number, and at most words for a limit besides."""
    return len({value for _, value in topic.numbers}) == 1 and len(topic.stems - _LIMITS) <= 1


def has_other_limit(topic: Topic, other: Topic) -> bool:
    """Return whether both give one number, of the same unit or of none, of one order of magnitude."""
    first = {(unit, value) for unit, value in topic.numbers if not unit.startswith(b"<")}
    second = {(unit, value) for unit, value in other.numbers if not unit.startswith(b"<")}
    if len(first) != 1 or len(second) != 1 or first == second:
        return False
    (unit, value), (other_unit, other_value) = (*first, *second)
    if unit and other_unit and unit != other_unit and not {unit, other_unit} & _LIMITS:
        return False
    sizes = _size(value), _size(other_value)
    return max(sizes) <= 3 * min(sizes)


def _size(number: bytes) -> float:
    digits = re.sub(rb"[.,:](?=[0-9]{3})", b"", number)
    return float(b".".join(re.split(rb"[.,:]", digits)[:2]))


def is_general(topic: Topic) -> bool:
    """Return whether the statement names a rule or a limit without saying which."""
    return bool(topic.stems & _GENERAL)
