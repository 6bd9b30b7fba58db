"""The topic of a statement: the stems of its words, and its numbers with what they count."""

from __future__ import annotations

import re
from dataclasses import dataclass

from convgate.text.words import stems

_STOP_WORDS = """
    a ab aber about above actually after again ah ai all allowed als also always am an and any anymore are
    aren't argh as at au auch auf aus aux avec avoir be because been before bei beim being below bitte bon
    both but by c'est ca can can't cannot ce ces cette change changed correction could da dann dans darf das
    dass de dem den der des dich did die do doch does doesn't doing doit doivent don't donc down du durfen
    each eigentlich ein eine einem einen einer elle en en's ensure er err es est et ete etre euch ever every
    everything exactly fait faut few for from fur further get gets give go going good got habe haben had haha
    has hat have having he her here hers hier him his hm hmm hmmm hochstens how huh i i'd i'll i'm i've ich if
    ihr il im immer in instead into is isn't ist it it's its itself ja jamais je jetzt just kann keep kein
    keine keinen keiner konnen korrektur la le least les less let let's like limit lol ma made mais make makes
    mal max maximum may me mean meant mehr mein meine meinen mes mich might mindestens minimum mit mon more
    most much muss mussen must mustn't my nach ne need needs nein never new ni nicht nie niemals no nobody
    noch non nope nor nos not nothing notre nous now nur oder of off oh ok okay old on once one only or other
    ou oui our out over own par pas per please plus pour put que qui rather really rien right sa said same say
    says schon see sein ses shall she should sie sind so soll sollen some son sont sorry still such sur sure
    take than thank thanks that that's the their them then there these they they're thing things this those
    though to too toujours tous tout toute toutes tu uber ugh uh uhh um un und under une uns unser unsere
    unter until up us use used uses using very von vor votre vous wait want war waren was we we're weiterhin
    well wenn werden were what whatever when whenever where wherever which while who whoever why wie will wir
    wird with within without won't would wrong yes yet you you're your zu zum zur
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words of English, French and German, folded, that are no topic."""

_TOKEN = re.compile(r"[a-z_][a-z0-9_+#']*|[0-9]+(?:[.,:][0-9]+)*|%")
_WEEKDAYS = (
    "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun lundi mardi"
    " mercredi jeudi vendredi samedi dimanche montag dienstag mittwoch donnerstag freitag samstag sonntag"
)
_MONTHS = (
    "january february march april june july august september october november december janvier fevrier mars"
    " avril mai juin juillet aout septembre octobre novembre decembre januar februar marz juni juli oktober"
    " dezember"
)
_DATES = {name: kind for kind, names in (("day", _WEEKDAYS), ("month", _MONTHS)) for name in names.split()}
_GENERAL_WORDS = "rule constraint restriction requirement condition limit regel vorgabe grenze"
_GENERAL = frozenset(stems(_GENERAL_WORDS.split()))


@dataclass(frozen=True, slots=True)
class Topic:
    """The comparable parts of a statement."""

    stems: frozenset[str]  # of its content words
    numbers: frozenset[tuple[str, str]]  # (the stem of what is counted, or "", how many)
    dates: frozenset[tuple[str, str]]  # ("day" or "month", which)
    values: frozenset[str]  # stems, numbers and dates
    keys: frozenset[str]  # by which the statement is looked up: values, units and kinds of dates

    @property
    def units(self) -> frozenset[str]:
        """What its numbers count."""
        return frozenset(unit for unit, _ in self.numbers if unit)


def read_topic(text: bytes) -> Topic:
    """Return the topic of a folded statement.

    >>> sorted(read_topic(b"deploys need at least 2 reviews").values)
    ['2', 'deploy', 'review']
    """
    tokens = _TOKEN.findall(text.decode("ascii"))
    stemmed = stems([token.rpartition("'")[2] or token for token in tokens])
    dates = {
        place: (_DATES[name], token[:3])
        for place, token in enumerate(tokens)
        if token not in STOP_WORDS
        and (name := token if token in _DATES else token.removesuffix("s")) in _DATES
    }
    words = {place for place, token in enumerate(tokens) if token[0].isalpha() or token[0] in "_%"}
    content = {place for place in words if tokens[place] not in STOP_WORDS}
    numbers = set()
    for place in set(range(len(tokens))) - words:
        unit = next((at for at in (place + 1, place + 2) if at in content), None)
        numbers.add(("" if unit is None else stemmed[unit], tokens[place]))
    subjects = frozenset(stemmed[place] for place in content - dates.keys() if len(tokens[place]) > 1)
    values = subjects.union(value for _, value in (*numbers, *dates.values()))
    keys = values.union(unit for unit, _ in (*numbers, *dates.values()) if unit)
    return Topic(subjects, frozenset(numbers), frozenset(dates.values()), values, keys)


def shared_values(topic: Topic, other: Topic) -> int:
    """Return the number of values and units that two statements share."""
    return len(topic.values & other.values) + len(topic.units & other.units)


def has_other_value(topic: Topic, other: Topic, *, near: bool = False) -> bool:
    """Return whether both give different numbers of the same thing, or different dates.

    near: they need share nothing but the kind of date.
    """
    units = other.units
    if any(unit in units and (unit, value) not in other.numbers for unit, value in topic.numbers):
        return True
    kinds = dict(topic.dates).keys() & dict(other.dates).keys()
    return bool(kinds and not topic.dates & other.dates and (near or topic.stems & other.stems))


def is_general(topic: Topic) -> bool:
    """Return whether the statement names a rule or a limit without saying which."""
    return bool(topic.stems & _GENERAL)
