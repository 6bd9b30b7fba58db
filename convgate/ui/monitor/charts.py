"""The charts, the same for the log and for a simulation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import plotly.graph_objects as go
import streamlit as st

from convgate.context.guardrails.limits import DRIFT_RECOVERY, RECOVERY, Limits
from convgate.context.guardrails.report_records import Bin, ModeErrors
from convgate.figures.layout import CONFIG
from convgate.figures.levels import Level, Point, describe_level, level_figure
from convgate.figures.mode_errors import describe_mode_errors, mode_errors_figure
from convgate.figures.mode_shares import describe_mode_shares, mode_shares_figure
from convgate.figures.over_time import Episode, Frame
from convgate.figures.request_counts import (
    describe_counts,
    fallbacks_figure,
    latency_figure,
    tokens_figure,
)
from convgate.store.guard_states import Alert
from convgate.transcripts.characters import writable
from convgate.ui.theme import current_palette

_HELD = {"drift": "all as GENERAL", "low_confidence": "alert"}


@dataclass(frozen=True)
class Charted:
    """What charts are drawn of."""

    key: str  # that tells the charts of this place from others
    bins: Sequence[Bin]  # as far as they are shown
    start: datetime
    end: datetime  # of the axis
    shown: datetime  # up to when it is told; alerts that last end there
    divergence: Sequence[Point]
    baseline: Mapping[str, int] | None
    alerts: Sequence[Alert]
    limits: Limits
    marks: Sequence[tuple[datetime, str]] = ()

    def frame(self, kind: str) -> Frame:
        """The time, with the alerts of a kind."""
        return Frame(
            self.start,
            self.end,
            [
                Episode(one.raised, min(one.cleared or self.shown, self.shown), _HELD.get(kind, one.mode))
                for one in self.alerts
                if one.kind == kind and one.raised <= self.shown
            ],
        )


def bin_points(bins: Sequence[Bin]) -> list[Point]:
    """The divergence of each bin."""
    return [Point(one.end, one.divergence, _requests(one)) for one in bins]


def draw_modes(charted: Charted) -> None:
    """Which modes are found, beside the baseline; and how far both are from each other."""
    palette, frame = current_palette(), charted.frame("drift")
    st.markdown(
        "**Modes that were found**",
        help="Each bar is one stretch of time; pale ones have fewer than 20 requests.",
    )
    _draw(
        charted, "modes", mode_shares_figure(charted.bins, charted.baseline, frame, palette=palette),
        describe_mode_shares(charted.bins, charted.baseline),
    )  # fmt: skip
    level = Level(
        "Divergence", charted.divergence, charted.limits.drift, DRIFT_RECOVERY * charted.limits.drift
    )
    st.markdown(
        "**Drift**",
        help="The Kullback–Leibler divergence of the last hour's modes from the baseline's, in nats: 0 when"
        " they are alike.",
    )
    if charted.baseline is None:
        st.caption("There is no baseline, so there is no drift to show.")
        return
    _draw(
        charted,
        "drift",
        level_figure(level, frame, palette=palette, marks=charted.marks),
        describe_level(level),
    )


def draw_confidence(charted: Charted) -> None:
    """The share of requests that the classifier was unsure of."""
    points = [Point(_middle(one), one.totals.low_share, _judged(one)) for one in charted.bins]
    limit = charted.limits.low_share
    level = Level("Unsure", points, limit, RECOVERY * limit, is_share=True)
    st.markdown(
        "**Low confidence**",
        help="Of the requests without an intent, those whose mode was found with a confidence below 0.70.",
    )
    frame = charted.frame("low_confidence")
    _draw(charted, "confidence", level_figure(level, frame, palette=current_palette()), describe_level(level))


def draw_fallbacks(charted: Charted) -> None:
    """Requests that fell back, by cause, and invariants that were missing."""
    st.markdown("**Fallbacks and breaches**")
    figure = fallbacks_figure(charted.bins, charted.frame(""), palette=current_palette())
    _draw(charted, "fallbacks", figure, describe_counts(charted.bins)["fallbacks"])


def draw_costs(charted: Charted) -> None:
    """Tokens, and the time that building takes."""
    palette, told, frame = current_palette(), describe_counts(charted.bins), charted.frame("")
    st.markdown("**Tokens sent and saved**")
    _draw(charted, "tokens", tokens_figure(charted.bins, frame, palette=palette), told["tokens"])
    st.markdown("**Time to build a context**", help="Without what your program does before and after.")
    _draw(charted, "latency", latency_figure(charted.bins, frame, palette=palette), told["latency"])


def draw_errors(key: str, errors: Sequence[ModeErrors]) -> None:
    """Error rates by mode."""
    st.markdown(
        "**Errors by mode**",
        help="What `record_outcome` told, with 95% intervals. The limit is a multiple of the overall rate.",
    )
    if not any(one.newest.count or one.period.count for one in errors):
        st.caption(
            "No outcome was told. `convgate.record_outcome(bundle.request_id, ok=False)` tells that an answer"
            " was of no use."
        )
        return
    st.plotly_chart(
        mode_errors_figure(errors, palette=current_palette()), theme=None, key=f"monitor.{key}.errors",
        config=CONFIG, alt=describe_mode_errors(errors),
    )  # fmt: skip


def _draw(charted: Charted, name: str, figure: go.Figure, told: str) -> None:
    st.plotly_chart(
        figure, theme=None, key=f"monitor.{charted.key}.{name}", config=CONFIG, height=figure.layout.height,
        alt=writable(told),
    )  # fmt: skip


def _middle(one: Bin) -> datetime:
    return one.start + (one.end - one.start) / 2


def _requests(one: Bin) -> str:
    return f"{one.totals.requests:,} requests since {one.start.astimezone():%H:%M}"


def _judged(one: Bin) -> str:
    return f"{one.totals.unsure:,} of {one.totals.judged:,} requests"
