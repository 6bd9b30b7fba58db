"""Days of messages: written one per line, or drawn by Hypothesis."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from convgate.core.conversation import Turn

MORNING = datetime(2026, 3, 5, tzinfo=UTC)
ROLES = {"u": "user", "a": "assistant", "s": "system", "t": "tool"}


def turn_of_line(line: str) -> Turn:
    """A message written as `9:30 u make it bigger`; `-` for no time, `!STATE` at the end for a state."""
    time, role, *words = line.split(" ")
    state = {"workflow_state": words.pop()[1:]} if words and words[-1].startswith("!") else {}
    hours, _, minutes = time.partition(":")
    moment = None if time == "-" else MORNING + timedelta(hours=int(hours), minutes=int(minutes))
    return Turn.of(ROLES[role], " ".join(words), timestamp=moment, metadata=state)


def turns_of_day(*lines: str) -> list[Turn]:
    """A message for each line."""
    return [turn_of_line(line) for line in lines]


TEXTS = ["make it bigger", "new topic: tea", "continue", "what comes next?", "start fresh", "next"]
STATES = [None, None, None, "TESTING", "COMPLETE", "DONE"]


@st.composite
def random_days(draw: st.DrawFn, *, times_missing: bool = True) -> list[Turn]:
    """Up to 12 messages of users, assistants and instructions, whose clock may go back or stand still."""
    turns, moment = [], MORNING + timedelta(days=5)
    for _ in range(draw(st.integers(1, 12))):
        moment += timedelta(minutes=draw(st.integers(-300, 600)))
        missing = times_missing and draw(st.integers(0, 4)) == 0
        state = draw(st.sampled_from(STATES))
        turns.append(
            Turn.of(
                draw(st.sampled_from(["user", "user", "assistant", "system"])),
                draw(st.sampled_from(TEXTS)),
                timestamp=None if missing else moment,
                metadata={"workflow_state": state} if state else {},
            )
        )
    return turns
