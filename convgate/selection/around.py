"""What stands around a selection: a memory of requests, and guardrails with their log."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Protocol

from convgate.guardrails.request import Guard, RequestRecord
from convgate.selection.memory import PastRequest, RequestMemory
from convgate.selection.request import Request
from convgate.selection.selection import Selection
from convgate.selection.sending import SentMessages


class Around(Protocol):
    """Adds to a request before it is answered, and sees its answer."""

    def before(self, request: Request) -> Request:
        """Return the request with what is known of it."""
        ...

    def after(self, request: Request, selection: Selection, sent: SentMessages) -> None:
        """Take note of the answer."""
        ...


@dataclass(frozen=True, eq=False)
class Remember:
    """Knows the request before of the same conversation: what was sent, its intents, and its breaches."""

    requests: RequestMemory = field(default_factory=RequestMemory)

    def before(self, request: Request) -> Request:
        """Add the request before."""
        return replace(request, past=self.requests.find(request.table.hashes))

    def after(self, request: Request, selection: Selection, sent: SentMessages) -> None:
        """Keep what was sent."""
        self.requests.keep(request.table.hashes[-1], _past(request, selection, sent))


@dataclass(frozen=True, eq=False)
class RememberAnswered(Remember):
    """As `Remember`, for one request whose answer the caller sees: it is kept by `keep`.

    A provider has nothing in its cache of a request that it refused. In a shadow, requests are those that
    would have been sent: the memory keeps them apart, for other shadows.
    """

    is_shadow: bool = False
    waiting: list[tuple[bytes, PastRequest]] = field(default_factory=list)

    def before(self, request: Request) -> Request:
        """Add the request before."""
        return replace(request, past=self.requests.find([*map(self._digest, request.table.hashes)]))

    def after(self, request: Request, selection: Selection, sent: SentMessages) -> None:
        """Have what was sent ready."""
        self.waiting.append((self._digest(request.table.hashes[-1]), _past(request, selection, sent)))

    def keep(self, further: float) -> None:
        """Keep what was sent: the provider answered. further: as of `Spending.cost`, for the same answer."""
        for digest, past in self.waiting:
            self.requests.keep(digest, past.with_further(further))

    def _digest(self, digest: bytes) -> bytes:
        return digest + b"shadow" if self.is_shadow else digest


def keep_when_answered(
    around: Sequence[Around], *, is_shadow: bool = False
) -> tuple[list[Around], Callable[[float], None]]:
    """Return the same for one request, and what the caller calls when the provider has answered it.

    Its argument: what further requests cost that the answer has taken so far, as `Spending.cost` counts.
    """
    remember = [RememberAnswered(each.requests, is_shadow) for each in around if isinstance(each, Remember)]
    others = [each for each in around if not isinstance(each, Remember)]

    def keep(further: float) -> None:
        for each in remember:
            each.keep(further)

    return [*remember, *others], keep


def _past(request: Request, selection: Selection, sent: SentMessages) -> PastRequest:
    return PastRequest(
        request.table.current, request.intents, sent.numbers, selection.tokens, selection.breaches,
        sent.shortened, request.at, sent.quotes, selection.cache.spending if selection.cache else None,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Log:
    """Guardrails: requests are logged, without their text, and a mode may be overruled.

    Without a budget, where no mode is read, a request is logged if all of them are.
    """

    load: Callable[[], Guard | None]  # called for the first request that is logged
    logs_all: bool = False
    arm: str | None = None  # of a rollout

    def before(self, request: Request) -> Request:
        """Let the guard overrule the mode."""
        guard = self.load() if request.budget is not None else None
        return request if guard is None else replace(request, overruled=guard.overruled)

    def after(self, request: Request, selection: Selection, sent: SentMessages) -> None:
        """Log the request."""
        if (request.budget is None and not self.logs_all) or (guard := self.load()) is None:
            return
        spent, table = selection.budgeted, request.table
        decision = None if spent is None else spent.mode_decision
        sections = {section.name: section.tokens for section in selection.sections}
        guard.record(
            RequestRecord(
                id=selection.request_id,
                at=datetime.now(UTC),
                mode=selection.mode,
                classified=decision.mode if decision else None,
                confidence=decision.confidence if decision else None,
                source=decision.source if decision else None,
                tokens=sections or {"evidence": selection.tokens - int(table.costs[table.current])},
                tokens_total=selection.tokens_total - int(table.costs[table.current]),
                budget=selection.budget,
                invariants=sum(invariant.held for invariant in selection.invariants),
                breaches=sum(invariant not in request.earlier_breaches for invariant in selection.breaches),
                over_budget=selection.over_budget,
                fallbacks=selection.fallbacks,
                seconds=time.perf_counter() - request.started,
                invariant_types=Counter(each.type for each in selection.invariants if each.active),
                arm=self.arm,
                session=request.session if self.arm else None,
            )
        )
