"""Conversations that are looked for in sets and reports, as they are, as they were, or in good part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from convgate.conversation import Conversation, Turn
from convgate.store import DeletedConversation
from convgate.store.openings import chain
from convgate.training.report import ItemReport, beginning

_TELLING = 20  # characters; shorter texts are said in any conversation


class Sought:
    """Some conversations of the library, by everything that tells where their text is."""

    def __init__(self, conversations: Sequence[DeletedConversation]) -> None:
        self._keys = frozenset(key for one in conversations for key in one.keys)
        chains = [chain(one.conversation.turns)[1:] for one in conversations]
        self._hashes = frozenset(hash for hashes in chains for hash in hashes)
        self._whole = frozenset(hashes[-1] for hashes in chains if hashes)
        texts = [_texts(one.conversation.turns) for one in conversations]
        self._said = [len(some) for some in texts]  # how many texts, by the conversation's place
        self._places: dict[str, list[int]] = {}  # of those that have the text
        for place, some in enumerate(texts):
            for text in some:
                self._places.setdefault(text, []).append(place)
        self._beginnings = frozenset(map(beginning, self._places))

    def among(self, conversations: Mapping[str, Conversation]) -> frozenset[str]:
        """The ids of those that have their text: that begin alike, or share half of what the shorter says."""
        return frozenset(id for id, one in conversations.items() if id in self._keys or self._is_in(one))

    def in_report(self, report: ItemReport) -> frozenset[str]:
        """The ids of those conversations of a report that are among them, or of which it quotes a text."""
        hashes = {hash.hex() for hash in self._hashes}
        said = {id for id, (digest, _) in report.said.items() if digest in hashes}
        quoted = {id for id, texts in report.texts.items() if self._beginnings & set(texts.values())}
        there = {
            case.conversation for case in report.cases if case.text or case.question
        } | report.texts.keys()
        return frozenset((there & self._keys) | said | quoted)

    def _is_in(self, conversation: Conversation) -> bool:
        hashes, texts = chain(conversation.turns)[1:], _texts(conversation.turns)
        if hashes and (hashes[-1] in self._hashes or not self._whole.isdisjoint(hashes)):
            return True
        shared = Counter(place for text in texts for place in self._places.get(text, ()))
        return any(2 * count >= min(self._said[place], len(texts)) for place, count in shared.items())


def _texts(turns: Sequence[Turn]) -> frozenset[str]:
    """What was said at some length; what an instruction says is said in many conversations."""
    return frozenset(turn.text for turn in turns if not turn.is_instruction and len(turn.text) >= _TELLING)
