"""The chart of boundaries, by time or by turn, with edits."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from convgate.figures.palette import DARK
from convgate.figures.sessions import Event, Timeline, timeline_figure

NINE = datetime(2026, 3, 5, 9)
TIMES = [NINE + timedelta(minutes=minutes) for minutes in (0, 1, 180, 181)]
TIMELINE = Timeline(
    labels=["user: <b>a</b>", "assistant: b", "user: c", "assistant: d"],
    is_user=[True, False, True, False],
    events=[Event(2, "session", "A session begins: $long$"), Event(1, "state", "The workflow is complete.")],
    sessions=[0, 2],
    times=TIMES,
)


def trace(fig: Any, name: str) -> Any:
    return next(one for one in fig.data if one.name == name)


def test_on_the_time_axis_sessions_are_shaded_and_gaps_are_not() -> None:
    fig = timeline_figure(TIMELINE, palette=DARK, selected=2)
    ground = trace(fig, "session")
    assert [x[:16] for x in ground.x if x] == [
        *["2026-03-05 08:59"] * 2, *["2026-03-05 09:01"] * 2,
        *["2026-03-05 11:59"] * 2, *["2026-03-05 12:01"] * 2,
    ]  # fmt: skip
    assert trace(fig, "user").x == ("2026-03-05 09:00:00.000", "2026-03-05 12:00:00.000")
    assert (trace(fig, "user").customdata, trace(fig, "others").customdata) == ((0, 2), (1, 3))
    assert (
        trace(fig, "user").hovertext[0]
        == "<b>Turn 1</b> user: &lt;b&gt;a&lt;/b&gt;<br>Thu 05 Mar 2026, 09:00"
    )
    begun = trace(fig, "session begins")
    assert (begun.customdata, begun.x) == ((2,), ("2026-03-05 12:00:00.000",))
    assert begun.hovertext == ("<b>Turn 3</b><br>A session begins: &#36;long&#36;",)
    assert trace(fig, "selected").customdata == (2,)
