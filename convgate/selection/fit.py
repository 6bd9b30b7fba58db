"""Fit within a budget: sections by the mode of the message, filled by what each turn is worth."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from convgate.core.conversation_cache import ConversationCache
from convgate.core.decisions import Floats, TurnDecisions
from convgate.core.filling import expected_use
from convgate.guardrails.request import Fallback
from convgate.invariants.invariant import Invariant, find_missing
from convgate.messages.tokens import TokenCounter
from convgate.modes.budgets import Budgets
from convgate.modes.classifier import ModeClassifier
from convgate.modes.conversation import ModeReader
from convgate.selection.added import AddedMessage, restate
from convgate.selection.claims import Placement, SectionClaims
from convgate.selection.marks import Marks
from convgate.selection.packing import Packer, RequestBudget, pack, pack_baseline
from convgate.selection.reading import read_conversation
from convgate.selection.reasons import FittedReasons
from convgate.selection.request import Request
from convgate.selection.selection import Budgeted
from convgate.selection.sending import SentMessages, send

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False)
class Fit:
    """Chooses what is sent within a budget. Thread-safe as long as the classifier's encoder is."""

    classifier: Callable[[], ModeClassifier]  # loaded when there is a budget
    budgets: Budgets = field(default_factory=Budgets)
    fills_unscored: bool = False  # with the newest turns, where a policy gives no scores
    filters: bool = True  # whether policy and mode drop turns that would fit
    modes: ModeReader = field(default_factory=ModeReader, repr=False)
    marks: ConversationCache[Marks] = field(default_factory=ConversationCache, repr=False)

    def send(
        self,
        request: Request,
        decisions: TurnDecisions,
        invariants: Sequence[Invariant],
        counter: TokenCounter | None,
        room: int = 0,
    ) -> tuple[SentMessages, FittedReasons, Budgeted]:
        """Return what is sent within the request's budget, the reasons, and the rest without sections.

        room: tokens of the budget that are left to the messages to come.
        Where something that must hold is missing from it, now or in an earlier request of the conversation,
        the baseline is sent: the newest turns that fit, with all that must hold.
        """
        claims = self._claim(request, decisions, invariants)
        statements, shortened = self._state(request, claims, counter)
        claims = replace(claims, shortened=shortened) if shortened else claims
        reading, total = claims.reading, (request.budget or 0) - room
        budget = RequestBudget(
            total,
            self.budgets.shares(reading.mode, total),
            sum(statement.tokens for statement in statements),
            frozenset(claims.corrected if claims.filters else ()),
            room,
        )
        earlier = request.earlier_breaches
        packer = pack_baseline if earlier else pack
        placed, sent = _pack(request, claims, budget, statements, packer)
        missing = find_missing(reading.held, sent.messages, sent.places, claims.table.unsendable)
        if missing:
            log.error(
                "request %s: %d of the invariants that must hold were missing from what is sent (turns %s);"
                " the baseline is sent for the rest of this conversation",
                request.id, len(missing), sorted({invariant.source for invariant in missing}),
            )  # fmt: skip
            placed, sent = _pack(request, claims, budget, statements, pack_baseline)
        breaches = (*earlier, *(invariant for invariant in missing if invariant not in earlier))
        fallbacks = [reading.fallback] if reading.fallback else []
        if breaches:
            fallbacks.append(_explain_breach(missing, len(breaches)))
        reasons = FittedReasons(decisions, claims, budget, placed, sent, is_baseline=bool(breaches))
        spent = Budgeted(
            total, reading.mode, reading.mode_decision, reading.labels, (), breaches, tuple(fallbacks)
        )
        return sent, reasons, spent

    def _claim(
        self, request: Request, decisions: TurnDecisions, invariants: Sequence[Invariant]
    ) -> SectionClaims:
        table, scores = request.table, decisions.scores
        intents = request.intents.by_turn() if request.intents else {}
        modes = self.modes.read(table.turns, self.classifier(), intents)
        reading = read_conversation(request, modes, invariants)
        # a turn without a score comes last; without any scores, the newest comes first
        ranks: Floats = np.arange(len(decisions), dtype=np.float64)
        if scores is not None:
            ranks = np.where(np.isnan(scores), -np.inf, scores)
        uses: Floats | None = None
        if scores is not None and decisions.logits is not None:
            uses = expected_use(np.nan_to_num(scores))
        cells = self.budgets.cells(reading.mode)
        return SectionClaims(
            table,
            reading,
            marks=self.marks.get(table.turns, lambda known, new: (known or Marks()).extend(new)).by_turn,
            kept=decisions.kept,
            scores=ranks,
            ranked=scores is not None,
            uses=uses,
            disabled=frozenset(name for name, tokens in cells.items() if not tokens),
            fills_budget=(self.fills_unscored or scores is not None) and table.total > (request.budget or 0),
            filters=self.filters and reading.fallback is None,
            paired=request.pair_answers,
        )

    def _state(
        self, request: Request, claims: SectionClaims, counter: TokenCounter | None
    ) -> tuple[list[AddedMessage], dict[int, int]]:
        """Return the messages that state invariants apart from their turns, and the turns that these replace,
        each with the tokens of the statements that need not be sent beside it.

        Where the conversation exceeds the budget, statements replace each turn that is longer than they are:
        what else it says competes for the budget as evidence does.
        """
        table, invariants = claims.table, claims.reading.held
        shortened = dict[int, int]()
        if not request.adds:
            return [], shortened
        if table.total > (request.budget or 0):
            texts = defaultdict[int, set[str]](set)
            changing = {turn for invariant in invariants for turn in invariant.changed_by}
            for invariant in invariants:
                if invariant.source in claims.required and invariant.source not in changing:
                    texts[invariant.source].add(invariant.text)
            sources = Counter(text for own in texts.values() for text in own)
            costs = {each.turn.text: each.tokens for each in restate(invariants, table, counter, texts)}
            for source, own in texts.items():
                if sum(costs[text] for text in own) < table.tokens[source]:
                    said = table.turns[source].text  # an edited statement is sent in any case
                    shortened[source] = sum(
                        costs[text] for text in own if sources[text] == 1 and text in said
                    )
        return restate(invariants, table, counter, shortened), shortened


def _pack(
    request: Request,
    claims: SectionClaims,
    budget: RequestBudget,
    statements: Sequence[AddedMessage],
    packer: Packer,
) -> tuple[dict[int, Placement], SentMessages]:
    """Return where each turn stands, and what is sent."""
    capsules = [] if "capsules" in claims.disabled else request.capsules
    packed = packer(claims, [capsule.tokens for capsule in capsules], budget)
    sent = send(
        request,
        packed.placed,
        held=claims.reading.held,
        statements=statements,
        capsules=[capsules[place] for place in packed.capsules],
    )
    rules = {index: Placement("rules", None) for index in claims.shortened if index in packed.placed}
    return packed.placed | rules, sent


def _explain_breach(missing: Sequence[Invariant], count: int) -> Fallback:
    when = "in this request" if missing else "earlier in this conversation"
    what = "an invariant that must hold was" if count == 1 else f"{count} invariants that must hold were"
    return Fallback(
        "breach",
        f"{what} missing from what is sent {when}: the newest turns that fit, all invariants and the"
        " instructions are sent for the rest of the conversation.",
    )
