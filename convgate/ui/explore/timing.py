"""How long the server needs when a slider moves, measured on the real page without a browser."""

from __future__ import annotations

import statistics
from dataclasses import asdict, dataclass
from typing import Any

from streamlit.testing.v1 import AppTest

from convgate.errors import ConvgateError
from convgate.gate.thresholds import Stricter
from convgate.store import Conversations, NewConversation
from convgate.ui.explore.further import SHOW, VIEWS
from convgate.ui.explore.rules import COMPARE
from convgate.ui.navigation import EXPLORE
from convgate.ui.timing import bench, long_talk, timed

_RULE = Stricter.name
_SLIDER = f"explore.{_RULE}.deviations"


@dataclass(frozen=True, slots=True)
class SliderRerun:
    """Seconds from a slider's move to the end of the page's run."""

    turns: int
    first: float  # the page with everything to be scored, texts already encoded
    median: float
    slowest: float
    views: dict[str, float]  # the median with each of the further views open
    goal: float = 0.3

    @property
    def slowest_view(self) -> str:
        """The further view that a slider waits for longest."""
        return max(self.views, key=lambda name: self.views[name])

    def to_json(self) -> dict[str, Any]:
        """The numbers as plain JSON values."""
        return asdict(self) | {"slowest_view": self.slowest_view}


def measure_slider_rerun(turns: int = 300, *, rounds: int = 12) -> SliderRerun:
    """Move Explore's slider on a conversation of that many turns, again and again.

    The encoder is a stand-in, for a slider must encode nothing. Raises ConvgateError when the page fails.
    """
    with bench() as place:
        page = place.page
        (added,) = Conversations(place.store).add([NewConversation(long_talk(turns))])
        page.query_params["conversation"] = added.key
        page.query_params["rule"] = _RULE
        page.switch_page(EXPLORE)
        first = timed(page)
        encoded = place.encoder.texts
        times = _moves(page, rounds)
        if place.encoder.texts != encoded:
            raise ConvgateError("moving a slider encoded texts again, which it must not")
        page.selectbox(key=COMPARE).set_value("last_k")
        views = {}
        for name in VIEWS:
            page.button_group(key=SHOW).set_value(name)
            timed(page)  # what the view makes once
            views[name] = statistics.median(_moves(page, max(2, rounds // 4)))
    return SliderRerun(turns, first, statistics.median(times), max(times), views)


def _moves(page: AppTest, rounds: int) -> list[float]:
    times = []
    for number in range(rounds):
        page.slider(key=_SLIDER).set_value(0.6 + 0.05 * number)
        times.append(timed(page))
    return times
