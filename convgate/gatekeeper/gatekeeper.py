"""The gatekeeper: own rules, then the built-in checks, then a language model where the mode asks for it.

| mode | decides |
|---|---|
| `pattern` | own rules and checks |
| `hybrid` | also a language model, where the checks find the category other |
| `llm` | a language model for all that no own rule decides |
| `disabled` | nothing: everything is kept |
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Self, get_args

from convgate.core.conversation import Conversation
from convgate.core.errors import ConversationError, SettingsError
from convgate.core.settings import Settings, resolve_settings
from convgate.core.text import printable, to_line
from convgate.gatekeeper.checks import STAGE, LengthLimits, check
from convgate.gatekeeper.decision import KEEP, SKIP, GatekeeperDecision
from convgate.gatekeeper.exchange import Exchange, exchanges_of
from convgate.gatekeeper.log import DecisionLog
from convgate.gatekeeper.model import Answer, ExchangeModel, Model
from convgate.gatekeeper.rules import Rules
from convgate.gatekeeper.rules_file import RulesFile
from convgate.gatekeeper.statistics import BY_DEFAULT, Key, Statistics, key_of
from convgate.language_model import LanguageModel, ModelError, ModelUse
from convgate.traces import span, start_traces
from convgate.transcripts.message_reader import turns_from_messages

GatekeeperMode = Literal["pattern", "hybrid", "llm", "disabled"]
Fail = Literal["open", "closed"]

RULES_NAME = "gatekeeper.yaml"
"""The file of own rules in the home folder."""

_MAX_QUOTE = 60  # characters of the message that a reason quotes


@dataclass(frozen=True, eq=False)
class Gatekeeper:
    """Decides about exchanges, and counts its decisions. Thread-safe.

    Raises SettingsError for a mode that needs a language model without one.
    """

    mode: GatekeeperMode = "pattern"
    limits: LengthLimits = LengthLimits()  # noqa: RUF009 - frozen
    rules: Rules | RulesFile = Rules()  # noqa: RUF009 - frozen
    model: Model | None = None
    fail: Fail = "open"  # closed: what only the default keeps is skipped when the model failed
    log: DecisionLog | None = None
    _counts: Counter[Key] = field(init=False, repr=False, default_factory=Counter)
    _lock: threading.Lock = field(init=False, repr=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        if self.mode not in get_args(GatekeeperMode):
            raise SettingsError(
                f"mode must be one of {', '.join(get_args(GatekeeperMode))}; got {self.mode!r}"
            )
        if self.model is None and self.mode in ("hybrid", "llm"):
            raise SettingsError(f"mode {self.mode} needs a language model")

    def decide(self, exchange: Exchange, *, index: int = 0) -> GatekeeperDecision:
        """Decide whether the exchange is worth storing. index: copied to the result.

        In the modes hybrid and llm this waits for the language model.
        """
        started = time.perf_counter()
        with span("convgate.gatekeeper", operation="guardrail") as attributes:
            decision = self._decide(exchange, index)
            attributes |= {
                "convgate.outcome": decision.outcome,
                "convgate.category": decision.category,
                "convgate.rule": decision.rule,
            }
        with self._lock:
            self._counts[key_of(decision)] += 1
        if self.log is not None:
            self.log.write(decision, exchange, time.perf_counter() - started)
        return decision

    def decide_messages(self, messages: Sequence[Mapping[str, Any]]) -> GatekeeperDecision:
        """Decide about the last exchange of OpenAI-style messages: the last user's, with all that answers it.

        Raises TranscriptError for unreadable messages, ConversationError without a message of a user.
        """
        placed = exchanges_of(Conversation(id="live", turns=turns_from_messages(messages)))
        if not placed:
            raise ConversationError("there is no message of a user to decide about")
        return self.decide(placed[-1].exchange, index=placed[-1].user_turn)

    @property
    def statistics(self) -> Statistics:
        """Counts of the decisions so far."""
        with self._lock:
            return Statistics(dict(self._counts), self.model.use if self.model else ModelUse())

    @property
    def problem(self) -> str | None:
        """What is wrong with the file of rules while this runs; None when nothing is."""
        return self.rules.problem if isinstance(self.rules, RulesFile) else None

    def close(self) -> None:
        """Close the log."""
        if self.log is not None:
            self.log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _decide(self, exchange: Exchange, index: int) -> GatekeeperDecision:
        if self.mode == "disabled":
            reason = "the gatekeeper is switched off, everything is kept."
            return GatekeeperDecision(index, KEEP, "disabled", reason, STAGE, "other", ("other",), ())
        checked = check(exchange, self.limits, index=index)
        rules = self.rules.current() if isinstance(self.rules, RulesFile) else self.rules
        decision = apply_rules(rules, checked, exchange)
        is_empty = not exchange.user.strip() and not exchange.assistant.strip()
        if decision is not checked or self.model is None or self.mode == "pattern" or is_empty:
            return decision
        if self.mode == "hybrid" and checked.category != "other":
            return checked
        try:
            return _apply_answer(checked, self.model.ask(exchange))
        except ModelError as error:
            return _apply_failure(checked, error, closed=self.fail == "closed")


def load_gatekeeper(
    settings: Settings | str | Path | None = None,
    *,
    mode: GatekeeperMode | None = None,
    rules: Rules | Path | None = None,
) -> Gatekeeper:
    """Return the gatekeeper of the settings, or of a settings file; `mode` and `rules` replace theirs.

    A file of rules is read again when it changes. Raises SettingsError, and RulesError when the file of rules
    is wrong.
    """
    chosen = resolve_settings(settings)
    start_traces(chosen)
    if mode is not None:
        chosen = chosen.updated(gatekeeper={"mode": mode})
    asks = chosen.gatekeeper.mode in ("hybrid", "llm")
    path = chosen.gatekeeper.rules if rules is None or isinstance(rules, Rules) else rules
    return Gatekeeper(
        mode=chosen.gatekeeper.mode,
        limits=LengthLimits.of(chosen),
        rules=rules
        if isinstance(rules, Rules)
        else RulesFile(path or chosen.home / RULES_NAME, is_required=path is not None),
        model=ExchangeModel(LanguageModel.of(chosen)) if asks else None,
        fail=chosen.gatekeeper.fail,
        log=DecisionLog(chosen.gatekeeper.debug_log) if chosen.gatekeeper.debug_log else None,
    )


def apply_rules(rules: Rules, checked: GatekeeperDecision, exchange: Exchange) -> GatekeeperDecision:
    """Return the decision of the first own rule that matches, else that of the checks.

    The categories and matches of the checks stay behind those of the rules.
    """
    own_matches = rules.matches(exchange)
    if not own_matches:
        return checked
    first = own_matches[0]
    text = exchange.user if first.match.said == "user" else exchange.assistant
    quote = to_line(printable(text[first.match.start : first.match.end]), _MAX_QUOTE)
    reason = to_line(printable(first.rule.reason)).rstrip(".") or "a rule of your own matches"
    categories = [own_match.rule.category for own_match in own_matches] + [
        name for name in checked.categories if name != "other"
    ]
    return replace(
        checked,
        outcome=first.outcome,
        rule=f"{first.outcome}_patterns: {first.rule.pattern}",
        explanation=f"{reason} (own rule, “{quote}”).",
        category=first.rule.category,
        categories=tuple(dict.fromkeys(categories)),
        matches=(*(own_match.match for own_match in own_matches), *checked.matches),
    )


def _apply_answer(checked: GatekeeperDecision, answer: Answer) -> GatekeeperDecision:
    detail = f": “{answer.reason}”" if answer.reason else ""
    return replace(
        checked,
        outcome=KEEP if answer.keep else SKIP,
        rule="language model",
        explanation=f"so the language model says{detail}.",
        category=answer.category,
        categories=tuple(dict.fromkeys([answer.category, *(match.category for match in checked.matches)])),
    )


def _apply_failure(checked: GatekeeperDecision, error: ModelError, *, closed: bool) -> GatekeeperDecision:
    """Return the decision of the checks with the error; closed: skip what only the default keeps."""
    detail = f"The language model gave no decision: {error}."
    if closed and checked.rule in BY_DEFAULT:
        reason = f"nothing says that it has to be kept, and gatekeeper.fail is closed. {detail}"
        return replace(checked, outcome=SKIP, rule="fail closed", explanation=reason)
    return replace(checked, explanation=f"{checked.explanation} {detail}")
