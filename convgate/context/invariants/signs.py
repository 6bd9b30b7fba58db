"""What the form of a statement tells: that it points back, orders, denies, or hands something over."""

from __future__ import annotations

import re

from convgate.context.invariants.words import about
from convgate.gatekeeper.context import own_words

_OLD = re.compile(
    rb"\b(?:not|instead of|rather than|in place of|no longer|isn't|aren't|nicht|statt|anstatt|anstelle"
    rb"|au lieu d[eu']|plutot que|(?:et|,|mais) (?:non )?pas|nicht mehr|pas)\b"
    rb"((?:\s+[a-z0-9_#.:%'-]+){1,5})"
)
_ASKS_HELP = re.compile(
    rb"\b(?:why|how (?:do|can|to)|fix|getting|get|gives?|says?|help|pourquoi|warum|wieso|comment)\b"
)
_HANDED_OVER = re.compile(
    rb"\b(?:translate|rewrite|reword|rephrase|paraphrase|proofread|summari[sz]e|shorten|review|correct|edit"
    rb"|traduis|traduisez|resume|corrige|ubersetze?|fasse|korrigiere?)\b[^:.!?\n]{0,80}:[ \t]*\n"
)
_POINTING = re.compile(
    rb"(?:(?:oh|ah|hm+|and|but|so|ok|yes|no|nope|sorry|actually|wait|well|uh+|haha|vet|doctor"
    rb"|called back|twelve|[a-z0-9]+\?+)[,.:!?]* )*"
    rb"(?:it's|its|it is|it was|it were|they're|they are|he's"
    rb"|she's|we're|we have|i have|we've got|i've got|we need|we are"
    rb"|make it|make that|es ist|es sind|es waren|sind's|c'est|ce sont|il y a|il y en a)\b"
)
_REQUEST = re.compile(
    rb"(?:(?:ok|okay|and|now|then|so|good|great|nice|thanks|please|pls|yes|cool|perfect)[,.!]* )*"
    rb"(?:(?:step|part|task|question|schritt|teil|frage|etape|partie)\s+\d+\s*[:.)-]\s*)?"
    rb"(?:explain|help|write|tell|show|give|find|create|make|build|add|change|check|look|read|summari[sz]e"
    rb"|translate|generate|list|describe|compare|run|test|implement|do|go|draw|plan|book|send|review|solve"
    rb"|calculate|compute|convert|remove|delete|update|try|start|set|open|draft|rewrite|finish|put|use|take"
    rb"|with|for|about|one|an?|same|and|what about|how about|or|keep|continue|next|scale|split|merge"
    rb"|turn|propose|suggest|first|second|third|another|one more|also"
    rb"|schreib|mach|gib|zeig|nimm|rechne|plane|und|mit|fais|donne|ecris|ajoute|mets|propose|i'd|we'd"
    rb"|i want)\b"
)
_NO = re.compile(
    rb"(?:(?:ah|oh|hm+|uh+|ok|but|mais|aber)[,.! ]+)?(?:no|nope|nah|wrong|wait|sorry|oops|actually"
    rb"|correction|almost|not quite"
    rb"|nein|falsch|fast|halt|moment|nicht ganz|non|faux|pardon|presque|pas tout a fait)[.!, ]*"
)
_VALUE = (
    rb"(?:[0-9]+(?:[.,:][0-9]+)*(?:st|nd|rd|th|am|pm|h|%)?|one|two|three|four|five|six|seven|eight|nine|ten"
    rb"|eleven|twelve|thirteen|fourteen|fifteen|sixteen|twenty|thirty|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    rb"|january|february|march|april|may|june|july|august|september|october|november|december"
    rb"|zwei|drei|vier|funf|sechs|sieben|acht|neun|zehn|elf|zwolf|(?:mon|diens|donners|frei|sams|sonn)tag"
    rb"|mittwoch|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|deux|trois|quatre|cinq|sept|huit|neuf)"
)
_SOMETHING_ELSE = re.compile(
    rb"(?:^|[,;:.]\s+|\s-+\s|\b(?:but|and|und|et|mais)\s+)(?:the |that |le |la |der |die |das |am )?(?:("
    + _VALUE
    + rb")(?: [a-z]+)? (?:is|was|were|would be|belongs|makes|gives|goes|c'etait|etait|war|waren|ware|ist)\b"
    rb")|(?:[,;:]\s+|\s-+\s)(?:the |that |an? |la |le |der |die |das )?([a-z0-9]+(?: [a-z0-9]+)?)"
    rb" (?:was|were|would be|is (?:the|my|our|his|her|for|only|just|last|another)|belongs|etait|war"
    rb"|waren|ware|ist (?:der|die|das|mein|meine))\b"
)
_LEADS = re.compile(
    rb"(?:(?:oh|ah|hm+|and|but|so|ok|yes|well|uh+|make that|the|sorry|no|nope|hold your horses)[,.:!]* )*"
    + _VALUE
    + rb"(?: (?:of us|people|persons))?(?:\s*[,.!;:-]|\s*$| it is| is (?:what|the|right|correct|it)| not "
    rb"| ist es| c'est| plutot| meinte)"
)
_NOW = re.compile(
    rb"\b(?:now|again|after all|no longer|any ?more|forget|ignore|off|lifted|dropped|allowed|wieder"
    rb"|jetzt|doch|nicht mehr"
    rb"|plus|maintenant|nouveau|finalement)\b"
)
_GOES_ON = re.compile(
    rb"\b(?:start|go on|go ahead|begin|continue|proceed|send|close|stop|relax|rest|move on|delete"
    rb"|forget it|weiter)\b"
)


def own_part(text: bytes) -> bytes:
    """What the user says in own words, as in the gatekeeper, without what is handed over to be worked on."""
    own = own_words(text)
    whole = text.strip()
    if own is text and whole[:1] in (b'"', b"`", b">") and whole[-1:] in (b'"', b"`"):
        return b"x" * len(text)
    handed = _HANDED_OVER.search(own)
    return own if handed is None else own[: handed.end()] + re.sub(rb"[a-z0-9]", b"_", own[handed.end() :])


def named_old(own: bytes) -> frozenset[bytes]:
    """Stems and numbers that a statement says are not so."""
    return frozenset().union(*(about(found[1]).values for found in _OLD.finditer(own)))


def dismissed(own: bytes) -> frozenset[bytes]:
    """What a clause tells of as of something else than what was asked for: "2019 was online first".

    >>> sorted(dismissed(b"the year's 2020, 2019 was online first"))
    [b'2019']
    """
    return frozenset().union(*(about(found[1] or found[2]).values for found in _SOMETHING_ELSE.finditer(own)))


def leads_with_value(own: bytes) -> bool:
    """Whether it begins with a number or a day that stands by itself: "13, I started in spring"."""
    return _LEADS.match(own) is not None


def asks_help(text: bytes, start: int, end: int) -> bool:
    """Whether a question is one about what does not work."""
    return _ASKS_HELP.search(text, start, end) is not None


def points_back(own: bytes) -> bool:
    """Whether it begins with "it's", "they are", … of what was said before."""
    return _POINTING.match(own) is not None


def is_request(own: bytes) -> bool:
    """Whether it begins as an order to the assistant does."""
    return _REQUEST.match(own) is not None


def only_denies(own: bytes) -> bool:
    """Whether it is a "no" and no more."""
    return _NO.fullmatch(own) is not None


def tells_a_change(own: bytes) -> bool:
    """Whether what is allowed now was not so before."""
    return _NOW.search(own) is not None and not _GOES_ON.search(own)


_PLANS = re.compile(
    rb"(?:(?:ok|okay|and|then|so|please|now)[,.!]* )*"
    rb"(?:let's|let us|add|implement|build|create|write|make sure|ensure|go with)\b"
)


def plans(own: bytes) -> bool:
    """Whether a statement says what shall be done, so that trouble in it is what shall not come."""
    return _PLANS.match(own) is not None
