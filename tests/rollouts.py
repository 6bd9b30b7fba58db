"""Rollouts for tests: logged requests of both arms, reviewed modes, checklists."""

from __future__ import annotations

from datetime import datetime, timedelta

from convgate.core.conversation import Conversation, Turn
from convgate.core.settings import Settings
from convgate.rollouts.phases import phase_of
from convgate.rollouts.rollout import Rollout
from convgate.store import Conversations, NewConversation, Store
from convgate.store.edits import ModeCorrection, ModeCorrections
from convgate.store.requests import RequestOutcome, Requests
from convgate.store.rollouts import Arm, Rollouts
from tests.guardrails import logged_request


def log_requests(
    store: Store,
    arm: Arm,
    count: int,
    *,
    end: datetime,
    hours: float = 20,
    failed: int = 0,
    errors: int = 0,
    seconds: float | None = 2.0,
    breaches: int = 0,
    session_size: int = 1,
) -> None:
    """Log requests evenly over the hours before `end`, failures and errors spread evenly.

    session_size: requests of each session, one after the other.
    """
    requests, start = Requests(store), end - timedelta(hours=hours)
    first = requests.count()
    step = timedelta(hours=hours) / count
    requests.add(
        logged_request(
            first + place,
            start + step * (place + 1),
            "TASK",
            arm=arm,
            breaches=int(place < breaches),
            session=str((first + place) // session_size),
        )
        for place in range(count)
    )
    outcomes = []
    for place in range(count):
        is_error = place * errors // count < (place + 1) * errors // count
        is_failed = is_error or place * failed // count < (place + 1) * failed // count
        outcomes.append(RequestOutcome(f"r{first + place}", not is_failed, is_error, seconds))
    requests.record_outcomes(outcomes, end)


def log_both(store: Store, *, end: datetime, hours: float = 20, count: int = 100) -> None:
    """Log requests of two equal arms, a fifth of which failed."""
    for arm in ("candidate", "control"):
        log_requests(store, arm, count, end=end, hours=hours, failed=count // 5)


def review_modes(store: Store, at: datetime, *, confirmed: int = 20, corrected: int = 0) -> None:
    """Have a person review the modes of a new conversation."""
    turns = tuple(Turn.of("user", f"message {number} of {at}") for number in range(confirmed + corrected))
    (added,) = Conversations(store).add([NewConversation(Conversation("", turns))])
    reviews = {
        turn: ModeCorrection("TASK", "TASK" if turn < confirmed else "DEBUGGING", at=at)
        for turn in range(len(turns))
    }
    ModeCorrections(store).change(added.key, reviews)


def do_checklist(store: Store, rollout: Rollout) -> None:
    """Do the present phase's checklist."""
    current = Rollouts(store).current()
    for item in phase_of(current.phase).checklist:
        rollout.set_item(item, who="Ada")


def start_at_half(store: Store) -> Rollout:
    """Start a rollout that gives the candidate to half of the sessions, by a fixed seed."""
    rollout = Rollout(store, Settings())
    rollout.start("one turn", owners=["Ada"])
    for _ in range(2):
        rollout.advance(who="Ada", reason="For the test.")
    with store.write() as db:
        db.execute("UPDATE rollouts SET seed = 7")
    return rollout
