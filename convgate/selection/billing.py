"""The bills of policies: what each sends of logged conversations, with and without prices known to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count

from convgate.core.conversation import Conversation, CurrentMessage, History
from convgate.core.errors import ConvgateError
from convgate.core.settings import Settings
from convgate.costs.prices import Price
from convgate.evaluation.bill import (
    PAUSES,
    ConversationBill,
    Select,
    SentSelection,
    bill_conversation,
    count_answer_tokens,
    list_requests,
    sum_bills,
)
from convgate.evaluation.bill_report import PRICED, BillReport
from convgate.evaluation.judged_cases import EvaluationProgress, silent
from convgate.evaluation.logged_usage import read_logged_usage
from convgate.policies.base import Policy
from convgate.selection.around import Remember
from convgate.selection.load import selector_of
from convgate.selection.selector import Selector
from convgate.transcripts.cases import Case


def bill_policies(
    conversations: Sequence[tuple[Conversation, Sequence[Case]]],
    policies: Mapping[str, Policy],
    settings: Settings,
    price: Price,
    *,
    budget: int | None = None,
    pauses: Sequence[float] = PAUSES,
    reads_times: bool = True,
    progress: EvaluationProgress = silent,
) -> BillReport:
    """Return what each policy's requests cost, and those of the last one with the price known to it.

    policies: by name; the first sends everything, the others within the budget in tokens, or
    that of the settings. pauses, reads_times: as of `list_requests`. Nothing is logged or stored. Raises
    ConvgateError when no conversation has a request.
    """
    if budget is not None:
        settings = settings.updated(budget={"tokens": budget})
    selectors = _load_selectors(policies, settings, price)
    bills: dict[str, list[ConversationBill]] = {name: [] for name in selectors}
    replayed = [
        (conversation, requests)
        for conversation, cases in conversations
        if (requests := list_requests(conversation, cases, pauses, reads_times=reads_times))
    ]
    n_requests = sum(len(requests) for _, requests in replayed)
    if not n_requests:
        raise ConvgateError("No conversation has a message of a user, so there is no request to bill.")
    done, total = count(), n_requests * len(selectors)
    for number, (conversation, requests) in enumerate(replayed, 1):
        stage = f"Conversation {number:,} of {len(replayed):,}"
        for name, selector in selectors.items():
            selector.encode(conversation.turns, partial(progress, f"{stage}, encoding turns"))
            select = _select_by(selector, partial(_report_next, progress, f"{stage}, requests", done, total))
            bills[name].append(bill_conversation(conversation, requests, select, price))
    timed = sum(request.is_timed for _, requests in replayed for request in requests)
    assumed = n_requests - len(replayed) - timed
    everything = next(iter(bills.values()))
    return BillReport(
        price=price,
        rows=tuple(sum_bills(name, each, everything, price) for name, each in bills.items()),
        conversations=len(replayed),
        requests=n_requests,
        timed_pauses=timed,
        assumed_pauses=assumed,
        left_out=len(conversations) - len(replayed),
        answer_tokens=sum(count_answer_tokens(*each) for each in replayed),
        pauses=tuple(sorted(pauses)) if assumed else (),
        logged=read_logged_usage(conversation for conversation, _ in replayed),
    )


def _load_selectors(policies: Mapping[str, Policy], settings: Settings, price: Price) -> dict[str, Selector]:
    """Return what selects by each policy, and by the last one with the price unless it is the only one."""
    selectors = dict[str, Selector]()
    for name, policy in policies.items():
        own = settings if selectors else settings.updated(budget={"tokens": None})
        selectors[name] = replace(selector_of(policy, own), originals=None)
    *others, last = selectors
    return {**selectors, f"{last}{PRICED}": replace(selectors[last], price=price)} if others else selectors


def _select_by(selector: Selector, report: Callable[[], None]) -> Select:
    """Return what selects for one conversation; `report` is called for each request."""
    selector = replace(selector, around=[Remember()])

    def select(current: CurrentMessage, history: History, at: float) -> SentSelection:
        report()
        return selector.select_current(current, history, at=at)

    return select


def _report_next(progress: EvaluationProgress, stage: str, done: Iterator[int], total: int) -> None:
    progress(stage, next(done), total)
