"""Charts of the log or of a simulation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import plotly.graph_objects as go
import streamlit as st

from convgate.core.settings import Settings
from convgate.core.text import writable
from convgate.figures.layout import CONFIG
from convgate.figures.levels import Level, Point, describe_level, level_figure
from convgate.figures.over_time import Episode, Frame
from convgate.figures.requests import (
    describe_mode_errors,
    describe_requests,
    fallbacks_figure,
    latency_figure,
    mode_errors_figure,
    mode_shares_figure,
    tokens_figure,
)
from convgate.guardrails.report import Report
from convgate.guardrails.rules import DRIFT_RECOVERY, RECOVERY
from convgate.ui.theme import current_palette

_LABELS = {"drift": "all as GENERAL", "low_confidence": "alert"}


@dataclass(frozen=True)
class Charts:
    """What the charts show; a method each draws them."""

    key: str  # prefix of the charts' keys
    report: Report
    settings: Settings
    now: datetime  # where open alerts end
    divergence: Sequence[Point]
    marks: Sequence[tuple[datetime, str]] = ()

    def draw_modes(self) -> None:
        """Draw the modes next to the baseline, and their divergence from it."""
        frame, palette, baseline = self._frame("drift"), current_palette(), self.report.latest.baseline
        counts = None if baseline is None else baseline.counts
        st.markdown("**Modes**", help="Pale bars have fewer than 20 requests.")
        figure = mode_shares_figure(self.report.bins, counts, frame, palette=palette)
        self._draw("modes", figure, self._words["modes"])
        st.markdown("**Drift**", help="KL divergence of the last hour's modes from the baseline, in nats.")
        if baseline is None:
            st.caption("No baseline.")
            return
        limit = self.settings.guard_drift_limit
        level = Level("Divergence", self.divergence, limit, DRIFT_RECOVERY * limit)
        self._draw(
            "drift", level_figure(level, frame, palette=palette, marks=self.marks), describe_level(level)
        )

    def draw_confidence(self) -> None:
        """Draw the share of requests with a low confidence."""
        st.markdown(
            "**Low confidence**", help="Share of requests without an intent whose confidence is below 0.70."
        )
        points = [
            Point(
                part.start + (part.end - part.start) / 2,
                part.totals.low_share,
                f"{part.totals.unsure:,} of {part.totals.judged:,} requests",
            )
            for part in self.report.bins
        ]
        limit = self.settings.guard_low_confidence_share
        level = Level("Low confidence", points, limit, RECOVERY * limit, is_share=True)
        figure = level_figure(level, self._frame("low_confidence"), palette=current_palette())
        self._draw("confidence", figure, describe_level(level))

    def draw_fallbacks(self) -> None:
        """Draw requests with a fallback, by cause, and lost invariants."""
        st.markdown("**Fallbacks and lost invariants**")
        figure = fallbacks_figure(self.report.bins, self._frame(""), palette=current_palette())
        self._draw("fallbacks", figure, self._words["fallbacks"])

    def draw_costs(self) -> None:
        """Draw tokens and build times."""
        bins, palette, frame = self.report.bins, current_palette(), self._frame("")
        st.markdown("**Tokens of the history**")
        self._draw("tokens", tokens_figure(bins, frame, palette=palette), self._words["tokens"])
        st.markdown("**Build time**")
        self._draw("latency", latency_figure(bins, frame, palette=palette), self._words["latency"])

    def draw_errors(self) -> None:
        """Draw error rates by mode."""
        errors = self.report.errors
        st.markdown("**Errors by mode**", help="Outcomes of `record_outcome`, with 95% intervals.")
        if not any(mode.newest.count or mode.period.count for mode in errors):
            st.caption("No outcomes. Record them: `convgate.record_outcome(selection.request_id, ok=False)`")
            return
        figure = mode_errors_figure(errors, palette=current_palette())
        self._draw("errors", figure, describe_mode_errors(errors))

    @property
    def _words(self) -> dict[str, str]:
        baseline = self.report.latest.baseline
        return describe_requests(self.report.bins, None if baseline is None else baseline.counts)

    def _frame(self, kind: str) -> Frame:
        episodes = [
            Episode(alert.raised, min(alert.cleared or self.now, self.now), _LABELS[kind])
            for alert in self.report.alerts
            if alert.kind == kind
        ]
        return Frame(self.report.since, self.report.until, episodes)

    def _draw(self, name: str, figure: go.Figure, words: str) -> None:
        st.plotly_chart(
            figure, theme=None, key=f"monitor.{self.key}.{name}", config=CONFIG, height=figure.layout.height,
            alt=writable(words),
        )  # fmt: skip


def draw_charts(report: Report, settings: Settings) -> None:
    """Draw all charts of a report."""
    points = [Point(part.end, part.divergence, f"{part.totals.requests:,} requests") for part in report.bins]
    charts = Charts("log", report, settings, report.until, points)
    left, right = st.columns(2, gap="large")
    with left:
        charts.draw_modes()
        charts.draw_confidence()
        charts.draw_errors()
    with right:
        charts.draw_fallbacks()
        charts.draw_costs()
