"""Signals for the hypotheses of an experiment: why another selection of turns may give better answers.

| hypothesis | signal |
|---|---|
| a wrong answer that is sent is repeated | later answers of the session with an error of its kind |
| a model follows its own answers | turns sent, by role; phrases of an answer that earlier answers have |
| what is not needed distracts | tokens of needed messages among the tokens sent |
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from convgate.core.conversation import Turn
from convgate.core.errors import TranscriptError
from convgate.experiments.outcomes import TrialOutcome
from convgate.messages.tokens import turn_tokens
from convgate.store.experiments import Trial
from convgate.text.words import words
from convgate.transcripts import turns_from_messages

PHRASE = 3
"""Words in a row by which an answer is compared with earlier ones."""


@dataclass(slots=True)
class Share:
    """A share of counted observations."""

    value: float | None = None  # None without any
    total: int = 0

    def add(self, hits: int, total: int = 1) -> None:
        """Add observations, of which some are hits."""
        known, self.total = (self.value or 0.0) * self.total, self.total + total
        self.value = (known + hits) / self.total if self.total else None


@dataclass(slots=True)
class Signals:
    """The signals of one arm."""

    arm: str
    trials: int = 0  # with messages of which it is known whether they were sent
    error_repeated_when_sent: Share = field(default_factory=Share)  # of answers after a wrong one
    error_repeated_when_dropped: Share = field(default_factory=Share)
    assistant_turns_sent: Share = field(default_factory=Share)  # of the assistant's earlier turns
    user_turns_sent: Share = field(default_factory=Share)
    own_phrases: Share = field(default_factory=Share)  # of later answers' phrases, those in its turns sent
    needed_tokens: Share = field(default_factory=Share)  # of the tokens sent before the message to answer


def measure_signals(
    trials: Sequence[Trial], outcomes: Sequence[TrialOutcome], arms: Sequence[str]
) -> list[Signals]:
    """Return the signals of each arm; trials in the order in which they were recorded."""
    signals = {arm: Signals(arm) for arm in arms}
    wrong: defaultdict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for trial, outcome in zip(trials, outcomes, strict=True):
        earlier = wrong[trial.arm, trial.session_id]
        turns = _read_turns(trial)
        if turns and trial.sent is not None:
            sent = set(trial.sent) & set(range(len(turns) - 1))
            own = signals[trial.arm]
            own.trials += 1
            _add_turns(own, trial, turns, sent)
            _add_repeated_errors(own, outcome, earlier, turns, sent)
        if trial.answer and outcome.errors is not None:
            earlier.extend((trial.answer, kind) for kind, is_there in outcome.errors.items() if is_there)
    return list(signals.values())


def _read_turns(trial: Trial) -> list[Turn]:
    """Return the messages as turns; none where a message is not one of a chat."""
    try:
        return list(turns_from_messages(trial.messages))
    except TranscriptError:
        return []


def _add_turns(signals: Signals, trial: Trial, turns: Sequence[Turn], sent: set[int]) -> None:
    own_turns = [index for index, turn in enumerate(turns[:-1]) if turn.role == "assistant"]
    user_turns = [index for index, turn in enumerate(turns[:-1]) if turn.role == "user"]
    signals.assistant_turns_sent.add(len(sent.intersection(own_turns)), len(own_turns))
    signals.user_turns_sent.add(len(sent.intersection(user_turns)), len(user_turns))
    if own_turns:
        phrases = _phrases(trial.answer)
        known = set().union(*(_phrases(turns[index].text) for index in own_turns if index in sent))
        signals.own_phrases.add(len(phrases & known), len(phrases))
    if trial.needed is not None:
        tokens = turn_tokens(turns)
        hits, total = (int(tokens[sorted(rows)].sum()) for rows in (sent.intersection(trial.needed), sent))
        signals.needed_tokens.add(hits, total)


def _add_repeated_errors(
    signals: Signals,
    outcome: TrialOutcome,
    earlier: Sequence[tuple[str, str]],
    turns: Sequence[Turn],
    sent: set[int],
) -> None:
    """Add whether the answer has an error of an earlier answer that stands in the conversation."""
    if outcome.errors is None:
        return
    for answer, kind in earlier:
        places = {i for i, turn in enumerate(turns[:-1]) if turn.role == "assistant" and turn.text == answer}
        if places:
            is_sent = not places.isdisjoint(sent)
            share = signals.error_repeated_when_sent if is_sent else signals.error_repeated_when_dropped
            share.add(outcome.errors[kind])


def _phrases(text: str) -> set[tuple[str, ...]]:
    """Return the phrases of a text.

    >>> sorted(_phrases("It runs on Postgres"))
    [('it', 'runs', 'on'), ('runs', 'on', 'postgres')]
    """
    in_order = words(text)
    return set(zip(*(in_order[start:] for start in range(PHRASE)), strict=False))
