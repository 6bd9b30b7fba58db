"""What conversations leave for later ones: summaries of every so many turns and at the end, and recall."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cached_property

from convgate.core.conversation import Conversation
from convgate.core.errors import ConvgateError
from convgate.core.settings import Settings
from convgate.policies.base import Policy
from convgate.selection.added import Capsule
from convgate.selection.edits import apply_edits
from convgate.sessions.recall import MAX_CONVERSATIONS, recall
from convgate.sessions.summaries import Summarizer, load_summarizer, summary_stop, to_capsule
from convgate.store.conversations import Conversations
from convgate.store.database import Store
from convgate.store.summaries import Summaries

log = logging.getLogger(__name__)

MAX_AT_ONCE = 5
"""Missing summaries that are made when a conversation begins."""


class SessionNotes:
    """The notes of one workspace, as the settings ask for them; by default none.

    load_policy: returns what scores turns and notes; called at the first use.
    """

    def __init__(
        self, store: Store, settings: Settings, workspace: str, load_policy: Callable[[], Policy]
    ) -> None:
        self._store, self._settings, self._workspace = store, settings, workspace
        self._load_policy = load_policy

    @cached_property
    def summarizer(self) -> Summarizer | None:
        """Return the summarizer, or None without summaries. Raises SettingsError for wrong settings."""
        if not self._settings.session_summary_turns:
            return None
        return load_summarizer(self._settings, self._load_policy())

    def summarize(self, key: str, *, is_ended: bool) -> None:
        """Store a summary of the full periods of a conversation, or of all its turns when it ended.

        Failures are logged. Nothing is locked meanwhile; a summary of turns that changed is not stored.
        """
        try:
            if self.summarizer is None:
                return
            turns = Conversations(self._store).summary(key).turns
            stop = turns if is_ended else summary_stop(turns, self._settings.session_summary_turns)
            if stop <= self._known_stop(key):
                return
            conversation = self._read(key)
            summary = self.summarizer.summarize(conversation, stop)
            with self._store.write():
                is_same = self._read(key).turns[:stop] == conversation.turns[:stop]
                if summary is not None and is_same and stop > self._known_stop(key):
                    Summaries(self._store).put(key, summary)
        except ConvgateError as error:  # the messages are stored
            log.warning("no summary was made: %s", error)

    def summarize_missing(self, *, without: str) -> None:
        """Summarise the newest other conversations of the workspace that have no summary, a few at a time.

        A pruning drops summaries, and imported conversations have none.
        """
        if self.summarizer is None:
            return
        others = Summaries(self._store).of_workspace(self._workspace, limit=MAX_CONVERSATIONS)
        missing = [each.key for each in others if each.summary is None and each.key != without]
        for key in missing[:MAX_AT_ONCE]:
            self.summarize(key, is_ended=True)

    def capsules(self, key: str, conversation: Conversation, message: str | None) -> list[Capsule]:
        """Return the summary of a conversation, and what is recalled of others for its current message.

        message: put after its last one.
        """
        capsules, limit = [], self._settings.session_recall
        if self._settings.session_summary_turns and (summary := Summaries(self._store).get(key)):
            capsules.append(to_capsule(summary))
        if limit:
            current, _ = conversation.find_current(question=message)
            capsules += recall(
                self._store, self._load_policy(), self._workspace, current, without=key, limit=limit
            )
        return capsules

    def _read(self, key: str) -> Conversation:
        return apply_edits(self._store, key, Conversations(self._store).get(key).conversation)

    def _known_stop(self, key: str) -> int:
        summary = Summaries(self._store).get(key)
        return summary.stop if summary else 0
