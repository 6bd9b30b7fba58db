"""Conversations that are looked for in sets and reports, as they are, as they were, or in good part."""

from __future__ import annotations

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
        self._chains = [chain(one.conversation.turns) for one in conversations]
        self._hashes = frozenset(hash.hex() for hashes in self._chains for hash in hashes[1:])
        self._texts = [_texts(one.conversation.turns) for one in conversations]
        self._beginnings = frozenset(beginning(text) for texts in self._texts for text in texts)

    def among(self, conversations: Mapping[str, Conversation]) -> frozenset[str]:
        """The ids of those that have their text: that begin alike, or share half of what the shorter says."""
        return frozenset(id for id, one in conversations.items() if id in self._keys or self._is_in(one))

    def in_report(self, report: ItemReport) -> frozenset[str]:
        """The ids of those conversations of a report that are among them, or of which it quotes a text."""
        said = {id for id, (digest, _) in report.said.items() if digest in self._hashes}
        quoted = {id for id, texts in report.texts.items() if self._beginnings & set(texts.values())}
        there = {
            case.conversation for case in report.cases if case.text or case.question
        } | report.texts.keys()
        return frozenset((there & self._keys) | said | quoted)

    def _is_in(self, conversation: Conversation) -> bool:
        hashes, texts = chain(conversation.turns), _texts(conversation.turns)
        for known, said in zip(self._chains, self._texts, strict=True):
            common = min(len(known), len(hashes)) - 1
            if common and known[common] == hashes[common]:
                return True
            if (shared := len(said & texts)) and 2 * shared >= min(len(said), len(texts)):
                return True
        return False


def _texts(turns: Sequence[Turn]) -> frozenset[str]:
    """What was said at some length; what an instruction says is said in many conversations."""
    return frozenset(turn.text for turn in turns if not turn.is_instruction and len(turn.text) >= _TELLING)
