"""What one turn's score is made of: parts, tiers and links."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import plotly.graph_objects as go

from convgate.core.decisions import TurnDecisions
from convgate.core.text import format_number, format_share, format_signed, format_threshold
from convgate.figures.hover import describe, plain, wrapped
from convgate.figures.layout import add_line, axis, drawing, mark_threshold, steady
from convgate.figures.palette import Palette
from convgate.gate.arrays import logistic

if TYPE_CHECKING:  # a chart needs no torch
    from convgate.gate.explain import Link

MAX_LINKS = 12


class LogitPart(NamedTuple):
    """A part of the logit, in words for a newcomer."""

    label: str
    help: str


PARTS: Mapping[str, LogitPart] = {
    "semantic": LogitPart("close meaning", "How close the turn's meaning is to the current message's."),
    "recency": LogitPart(
        "how recent it is", "What newer turns gain by their place; training decides how much."
    ),
    "decay": LogitPart("age", "What a turn loses by being old; never more than 1."),
    "meaning": LogitPart("close meaning", "How close the turn's meaning is to the current message's."),
    "neighbours": LogitPart(
        "turns beside it", "How close the turns just before and after this one are to it."
    ),
    "passages": LogitPart(
        "closest passage", "How close the turn's closest passage is to the message, and those around it."
    ),
    "words": LogitPart("shared words", "Words that the turn shares with the message, rare ones above all."),
    "speaker": LogitPart("who speaks", "Who speaks, and whether this is the newest turn of that person."),
    "addressing": LogitPart("who is named", "Who calls whom by name."),
    "turn": LogitPart("form of the turn", "What the turn is like: a question, an answer, long, short, code."),
    "message": LogitPart(
        "message’s need", "How much the message asks for earlier turns at all: the same for all turns."
    ),
    "contextual": LogitPart("linked turns", "What turns that go on from each other add or take."),
}


def part_label(name: str) -> str:
    """Return what a part is called on screen.

    >>> part_label("semantic"), part_label("same_speaker")
    ('close meaning', 'same speaker')
    """
    return PARTS[name].label if name in PARTS else plain(name.replace("_", " "), 24)


def waterfall_figure(
    parts: Mapping[str, float], *, threshold_logit: float | None, palette: Palette
) -> go.Figure:
    """Return one bar a part, each starting where the last one ended, and their sum with its score.

    parts: logits by name, in the order to be shown. threshold_logit: the threshold as a logit; None, or an
    infinite one (threshold 0 or 1), has no line.
    """
    if threshold_logit is not None and not math.isfinite(threshold_logit):
        threshold_logit = None
    values = [float(value) for value in parts.values()]
    total = math.fsum(values)
    top = 8 if threshold_logit is None else 36  # for the name of the threshold
    fig = drawing(palette, height=82 + top + 38 * (len(parts) + 1), left=114, right=20, top=top)
    fig.add_trace(
        {
            "type": "waterfall", "orientation": "h", "width": 0.6, "cliponaxis": False,
            "y": [*map(part_label, parts), "sum"],
            "x": [*values, total],
            "measure": [*("relative" for _ in parts), "total"],
            "text": [*map(format_signed, values), f"<b>{format_signed(total)}</b>"],
            "textposition": "outside", "textfont": {"size": 13, "color": palette.ink},
            "hoverinfo": "text",
            "hovertext": [
                *(wrapped(PARTS[name].help if name in PARTS else name) for name in parts),
                "The logit. Its logistic is the score.",
            ],
            "increasing": {"marker": {"color": palette.tier1}},
            "decreasing": {"marker": {"color": palette.dropped}},
            "totals": {"marker": {"color": palette.ink}},
            "connector": {"line": {"color": palette.muted, "width": 1, "dash": "dot"}},
        }
    )  # fmt: skip
    score = format_number(float(logistic(total)))
    fig.update_layout(
        showlegend=False,
        xaxis=axis(
            palette, f"a sum of {format_signed(total)} is a score of <b>{score}</b>",
            range=_waterfall_range(values, threshold_logit), zeroline=True, zerolinecolor=palette.muted,
        ),
        yaxis=_name_axis(palette, autorange="reversed"),
    )  # fmt: skip
    if threshold_logit is not None:
        label = f"threshold <b>{format_signed(threshold_logit)}</b>"
        mark_threshold(fig, threshold_logit, label, palette, across="x")
    return fig.figure()


def describe_waterfall(parts: Mapping[str, float], *, threshold_logit: float | None) -> str:
    """Return the waterfall in words."""
    total = math.fsum(parts.values())
    is_finite = threshold_logit is not None and math.isfinite(threshold_logit)
    return describe(
        "Parts of the logit",
        {
            **{part_label(name): format_signed(value) for name, value in parts.items()},
            "sum": format_signed(total),
            "score": float(logistic(total)),
            "threshold": format_signed(threshold_logit)
            if threshold_logit is not None and is_finite
            else None,
        },
    )


def tiers_figure(decisions: TurnDecisions, index: int, *, palette: Palette) -> go.Figure:
    """Return the scores of both tiers and the final one of turn `index` (0-based), on one scale from 0 to 1.

    Raises KeyError for a turn that is not in the history, ValueError when the policy has no tiers.
    """
    logits = _tier_logits(decisions, index)
    fig = drawing(palette, height=176, left=124, right=56)
    looks = ((palette.tier1, "dot"), (palette.tier2, "dashdot"), (palette.ink, "solid"))
    for (name, logit), look in zip(logits.items(), looks, strict=True):
        score = float(logistic(logit))
        add_line(fig, name, [0, score], [name, name], look, width=3)
        fig.add_scatter(
            x=[score], y=[name], mode="markers+text", text=[format_number(score)],
            textposition="middle right", textfont={"color": palette.ink}, cliponaxis=False,
            customdata=[index], marker={"color": look[0], "size": 11},
            hovertext=[f"logit {format_signed(logit)}"], hoverinfo="text",
        )  # fmt: skip
    fig.update_layout(
        showlegend=False, margin={"b": 24}, xaxis=axis(palette, range=[0, 1], dtick=0.25, tickformat=".2~f"),
        yaxis=_name_axis(palette, categoryarray=list(logits)[::-1]),
    )  # fmt: skip
    if decisions.threshold is not None:
        label = f"threshold <b>{format_threshold(decisions.threshold)}</b>"
        mark_threshold(fig, decisions.threshold, label, palette, across="x")
    return fig.figure()


def describe_tiers(decisions: TurnDecisions, index: int) -> str:
    """Return the tiers in words."""
    scores = {name: float(logistic(logit)) for name, logit in _tier_logits(decisions, index).items()}
    return describe(f"Scores of turn {index + 1}", scores)


def describe_activation(activation: float) -> str:
    """Return what the activation means; the two shares it names add up to 100%.

    >>> describe_activation(0.34)
    'Of each score, 34% comes from the links between turns, 66% from each turn alone.'
    """
    alone = f"{1 - activation:.1%}" if 0 < activation < 0.0995 else format_share(1 - activation)
    among = format_share(activation)
    return f"Of each score, {among} comes from the links between turns, {alone} from each turn alone."


def links_figure(
    links: Sequence[Link], labels: Sequence[str], palette: Palette, *, start: int = 0
) -> go.Figure:
    """Return the strongest links of one turn as pairs of bars: attention left, measured effect right.

    Attention is no proof of influence, so both stand side by side. links: strongest first; at most
    `MAX_LINKS` are drawn. labels: who and first words of each turn of the conversation, by index; untrusted.
    start: the conversation's index of the history's first turn, since links count from there. `customdata`
    of each bar is the index of the turn attended to.
    """
    links = links[:MAX_LINKS]
    indices = [start + link.other for link in links]
    rows, count = list(range(len(links))), max(len(links), 1)
    fig = drawing(palette, height=66 + 30 * count, left=104, right=4)
    bars: dict[str, Any] = {
        "orientation": "h", "width": 0.62, "y": rows, "customdata": indices, "hoverinfo": "text",
        "textposition": "outside", "cliponaxis": False, "textfont": {"size": 12, "color": palette.ink},
        "hovertext": [
            f"{plain(labels[index], 60)}<br>{format_share(link.weight)} of the attention;"
            f"<br>with it, the score is {format_signed(link.effect, 3)} against leaving it out"
            for link, index in zip(links, indices, strict=True)
        ],
        **steady(),
    }  # fmt: skip
    fig.add_bar(
        x=[link.weight for link in links], text=[format_share(link.weight) for link in links],
        marker={"color": palette.tier2}, **bars,
    )  # fmt: skip
    colours = [palette.tier1 if link.effect > 0 else palette.dropped for link in links]
    fig.add_bar(x=[link.effect for link in links], xaxis="x2", marker={"color": colours}, **bars)
    widest = max((link.weight for link in links), default=0) or 1.0
    strongest = max([0.01, *(abs(link.effect) for link in links)])  # so that next to nothing looks like it
    bare: dict[str, Any] = {"showticklabels": False, "showgrid": False}
    fig.update_layout(
        showlegend=False, bargap=0.3, margin={"b": 16},
        xaxis=axis(palette, domain=[0, 0.4], range=[0, 2.2 * widest], **bare),
        xaxis2=axis(
            palette, domain=[0.44, 0.66], range=[-strongest, strongest], anchor="y", zeroline=True,
            zerolinecolor=palette.muted, **bare,
        ),
        yaxis=_name_axis(
            palette, range=[count - 0.5, -0.5], tickvals=rows,
            ticktext=[f"{index + 1} {plain(labels[index], 12)}" for index in indices],
        ),
    )  # fmt: skip
    notes: list[dict[str, Any]] = [
        {"text": format_signed(link.effect, 3), "x": 1, "xanchor": "right", "y": row, "yref": "y"}
        for row, link in enumerate(links)
    ]
    above: dict[str, Any] = {"yref": "paper", "y": 1, "yanchor": "bottom"}
    notes += [{"text": "share", "x": 0, "xanchor": "left", **above}]
    notes += [{"text": "effect", "x": 1, "xanchor": "right", **above}]
    for note in notes:
        fig.add_annotation(xref="paper", font={"size": 12, "color": palette.ink}, **note)
    return fig.figure()


def describe_links(links: Sequence[Link], *, start: int = 0) -> str:
    """Return the links, one at least, in words."""
    return describe(
        f"Turn {start + links[0].turn + 1}, attention to and effect of other turns",
        {
            f"turn {start + link.other + 1}": f"{format_share(link.weight)} {format_signed(link.effect, 3)}"
            for link in links[:MAX_LINKS]
        },
    )


def _name_axis(palette: Palette, **settings: Any) -> dict[str, Any]:
    return axis(palette, showgrid=False, tickfont={"size": 13, "color": palette.ink}, **settings)


def _waterfall_range(values: Sequence[float], threshold: float | None) -> list[float]:
    """Return room for every bar with its number, and the threshold; in halves, so that it seldom moves."""
    sums = [0.0, *(math.fsum(values[: count + 1]) for count in range(len(values)))]
    marks = sums if threshold is None else [*sums, threshold]
    room = 0.18 * max(max(marks) - min(marks), 0.5)  # numbers stand left of falling bars, right of others
    bars = list(zip([*sums[1:], sums[-1]], [*values, sums[-1]], strict=True))
    low = min([*marks, *(end - room for end, step in bars if step < 0)])
    high = max([*marks, *(end + room for end, step in bars if step >= 0)])
    return [math.floor(2 * low) / 2, math.ceil(2 * high) / 2]


def _tier_logits(decisions: TurnDecisions, index: int) -> dict[str, float]:
    if decisions.tier1 is None or decisions.attention is None or decisions.logits is None:
        raise ValueError(f"the policy {decisions.policy} has no tiers")
    rows = (decisions.indices == index).nonzero()[0]
    if not len(rows):
        raise KeyError(index)
    columns = {
        "turn alone": decisions.tier1, "with linked turns": decisions.attention, "final": decisions.logits,
    }  # fmt: skip
    return {name: float(column[rows[0]]) for name, column in columns.items()}
