"""Feedback from a running agent: which earlier message mattered to one that was answered.

    convgate.feedback(messages, 4, relevant=True)            # a person's thumb up, say
    convgate.feedback_from_answer(messages, answer)          # the answer quotes earlier messages
    convgate.feedback("0123456789abcdef", [2, 3], relevant=False, at=9)

It goes into the same log as what people say, under the agent's own name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from sqlite_utils import Database

from convgate.conversation import Conversation
from convgate.errors import ConversationError, StoreError
from convgate.labels.quotes import WORDS, quoted_turns
from convgate.messages.tokens import turn_tokens
from convgate.settings import Settings, load_settings
from convgate.store import Conversations, Entry, Labels, NewConversation, Saved, SituationKey, Store
from convgate.store.openings import Openings, chain
from convgate.transcripts.identity import content_id
from convgate.transcripts.openai_messages import turns_from_messages

How = Literal["explicit", "implicit"]
Messages = Sequence[Mapping[str, Any]]

AGENT = "agent"
"""Whose feedback it is unless an agent gives its name."""


class FeedbackError(StoreError):
    """A piece of feedback cannot be; `field` names the part of it."""

    code = "feedback"

    def __init__(self, problem: str, field: str) -> None:
        self.field = field
        super().__init__(problem)


@dataclass(frozen=True)
class Feedback:
    """What an agent tells of some earlier messages."""

    conversation: str | Messages  # the library's key, or OpenAI messages as `select` takes them
    turns: tuple[int, ...]  # 0-based; of the earlier messages
    relevant: bool | None  # None takes back what the agent said
    at: int | None = None  # 0-based; of the message that was answered; None: the one that `select` takes
    question: str | None = None  # what was answered, when it stands after the last message and not among them
    source: str = AGENT
    version: str | None = None  # of the gate
    how: How = "explicit"  # a person or the agent said so; implicit: it was concluded

    def __post_init__(self) -> None:
        if not self.turns:
            raise FeedbackError("feedback is about at least one earlier message", "turn")
        for name, index in [*(("turn", turn) for turn in self.turns), ("at", self.at)]:
            if name == "at" and index is None:
                continue
            if isinstance(index, int) and abs(index) >= 2**63:
                raise FeedbackError("no conversation has that many messages", name)
            if not isinstance(index, int) or isinstance(index, bool) or index < 0:
                raise FeedbackError(f"a message is given by its index from 0; got {index!r}", name)
        if self.relevant is not None and not isinstance(self.relevant, bool):
            raise FeedbackError(f"relevant is true, false or none; got {self.relevant!r}", "relevant")
        if self.at is not None and self.question is not None:
            raise FeedbackError("what was answered is either a message or a question, not both", "at")
        if self.question is not None and not self.question.strip():
            raise FeedbackError("there is no text in the question", "question")
        if self.how not in get_args(How):
            raise FeedbackError(f"feedback is {' or '.join(get_args(How))}; got {self.how!r}", "how")


@dataclass(frozen=True, slots=True)
class AnswerFeedback:
    """What became of the feedback in an answer; as text, a sentence about it."""

    quoted: tuple[int, ...]  # 0-based indices of the earlier messages that it quotes
    saved: Saved | None  # None when it quotes none, so nothing was said

    @property
    def outcome(self) -> Literal["nothing to go by", "known already", "stored"]:
        """Nothing in the answer to go by; or all of it was stored before; or some of it is new."""
        if self.saved is None:
            return "nothing to go by"
        return "stored" if self.stored else "known already"

    @property
    def stored(self) -> int:
        """How many earlier messages are relevant now that were not called so before."""
        return 0 if self.saved is None else self.saved.changed

    def __str__(self) -> str:
        if not self.quoted:
            return "The answer quotes no earlier message, so there is nothing to go by; nothing was stored."
        several = len(self.quoted) > 1
        quoted = f"message{'s' * several} {', '.join(map(str, self.quoted))}"
        if not self.stored:
            return (
                f"The answer quotes {quoted}; that {'they are' if several else 'it is'} relevant was known."
            )
        return f"The answer quotes {quoted}; stored as relevant: {self.stored}."


def feedback(
    conversation: str | Messages,
    turn: int | Iterable[int],
    relevant: bool | None,  # noqa: FBT001 - it is what the call says
    *,
    at: int | None = None,
    question: str | None = None,
    source: str = AGENT,
    version: str | None = None,
    how: How = "explicit",
    settings: Settings | str | Path | None = None,
) -> Saved:
    """Store whether earlier messages mattered to the one that was answered, in the log of labels.

    conversation: the library's key, or the agent's own list of OpenAI messages; the library keeps that one,
        and as it grows from call to call it stays one conversation there.
    turn: the index of an earlier message, from 0, or several.
    relevant: None takes back what this source said before.
    at: the index of the message that was answered; the last from the user or a tool unless given.
    question: what was answered, when it is not among the messages but comes after them.
    source: the agent's name. People may choose that its answers do not train.
    version: of the gate that chose.
    how: "implicit" for what was concluded from what happened.

    Threads and processes may call it at once. Raises ConvgateError, and stores nothing, when there is no
    such conversation, message or turn before it, or the name is that of a person.
    """
    turns = (turn,) if isinstance(turn, int) else tuple(turn)
    told = Feedback(conversation, turns, relevant, at, question, source, version, how)
    store = open_store(settings)
    try:
        return keep_feedback(store, told)
    finally:
        store.close()


def feedback_from_answer(
    conversation: Messages,
    answer: str,
    *,
    question: str | None = None,
    words: int = WORDS,
    source: str = AGENT,
    version: str | None = None,
    settings: Settings | str | Path | None = None,
) -> AnswerFeedback:
    """Store that the earlier messages which an answer quotes were relevant.

    What counts as a quote: see `quoted_turns`. A message that is not quoted may still have mattered, so
    nothing is said about it. The result's `outcome` tells whether there was nothing to go by, it was known
    already, or something was stored.
    """
    talk = _of_messages(conversation)
    situation, history = talk.at(talk.current_index()) if question is None else talk.asked(question)
    quoted = quoted_turns(history, situation.turn.scored_text, answer, words=words)
    if not quoted:
        return AnswerFeedback((), None)
    saved = feedback(
        [turn.source for turn in talk.turns if turn.source is not None],  # the messages, read once
        quoted,
        relevant=True,
        question=question,
        source=source,
        version=version,
        how="implicit",
        settings=settings,
    )
    return AnswerFeedback(tuple(quoted), saved)


def keep_feedback(store: Store, told: Feedback) -> Saved:
    """Store a piece of feedback, or nothing of it; errors as for `feedback`."""
    by_messages = None if isinstance(told.conversation, str) else _of_messages(told.conversation)
    if by_messages is not None and told.question is None:
        index = by_messages.current_index() if told.at is None else told.at
        by_messages.at(index)  # says so when there is no such message
        told_at: int | None = index
    else:
        told_at = told.at
    with store.write() as db:
        if by_messages is None:
            key = str(told.conversation)
            if told_at is None and told.question is None:
                told_at = Conversations(store).get(key).conversation.current_index()
        else:
            key = _kept(store, db, by_messages, told)
        situation = SituationKey(key, told_at, told.question or "")
        answer = None if told.relevant is None else "relevant" if told.relevant else "not_relevant"
        entries = [
            Entry(situation, turn, told.source, answer, version=told.version, kind="agent")
            for turn in dict.fromkeys(told.turns)
        ]
        return Labels(store).record(
            entries, by=told.source, kind="feedback", origin=told.how, by_kind="agent"
        )


def open_store(settings: Settings | str | Path | None) -> Store:
    """The store of the settings, or of the settings file, or of this machine."""
    if not isinstance(settings, Settings):
        settings = load_settings(Path(settings) if settings else None)
    return Store(settings.database)


def _of_messages(messages: Messages) -> Conversation:
    turns = turns_from_messages(messages)
    if not turns:
        raise ConversationError("there are no messages")
    return Conversation(content_id(turns), turns)


def _kept(store: Store, db: Database, talk: Conversation, told: Feedback) -> str:
    """The key of the conversation in the library, where it is found, grows or is added."""
    conversations, openings = Conversations(store), Openings(db)
    hashes = chain(talk.turns)
    known = openings.same(hashes)
    if known is None and told.question is None:  # the history of a question ends where the messages do
        known = openings.longer(hashes)
    if known is not None:
        return _key(db, known)
    if (live := openings.live_beginning(hashes)) is not None:
        key = _key(db, live)
        new = talk.turns[conversations.summary(key).turns :]
        try:
            return conversations.grow(key, new, tokens=int(turn_tokens(new).sum())).key
        except StoreError:
            pass  # what it would grow to was there and was deleted: added below, it comes back
    item = NewConversation(
        talk,
        f"feedback from {told.source}",
        tokens=int(turn_tokens(talk.turns).sum()),
        ends_here=told.question is not None,
    )
    (added,) = conversations.add([item])
    db.execute(
        "INSERT OR IGNORE INTO live_conversations SELECT number FROM conversations WHERE key = ?",
        [added.key],
    )
    return added.key


def _key(db: Database, number: int) -> str:
    (key,) = db.execute("SELECT key FROM conversations WHERE number = ?", [number]).fetchone()
    return str(key)
