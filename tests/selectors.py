"""Fake policies, classifiers, conversations and selectors."""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from convgate.core.conversation import CurrentMessage, History, Turn
from convgate.core.conversation_cache import ConversationCache
from convgate.core.decisions import TurnDecisions
from convgate.core.settings import Settings, load_settings
from convgate.guardrails.request import Fallback, RequestRecord
from convgate.invariants.finding import InvariantReader
from convgate.invariants.judge import UserMessage
from convgate.invariants.statements import Statement, StatementKind, read_statements
from convgate.messages.table import TurnTable
from convgate.messages.tokens import TokenCounter
from convgate.modes.budgets import Budgets
from convgate.modes.mode import MIN_CONFIDENCE, MODES, Mode, ModeDecision
from convgate.policies.base import Policy, history_indices
from convgate.selection.around import Log, Remember
from convgate.selection.fit import Fit
from convgate.selection.selection import Selection
from convgate.selection.selector import Selector
from tests.fakes import FakeEncoder


class FirstWordClassifier:
    """Takes a message's mode from its first word, such as "TASK" or "TASK?" (less sure).

    Subclasses read the text in another way.
    """

    encoder = FakeEncoder()

    def read(self, text: str) -> tuple[Mode, float, str]:
        """Return the likeliest mode, its confidence, and the word that shows it."""
        word = text.split(" ")[0]
        likeliest: Mode = next((mode for mode in MODES if word.rstrip("?") == mode), "GENERAL")
        return likeliest, 0.75 if word.endswith("?") else 0.95, word

    def classify(self, turns: Sequence[Turn]) -> list[ModeDecision]:
        return self.classify_texts([turn.text for turn in turns])

    def classify_texts(self, texts: Sequence[str]) -> list[ModeDecision]:
        return [self._decision(place, *self.read(text)) for place, text in enumerate(texts)]

    @staticmethod
    def _decision(place: int, likeliest: Mode, confidence: float, word: str) -> ModeDecision:
        mode, source = (
            ("GENERAL", "low confidence") if confidence < MIN_CONFIDENCE else (likeliest, "classifier")
        )
        shares = {one: float(one == likeliest) for one in MODES}
        signs = (word,) if word else ()
        return ModeDecision(place, mode, f"it says “{word}”.", confidence, source, likeliest, shares, signs)


class WordJudge:
    """Takes the kind of a statement from single words."""

    encoder = FakeEncoder()
    KINDS: ClassVar[dict[StatementKind, str]] = {
        "resolved": r"works now|fixed it|solved",
        "lifted": r"forget (?:about )?the|no longer applies|ok again",
        "blocking_error": r"Error|Exception|Traceback|fails|won't start|does not (?:start|work)|crash",
        "safety_requirement": r"(?i)allergic|never.*(?:passwords?|keys|backups)",
        "user_correction": r"(?i)^(?:no,|actually,|sorry,)",
        "hard_constraint": r"(?i)\b(?:must|never|at most|always|only|ever)\b|^no \w+",
    }

    def classify(self, messages: Sequence[UserMessage]) -> list[tuple[Statement, ...]]:
        return [tuple(self._of(one) for one in read_statements(message.text)) for message in messages]

    def _of(self, one: Statement) -> Statement:
        kind = next((kind for kind, words in self.KINDS.items() if re.search(words, one.text)), None)
        return one if kind is None else replace(one, kind=kind, likelihood=0.9, resolves=kind == "resolved")


@dataclass(frozen=True)
class FixedPolicy:
    """A policy that keeps the given turns, with scores."""

    name: ClassVar[str] = "keeps"
    label: ClassVar[str] = ""
    ranks: ClassVar[bool] = True
    kept: Collection[int] | None = None  # None: all
    scores: Mapping[int, float] = field(default_factory=dict)  # 0.9 and 0.1 for the others
    threshold: float = 0.5
    probabilities: bool = False  # whether the scores come from logits, as those of the gate
    ranked: bool = True  # whether it gives scores

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        indices = history_indices(history)
        kept = np.array([self.kept is None or index in self.kept for index in indices.tolist()], dtype=bool)
        scores = [
            self.scores.get(index, 0.9 if stays else 0.1)
            for index, stays in zip(indices.tolist(), kept.tolist(), strict=True)
        ]
        return TurnDecisions(
            policy=self.name,
            rule=self.name,
            indices=indices,
            kept=kept,
            scores=np.array(scores) if self.ranked else None,
            logits=np.array(scores) if self.probabilities else None,
            threshold=self.threshold,
            why_kept="{score}, above {threshold}.",
            why_dropped="{score}, below {threshold}.",
        )


@dataclass
class RecordingGuard:
    """A guard that overrules the given modes and records requests."""

    overrules: Collection[Mode] = ()
    records: list[RequestRecord] = field(default_factory=list)

    def overruled(self, mode: Mode) -> Fallback | None:
        return Fallback("drift", f"{mode} is overruled.") if mode in self.overrules else None

    def record(self, request: RequestRecord) -> None:
        self.records.append(request)


def count_words(text: str) -> int:
    """Return the number of words; a turn costs 4 tokens more."""
    return len(text.split())


def settings(**changes: Any) -> Settings:
    return load_settings().updated(**changes)


def make_selector(
    kept: Collection[int] | None = None,
    *,
    policy: Policy | None = None,
    budgets: Budgets | None = None,
    guard: RecordingGuard | None = None,
    arm: str | None = None,
    counter: TokenCounter = count_words,
    tables: ConversationCache[TurnTable] | None = None,
    filters: bool = True,
    **changes: Any,
) -> Selector:
    """A selector whose policy keeps these turns (all: None), counting words as tokens.

    Its budget is that of the modes' tables unless a setting or a call changes it.
    """
    reader = InvariantReader(WordJudge())
    fit = Fit(FirstWordClassifier, budgets or Budgets(), filters=filters)
    return Selector(
        policy or FixedPolicy(kept),
        lambda: fit,
        settings(budget={"tokens": 53_000}).updated(**changes),
        holds=lambda: reader,
        around=[Remember(), *([Log(lambda: guard, logs_all=True, arm=arm)] if guard else ())],
        counter=counter,
        tables=tables or ConversationCache(),
    )


def plain(policy: Policy, **changes: Any) -> Selector:
    """A selector without a budget that holds nothing."""
    return replace(make_selector(policy=policy, budget={"tokens": None}, **changes), holds=None)


def chat(*texts: str) -> list[dict[str, Any]]:
    """Return alternating user and assistant messages; a text may begin with a role: "system: be brief"."""
    messages = []
    for place, text in enumerate(texts):
        role, _, content = text.partition(": ")
        if role in {"user", "assistant", "system", "developer", "tool"}:
            messages.append({"role": role, "content": content})
        else:
            messages.append({"role": ("user", "assistant")[place % 2], "content": text})
    return messages


def tool_calls_message(*ids: str) -> dict[str, Any]:
    """An assistant's message that calls tools."""
    calls = [{"id": id, "type": "function", "function": {"name": "look", "arguments": "{}"}} for id in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def tool_result(id: str, text: str = "found it") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": text}


def turns_by_section(selection: Selection) -> dict[str, list[int | None]]:
    """Each section's turns, without empty sections."""
    return {
        section.name: [turn.index for turn in section.turns]
        for section in selection.sections
        if section.turns
    }


RULES = (
    "You must never delete the backups.",
    "Always answer in English.",
    "I am allergic to peanuts.",
    "It has to run without a network.",
    "No, I meant the other server.",
    "Actually, it must work with LDAP.",
)
QUESTIONS = (
    "TASK add a page", "EXPLORATION what if we used maps", "DEBUGGING it crashes", "LEARNING why is that",
    "GENERAL good morning", "hello", "We'll go with Postgres.", "yes", "a b c d e f g h i j k l m n o p",
)  # fmt: skip
ANSWERS = ("Fine.", "Shall we use the cache?", "It is settled: we use Redis.", "one two three four five six")


def random_conversation(rng: random.Random) -> list[dict[str, Any]]:
    """Return a short conversation of any shape, with rules, tools, orphans and instructions."""
    messages: list[dict[str, Any]] = []
    for _ in range(rng.randint(1, 6)):
        kind = rng.random()
        if kind < 0.08:
            messages.append({"role": rng.choice(["system", "developer"]), "content": "Be brief."})
        elif kind < 0.3:
            messages.append({"role": "user", "content": rng.choice(RULES)})
        elif kind < 0.65:
            messages.append({"role": "user", "content": rng.choice(QUESTIONS)})
        elif kind < 0.85:
            messages.append({"role": "assistant", "content": rng.choice(ANSWERS)})
        elif kind < 0.95:
            ids = rng.choice([("a",), ("a", "b"), ("b",)])
            messages.append(tool_calls_message(*ids))
            messages += [tool_result(id) for id in ids if rng.random() < 0.85]
        else:
            messages.append(tool_result(rng.choice(["a", "z"])))
    return messages
