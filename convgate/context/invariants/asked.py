"""What of a message asks: it neither obliges nor corrects, and states no fact."""

from __future__ import annotations

import re
from collections.abc import Sequence

from convgate.context.invariants.statements import Span
from convgate.gatekeeper.context import questions

_POLITE = re.compile(rb"(?:can|could|would|will) you|pouvez-vous|peux-tu|kannst du|konnen sie|konntest du")
_STATED = re.compile(
    rb"what (?:i|we) (?:can |do |really )*(?:say|need|want|know|must|meant?|spend|pay|have"
    rb"|offer|use|give|afford|eat) [^?]*\bis\b"
)
_INVERTED = re.compile(
    rb"(?:(?:and|but|so|ok|okay|hm+|oh|or)[,.]? )*(?:(?:should|must|may|can|could|shall|would|did|are"
    rb"|were|is) (?:i|you|we|they|he|she|it)"
    rb"|(?:do|does) (?:i|you|we|they|he|she)|(?:soll|muss|darf|kann) (?:ich|man|wir|er|sie|es))\b"
)
_STANDING = re.compile(rb"\b(?:always|never|must|from now on|make sure|toujours|jamais|immer|nie|niemals)\b")
_ASKING = re.compile(
    rb"(?:(?:and|but|so|ok|okay|hm+|oh|well|yes|no|then|also|great|good|nice|thanks|et|mais|alors|und"
    rb"|aber|ok)[,.]? )*"
    rb"(?:what|which|who|whose|how|why|where|when|must|should|shall|can|could|do|does|did|is|are|am"
    rb"|was|were"
    rb"|will|would|may|might|has|have|if|quel[a-z]*|combien|comment|pourquoi|ou|qui|est-ce|faut-il|dois-je"
    rb"|doit-on|peut-on|peux-tu|muss|mussen|soll|sollen|darf|durfen|kann|kannst|konnen|was|wie|warum"
    rb"|wann|wo"
    rb"|wer|welche[rnsm]?|ist|sind|gibt|hat|haben|wenn)\b"
)
_PAUSES = re.compile(rb"[,;:]\s|\s-+\s")


def asked_in(own: bytes) -> Sequence[Span]:
    """The questions of a message, as the gatekeeper finds them, without orders in the form of one."""
    return [span for span in questions(own) if not _is_order(own[slice(*span)])]


def asked_at_end(own: bytes, span: Span) -> Span | None:
    """What of a statement that ends with a question mark is asked."""
    sentence = own[slice(*span)]
    if not sentence.endswith(b"?"):
        return span if _INVERTED.match(sentence) and not _is_order(sentence) else None
    if _ASKING.match(sentence):
        return None if _is_order(sentence) else span
    pauses = [found.end() for found in _PAUSES.finditer(sentence)]
    return span[0] + (pauses[-1] if pauses else 0), span[1]


def _is_order(question: bytes) -> bool:
    """Whether it only has the form of a question, as in "can you please always …?"."""
    if _STATED.match(question):
        return True
    return _POLITE.match(question) is not None and _STANDING.search(question) is not None
