"""The gatekeeper as a whole: own rules, then the built-in checks, then a language model where it is asked.

    gatekeeper = convgate.load_gatekeeper()
    if gatekeeper.decide(Exchange(user, assistant, previous)).keep:
        memory.add(user, assistant)

| mode | who decides |
|---|---|
| `pattern` | own rules and checks |
| `hybrid` | a language model too, where the checks find the category other |
| `llm` | a language model for all that no own rule decides |
| `disabled` | nobody: everything is kept |
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Self, get_args

from convgate.conversation import Conversation
from convgate.errors import ConversationError, SettingsError
from convgate.gatekeeper.checks import STAGE, Limits, check
from convgate.gatekeeper.decision import KEEP, SKIP, GatekeeperDecision
from convgate.gatekeeper.errors import ModelError
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.exchanges import exchanges_of
from convgate.gatekeeper.log import DecisionLog
from convgate.gatekeeper.model import LanguageModel, Model
from convgate.gatekeeper.model_answer import Answer
from convgate.gatekeeper.rules import OwnMatch, Rules
from convgate.gatekeeper.rules_file import RulesFile
from convgate.gatekeeper.statistics import BY_DEFAULT, Statistics, Tally
from convgate.settings import Settings, load_settings
from convgate.transcripts.characters import printable
from convgate.transcripts.openai_messages import turns_from_messages

Mode = Literal["pattern", "hybrid", "llm", "disabled"]
Fail = Literal["open", "closed"]

RULES_NAME = "gatekeeper.yaml"
"""What a file of rules in the home folder is called."""

_QUOTED = 60  # characters of the message that a reason quotes


@dataclass(frozen=True, eq=False)
class Gatekeeper:
    """Decides about exchanges, and counts its decisions. Thread-safe.

    Raises SettingsError for a mode that needs a language model where there is none.
    """

    mode: Mode = "pattern"
    limits: Limits = Limits()  # noqa: RUF009 - frozen
    rules: Rules | RulesFile = Rules()  # noqa: RUF009 - frozen
    model: Model | None = None  # None: none is asked
    fail: Fail = "open"  # closed: what only the default keeps is skipped when the model was asked and failed
    log: DecisionLog | None = None
    _tally: Tally = field(init=False, repr=False, default_factory=Tally)

    def __post_init__(self) -> None:
        if self.mode not in get_args(Mode):
            raise SettingsError(f"a mode is one of {', '.join(get_args(Mode))}; got {self.mode!r}")
        if self.model is None and self.mode in ("hybrid", "llm"):
            raise SettingsError(f"the mode {self.mode} asks a language model, and there is none")

    @classmethod
    def of(
        cls, settings: Settings | None = None, *, mode: Mode | None = None, rules: Rules | Path | None = None
    ) -> Gatekeeper:
        """As the settings want it; `mode` and `rules` take the place of theirs.

        A file of rules is read again when it changes. Raises RulesError, SettingsError, or ConvgateError when
        a package is missing.
        """
        settings = settings or load_settings()
        if mode is not None:
            settings = settings.model_copy(update={"gatekeeper_mode": mode})
        return cls(
            mode=settings.gatekeeper_mode,
            limits=Limits(
                settings.gatekeeper_greeting_length,
                settings.gatekeeper_short_user,
                settings.gatekeeper_short_assistant,
            ),
            rules=rules if isinstance(rules, Rules) else _rules_file(settings, rules),
            model=LanguageModel.of(settings) if settings.gatekeeper_mode in ("hybrid", "llm") else None,
            fail=settings.gatekeeper_fail,
            log=DecisionLog(settings.gatekeeper_debug_log) if settings.gatekeeper_debug_log else None,
        )

    def decide(self, exchange: Exchange, *, item: int = 0) -> GatekeeperDecision:
        """Whether the exchange is worth storing. `item`: see the result.

        In the modes hybrid and llm it may wait for the language model, for `model.deadline` at the most.
        """
        started = time.perf_counter()
        decision = self._decided(exchange, item)
        self._tally.add(decision, exchange)
        if self.log is not None:
            self.log.write(decision, exchange, time.perf_counter() - started)
        return decision

    def decide_messages(self, messages: Sequence[Mapping[str, Any]]) -> GatekeeperDecision:
        """The same for the last exchange of OpenAI-style messages: the last user's, with all that answers it.

        `item` is the index of that user's message. Raises TranscriptError for messages that cannot be read,
        ConversationError when nobody says anything in them.
        """
        placed = exchanges_of(Conversation(id="live", turns=turns_from_messages(messages)))
        if not placed:
            raise ConversationError("there is no message of a user to decide about")
        return self.decide(placed[-1].exchange, item=placed[-1].user_turn)

    @property
    def statistics(self) -> Statistics:
        """What was decided so far."""
        return self._tally.statistics(self.model.use if self.model else None)

    @property
    def problem(self) -> str | None:
        """What is wrong with the file of rules or the debug log while it runs; None when nothing is."""
        rules = self.rules.problem if isinstance(self.rules, RulesFile) else None
        written = (
            f"{self.log.path} cannot be written: {self.log.problem}"
            if self.log and self.log.problem
            else None
        )
        return " ".join(told for told in (rules, written) if told) or None

    def close(self) -> None:
        """Close the log and the connections of the language model, which gives no decision from then on."""
        if self.model is not None:
            self.model.close()
        if self.log is not None:
            self.log.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _decided(self, exchange: Exchange, item: int) -> GatekeeperDecision:
        if self.mode == "disabled":
            return _disabled(item)
        found = check(exchange, self.limits, item=item)
        rules = self.rules.current() if isinstance(self.rules, RulesFile) else self.rules
        if own := rules.matches(exchange):
            return by_own_rule(found, own, exchange)
        if self.model is None or self.mode == "pattern" or _says_nothing(exchange):
            return found
        if self.mode == "hybrid" and found.category != "other":
            return found
        try:
            return _by_model(found, self.model.ask(exchange))
        except ModelError as error:
            return _without_model(found, error, closed=self.fail == "closed")


def load_gatekeeper(settings: Settings | str | Path | None = None) -> Gatekeeper:
    """The gatekeeper of the settings, or of a settings file: an agent's step before something is stored.

        gatekeeper = convgate.load_gatekeeper()
        if gatekeeper.decide(Exchange(user, assistant, previous)).keep:
            memory.add(user, assistant)
        gatekeeper.decide_messages(messages)   # the same for the last exchange of OpenAI-style messages

    `decide` may wait in the modes that ask a language model: in an event loop, `asyncio.to_thread` calls it.

    Raises SettingsError, and RulesError when the file of rules is wrong.
    """
    if not isinstance(settings, Settings):
        settings = load_settings(Path(settings) if settings else None)
    return Gatekeeper.of(settings)


def _rules_file(settings: Settings, path: Path | None) -> RulesFile:
    named = path or settings.gatekeeper_rules
    return RulesFile(named or settings.home / RULES_NAME, required=named is not None)


def _says_nothing(exchange: Exchange) -> bool:
    return not exchange.user.strip() and not exchange.assistant.strip()


def _disabled(item: int) -> GatekeeperDecision:
    reason = "Kept: the gatekeeper is switched off, everything is kept."
    return GatekeeperDecision(item, KEEP, "disabled", reason, STAGE, "other", ("other",), ())


def by_own_rule(found: GatekeeperDecision, own: Sequence[OwnMatch], exchange: Exchange) -> GatekeeperDecision:
    """What the first rule that matches says; what the checks found stands behind it."""
    first = own[0]
    text = exchange.user if first.match.said == "user" else exchange.assistant
    words = _line(text[first.match.start : first.match.end][: 2 * _QUOTED])
    words = words if len(words) <= _QUOTED else f"{words[: _QUOTED - 1].rstrip()}…"
    reason = _line(first.rule.reason).rstrip(".") or "a rule of your own matches"
    categories = [one.rule.category for one in own] + [name for name in found.categories if name != "other"]
    return replace(
        found,
        outcome=first.outcome,
        rule=f"{first.outcome}_patterns: {first.rule.pattern}",
        reason=f"{_said(first.outcome)}: {reason} (own rule, “{words}”).",
        category=first.rule.category,
        categories=tuple(dict.fromkeys(categories)),
        matches=(*(one.match for one in own), *found.matches),
    )


def _by_model(found: GatekeeperDecision, answer: Answer) -> GatekeeperDecision:
    outcome = KEEP if answer.keep else SKIP
    why = f": “{answer.reason}”" if answer.reason else ""
    categories = [answer.category, *(match.category for match in found.matches)]
    return replace(
        found,
        outcome=outcome,
        rule="language model",
        reason=f"{_said(outcome)}: so the language model says{why}.",
        category=answer.category,
        categories=tuple(dict.fromkeys(categories)),
    )


def _without_model(found: GatekeeperDecision, error: ModelError, *, closed: bool) -> GatekeeperDecision:
    """The checks' decision, with what went wrong; closed: skipped, where nothing but the default kept it."""
    why = f"The language model gave no decision: {error}."
    if closed and found.rule in BY_DEFAULT:
        reason = f"Skipped: nothing says that it has to be kept, and gatekeeper_fail is closed. {why}"
        return replace(found, outcome=SKIP, rule="fail closed", reason=reason)
    return replace(found, reason=f"{found.reason} {why}")


def _line(text: str) -> str:
    return " ".join(printable(text).split())


def _said(outcome: str) -> str:
    return "Kept" if outcome == KEEP else "Skipped"
