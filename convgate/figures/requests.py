"""Logged requests as charts: modes beside the baseline, fallbacks, tokens, times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

import plotly.graph_objects as go

from convgate.core.text import format_share
from convgate.figures.layout import Drawing, axis, fill
from convgate.figures.modes import mode_look
from convgate.figures.over_time import Frame, add_empty, extent, middle, time_drawing, width
from convgate.figures.palette import LIGHT, Palette
from convgate.guardrails.report import Bin
from convgate.modes.mode import MODES

CAUSES: Mapping[str, str] = {
    "drift": "drift",
    "misclassified": "misclassified modes",
    "errors": "errors of the mode",
    "breach": "lost invariants",
}
"""Why GENERAL or the baseline was sent, in words."""

FEW = 20
"""Requests; bins with fewer are pale, for their shares mean little."""

_SEEN = 0.1  # of the highest bar
_PERCENTILES = (("p50", "solid"), ("p95", "dash"), ("p99", "dot"))


def mode_shares_figure(
    bins: Sequence[Bin], baseline: Mapping[str, int] | None, frame: Frame, *, palette: Palette
) -> go.Figure:
    """Return stacked shares of the classified modes, a bar a bin; the baseline is the bar at the right."""
    fig = time_drawing(frame, palette, height=320, top=82, filled=True)
    fig.update_layout(
        barmode="stack", bargap=0, legend={"traceorder": "normal"}, margin={"r": 16},
        xaxis={"domain": [0, 0.86], "anchor": "y"},
        yaxis=axis(palette, range=[0, 1], tickformat=".0%", nticks=5),
    )  # fmt: skip
    fig.layout["xaxis2"] = axis(
        palette, domain=[0.9, 1], range=[-0.5, 0.5], showgrid=False, tickvals=[0],
        ticktext=["baseline" if baseline else "no baseline"],
    )  # fmt: skip
    filled = [part for part in bins if part.totals.requests]
    pale = [1.0 if part.totals.requests >= FEW else 0.4 for part in filled]
    for mode in MODES:
        look, label = mode_look(mode, palette), mode.capitalize()
        bar = fill(look.colour, look.pattern, look.text)
        bar |= {"line": {"color": palette.background, "width": 0.5}}
        counts = [part.totals.classified[mode] for part in filled]
        fig.add_bar(
            x=[middle(part.start, part.end) for part in filled] or [None],
            y=[count / part.totals.requests for count, part in zip(counts, filled, strict=True)] or [None],
            width=[width(part.start, part.end) for part in filled] or [1],
            name=label, hoverinfo="text", marker=bar | {"opacity": pale or [1]},
            hovertext=[
                f"<b>{label}</b> {format_share(count / part.totals.requests)}<br>{count:,} of"
                f" {part.totals.requests:,} requests<br>{extent(part.start, part.end)}"
                for count, part in zip(counts, filled, strict=True)
            ],
        )  # fmt: skip
        if baseline:
            total = sum(baseline.values())
            count = baseline.get(mode, 0)
            share = count / total
            fig.add_bar(
                x=[0], y=[share], width=[0.9], xaxis="x2", name=f"baseline {label}", showlegend=False,
                marker=bar, hoverinfo="text", text=[mode[0] if share > 0.05 else ""],
                textposition="inside", textangle=0, insidetextanchor="middle",
                insidetextfont={"color": look.text, "size": 12},
                hovertext=[f"<b>{label}</b> {format_share(share)} of the baseline<br>{count:,}"],
            )  # fmt: skip
    return fig.figure()


def fallbacks_figure(bins: Sequence[Bin], frame: Frame, *, palette: Palette) -> go.Figure:
    """Return requests with a fallback by cause, stacked; a cause is named at its highest bar."""
    fig = time_drawing(frame, palette, top=24)
    fig.update_layout(
        barmode="stack", bargap=0, margin={"r": 16}, showlegend=False,
        yaxis=axis(palette, "requests", rangemode="tozero", tickformat=",d", nticks=4),
    )  # fmt: skip
    looks = {
        "drift": (palette.flip, ""), "misclassified": (palette.tier1, "\\"),
        "errors": (palette.tier2, "/"), "breach": (palette.threshold, "x"),
    }  # fmt: skip
    highest = max((part.totals.fallbacks for part in bins), default=0)
    for cause, look in looks.items():
        chosen = [part for part in bins if part.totals.by_cause[cause]]
        counts = [part.totals.by_cause[cause] for part in chosen]
        _add_bars(fig, chosen, counts, CAUSES[cause], look)
        if counts and max(counts) >= _SEEN * highest:
            top = chosen[counts.index(max(counts))]
            fig.add_annotation(
                text=CAUSES[cause], name=CAUSES[cause], x=middle(top.start, top.end), y=top.totals.fallbacks,
                yanchor="bottom", font={"size": 12, "color": palette.ink},
            )  # fmt: skip
    if not any(part.totals.fallbacks for part in bins):
        fig.update_layout(yaxis={"range": [0, 1], "showticklabels": False})
        add_empty(fig, "none", palette)
    return fig.figure()


def tokens_figure(bins: Sequence[Bin], frame: Frame, *, palette: Palette) -> go.Figure:
    """Return tokens of the histories: those that were sent, and above them those that were not."""
    fig = time_drawing(frame, palette, top=12)
    fig.update_layout(
        barmode="relative", bargap=0, showlegend=False,
        yaxis=axis(palette, "tokens", rangemode="tozero", nticks=4),
    )  # fmt: skip
    filled = [part for part in bins if part.totals.requests]
    sent, saved = (
        [getattr(part.totals, name) for part in filled] for name in ("tokens_sent", "tokens_saved")
    )
    _add_bars(fig, filled, sent, "sent", (palette.kept, ""))
    _add_bars(fig, filled, saved, "saved", (palette.grid, ""))
    if filled:
        _label(fig, "sent", median(sent) / 2, palette.kept_text)
        _label(fig, "saved", median(sent) + median(saved) / 2, palette.muted)
    return fig.figure()


def latency_figure(bins: Sequence[Bin], frame: Frame, *, palette: Palette) -> go.Figure:
    """Return percentiles of the milliseconds that selecting took, as three lines."""
    fig = time_drawing(frame, palette, top=12)
    fig.update_layout(
        hovermode="x unified", showlegend=False, yaxis=axis(palette, "ms", rangemode="tozero", nticks=4)
    )
    colours = (palette.ink, palette.tier2, palette.threshold)
    for place, (name, dash) in enumerate(_PERCENTILES):
        latencies = [part.totals.latency for part in bins]
        if known := [1000 * latency[place] for latency in latencies if latency is not None]:
            _label(fig, name, median(known), palette.ink)
        fig.add_scatter(
            x=[middle(part.start, part.end) for part in bins] or [None],
            y=[None if latency is None else 1000 * latency[place] for latency in latencies] or [None],
            mode="lines+markers", name=name, connectgaps=False,
            hovertemplate=f"{name} %{{y:,.1f}} ms<extra></extra>",
            line={"color": colours[place], "dash": dash, "width": 1.75}, marker={"size": 4},
        )  # fmt: skip
    return fig.figure()


def _label(fig: Drawing, text: str, level: float, colour: str) -> None:
    """Add the name of a series at the right end, where it mostly is."""
    fig.add_annotation(
        text=text, name=text, xref="paper", x=1, xanchor="left", xshift=3, y=level,
        font={"size": 12, "color": colour},
    )  # fmt: skip


def describe_requests(bins: Sequence[Bin], baseline: Mapping[str, int] | None) -> dict[str, str]:
    """Return the charts in words, by their names, for people who do not see them."""
    requests, sent, total, breaches = (
        sum(getattr(part.totals, name) for part in bins)
        for name in ("requests", "tokens_sent", "tokens_total", "breaches")
    )
    modes: dict[str, int] = {mode: sum(part.totals.classified[mode] for part in bins) for mode in MODES}
    causes = {cause: sum(part.totals.by_cause[cause] for part in bins) for cause in CAUSES}
    fell = ", ".join(f"{count:,} by {CAUSES[cause]}" for cause, count in causes.items() if count)
    slow = [part.totals.latency for part in bins if part.totals.latency is not None]
    return {
        "modes": (f"Modes of {requests:,} requests: {_shares(modes)}." if requests else "No requests.")
        + (f" In the baseline: {_shares(baseline)}." if baseline else ""),
        "fallbacks": f"Requests with a fallback: {fell or 'none'}. Lost invariants: {breaches:,}.",
        "tokens": f"{sent:,} of {total:,} tokens were sent, {format_share(1 - sent / total)} saved."
        if total
        else "No tokens.",
        "latency": f"Building took {1000 * max(one[0] for one in slow):,.1f} ms (median) and"
        f" {1000 * max(one[2] for one in slow):,.1f} ms (99th percentile) at most."
        if slow
        else "No requests.",
    }


def _shares(counts: Mapping[str, int]) -> str:
    total = sum(counts.values())
    return ", ".join(f"{mode.capitalize()} {format_share(counts.get(mode, 0) / total)}" for mode in MODES)


def _add_bars(
    fig: Drawing, bins: Sequence[Bin], values: Sequence[int], name: str, look: tuple[str, str]
) -> None:
    colour, pattern = look
    fig.add_bar(
        x=[middle(part.start, part.end) for part in bins] or [None], y=list(values) or [None],
        width=[width(part.start, part.end) for part in bins] or [1], name=name, showlegend=bool(bins),
        hoverinfo="text",
        hovertext=[
            f"<b>{value:,}</b> {name}<br>{extent(part.start, part.end)}"
            for value, part in zip(values, bins, strict=True)
        ],
        marker=fill(colour, pattern, LIGHT.ink),
    )  # fmt: skip
